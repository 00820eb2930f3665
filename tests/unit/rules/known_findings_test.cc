// Known findings: by content, as often as they were there, and no more.
#include "trainsight/rules/known_findings.h"

#include <catch2/catch.hpp>

#include "checked.h"
#include "rules/known_ledger.h"

namespace trainsight::rules {
namespace {

const KnownFindings::Key kKey = {"TS302", 0};

KnownFindings list_of(std::uint64_t count, std::vector<std::uint64_t> rows) {
  KnownFindings known;
  known.groups[kKey] = {count, std::move(rows)};
  return known;
}

std::string row_without_answer(const std::string& prompt) {
  return R"({"prompt":")" + prompt + R"(","completion":""})";
}

// What a run over `rows` would write as a list.
KnownFindings found_in(const std::vector<std::string>& rows) {
  RuleOptions options;
  options.gather_found = true;
  return check(rows, options).found;
}

// "3, 2 known, at 1": the group of TS302 with `known`.
std::string judged(const std::vector<std::string>& rows,
                   const KnownFindings& known, std::size_t batch = 8,
                   std::size_t kept = 5) {
  RuleOptions options;
  options.known = &known;
  options.kept_findings = kept;
  const SetResult result = check(rows, options, batch);
  for (const auto& [key, group] : result.log.groups()) {
    if (std::get<0>(key) != "TS302") continue;
    std::string text = std::to_string(group.count) + ", " +
                       std::to_string(group.known) + " known, at";
    for (const Finding& finding : group.first) {
      text += " " + std::to_string(finding.line);
    }
    return text;
  }
  return "none";
}

TEST_CASE("a content is known as often as it stands in the list", "[rules]") {
  const KnownFindings known = list_of(3, {7, 7, 9});
  KnownLedger ledger(&known, false);
  CHECK(ledger.take(kKey, 7));
  CHECK(ledger.take(kKey, 7));
  CHECK_FALSE(ledger.take(kKey, 7));
  CHECK_FALSE(ledger.take(kKey, 8));
  CHECK_FALSE(ledger.take({"TS303", 0}, 9));
  CHECK_FALSE(ledger.take({"TS302", 1}, 9));
  REQUIRE(ledger.stale().size() == 1);
  CHECK(ledger.stale()[0].code == "TS302");
  CHECK(ledger.stale()[0].count == 1);
  CHECK(ledger.take(kKey, 9));
  CHECK(ledger.stale().empty());
}

TEST_CASE("what has no content is known by number", "[rules]") {
  const KnownFindings known = list_of(5, {7});
  KnownLedger ledger(&known, false);
  CHECK(ledger.take_number(kKey, 3) == 3);
  CHECK(ledger.take_number(kKey, 3) == 1);
  CHECK(ledger.take_number(kKey, 3) == 0);
  CHECK(ledger.take(kKey, 7));
  CHECK(ledger.stale().empty());
}

TEST_CASE("a list of a run accepts that run, and nothing else", "[rules]") {
  const std::vector<std::string> rows = {row_without_answer("a"),
                                         R"({"prompt":"b","completion":"c"})",
                                         row_without_answer("d")};
  const KnownFindings known = found_in(rows);
  CHECK(known.groups.at(kKey).count == 2);
  CHECK(known.groups.at(kKey).rows.size() == 2);
  CHECK(judged(rows, known) == "2, 2 known, at");
  // Rows before and between: lines move, contents do not.
  std::vector<std::string> later = rows;
  later.insert(later.begin(), R"({"prompt":"new","completion":"x"})");
  CHECK(judged(later, known) == "2, 2 known, at");
  // The same number of findings, of other rows.
  later[1] = row_without_answer("e");
  CHECK(judged(later, known) == "2, 1 known, at 2");
  // The same row once more.
  later = rows;
  later.push_back(row_without_answer("a"));
  CHECK(judged(later, known) == "3, 2 known, at 4");
}

TEST_CASE("new findings are listed however many known ones there are",
          "[rules]") {
  std::vector<std::string> rows;
  for (int i = 0; i < 20; ++i) {
    rows.push_back(row_without_answer(std::to_string(i)));
  }
  const KnownFindings known = found_in(rows);
  rows.push_back(row_without_answer("new"));
  for (const std::size_t batch : {1u, 4u, 100u}) {
    CHECK(judged(rows, known, batch, 2) == "21, 20 known, at 21");
  }
}

TEST_CASE("repeated rows are known by their number", "[rules]") {
  const std::vector<std::string> rows(3, R"({"text":"a"})");
  const KnownFindings known = found_in(rows);
  CHECK(known.groups.at({"TS802", 0}).count == 2);
  CHECK(known.groups.at({"TS802", 0}).rows.empty());
  RuleOptions options;
  options.known = &known;
  SetResult result = check(rows, options);
  CHECK(result.stale.empty());
  const FindingLog::Key key{"TS802", Severity::kWarning, 0};
  CHECK(result.log.find(key)->known == 2);
  std::vector<std::string> more = rows;
  more.push_back(rows[0]);
  result = check(more, options);
  CHECK(result.log.find(key)->count == 3);
  CHECK(result.log.find(key)->known == 2);
}

TEST_CASE("a finding keeps its severity and is known whatever that is",
          "[rules]") {
  const std::vector<std::string> rows = {row_without_answer("a")};
  const KnownFindings known = found_in(rows);
  RuleOptions options;
  options.known = &known;
  REQUIRE(options.selection.set_severity("TS302=warning"));
  SetResult result = check(rows, options);
  CHECK(result.log.find({"TS302", Severity::kWarning, 0})->known == 1);
}

TEST_CASE("known findings that are gone are told", "[rules]") {
  const KnownFindings known =
      found_in({row_without_answer("a"), row_without_answer("b")});
  RuleOptions options;
  options.known = &known;
  const SetResult result = check({row_without_answer("a")}, options);
  REQUIRE(result.stale.size() == 1);
  CHECK(result.stale[0].code == "TS302");
  CHECK(result.stale[0].count == 1);
}

TEST_CASE("a list that would be too long keeps numbers", "[rules]") {
  KnownLedger ledger(nullptr, true);
  for (std::uint64_t row = 1; row <= kMostKnownRows; ++row) {
    ledger.take(kKey, row);
  }
  CHECK_FALSE(ledger.take({"TS303", 0}, 1));  // no room: its row is not kept
  CHECK_FALSE(ledger.take({"TS303", 0}, 2));
  const KnownFindings found = std::move(ledger).found();
  CHECK(found.groups.at(kKey).rows.size() == kMostKnownRows);
  CHECK(found.groups.at({"TS303", 0}).count == 2);
  CHECK(found.groups.at({"TS303", 0}).rows.empty());
  CHECK(found.groups.at({"TS303", 0}).by_number() == 2);
  CHECK(found.may_hold({"TS303", 0}, 77));
  CHECK_FALSE(found.may_hold(kKey, kMostKnownRows + 1));
}

}  // namespace
}  // namespace trainsight::rules
