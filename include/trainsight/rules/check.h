// Checking: rows and records in, findings out.
//
// Each worker owns a RowChecker: it looks at one row at a time, and what it
// learnt about a batch (findings, and the little state that rules about whole
// sets need) moves to the reducer's SetChecker, which takes batches in input
// order. The result does not depend on the number of threads.
// Thread-safety: one RowChecker a worker, one SetChecker a run.
#ifndef TRAINSIGHT_RULES_CHECK_H_
#define TRAINSIGHT_RULES_CHECK_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trainsight/facts/row_facts.h"
#include "trainsight/records/known_keys.h"
#include "trainsight/records/sample.h"
#include "trainsight/rules/finding.h"
#include "trainsight/scan/reader.h"
#include "trainsight/scan/row_view.h"

namespace trainsight::rules {

/// What a rule may know about the run.
struct RuleOptions {
  records::SampleType stated_type = records::SampleType::kUnknown;
  std::optional<std::uint32_t> max_seq_len;  ///< tokens
  std::size_t kept_findings = 5;  ///< of each rule, severity and file
};

/// One row with everything that was made of it.
struct RowContext {
  const scan::RowView& row;
  const records::Sample& sample;
  const records::KnownMembers& members;
  const facts::RowFacts& facts;
  std::uint32_t file = 0;
};

/// State of the rules about sets, gathered over one batch.
class BatchState;

/// What a worker learnt about a batch; lines are relative to it.
struct BatchFindings {
  FindingLog log;
  std::shared_ptr<BatchState> state;
};

class RowChecker {
 public:
  explicit RowChecker(const RuleOptions& options);
  ~RowChecker();
  void row(const RowContext& context);
  void bad_record(const scan::BadRecord& bad, std::uint32_t file);
  /// What was found since the last take().
  BatchFindings take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// A file as a whole, once it is read.
struct FileSummary {
  std::uint32_t file = 0;
  std::string name;
  scan::BatchFacts facts;  ///< added up over the file
  std::vector<scan::FileNote> notes;
  std::uint64_t records = 0;
  std::uint64_t malformed = 0;
};

class SetChecker {
 public:
  explicit SetChecker(const RuleOptions& options);
  ~SetChecker();
  /// The next batch in input order, after whose first line `line_base` lines
  /// of its file stand before. `rows` carry absolute lines.
  void batch(BatchFindings&& findings, std::span<const facts::RowFacts> rows,
             std::uint64_t line_base);
  void file(const FileSummary& summary);
  /// All findings; call once, at the end. `type` is the run's type.
  FindingLog finish(records::SampleType type);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_CHECK_H_
