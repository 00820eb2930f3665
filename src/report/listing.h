// What several formats list alike: findings in order, counts, places, verdict.
#ifndef TRAINSIGHT_REPORT_LISTING_H_
#define TRAINSIGHT_REPORT_LISTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "layout.h"
#include "trainsight/report/format_table.h"
#include "trainsight/rules/rule_table.h"

namespace trainsight::report {

/// The findings of one rule in one file. Views and pointers into the profile.
struct Entry {
  std::string_view code;
  rules::Severity severity = rules::Severity::kInfo;
  std::uint32_t file = 0;
  const rules::FindingGroup* group = nullptr;
  const rules::Rule* rule = nullptr;  ///< null: of a newer trainsight

  /// Findings that no list of known ones holds.
  [[nodiscard]] std::uint64_t fresh() const {
    return group->count - std::min(group->count, group->known);
  }
  [[nodiscard]] std::string_view name() const {
    return rule == nullptr ? "unknown-rule" : rule->name;
  }
};

/// All findings: those that are known after the others, gravest first, by code
/// and file within.
std::vector<Entry> entries_of(const manifest::Profile& profile);

/// Findings by severity, without known ones.
struct Counts {
  std::uint64_t errors = 0, warnings = 0, notes = 0, known = 0;
};
Counts counts_of(const manifest::Profile& profile);
/// "2 errors, 1 note; 3 known", "none".
std::string text_of(const Counts& counts);

/// Files that could not be read to their end.
std::size_t unread_files(const RunReport& report);

/// The first line of a verdict: "FAIL: 2 limits violated". Not PASS when there
/// are unread files.
std::string headline(const gate::Verdict& verdict, std::size_t unread_files,
                     const Style& style);
/// The same of any run: what `validate` judged, what `profile` found, or that
/// nothing could be checked.
std::string headline(const RunReport& report);

/// Path of a file of the data set as others see it: relative to the report's
/// folder where it is below it, without "." parts; empty for kAllFiles.
std::string shown_path(const RunReport& report, std::uint32_t file);
std::string shown_path(const RunReport& report, const std::string& path);
/// "data/a.jsonl:12", "data/a.jsonl", or empty.
std::string place_text(const RunReport& report, const rules::Finding& finding);

/// Text that is one line: valid UTF-8 with each control character as a space.
std::string one_line(std::string_view text);

}  // namespace trainsight::report

#endif  // TRAINSIGHT_REPORT_LISTING_H_
