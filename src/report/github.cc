// Workflow commands of GitHub Actions: errors and warnings beside the lines of
// a pull request.
//
// Sources: GitHub, "Workflow commands for GitHub Actions" (read 2026-11); the
// escapes are those of actions/toolkit, packages/core/src/command.ts. A step
// shows 10 annotations of each kind; more would be dropped without a word.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "formats.h"
#include "listing.h"

namespace trainsight::report {
namespace {

using Outcome = gate::Judgement::Outcome;
using rules::Severity;

constexpr std::size_t kMostOfAKind = 10;

std::string escaped(std::string_view text, bool property) {
  std::string out;
  for (const char c : text) {
    if (c == '%') {
      out += "%25";
    } else if (c == '\r') {
      out += "%0D";
    } else if (c == '\n') {
      out += "%0A";
    } else if (property && c == ':') {
      out += "%3A";
    } else if (property && c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

// All annotations of one kind; those beyond the limit are counted only.
class Annotations {
 public:
  explicit Annotations(std::string_view command) : command_(command) {}

  // A finding or limit with a place to show; `line` 0: none.
  void add(const std::string& path, std::uint64_t line,
           const std::string& title, const std::string& message) {
    if (lines_ == kMostOfAKind) return;
    ++lines_;
    std::string properties;
    if (!path.empty() && path != "<stdin>") {
      properties = "file=" + escaped(path, true) + ",";
      if (line != rules::kNoLine) properties += fmt::format("line={},", line);
    }
    properties += "title=" + escaped(title, true);
    text_ += fmt::format("::{} {}::{}\n", command_, properties,
                         escaped(message, false));
  }
  [[nodiscard]] std::uint64_t shown() const { return lines_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string_view command_;
  std::string text_;
  std::uint64_t lines_ = 0;
};

void add_problems(const RunReport& report, Annotations& errors) {
  for (const Problem& problem : report.problems) {
    const std::string path =
        problem.file.empty() ? "" : shown_path(report, problem.file);
    std::string message = one_line(problem.error.message);
    if (!problem.error.hint.empty()) {
      message += "\nhint: " + one_line(problem.error.hint);
    }
    errors.add(path, rules::kNoLine, "trainsight could not check", message);
  }
}

void add_limits(const RunReport& report, Annotations& errors) {
  if (report.verdict == nullptr) return;
  for (const gate::Judgement& j : report.verdict->judgements) {
    if (j.outcome == Outcome::kViolated) {
      errors.add("", rules::kNoLine, fmt::format("{} is violated", j.limit),
                 fmt::format("{}, allowed {}\nhint: {}", j.measured, j.allowed,
                             j.fix));
    } else if (j.outcome == Outcome::kUnchecked) {
      errors.add("", rules::kNoLine, fmt::format("{} is unchecked", j.limit),
                 j.reason);
    }
  }
}

// Whether the problems say what the finding does: a file was not read.
bool is_problem(const RunReport& report, const Entry& entry) {
  if (entry.code != rules::rule_of(rules::RuleId::kUnreadable).code) {
    return false;
  }
  const std::string path = shown_path(report, entry.file);
  return std::any_of(report.problems.begin(), report.problems.end(),
                     [&report, &path](const Problem& problem) {
                       return shown_path(report, problem.file) == path;
                     });
}

// The first place of each rule and file, then the second ones, and so on: ten
// annotations should not all be of one rule.
void add_findings(const RunReport& report, Severity severity,
                  const std::vector<Entry>& entries, Annotations& annotations) {
  std::size_t most = 0;
  for (const Entry& entry : entries) {
    most = std::max(most, entry.group->first.size());
  }
  for (std::size_t i = 0; i < most; ++i) {
    for (const Entry& entry : entries) {
      if (entry.severity != severity || i >= entry.group->first.size() ||
          is_problem(report, entry)) {
        continue;
      }
      const rules::Finding& finding = entry.group->first[i];
      std::string message = one_line(finding.message);
      if (i == 0 && entry.fresh() > 1) {
        message += fmt::format(" ({} of this rule)", grouped(entry.fresh()));
      }
      if (entry.rule != nullptr) {
        message += fmt::format("\nhint: {}", entry.rule->hint);
      }
      annotations.add(shown_path(report, finding.file), finding.line,
                      fmt::format("{} {}", entry.code, entry.name()), message);
    }
  }
}

// "3 errors and 12 warnings more are not shown here".
std::string left_out(const Counts& counts, std::uint64_t errors_shown,
                     std::uint64_t warnings_shown) {
  const auto rest = [](std::uint64_t all, std::uint64_t shown) {
    return all - std::min(all, shown);
  };
  std::string text;
  for (const auto& [count, noun] :
       {std::pair(rest(counts.errors, errors_shown), "error"),
        std::pair(rest(counts.warnings, warnings_shown), "warning")}) {
    if (count == 0) continue;
    text += (text.empty() ? "" : " and ") + counted(count, noun);
  }
  return text.empty() ? text : "\nnot shown as annotations: " + text;
}

}  // namespace

std::string render_github(const RunReport& report) {
  Annotations errors("error");
  Annotations warnings("warning");
  add_problems(report, errors);
  add_limits(report, errors);
  std::string summary = headline(report);
  if (report.manifest != nullptr) {
    const std::vector<Entry> entries = entries_of(*report.manifest->profile);
    const auto told = static_cast<std::uint64_t>(std::count_if(
        entries.begin(), entries.end(),
        [&report](const Entry& entry) { return is_problem(report, entry); }));
    const std::uint64_t others =
        errors.shown() - std::min(told, errors.shown());
    add_findings(report, Severity::kError, entries, errors);
    add_findings(report, Severity::kWarning, entries, warnings);
    const Counts counts = counts_of(*report.manifest->profile);
    summary =
        counted(report.manifest->profile->records, "record") + ". " + summary;
    if (report.verdict != nullptr) {
      summary += "\nfindings: " + text_of(counts);
    }
    summary += left_out(counts, errors.shown() - others, warnings.shown());
  }
  return errors.text() + warnings.text() +
         fmt::format("::notice title=trainsight {}::{}\n", report.command,
                     escaped(summary, false));
}

}  // namespace trainsight::report
