#include <catch2/catch.hpp>
#include <sstream>
#include <string>

#include "report/formats.h"
#include "sample_report.h"

namespace trainsight::report {
namespace {

using rules::Severity;

std::size_t lines_with(const std::string& text, const std::string& begin) {
  std::istringstream in(text);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);) {
    if (line.compare(0, begin.size(), begin) == 0) ++count;
  }
  return count;
}

TEST_CASE("annotations of hostile texts stay one command a line") {
  CHECK(render_github(hostile().validated()) ==
        "::error title=max_errors is violated::1234 error findings, allowed at "
        "most 0%0Ahint: fix the rows\n"
        "::error file=odd%3A 50%25%2C|`.jsonl,line=7,title=TS305 unknown-role::"
        "role \"<b>@team|`  ::error::x\"   \xEF\xBF\xBD 100%25 (1,234 of this "
        "rule)%0Ahint: rename it to system, user, assistant or tool\n"
        "::warning file=data/a.jsonl,line=5,title=TS111 blank-lines-inside::a "
        "blank line%0Ahint: remove them: strict readers stop at the first\n"
        "::notice title=trainsight validate::12 records. FAIL: 1 limit "
        "violated%0Afindings: 1,234 errors, 1 warning, 1 note%0Anot shown as "
        "annotations: 1,233 errors\n");
}

TEST_CASE("a step gets ten errors and ten warnings, every rule first") {
  Sample s;
  s.add_file("a.jsonl");
  for (std::uint64_t line = 1; line <= 12; ++line) {
    s.add("TS102", Severity::kError, 0, line, "bad");
    s.add("TS111", Severity::kWarning, 0, line, "blank");
  }
  s.add("TS302", Severity::kError, 0, 99, "empty");
  const std::string text = render_github(s.profiled());
  CHECK(lines_with(text, "::error ") == 10);
  CHECK(lines_with(text, "::warning ") == 10);
  CHECK(text.find("line=99,") < text.find("line=2,"));
  CHECK(text.find("not shown as annotations: 3 errors and 2 warnings\n") !=
        std::string::npos);
}

TEST_CASE("standard input is no file to annotate") {
  Sample s;
  s.add_file("<stdin>");
  s.add("TS102", Severity::kError, 0, 3, "bad");
  CHECK(render_github(s.profiled()).substr(0, 46) ==
        "::error title=TS102 malformed-json::bad%0Ahint");
}

TEST_CASE("a run that ended early is one error") {
  CHECK(render_github(ended_early()) ==
        "::error title=trainsight could not check::cannot read <x>|.jsonl: gone"
        "%0Ahint: ask\n"
        "::notice title=trainsight validate::NOT CHECKED\n");
}

}  // namespace
}  // namespace trainsight::report
