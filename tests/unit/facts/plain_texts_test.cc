// One sequence made of plain texts, as trainers make it. The vocabulary has
// "a", "b", a space and "ab", which a and b become where they meet.
#include "trainsight/facts/plain_texts.h"

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>

#include "trainsight/facts/measure_conversation.h"
#include "trainsight/records/extract.h"
#include "trainsight/scan/json_document.h"
#include "trainsight/tokenize/load_files.h"

namespace trainsight::facts {
namespace {

using records::Field;

std::unique_ptr<tokenize::Tokenizer> tiny(std::string_view config = R"({
    "bos_token": "<s>", "eos_token": "</s>"})") {
  tokenize::TokenizerFiles files;
  files.name = "tiny";
  files.tokenizer_json = R"({
    "added_tokens": [
      {"id": 0, "content": "<s>", "special": true, "normalized": false},
      {"id": 1, "content": "</s>", "special": true, "normalized": false}],
    "post_processor": {"type": "TemplateProcessing", "single": [
      {"SpecialToken": {"id": "<s>", "type_id": 0}},
      {"Sequence": {"id": "A", "type_id": 0}}],
      "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}}},
    "model": {"type": "BPE",
      "vocab": {"<s>": 0, "</s>": 1, "a": 2, "b": 3, " ": 4, "ab": 5},
      "merges": ["a b"]}})";
  files.tokenizer_config_json = config;
  auto loaded = tokenize::load_tokenizer(files);
  REQUIRE(loaded);
  return *std::move(loaded);
}

constexpr PlainTexts joined() { return {true, true, true, true}; }
constexpr PlainTexts apart() { return {true, true, false, false}; }

RowFacts measure(const tokenize::Tokenizer& tokenizer, PlainTexts plain,
                 std::string_view json) {
  auto document = scan::JsonDocument::parse(json, "row");
  REQUIRE(document);
  records::Extractor extractor;
  records::Sample sample;
  extractor.extract(document->view(), sample);
  MeasureOptions options;
  options.tokenizer = &tokenizer;
  options.plain = options.plain_preferences = plain;
  RowFacts facts;
  Measurer(options).measure(document->view(), sample, facts);
  return facts;
}

struct Labels {
  std::uint32_t first, end, count;
  friend bool operator==(const Labels&, const Labels&) = default;
};

Labels labels_of(const RowFacts& facts) {
  return {facts.first_label, facts.label_end, facts.label_tokens};
}

constexpr const char* kRow = R"({"prompt": "a", "completion": "b"})";

TEST_CASE("joined texts are one: a token may cross into the answer") {
  // <s> ab </s>: the prompt alone is <s> a, of which <s> is left.
  const RowFacts facts = measure(*tiny(), joined(), kRow);
  CHECK(facts.tokens == 3);
  CHECK(labels_of(facts) == Labels{1, 3, 2});
  CHECK(facts.field(Field::kTemplate) == 1);
  CHECK(facts.field(Field::kPrompt) == 0);
  CHECK(facts.field(Field::kCompletion) == 2);
}

TEST_CASE("texts apart keep their own tokens") {
  const RowFacts facts = measure(*tiny(), apart(), kRow);  // <s> a b </s>
  CHECK(facts.tokens == 4);
  CHECK(labels_of(facts) == Labels{2, 4, 2});
}

TEST_CASE("nothing is done by default") {
  const RowFacts facts = measure(*tiny(), PlainTexts{}, kRow);  // a b
  CHECK(facts.tokens == 2);
  CHECK(labels_of(facts) == Labels{1, 2, 1});
  CHECK(facts.field(Field::kTemplate) == kAbsent);
}

TEST_CASE("an answer that ends with the EOS gets no other") {
  const RowFacts facts =
      measure(*tiny(), joined(), R"({"prompt": "b", "completion": "b</s>"})");
  CHECK(facts.tokens == 4);  // <s> b b </s>
  CHECK(labels_of(facts) == Labels{2, 4, 2});
}

TEST_CASE("an empty answer is an EOS when joined, and nothing apart") {
  constexpr const char* kEmpty = R"({"prompt": "a", "completion": ""})";
  CHECK(labels_of(measure(*tiny(), joined(), kEmpty)) == Labels{2, 3, 1});
  const RowFacts facts = measure(*tiny(), apart(), kEmpty);
  CHECK(facts.tokens == 2);
  CHECK(labels_of(facts) == Labels{kAbsent, 0, 0});
}

TEST_CASE("of plain text everything is learnt, the BOS included") {
  const RowFacts facts = measure(*tiny(), joined(), R"({"text": "ab a"})");
  CHECK(facts.tokens == 5);  // <s> ab _ a </s>
  CHECK(labels_of(facts) == Labels{0, 5, 5});
}

TEST_CASE("a prompt for RL has no end") {
  const RowFacts facts = measure(*tiny(), joined(), R"({"prompt": "ab"})");
  CHECK(facts.tokens == 2);
  CHECK(labels_of(facts) == Labels{kAbsent, 0, 0});
}

TEST_CASE("both sides of a preference have the shorter prompt") {
  // <s> ab </s> and <s> a a </s>: b is learnt with its a, so a is learnt twice.
  const RowFacts facts = measure(
      *tiny(), joined(), R"({"prompt": "a", "chosen": "a", "rejected": "b"})");
  CHECK(facts.chosen_side_tokens == 4);
  CHECK(facts.rejected_side_tokens == 3);
  CHECK(labels_of(facts) == Labels{1, 4, 3});
}

TEST_CASE("without a prompt, what both sides begin with is it") {
  // The space in front of what differs belongs to the answers.
  const RowFacts facts =
      measure(*tiny(), joined(), R"({"chosen": "ab a", "rejected": "ab b b"})");
  CHECK(facts.tokens == 7);
  CHECK(facts.field(Field::kPrompt) == 1);
  CHECK(facts.field(Field::kChosen) == 3);    // _ a </s>
  CHECK(facts.field(Field::kRejected) == 5);  // _ b _ b </s>
  CHECK(labels_of(facts) == Labels{2, 5, 3});
}

TEST_CASE("segments stand as they are") {
  const RowFacts facts = measure(*tiny(), joined(),
                                 R"({"segments": [{"label": false, "text": "a"},
                               {"label": true, "text": "b"}]})");
  CHECK(facts.tokens == 2);
  CHECK(labels_of(facts) == Labels{1, 2, 1});
}

TEST_CASE("a tokenizer without an EOS appends none") {
  const RowFacts facts =
      measure(*tiny(R"({"bos_token": "<s>"})"), joined(), kRow);
  CHECK(facts.tokens == 2);  // <s> ab
}

TEST_CASE(
    "an EOS that is no text of the vocabulary is one token all the same") {
  // [end] is dropped: none of its characters is in the vocabulary.
  const RowFacts facts =
      measure(*tiny(R"({"bos_token": "<s>", "eos_token": "[x]"})"), joined(),
              R"({"prompt": "b", "completion": "b"})");
  CHECK(facts.tokens == 4);
  CHECK(labels_of(facts) == Labels{2, 4, 2});
}

}  // namespace
}  // namespace trainsight::facts
