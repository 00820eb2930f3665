#include "pipeline/profile_builder.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

#include "trainsight/records/schema_table.h"

namespace trainsight::pipeline {
namespace {

using facts::RowFacts;
using records::Field;
using records::SampleType;

std::int16_t schema_named(std::string_view name) {
  const auto schemas = records::schemas();
  for (std::size_t i = 0; i < schemas.size(); ++i) {
    if (schemas[i].name == name) return static_cast<std::int16_t>(i);
  }
  FAIL("no schema " << name);
  return -1;
}

// A prompt of a quarter of the tokens and a completion of the rest.
RowFacts supervised(std::uint32_t tokens, std::uint64_t line = 1) {
  RowFacts row;
  row.line = line;
  row.type = SampleType::kSft;
  row.schema = schema_named("prompt-completion");
  row.tokens = row.content_tokens = row.label_end = tokens;
  row.first_label = tokens / 4;
  row.label_tokens = tokens - tokens / 4;
  row.fields[static_cast<std::size_t>(Field::kPrompt)] = tokens / 4;
  row.fields[static_cast<std::size_t>(Field::kCompletion)] = row.label_tokens;
  return row;
}

RowFacts conversation(bool ends_with_user) {
  RowFacts row = supervised(8);
  row.schema = schema_named("messages");
  if (ends_with_user) {
    row.flags = facts::kEndsWithUser;
    row.first_label = facts::kAbsent;
    row.label_tokens = row.label_end = 0;
  }
  return row;
}

RowFacts preference(std::uint32_t chosen, std::uint32_t rejected) {
  RowFacts row = supervised(std::max(chosen, rejected));
  row.type = SampleType::kDpo;
  row.schema = schema_named("preference");
  row.chosen_side_tokens = chosen;
  row.rejected_side_tokens = rejected;
  row.fields[static_cast<std::size_t>(Field::kChosen)] = chosen;
  row.fields[static_cast<std::size_t>(Field::kRejected)] = rejected;
  return row;
}

RowFacts unknown() {
  RowFacts row;
  row.line = 1;
  return row;
}

manifest::Profile profile_of(const std::vector<RowFacts>& rows,
                             const BuilderOptions& options = {}) {
  ProfileBuilder builder(options);
  for (const RowFacts& row : rows) builder.add(row);
  return builder.finish();
}

std::uint64_t count(const manifest::Profile& profile, SampleType type) {
  return profile.types[static_cast<std::size_t>(type)];
}

TEST_CASE("no row gives an empty profile of no type") {
  const manifest::Profile profile = profile_of({});
  CHECK(profile.records == 0);
  CHECK(profile.usable == 0);
  CHECK(profile.type == SampleType::kUnknown);
  CHECK(profile.schemas.empty());
  CHECK(profile.longest.empty());
  CHECK(profile.file_order_slots == 0);
}

TEST_CASE("the type is that of most rows, and all rows are counted") {
  const manifest::Profile profile =
      profile_of({supervised(8), preference(3, 4), supervised(9), unknown()});
  CHECK(profile.type == SampleType::kSft);
  CHECK(count(profile, SampleType::kSft) == 2);
  CHECK(count(profile, SampleType::kDpo) == 1);
  CHECK(count(profile, SampleType::kUnknown) == 1);
  CHECK(profile.records == 4);
  CHECK(profile.usable == 3);
}

TEST_CASE("rows of no known shape have no length and never win the vote") {
  const manifest::Profile profile =
      profile_of({unknown(), unknown(), supervised(8)});
  CHECK(profile.type == SampleType::kSft);
  CHECK(profile.tokens.sketch.count() == 1);
  CHECK(profile_of({unknown()}).type == SampleType::kUnknown);
}

TEST_CASE("a stated type overrides the vote, and other rows are no use") {
  BuilderOptions options;
  options.stated_type = SampleType::kDpo;
  const manifest::Profile profile =
      profile_of({supervised(8), supervised(8), preference(3, 4)}, options);
  CHECK(profile.type == SampleType::kDpo);
  CHECK(profile.usable == 1);
}

TEST_CASE("conversations that mostly end with the user are prompts for RL") {
  const manifest::Profile prompts =
      profile_of({conversation(true), conversation(true), conversation(false)});
  CHECK(prompts.type == SampleType::kGrpo);
  CHECK(count(prompts, SampleType::kGrpo) == 2);
  CHECK(count(prompts, SampleType::kSft) == 1);
  CHECK(prompts.usable == 3);
  CHECK(prompts.schemas[0].type == SampleType::kGrpo);
  // Half is not most: the two lack their answers.
  const manifest::Profile answers =
      profile_of({conversation(true), conversation(false)});
  CHECK(answers.type == SampleType::kSft);
  CHECK(answers.usable == 1);
}

TEST_CASE("a row is usable when something of it is learnt") {
  const BuilderOptions any;
  CHECK(is_usable(supervised(8), any));
  RowFacts nothing_learnt = supervised(8);
  nothing_learnt.label_tokens = 0;
  CHECK(!is_usable(nothing_learnt, any));
  CHECK(!is_usable(supervised(0), any));
  CHECK(!is_usable(unknown(), any));
  // The first label of 8 tokens is the third.
  BuilderOptions limited;
  limited.max_seq_len = 2;
  CHECK(!is_usable(supervised(8), limited));
  limited.max_seq_len = 3;
  CHECK(is_usable(supervised(8), limited));
  CHECK(is_usable(preference(3, 4), any));
  CHECK(!is_usable(preference(3, 0), any));
  CHECK(!is_usable(preference(0, 4), any));
}

TEST_CASE("the longest stand first, and equals in input order") {
  BuilderOptions options;
  options.longest_kept = 3;
  const manifest::Profile profile =
      profile_of({supervised(5, 1), supervised(9, 2), supervised(7, 3),
                  supervised(9, 4), supervised(7, 5), supervised(2, 6)},
                 options);
  REQUIRE(profile.longest.size() == 3);
  CHECK(profile.longest[0].line == 2);
  CHECK(profile.longest[1].line == 4);
  CHECK(profile.longest[2].line == 3);
  CHECK(profile.longest[2].tokens == 7);
  options.longest_kept = 0;
  CHECK(profile_of({supervised(5)}, options).longest.empty());
}

TEST_CASE("batches in file order are as wide as their longest row") {
  BuilderOptions options;
  options.micro_batch = 2;
  // 2 x 30, 2 x 20 and the last batch of one: 7.
  const manifest::Profile profile =
      profile_of({supervised(10), supervised(30), supervised(20), supervised(5),
                  supervised(7)},
                 options);
  CHECK(profile.file_order_micro_batch == 2);
  CHECK(profile.file_order_slots == 107);
  CHECK(profile.file_order_tokens == 72);
  CHECK(profile.in_order == std::vector<std::uint64_t>{10, 30, 20, 5, 7});
}

TEST_CASE("both sides of a pair take slots of the longest pair's width") {
  BuilderOptions options;
  options.micro_batch = 2;
  const manifest::Profile profile =
      profile_of({preference(3, 4), preference(10, 2)}, options);
  CHECK(profile.file_order_slots == 4 * 10);
  CHECK(profile.file_order_tokens == 3 + 4 + 10 + 2);
  CHECK(profile.chosen_side.sketch.sum() == 13);
  CHECK(profile.rejected_side.sketch.sum() == 6);
  CHECK(profile.tokens.sketch.sum() == 4 + 10);
}

TEST_CASE("the order is kept for small sets only") {
  const std::vector<RowFacts> most(manifest::kMostInOrder, supervised(4));
  CHECK(profile_of(most).in_order.size() == manifest::kMostInOrder);
  std::vector<RowFacts> more = most;
  more.push_back(supervised(4));
  CHECK(profile_of(more).in_order.empty());
}

TEST_CASE("shapes are told by number, with the place of the first") {
  std::vector<RowFacts> rows = {preference(3, 4), supervised(8, 5),
                                supervised(8, 6)};
  rows[1].file = 3;
  const manifest::Profile profile = profile_of(rows);
  REQUIRE(profile.schemas.size() == 2);
  CHECK(profile.schemas[0].schema == "prompt-completion");
  CHECK(profile.schemas[0].records == 2);
  CHECK(profile.schemas[0].first_file == 3);
  CHECK(profile.schemas[0].first_line == 5);
  CHECK(profile.schemas[1].schema == "preference");
}

TEST_CASE("a mapping names the members of fields that occur") {
  RowFacts row = supervised(8);
  row.schema = schema_named("question-answer");
  CHECK(profile_of({row}).schemas[0].mapping ==
        "prompt ← question, completion ← answer");
  row.fields[static_cast<std::size_t>(Field::kContext)] = 0;
  CHECK(profile_of({row}).schemas[0].mapping ==
        "prompt ← question, context ← context, completion ← answer");
  CHECK(profile_of({conversation(false)}).schemas[0].mapping ==
        "messages ← messages");
}

TEST_CASE("lines without a record are counted apart") {
  ProfileBuilder builder{BuilderOptions{}};
  builder.add(supervised(8));
  builder.add_lines(4, 1, 2);
  builder.add_lines(3, 0, 0);
  const manifest::Profile profile = builder.finish();
  CHECK(profile.records == 1);
  CHECK(profile.lines == 7);
  CHECK(profile.blank_lines == 1);
  CHECK(profile.malformed == 2);
}

}  // namespace
}  // namespace trainsight::pipeline
