#include "pipeline/group_tally.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace trainsight::pipeline {
namespace {

using facts::RowFacts;
using records::GroupKey;
using records::GroupKind;

GroupKey text(const std::string& value) {
  return GroupKey{GroupKind::kText, value, 0};
}

RowFacts row_of(std::uint32_t tokens) {
  RowFacts row;
  row.schema = 0;
  row.type = records::SampleType::kPretrain;
  row.tokens = row.label_end = row.label_tokens = tokens;
  row.first_label = 0;
  return row;
}

// A batch whose i-th row has the i-th name and length.
struct Batch {
  void add(const std::string& name, std::uint32_t tokens) {
    std::uint32_t number = 0;
    while (number < groups.values.size() &&
           groups.values[number] != text(name)) {
      ++number;
    }
    if (number == groups.values.size()) groups.values.push_back(text(name));
    groups.of_row.push_back(number);
    rows.push_back(row_of(tokens));
  }
  BatchGroups groups;
  std::vector<RowFacts> rows;
};

TEST_CASE("groups are ordered by tokens, and their figures are their own") {
  targets::SurvivalOptions limit;
  limit.max_seq_len = 100;
  GroupTally tally("source", {limit});
  Batch one;
  one.add("web", 10);
  one.add("code", 300);
  one.add("web", 20);
  one.groups.findings = {{1, rules::RuleId::kEmptyAnswer},
                         {2, rules::RuleId::kEmptyAnswer},
                         {2, rules::RuleId::kEmptyAnswer}};
  tally.add(one.groups, one.rows);
  Batch two;  // the same value has another number here
  two.add("web", 70);
  tally.add(two.groups, two.rows);
  const manifest::Breakdown by = tally.finish();
  CHECK(by.field == "source");
  REQUIRE(by.groups.size() == 2);
  const auto& code = by.groups[0];
  CHECK(code.value == text("code"));
  CHECK(code.records == 1);
  CHECK(code.tokens == 300);
  CHECK(code.tokens_ratio == Approx(0.75));
  REQUIRE(code.survival.size() == 1);
  CHECK(code.survival[0].truncated.records == 1);
  CHECK(code.survival[0].truncated.tokens == 200);
  const auto& web = by.groups[1];
  CHECK(web.records == 3);
  CHECK(web.tokens == 100);
  CHECK(web.mean == Approx(100.0 / 3));
  CHECK(web.p50 == 20);
  CHECK(web.p99 == 70);
  CHECK(web.max == 70);
  const std::string code_of(rules::rule_of(rules::RuleId::kEmptyAnswer).code);
  CHECK(web.findings.at(code_of) == 2);
  CHECK(code.findings.at(code_of) == 1);
  CHECK_FALSE(by.other.has_value());
}

TEST_CASE("64 groups are shown, the rest together, nothing lost") {
  GroupTally tally("id", {});
  Batch batch;
  for (int i = 0; i < 100; ++i) {
    batch.add("v" + std::to_string(i), static_cast<std::uint32_t>(i + 1));
  }
  tally.add(batch.groups, batch.rows);
  const manifest::Breakdown by = tally.finish();
  REQUIRE(by.groups.size() == 64);
  CHECK(by.groups.front().tokens == 100);
  CHECK(by.groups.back().tokens == 37);
  REQUIRE(by.other.has_value());
  CHECK(by.other->records == 36);
  CHECK(by.other->tokens == 36 * 37 / 2);
  CHECK(by.other->max == 36);
  CHECK(by.other_values == 36);
  CHECK_FALSE(by.too_many_values);
}

TEST_CASE("values beyond the first 256 are counted together") {
  GroupTally tally("id", {});
  std::uint64_t records = 0;
  for (int part = 0; part < 10; ++part) {
    Batch batch;
    for (int i = 0; i < 100; ++i) {
      batch.add(std::to_string(part) + "/" + std::to_string(i), 5);
    }
    tally.add(batch.groups, batch.rows);
  }
  const manifest::Breakdown by = tally.finish();
  for (const auto& group : by.groups) records += group.records;
  REQUIRE(by.other.has_value());
  CHECK(records + by.other->records == 1000);
  CHECK(by.too_many_values);
  CHECK(by.other_values == 256 - 64 + 1);
}

TEST_CASE("rows of no known shape count, but have no length") {
  GroupTally tally("source", {});
  Batch batch;
  batch.add("x", 5);
  batch.add("x", 0);
  batch.rows[1].schema = -1;
  tally.add(batch.groups, batch.rows);
  const manifest::Breakdown by = tally.finish();
  CHECK(by.groups[0].records == 2);
  CHECK(by.groups[0].mean == Approx(5));
}

}  // namespace
}  // namespace trainsight::pipeline
