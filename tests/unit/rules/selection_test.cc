// --select, --ignore, --severity, and what a target makes of them.
#include "trainsight/rules/selection.h"

#include <catch2/catch.hpp>

namespace trainsight::rules {
namespace {

bool is_on(const RuleSelection& selection, RuleId rule) {
  return selection.is_on(rule, selection.severity_of(rule));
}

TEST_CASE("all rules are on unless said otherwise", "[rules]") {
  const RuleSelection selection;
  CHECK(is_on(selection, RuleId::kNotUtf8));
  CHECK(is_on(selection, RuleId::kAssumedLabels));
}

TEST_CASE("select takes codes, beginnings of codes and names", "[rules]") {
  RuleSelection selection;
  REQUIRE(selection.select("TS4, duplicate-rows,TS101"));
  CHECK(is_on(selection, RuleId::kUnlabelledCut));
  CHECK(is_on(selection, RuleId::kDuplicate));
  CHECK(is_on(selection, RuleId::kNotUtf8));
  CHECK_FALSE(is_on(selection, RuleId::kDuplicateFolded));
  REQUIRE(selection.ignore("TS401"));
  CHECK_FALSE(is_on(selection, RuleId::kUnlabelledCut));
}

TEST_CASE("a name that no rule has is refused", "[rules]") {
  RuleSelection selection;
  const Status status = selection.select("TS401,TS777");
  REQUIRE_FALSE(status);
  CHECK(status.error().message == "no rule \"TS777\"");
  CHECK(status.error().kind == ErrorKind::kUsage);
  CHECK(is_on(selection, RuleId::kNotUtf8));  // nothing was changed
  CHECK_FALSE(selection.ignore("duplicate"));
}

TEST_CASE("severity: the least that is shown, or that of a rule", "[rules]") {
  RuleSelection selection;
  REQUIRE(selection.set_severity("warning,TS802=error"));
  CHECK_FALSE(is_on(selection, RuleId::kAssumedLabels));
  CHECK(selection.severity_of(RuleId::kDuplicate) == Severity::kError);
  CHECK(selection.severity_of(RuleId::kDuplicate, Severity::kInfo) ==
        Severity::kError);
  CHECK(selection.severity_of(RuleId::kLessThanAPack, Severity::kError) ==
        Severity::kError);
  CHECK(selection.set_severity("fatal").error().message ==
        "unknown severity \"fatal\"");
}

TEST_CASE("a target makes errors of what it refuses", "[rules]") {
  RuleSelection selection;
  selection.apply(targets::find_target("together"));
  CHECK(selection.severity_of(RuleId::kRoleOrder) == Severity::kError);
  CHECK(selection.severity_of(RuleId::kUnrecognizedKey) == Severity::kError);
  RuleSelection plain;
  plain.apply(targets::find_target("trl"));
  CHECK(plain.severity_of(RuleId::kRoleOrder) == Severity::kWarning);
}

}  // namespace
}  // namespace trainsight::rules
