#include "tokenize/tiktoken.h"

#include <catch2/catch.hpp>

#include "trainsight/tokenize/load.h"
#include "unit/tokenize/golden.h"

namespace trainsight::tokenize {
namespace {

std::string decoded(std::string_view base64) {
  std::string bytes;
  return append_base64(base64, bytes) ? bytes : "(refused)";
}

TEST_CASE("base64 is decoded with and without padding") {
  CHECK(decoded("").empty());
  CHECK(decoded("IQ==") == "!");
  CHECK(decoded("IQ") == "!");
  CHECK(decoded("aGU=") == "he");
  CHECK(decoded("IHRo") == " th");
  CHECK(decoded("/+8A") == std::string("\xFF\xEF\0", 3));
  CHECK(decoded("I") == "(refused)");
  CHECK(decoded("IQ===") == "(refused)");
  CHECK(decoded("I!==") == "(refused)");
  CHECK(decoded("aGV") == "he");
}

TEST_CASE("ranks are ids, in any order, with holes") {
  const Result<TokenBytes> tokens = parse_ranks("YQ== 2\nYg== 0\r\n\nYWI= 3");
  REQUIRE(tokens);
  REQUIRE(tokens->size() == 4);
  CHECK((*tokens)[0] == "b");
  CHECK((*tokens)[1].empty());
  CHECK((*tokens)[2] == "a");
  CHECK((*tokens)[3] == "ab");
}

TEST_CASE("a rank file's faults are named with their line") {
  const auto message = [](std::string_view file) {
    const Result<TokenBytes> tokens = parse_ranks(file);
    return tokens ? std::string("(accepted)") : tokens.error().message;
  };
  CHECK(message("") == "rank file holds no tokens");
  CHECK(message("YQ== 0\nYg==") == "rank file, line 2: no token and rank");
  CHECK(message("YQ== 0\nYg== ") == "rank file, line 2: no rank");
  CHECK(message("YQ== 0x1") == "rank file, line 1: no rank");
  CHECK(message("YQ== 0\nYg== 0") == "rank file, line 2: rank comes twice");
  CHECK(message("YQ== 99") == "rank file, line 1: rank out of range");
  CHECK(message("Y!== 0") == "rank file, line 1: token is not base64");
  CHECK(message(" 0") == "rank file, line 1: token is not base64");
}

TEST_CASE("a rank file of unknown origin needs a pattern") {
  const auto refused = make_tiktoken("my.tiktoken", "YQ== 0\n");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kUnsupported);
  CHECK(refused.error().message ==
        "my.tiktoken: a rank file does not say how words are cut, and this is "
        "none of the known ones");
  CHECK(make_tiktoken("my.tiktoken", "YQ== 0\n",
                      sources_of_pattern(Pattern::kLlama3)[0]));
  CHECK(make_tiktoken("cl100k_base.tiktoken", "YQ== 0\n"));
  CHECK(make_tiktoken("Kimi-K2/kimi.tiktoken", "YQ== 0\n"));
}

TEST_CASE("the number of ranks says more than a path's names") {
  const auto by_number = cut_of_encoding("/home/kimi/tokenizer.model", 128000);
  REQUIRE(by_number);
  CHECK(by_number->pattern == Pattern::kLlama3);
  CHECK(cut_of_encoding("gpt2/tiktoken.model", 163584)->regex.size() > 100);
  CHECK(cut_of_encoding("x/gpt2.tiktoken", 7)->pattern == Pattern::kGpt2);
  CHECK_FALSE(cut_of_encoding("x", 7));
}

void check_golden(const std::string& name, const std::string& path) {
  const auto file = read_shared(path);
  const auto golden = read_shared("golden.jsonl");
  if (!file || !golden) return;
  auto tokenizer = make_tiktoken(path, *file);
  REQUIRE(tokenizer);
  const auto counter = (*tokenizer)->make_counter();
  const std::vector<GoldenText> texts = golden_texts(*golden, name);
  CHECK(texts.size() == 583);
  for (int pass = 0; pass < 2; ++pass) {  // the second one from the cache
    for (const GoldenText& text : texts) {
      INFO(name << " text " << text.id << " pass " << pass);
      CHECK(counter->count(text.text) == text.count);
      std::vector<std::uint32_t> ids;
      counter->encode(text.text, ids);
      CHECK(ids.size() == text.count);
      if (text.ids) CHECK(ids == *text.ids);
    }
  }
}

TEST_CASE("r50k_base gives tiktoken's counts and ids") {
  check_golden("r50k_base", "r50k_base/r50k_base.tiktoken");
}
TEST_CASE("cl100k_base gives tiktoken's counts and ids") {
  check_golden("cl100k_base", "cl100k_base/cl100k_base.tiktoken");
}
TEST_CASE("o200k_base gives tiktoken's counts and ids") {
  check_golden("o200k_base", "o200k_base/o200k_base.tiktoken");
}

}  // namespace
}  // namespace trainsight::tokenize
