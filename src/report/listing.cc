#include "listing.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <tuple>
#include <utility>

#include "trainsight/text/utf8.h"

namespace trainsight::report {

using rules::Severity;

std::vector<Entry> entries_of(const manifest::Profile& profile) {
  std::vector<Entry> entries;
  for (const auto& [key, group] : profile.findings) {
    const auto& [code, severity, file] = key;
    entries.push_back({code, severity, file, &group, rules::find_rule(code)});
  }
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) {
                     return std::make_tuple(a.fresh() == 0, b.severity) <
                            std::make_tuple(b.fresh() == 0, a.severity);
                   });
  return entries;
}

Counts counts_of(const manifest::Profile& profile) {
  Counts counts;
  for (const Entry& entry : entries_of(profile)) {
    std::uint64_t& count = entry.severity == Severity::kError ? counts.errors
                           : entry.severity == Severity::kWarning
                               ? counts.warnings
                               : counts.notes;
    count += entry.fresh();
    counts.known += entry.group->count - entry.fresh();
  }
  return counts;
}

std::string text_of(const Counts& counts) {
  std::string text;
  for (const auto& [count, noun] : {std::pair(counts.errors, "error"),
                                    std::pair(counts.warnings, "warning"),
                                    std::pair(counts.notes, "note")}) {
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + counted(count, noun);
  }
  if (text.empty()) text = "none";
  if (counts.known > 0)
    text += fmt::format("; {} known", grouped(counts.known));
  return text;
}

std::size_t unread_files(const RunReport& report) {
  return static_cast<std::size_t>(std::count_if(
      report.problems.begin(), report.problems.end(),
      [](const Problem& problem) { return !problem.file.empty(); }));
}

std::string headline(const gate::Verdict& verdict, std::size_t unread_files,
                     const Style& style) {
  const std::size_t violations = verdict.violations();
  const std::size_t unchecked = verdict.unchecked();
  std::string open;
  if (unchecked > 0) {
    open = fmt::format("{} could not be checked", counted(unchecked, "limit"));
  }
  if (unread_files > 0) {
    open += fmt::format("{}{} could not be read", open.empty() ? "" : "; ",
                        counted(unread_files, "file"));
  }
  if (violations == 0) {
    return open.empty() ? style.green("PASS")
                        : style.yellow("NOT CHECKED: " + open);
  }
  const std::string failed =
      style.red(fmt::format("FAIL: {} violated", counted(violations, "limit")));
  return open.empty() ? failed : failed + "; " + style.yellow(open);
}

std::string headline(const RunReport& report) {
  const std::size_t unread = unread_files(report);
  if (report.verdict != nullptr) {
    return headline(*report.verdict, unread, Style(false));
  }
  if (report.manifest == nullptr) return "NOT CHECKED";
  const std::string text =
      "Findings: " + text_of(counts_of(*report.manifest->profile));
  return unread == 0 ? text
                     : fmt::format("{}; {} could not be read", text,
                                   counted(unread, "file"));
}

std::string shown_path(const RunReport& report, const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "<stdin>") return path;
  std::string normal = fs::path(path).lexically_normal().string();
  const std::string& folder = report.folder;
  if (!folder.empty() && normal.size() > folder.size() + 1 &&
      normal.compare(0, folder.size(), folder) == 0 &&
      normal[folder.size()] == '/') {
    return normal.substr(folder.size() + 1);
  }
  return normal;
}

std::string shown_path(const RunReport& report, std::uint32_t file) {
  if (report.manifest == nullptr ||
      file >= report.manifest->dataset.files.size()) {
    return {};
  }
  return shown_path(report, report.manifest->dataset.files[file].path);
}

std::string place_text(const RunReport& report, const rules::Finding& finding) {
  std::string path = shown_path(report, finding.file);
  if (path.empty() || finding.line == rules::kNoLine) return path;
  return fmt::format("{}:{}", path, finding.line);
}

std::string one_line(std::string_view text) {
  std::string clean;
  text::append_repaired_utf8(text, clean);
  for (char& c : clean) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return clean;
}

}  // namespace trainsight::report
