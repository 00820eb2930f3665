#include <catch2/catch.hpp>
#include <string>

#include "report/formats.h"
#include "sample_report.h"

namespace trainsight::report {
namespace {

TEST_CASE("a comment shows hostile texts as they are") {
  CHECK(render_markdown(hostile().validated()) ==
        R"(### trainsight validate: FAIL: 1 limit violated

| Limit | Outcome | Measured | Allowed |
|---|---|---|---|
| `usable_records` | holds | 11 of 12 records | at least 1 |
| `max_errors` | **violated** | 1234 error findings | at most 0 |

What would change it:

* `max_errors`: fix the rows

| Figure | Value |
|---|---|
| data | <code>2 files, /repo/data/a.jsonl …</code> |
| records | 12 (11 usable, 1 malformed) |

| Findings: 1,234 errors, 1 warning, 1 note | Count | First |
|---|---|---|
| error `TS305 unknown-role` | 1,234 | <code>odd: 50%,&#124;&#96;.jsonl:7</code> |
| warning `TS111 blank-lines-inside` | 1 | <code>data/a.jsonl:5</code> |
| info `TS806 fewer-rows-than-minimum` | 1 | the data set |

<details><summary>Places and what to do</summary>

* `TS305` <code>odd: 50%,&#124;&#96;.jsonl:7 /messages/1/role</code> <code>role "&#60;b&#62;<!-- -->&#64;team&#124;&#96;??::error::x" ? )"
        "\xEF\xBF\xBD"
        R"( 100%</code>
* `TS305` to do: rename it to system, user, assistant or tool
* `TS111` <code>data/a.jsonl:5</code> <code>a blank line</code>
* `TS111` to do: remove them: strict readers stop at the first
* `TS806` <code>12 rows</code>
* `TS806` to do: add rows

</details>
)");
}

TEST_CASE("links, mentions, emphasis and headings are no markup") {
  Sample s;
  s.add_file("a.jsonl");
  s.add("TS102", rules::Severity::kError, 0, 1,
        "https://x.org www.x.org a@x.org #1 _a_ a_b *b* [c](d) $e$ </details> "
        "\\");
  const std::string text = render_markdown(s.profiled());
  CHECK(text.find("<code>https&#58;//x.org www&#46;x.org a<!-- -->&#64;x.org "
                  "&#35;1 &#95;a&#95; a_b"
                  " &#42;b&#42; &#91;c&#93;(d) &#36;e&#36; &#60;/details&#62; "
                  "&#92;</code>") != std::string::npos);
}

TEST_CASE("a comment keeps under the limit whatever there is to list") {
  Sample s;
  s.add_file(std::string(400, '|') + ".jsonl");
  for (std::uint64_t line = 1; line <= 2000; ++line) {
    s.add("TS102", rules::Severity::kError, 0, line, std::string(400, '|'));
  }
  const std::string text = render_markdown(s.profiled());
  CHECK(text.size() <= 65'000);
  CHECK(text.size() > 60'000);
  CHECK(text.find(" places that a comment has no room for\n") !=
        std::string::npos);
  CHECK(text.substr(text.size() - 12) == "\n</details>\n");
}

TEST_CASE("a run that ended early says why") {
  CHECK(render_markdown(ended_early()) ==
        "### trainsight validate: NOT CHECKED\n"
        "\nCould not be read or done:\n\n"
        "* <code>cannot read &#60;x&#62;&#124;.jsonl: gone</code>: "
        "<code>ask</code>\n");
}

}  // namespace
}  // namespace trainsight::report
