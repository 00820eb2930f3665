// A run's report with what no format may trip over: characters that each of
// them must escape, more places than it may list, a file that was not read.
#ifndef TRAINSIGHT_TESTS_UNIT_REPORT_SAMPLE_REPORT_H_
#define TRAINSIGHT_TESTS_UNIT_REPORT_SAMPLE_REPORT_H_

#include <string>
#include <string_view>
#include <utility>

#include "trainsight/report/format_table.h"

namespace trainsight::report {

/// Holds the values that a RunReport points into.
struct Sample {
  manifest::Manifest manifest;
  gate::Verdict verdict;
  rules::RuleSelection selection;

  Sample() { manifest.profile.emplace(); }

  manifest::Profile& profile() { return *manifest.profile; }

  void add_file(std::string path) {
    manifest.dataset.files.emplace_back().path = std::move(path);
  }
  /// Counts a finding more and keeps it.
  rules::Finding& add(std::string_view code, rules::Severity severity,
                      std::uint32_t file, std::uint64_t line,
                      std::string message) {
    rules::FindingGroup& group = profile().findings[{code, severity, file}];
    ++group.count;
    rules::Finding& finding = group.first.emplace_back();
    finding.code = code;
    finding.severity = severity;
    finding.file = file;
    finding.line = line;
    finding.message = std::move(message);
    return finding;
  }
  void add_limit(std::string_view limit, gate::Judgement::Outcome outcome,
                 std::string measured, std::string allowed,
                 std::string reason = "", std::string fix = "") {
    verdict.judgements.push_back({limit, outcome, std::move(measured),
                                  std::move(allowed), std::move(reason),
                                  std::move(fix)});
  }
  /// Of `profile`.
  RunReport profiled() const {
    RunReport report;
    report.command = "profile";
    report.version = "1.2.3";
    report.manifest = &manifest;
    report.folder = "/repo";
    return report;
  }
  /// Of `validate`, with the verdict's exit code.
  RunReport validated() const {
    RunReport report = profiled();
    report.command = "validate";
    report.verdict = &verdict;
    report.exit_code = verdict.exit_code();
    return report;
  }
};

/// A run that ended before it had a verdict.
inline RunReport ended_early() {
  RunReport report;
  report.command = "validate";
  report.version = "1.2.3";
  report.exit_code = ExitCode::kUnchecked;
  report.problems.push_back(
      {"", Error{ErrorKind::kNotFound, "cannot read <x>|.jsonl: gone", "ask"}});
  return report;
}

/// Two files, one of them with hostile names and texts and one below the
/// working folder, and a violated limit.
inline Sample hostile() {
  Sample s;
  s.add_file("/repo/data/a.jsonl");
  s.add_file("./odd: 50%,|`.jsonl");
  s.profile().records = 12;
  s.profile().usable = 11;
  s.profile().malformed = 1;
  rules::Finding& role =
      s.add("TS305", rules::Severity::kError, 1, 7,
            "role \"<b>@team|`\r\n::error::x\" \x01 \xFF 100%");
  role.pointer = "/messages/1/role";
  role.offset = 41;
  role.fingerprint = 0xABC;
  s.profile().findings[{"TS305", rules::Severity::kError, 1}].count = 1234;
  s.add("TS111", rules::Severity::kWarning, 0, 5, "a blank line");
  s.add("TS806", rules::Severity::kInfo, rules::kAllFiles, rules::kNoLine,
        "12 rows");
  using Outcome = gate::Judgement::Outcome;
  s.add_limit("usable_records", Outcome::kHolds, "11 of 12 records",
              "at least 1");
  s.add_limit("max_errors", Outcome::kViolated, "1234 error findings",
              "at most 0", "", "fix the rows");
  return s;
}

}  // namespace trainsight::report

#endif  // TRAINSIGHT_TESTS_UNIT_REPORT_SAMPLE_REPORT_H_
