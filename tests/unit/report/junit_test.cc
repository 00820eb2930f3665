#include <catch2/catch.hpp>
#include <string>

#include "report/formats.h"
#include "sample_report.h"

namespace trainsight::report {
namespace {

TEST_CASE("hostile texts are escaped, and shown where XML has no way") {
  CHECK(render_junit(hostile().validated()) ==
        R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="trainsight" tests="7" failures="2" errors="0">
  <testsuite name="trainsight validate" tests="7" failures="2" errors="0" skipped="0">
    <properties>
      <property name="exit_code" value="1"/>
      <property name="headline" value="FAIL: 1 limit violated"/>
      <property name="records" value="12"/>
    </properties>
    <testcase classname="trainsight.files" name="data/a.jsonl" file="data/a.jsonl"/>
    <testcase classname="trainsight.files" name="odd: 50%,|`.jsonl" file="odd: 50%,|`.jsonl"/>
    <testcase classname="trainsight.limits" name="usable_records">
      <system-out>11 of 12 records, allowed at least 1</system-out>
    </testcase>
    <testcase classname="trainsight.limits" name="max_errors">
      <failure message="1234 error findings, allowed at most 0" type="limits">fix the rows</failure>
    </testcase>
    <testcase classname="trainsight.rules" name="TS111 blank-lines-inside">
      <system-out>data/a.jsonl:5: a blank line
</system-out>
    </testcase>
    <testcase classname="trainsight.rules" name="TS305 unknown-role">
      <failure message="1,234 findings" type="rules">odd: 50%,|`.jsonl:7 /messages/1/role: role "&lt;b&gt;@team|`&#13;
::error::x" \u0001 )"
        "\xEF\xBF\xBD"
        R"( 100%
… and 1,233 more in odd: 50%,|`.jsonl
hint: rename it to system, user, assistant or tool
</failure>
    </testcase>
    <testcase classname="trainsight.rules" name="TS806 fewer-rows-than-minimum">
      <system-out>12 rows
</system-out>
    </testcase>
  </testsuite>
</testsuites>
)");
}

TEST_CASE("attributes keep quotes, tabs and line ends") {
  Sample s;
  s.add_file("a\"b\tc\nd&.jsonl");
  CHECK(render_junit(s.profiled())
            .find("name=\"a&quot;b&#9;c&#10;d&amp;.jsonl\"") !=
        std::string::npos);
}

TEST_CASE("a file that could not be read is an error, and no passed test") {
  Sample s;
  s.add_file("a.jsonl.gz");
  RunReport report = s.profiled();
  report.problems.push_back(
      {"a.jsonl.gz", Error{ErrorKind::kCorrupt, "cut", "copy it again"}});
  const std::string text = render_junit(report);
  CHECK(text.find("tests=\"1\" failures=\"0\" errors=\"1\"") !=
        std::string::npos);
  CHECK(text.find("<error message=\"cut\" type=\"files\">copy it again") !=
        std::string::npos);
}

TEST_CASE(
    "rules that were on and found nothing pass; ignored ones are absent") {
  Sample s;
  s.add_file("a.jsonl");
  REQUIRE(s.selection.select("TS80"));
  REQUIRE(s.selection.ignore("TS806"));
  RunReport report = s.profiled();
  report.selection = &s.selection;
  const std::string text = render_junit(report);
  CHECK(text.find("name=\"TS805 fewer-rows-than-a-batch\"/>") !=
        std::string::npos);
  CHECK(text.find("TS806") == std::string::npos);
  CHECK(text.find("TS101") == std::string::npos);
}

TEST_CASE("a run that ended early is one erroneous test") {
  const std::string text = render_junit(ended_early());
  CHECK(text.find("tests=\"1\" failures=\"0\" errors=\"1\"") !=
        std::string::npos);
  CHECK(text.find("<error message=\"cannot read &lt;x&gt;|.jsonl: gone\" "
                  "type=\"run\">ask</error>") != std::string::npos);
}

}  // namespace
}  // namespace trainsight::report
