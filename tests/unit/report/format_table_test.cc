#include "trainsight/report/format_table.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "report/listing.h"
#include "sample_report.h"

namespace trainsight::report {
namespace {

TEST_CASE("formats are found by name, and only by their own") {
  std::set<std::string_view> names;
  for (const Format& format : formats()) {
    CHECK(names.insert(format.name).second);
    CHECK(find_format(format.name) == &format);
  }
  CHECK(formats()[0].name == "text");
  CHECK(find_format("yaml") == nullptr);
  CHECK(find_format("") == nullptr);
}

TEST_CASE("a run that ended early is told by the formats that say so") {
  for (const Format& format : formats()) {
    INFO(format.name);
    CHECK(format.render(ended_early()).empty() != format.tells_errors);
  }
}

TEST_CASE("findings stand gravest first, known ones last") {
  Sample s = hostile();
  s.profile().findings[{"TS305", rules::Severity::kError, 1}].known = 1234;
  const auto entries = entries_of(s.profile());
  REQUIRE(entries.size() == 3);
  CHECK(entries[0].code == "TS111");
  CHECK(entries[1].code == "TS806");
  CHECK(entries[2].code == "TS305");
  CHECK(entries[2].fresh() == 0);
  CHECK(text_of(counts_of(s.profile())) == "1 warning, 1 note; 1,234 known");
  // A list that knows more than there is takes nothing from other rules.
  s.profile().findings[{"TS305", rules::Severity::kError, 1}].known = 9999;
  CHECK(text_of(counts_of(s.profile())) == "1 warning, 1 note; 1,234 known");
}

TEST_CASE("paths are shown from the working folder") {
  RunReport report;
  report.folder = "/repo";
  CHECK(shown_path(report, "/repo/a/b.jsonl") == "a/b.jsonl");
  CHECK(shown_path(report, "/repository/b.jsonl") == "/repository/b.jsonl");
  CHECK(shown_path(report, "./a/../b.jsonl") == "b.jsonl");
  CHECK(shown_path(report, "../b.jsonl") == "../b.jsonl");
  CHECK(shown_path(report, "<stdin>") == "<stdin>");
  CHECK(shown_path(report, rules::kAllFiles).empty());
}

TEST_CASE("a set that was not read to its end did not pass") {
  Sample s;
  s.add_file("a.jsonl");
  RunReport report = s.validated();
  CHECK(headline(report) == "PASS");
  report.problems.push_back({"a.jsonl", Error{ErrorKind::kCorrupt, "cut", ""}});
  for (const Format& format : formats()) {
    INFO(format.name);
    CHECK(format.render(report).find("PASS") == std::string::npos);
    CHECK(format.render(report).find("\"pass\"") == std::string::npos);
  }
  CHECK(headline(report) == "NOT CHECKED: 1 file could not be read");
}

}  // namespace
}  // namespace trainsight::report
