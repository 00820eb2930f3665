#include "trainsight/tokenize/control_tokens.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "trainsight/tokenize/load.h"
#include "trainsight/tokenize/load_files.h"
#include "unit/tokenize/golden.h"

namespace trainsight::tokenize {
namespace {

using Ids = std::vector<std::uint32_t>;

// Every letter of "abc[]/ \n" is a token, "ab" is one.
std::shared_ptr<const Tokenizer> letters() {
  auto made =
      make_tiktoken("cl100k",
                    "YQ== 0\nYg== 1\nYw== 2\nWw== 3\nXQ== 4\nLw== 5\nIA== 6\n"
                    "Cg== 7\nYWI= 8\n");
  REQUIRE(made);
  return *std::move(made);
}

Ids ids_of(const Tokenizer& tokenizer, std::string_view text) {
  Ids ids;
  const auto counter = tokenizer.make_counter();
  counter->encode(text, ids);
  CHECK(counter->count(text) == ids.size());
  return ids;
}

TEST_CASE("control tokens are found in texts, the longest first") {
  const ControlTokens control{{{"[a]", 20, true}, {"[a]b", 21, true}}, "", ""};
  const auto tokenizer = with_control_tokens(letters(), control);
  CHECK(ids_of(*tokenizer, "ab[a]ab") == Ids{8, 20, 8});
  CHECK(ids_of(*tokenizer, "[a]bc[a]") == Ids{21, 2, 20});
  // What they part does not merge, and a space stays a space.
  CHECK(ids_of(*tokenizer, "a[a] b") == Ids{0, 20, 6, 1});
  CHECK(ids_of(*tokenizer, "ab c").size() == 3);
  CHECK(tokenizer->info().vocabulary_size == 22);
  REQUIRE(tokenizer->info().special_tokens.size() == 2);
}

TEST_CASE("a tokenizer that finds its control tokens stays as it is") {
  const auto plain = letters();
  CHECK(with_control_tokens(plain, {}) == plain);
  CHECK(with_control_tokens(plain, {{{"ab", 8, true}}, "", ""}) == plain);
}

TEST_CASE("control tokens of rank files go by their number of ranks") {
  TokenizerInfo info;
  info.kind = "byte-level BPE, tiktoken ranks";
  info.vocabulary_size = 128000;
  const ControlTokens control = control_tokens_of(info);
  CHECK(control.bos_token == "<|begin_of_text|>");
  REQUIRE(control.tokens.size() == 5);
  CHECK(control.tokens[4].text == "<|eot_id|>");
  CHECK(control.tokens[4].id == 128009);
  info.vocabulary_size = 127999;
  CHECK(control_tokens_of(info).tokens.empty());
  info.vocabulary_size = 128000;
  info.kind = "byte-level BPE";
  CHECK(control_tokens_of(info).tokens.empty());
}

TEST_CASE("a .model that is a rank file is read as one") {
  TokenizerFiles files;
  files.name = "original/tokenizer.model";
  files.sentencepiece_model = "YQ== 0\nYg== 1\n";
  const auto loaded = load_tokenizer(files);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().message ==
        "original/tokenizer.model: a rank file does not say how words are cut, "
        "and this is none of the known ones");
}

// Two turns as mistral-common 1.13.1 encodes them. The spaces are those that
// the chat formats write where SentencePiece puts its mark.
TEST_CASE("Mistral's formats are counted as mistral-common counts them") {
  struct Row {
    const char* file;
    const char* text;
    Ids ids;
  };
  const Row kRows[] = {
      {"mistral-v0.3/tokenizer.model",
       "<s>[INST] Hi[/INST] Hello there</s>[INST] What do you mean?\nWell?"
       "[/INST] Nothing.</s>",
       {1,    3,    16127, 4,   23325, 1504,  2, 3,     2592,  1279,
        1136, 2840, 29572, 781, 7592,  29572, 4, 11849, 29491, 2}},
      {"tekken/tekken.json",
       "<s>[INST]Hi[/INST]Hello there</s>[INST]What do you mean?\nWell?"
       "[/INST]Nothing.</s>",
       {1, 3, 37133, 4, 22177, 2156, 2, 3, 7493, 1653, 1636, 4204, 9551, 26300,
        1063, 4, 50967, 1046, 2}},
  };
  for (const Row& row : kRows) {
    const auto bytes = read_tokenizer(row.file);
    if (!bytes) continue;  // said by read_tokenizer
    TokenizerFiles files;
    files.name = row.file;
    const bool is_model = files.name.ends_with(".model");
    (is_model ? files.sentencepiece_model : files.tekken_json) = *bytes;
    auto loaded = load_tokenizer(files);
    REQUIRE(loaded);
    std::shared_ptr<const Tokenizer> plain = *std::move(loaded);
    const auto tokenizer =
        with_control_tokens(plain, control_tokens_of(plain->info()));
    CHECK(ids_of(*tokenizer, row.text) == row.ids);
  }
}

}  // namespace
}  // namespace trainsight::tokenize
