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

std::string headline(const gate::Verdict& verdict, const Style& style) {
  const std::size_t violations = verdict.violations();
  const std::size_t unchecked = verdict.unchecked();
  if (violations == 0 && unchecked == 0) return style.green("PASS");
  std::string text;
  if (violations > 0) {
    text = style.red(
        fmt::format("FAIL: {} violated", counted(violations, "limit")));
  }
  if (unchecked > 0) {
    const std::string part =
        fmt::format("{} could not be checked", counted(unchecked, "limit"));
    text += text.empty() ? style.yellow("NOT CHECKED: " + part)
                         : "; " + style.yellow(part);
  }
  return text;
}

std::string headline(const RunReport& report) {
  std::string text;
  if (report.verdict != nullptr) {
    text = headline(*report.verdict, Style(false));
  } else if (report.manifest != nullptr) {
    text = "Findings: " + text_of(counts_of(*report.manifest->profile));
  } else {
    text = "NOT CHECKED";
  }
  if (report.problems.empty()) return text;
  // A set that was not read to its end did not pass.
  if (text == "PASS") text = "NOT CHECKED";
  const auto files = static_cast<std::uint64_t>(std::count_if(
      report.problems.begin(), report.problems.end(),
      [](const Problem& problem) { return !problem.file.empty(); }));
  return files > 0 ? fmt::format("{}; {} could not be read", text,
                                 counted(files, "file"))
                   : text;
}

std::string shown_path(const RunReport& report, const std::string& path) {
  namespace fs = std::filesystem;
  if (path == "<stdin>") return path;
  const std::string normal = fs::path(path).lexically_normal().string();
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
  const std::string path = shown_path(report, finding.file);
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
