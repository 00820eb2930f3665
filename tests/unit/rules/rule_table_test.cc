// Table and pages belong together.
#include "trainsight/rules/rule_table.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

namespace trainsight::rules {
namespace {

TEST_CASE("codes ascend, names are kebab-case and different", "[rules]") {
  std::set<std::string_view> names;
  std::string_view before;
  for (const Rule& rule : rules()) {
    CHECK(rule.code > before);
    before = rule.code;
    CHECK(rule.code.size() == 5);
    CHECK(names.insert(rule.name).second);
    CHECK(
        rule.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") ==
        std::string_view::npos);
    CHECK_FALSE(rule.summary.empty());
    CHECK_FALSE(rule.hint.empty());
  }
}

TEST_CASE("every rule has a page with its code, name and severity", "[rules]") {
  for (const Rule& rule : rules()) {
    const std::string_view page = page_of(rule);
    const std::string head =
        "# " + std::string(rule.code) + " " + std::string(rule.name) +
        "\n\nSeverity: " + std::string(name_of(rule.severity));
    CHECK(page.substr(0, head.size()) == head);
    for (const std::string_view section :
         {"## What it does", "## Why it matters", "## What to do",
          "## Options"}) {
      INFO(rule.code << " " << section);
      CHECK(page.find(section) != std::string_view::npos);
    }
    const bool says_fix =
        page.find("repaired by `trainsight fix`") != std::string_view::npos;
    CHECK(says_fix == ((rule.traits & kFixable) != 0));
  }
}

TEST_CASE("a rule is found by code and by name", "[rules]") {
  REQUIRE(find_rule("TS401") != nullptr);
  CHECK(find_rule("TS401") == &rule_of(RuleId::kUnlabelledCut));
  CHECK(find_rule("no-trainable-tokens-after-truncation") ==
        find_rule("TS401"));
  CHECK(find_rule("TS999") == nullptr);
}

}  // namespace
}  // namespace trainsight::rules
