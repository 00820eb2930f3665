#include "trainsight/rules/check.h"

#include <fmt/format.h>

#include "bad_records.h"
#include "row_rules.h"
#include "trainsight/rules/rule_table.h"

namespace trainsight::rules {

class BatchState {};

struct RowChecker::State {
  RuleOptions options;
  FindingLog log;
};

RowChecker::RowChecker(const RuleOptions& options)
    : state_(new State{options, FindingLog(options.kept_findings)}) {}
RowChecker::~RowChecker() = default;

void RowChecker::row(const RowContext& context) {
  RowFindings findings(state_->log, context);
  check_row(context, state_->options, findings);
}

void RowChecker::bad_record(const scan::BadRecord& bad, std::uint32_t file) {
  state_->log.add(finding_of(bad, file));
}

BatchFindings RowChecker::take() {
  BatchFindings found;
  found.log = std::move(state_->log);
  state_->log = FindingLog(state_->options.kept_findings);
  return found;
}

struct SetChecker::State {
  RuleOptions options;
  FindingLog log;
};

SetChecker::SetChecker(const RuleOptions& options)
    : state_(new State{options, FindingLog(options.kept_findings)}) {}
SetChecker::~SetChecker() = default;

void SetChecker::batch(BatchFindings&& findings,
                       std::span<const facts::RowFacts> /*rows*/,
                       std::uint64_t line_base) {
  state_->log.append(std::move(findings.log), line_base);
}

namespace {

Finding file_finding(std::string_view code, std::uint32_t file,
                     std::uint64_t line, std::string message) {
  Finding finding;
  finding.code = code;
  finding.severity = find_rule(code)->severity;
  finding.file = file;
  finding.line = line;
  finding.message = std::move(message);
  return finding;
}

}  // namespace

void SetChecker::file(const FileSummary& summary) {
  const scan::BatchFacts& facts = summary.facts;
  const auto n = [](std::uint64_t x) { return static_cast<std::int64_t>(x); };
  const std::uint64_t inside = facts.blank_lines - facts.trailing_blank_lines;
  if (inside > 0) {
    Finding finding =
        file_finding("TS111", summary.file, facts.first_blank_lines.front(),
                     fmt::format("{} blank line{} between records", inside,
                                 inside == 1 ? "" : "s"));
    finding.figures.push_back({"blank_lines", n(inside)});
    state_->log.add(std::move(finding));
  }
  if (facts.trailing_blank_lines > 0) {
    Finding finding = file_finding(
        "TS112", summary.file, kNoLine,
        fmt::format("{} blank line{} at the end", facts.trailing_blank_lines,
                    facts.trailing_blank_lines == 1 ? "" : "s"));
    finding.figures.push_back({"blank_lines", n(facts.trailing_blank_lines)});
    state_->log.add(std::move(finding));
  }
  if (facts.crlf_lines > 0 && facts.crlf_lines < facts.lines) {
    Finding finding = file_finding(
        "TS113", summary.file, kNoLine,
        fmt::format("{} lines end in CR LF, {} in LF", facts.crlf_lines,
                    facts.lines - facts.crlf_lines));
    finding.figures.push_back({"crlf_lines", n(facts.crlf_lines)});
    finding.figures.push_back({"lf_lines", n(facts.lines - facts.crlf_lines)});
    state_->log.add(std::move(finding));
  }
  for (const scan::FileNote& note : summary.notes) {
    const bool is_bom = note.kind == scan::FileNote::Kind::kBom;
    Finding finding = file_finding(is_bom ? "TS121" : "TS122", summary.file,
                                   note.line, note.message);
    finding.offset = note.offset;
    state_->log.add(std::move(finding));
  }
}

FindingLog SetChecker::finish(records::SampleType /*type*/) {
  return std::move(state_->log);
}

}  // namespace trainsight::rules
