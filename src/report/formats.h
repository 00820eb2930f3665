// The renderers of the format table, one file each.
#ifndef TRAINSIGHT_REPORT_FORMATS_H_
#define TRAINSIGHT_REPORT_FORMATS_H_

#include <string>

#include "trainsight/report/format_table.h"

namespace trainsight::report {

/// The screens of profile_report() and verdict_report().
std::string render_text(const RunReport& report);
/// The manifest, or the verdict of verdict_json().
std::string render_json(const RunReport& report);
/// SARIF 2.1.0, within what GitHub's code scanning takes.
std::string render_sarif(const RunReport& report);
/// JUnit XML: files, limits and rules as test cases.
std::string render_junit(const RunReport& report);
/// Workflow commands of GitHub Actions, as many as a step shows.
std::string render_github(const RunReport& report);
/// GitHub-flavoured Markdown for a comment on a pull request.
std::string render_markdown(const RunReport& report);

}  // namespace trainsight::report

#endif  // TRAINSIGHT_REPORT_FORMATS_H_
