// What survives a limit, by hand.
#include "trainsight/targets/survival.h"

#include <catch2/catch.hpp>

namespace trainsight::targets {
namespace {

using facts::RowFacts;
using records::SampleType;

// A prompt of `prompt` tokens and an answer of `answer`.
RowFacts sft(std::uint32_t prompt, std::uint32_t answer) {
  RowFacts row;
  row.schema = 0;
  row.type = SampleType::kSft;
  row.tokens = prompt + answer;
  row.flags = facts::kHasLabels;
  row.label_tokens = answer;
  row.first_label = answer > 0 ? prompt : facts::kAbsent;
  row.label_end = answer > 0 ? prompt + answer : 0;
  return row;
}

SurvivalFigures survive(const SurvivalOptions& options) {
  SurvivalCounter counter(options);
  counter.add(sft(10, 10));  // fits
  counter.add(sft(90, 60));  // loses 50 of its answer at 100
  counter.add(sft(600, 1));  // loses its answer
  return counter.figures();
}

SurvivalOptions options_of(Overlong overlong) {
  SurvivalOptions options;
  options.max_seq_len = 100;
  options.overlong = overlong;
  return options;
}

TEST_CASE("keeping the start cuts answers off", "[targets]") {
  const SurvivalFigures f = survive(options_of(Overlong::kTruncateStart));
  CHECK(f.kept.records == 3);
  CHECK(f.kept.tokens == 20 + 100 + 100);
  CHECK(f.truncated.records == 2);
  CHECK(f.truncated.tokens == 50 + 501);
  CHECK(f.unlabelled.records == 1);
  CHECK(f.unlabelled.tokens == 100);
  CHECK(f.dropped.records == 0);
}

TEST_CASE("a trainer that drops unlabelled rows says so", "[targets]") {
  SurvivalOptions options = options_of(Overlong::kTruncateStart);
  options.drops_unlabelled = true;
  const SurvivalFigures f = survive(options);
  CHECK(f.kept.records == 2);
  CHECK(f.dropped.records == 1);
  CHECK(f.dropped.tokens == 601);
  CHECK(f.unlabelled.records == 1);
}

TEST_CASE("keeping the end, or a share of both, keeps the answer",
          "[targets]") {
  CHECK(survive(options_of(Overlong::kTruncateEnd)).unlabelled.records == 0);
  CHECK(survive(options_of(Overlong::kProportional)).unlabelled.records == 0);
}

TEST_CASE("dropping, splitting and leaving alone", "[targets]") {
  const SurvivalFigures dropped = survive(options_of(Overlong::kDrop));
  CHECK(dropped.kept.records == 1);
  CHECK(dropped.dropped.records == 2);
  CHECK(dropped.dropped.tokens == 150 + 601);
  for (const Overlong whole : {Overlong::kSplit, Overlong::kKeep}) {
    const SurvivalFigures f = survive(options_of(whole));
    CHECK(f.kept.records == 3);
    CHECK(f.kept.tokens == 20 + 150 + 601);
    CHECK(f.truncated.records == (whole == Overlong::kSplit ? 2 : 0));
    CHECK(f.truncated.tokens == 0);
  }
}

TEST_CASE("who learns all of a chat loses no label to a long prompt",
          "[targets]") {
  SurvivalOptions options = options_of(Overlong::kTruncateStart);
  options.learns = Learns::kAllOfChats;
  CHECK(survive(options).unlabelled.records == 1);  // no chats: as ever
  SurvivalCounter chats(options);
  RowFacts chat = sft(600, 1);
  chat.dialect = records::Dialect::kRoleContent;
  chats.add(chat);
  CHECK(chats.figures().unlabelled.records == 0);
}

TEST_CASE("pairs and prompts have policies of their own", "[targets]") {
  SurvivalOptions options = options_of(Overlong::kTruncateStart);
  options.pairs = Overlong::kDrop;
  options.prompts = Overlong::kRaise;
  SurvivalCounter counter(options);
  RowFacts pair = sft(150, 10);
  pair.type = SampleType::kDpo;
  RowFacts prompt = sft(150, 0);
  prompt.type = SampleType::kGrpo;
  counter.add(pair);
  counter.add(prompt);
  CHECK(counter.figures().dropped.records == 2);
}

TEST_CASE("a target without a limit of its own needs one", "[targets]") {
  const Target& openai = *find_target("openai");
  CHECK_FALSE(survival_options(openai, std::nullopt, false).has_value());
  CHECK(survival_options(openai, 4096, false)->max_seq_len == 4096);
  const Target& trl = *find_target("trl");
  CHECK(survival_options(trl, std::nullopt, false)->max_seq_len == 1024);
  CHECK(survival_options(trl, std::nullopt, false)->drops_unlabelled);
  CHECK_FALSE(survival_options(trl, std::nullopt, true)->drops_unlabelled);
}

}  // namespace
}  // namespace trainsight::targets
