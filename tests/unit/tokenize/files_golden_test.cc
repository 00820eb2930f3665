// Every tokenizer file of the shared folder against the reference's counts and
// ids of 583 texts.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <string_view>

#include "trainsight/tokenize/load_files.h"
#include "unit/tokenize/golden.h"

namespace trainsight::tokenize {
namespace {

struct GoldenRow {
  std::string_view name;  // in golden.jsonl
  std::string_view file;
  std::uint32_t added_per_text;
  std::uint32_t id_offset;  // of ours above the golden ids
};

// Tokens added to each text: shared/tokenizers/README.md.
constexpr GoldenRow kRows[] = {
    {"bert-base-cased", "bert-base-cased/tokenizer.json", 2, 0},
    {"bert-base-uncased", "bert-base-uncased/tokenizer.json", 2, 0},
    {"claude2", "claude2/tokenizer.json", 0, 0},
    {"deepseek-v3", "deepseek-v3/tokenizer.json", 0, 0},
    {"gemma1", "gemma1/tokenizer.json", 1, 0},
    {"gemma3", "gemma3/tokenizer.json", 1, 0},
    {"gpt-3.5-turbo", "gpt-3.5-turbo/tokenizer.json", 0, 0},
    {"gpt-neox", "gpt-neox/tokenizer.json", 0, 0},
    {"gpt-oss", "gpt-oss/tokenizer.json", 0, 0},
    {"gpt2", "gpt2/tokenizer.json", 0, 0},
    {"llama2", "llama2/tokenizer.json", 1, 0},
    {"llama3.1", "llama3.1/tokenizer.json", 1, 0},
    {"mistral-v0.1-legacy", "mistral-v0.1-legacy/tokenizer.json", 1, 0},
    {"mistral-v0.3", "mistral-v0.3/tokenizer.json", 1, 0},
    {"modernbert", "modernbert/tokenizer.json", 2, 0},
    {"qwen3", "qwen3/tokenizer.json", 0, 0},
    {"t5", "t5/tokenizer.json", 1, 0},
    {"xlnet", "xlnet/tokenizer.json", 2, 0},
    {"tekken", "tekken/tekken.json", 0, 1000},
    {"llama2.model", "llama2/tokenizer.model", 0, 0},
    {"mistral-v0.3.model", "mistral-v0.3/tokenizer.model", 0, 0},
    {"t5.model", "t5/spiece.model", 0, 0},
    {"xlnet.model", "xlnet/spiece.model", 0, 0},
};

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

// What parts_at() says of some places of a text, and of its beginning.
void check_parts(TokenCounter& counter, std::string_view text) {
  text = text.substr(0, 300);
  std::vector<std::uint32_t> whole;
  counter.encode(text, whole);
  for (std::size_t at = 0; at <= text.size(); at += 1 + at / 16) {
    if (at < text.size() && (text[at] & '\xC0') == '\x80') continue;
    if (!counter.parts_at(text, at)) continue;
    std::vector<std::uint32_t> first;
    counter.encode(text.substr(0, at), first);
    INFO("parted at " << at);
    REQUIRE(first.size() <= whole.size());
    REQUIRE(std::equal(first.begin(), first.end(), whole.begin()));
  }
}

TEST_CASE("every tokenizer file counts and encodes as its reference does") {
  const std::optional<std::string> golden = read_shared("golden.jsonl");
  if (!golden) return;
  for (const GoldenRow& row : kRows) {
    const std::optional<std::string> file =
        read_tokenizer(std::string(row.file));
    if (!file) continue;
    INFO(row.name);
    TokenizerFiles files;
    files.name = row.name;
    if (ends_with(row.file, "tokenizer.json")) files.tokenizer_json = *file;
    if (ends_with(row.file, "tekken.json")) files.tekken_json = *file;
    if (ends_with(row.file, ".model")) files.sentencepiece_model = *file;
    const auto tokenizer = load_tokenizer(files);
    REQUIRE(tokenizer);
    CHECK((*tokenizer)->info().tokens_added_per_text == row.added_per_text);
    CHECK((*tokenizer)->info().xxh64.size() == 16);
    const auto counter = (*tokenizer)->make_counter();
    for (const GoldenText& text :
         golden_texts(*golden, std::string(row.name))) {
      INFO(text.id);
      CHECK(counter->count(text.text) == text.count);
      CHECK(counter->count(text.text) == text.count);  // from the cache
      std::vector<std::uint32_t> ids;
      counter->encode(text.text, ids);
      CHECK(ids.size() == text.count);
      for (std::uint32_t& id : ids) id -= row.id_offset;
      if (text.ids) CHECK(ids == *text.ids);
      check_parts(*counter, text.text);
    }
  }
}

}  // namespace
}  // namespace trainsight::tokenize
