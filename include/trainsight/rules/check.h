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
#include <string_view>
#include <vector>

#include "trainsight/facts/row_facts.h"
#include "trainsight/records/known_keys.h"
#include "trainsight/records/sample.h"
#include "trainsight/rules/finding.h"
#include "trainsight/rules/options.h"
#include "trainsight/scan/reader.h"
#include "trainsight/scan/row_view.h"

namespace trainsight::rules {

/// One row with everything that was made of it.
struct RowContext {
  const scan::RowView& row;
  const records::Sample& sample;
  const records::KnownMembers& members;
  const facts::RowFacts& facts;
  std::uint32_t file = 0;
  /// The row as the chat template renders it; absent: there is no template.
  std::optional<std::string_view> rendered = std::nullopt;
  /// Why the chat template refused it, or the one that a preset stands in for.
  std::string_view refusal = {};
};

/// What a worker learnt about a batch; lines are relative to it. Move-only.
struct BatchState;
struct BatchFindings {
  BatchFindings();
  BatchFindings(BatchFindings&&) noexcept;
  BatchFindings& operator=(BatchFindings&&) noexcept;
  ~BatchFindings();
  std::unique_ptr<BatchState> state;  ///< null: nothing was checked
};

class RowChecker {
 public:
  explicit RowChecker(const RuleOptions& options);
  ~RowChecker();
  /// Checks a row; gives the bits of facts::Flag that the rules add to it.
  [[nodiscard]] std::uint16_t row(const RowContext& context);
  void bad_record(const scan::BadRecord& bad, std::uint32_t file);
  /// From now on the rules that hold for each row are listed (for breakdowns).
  void list_rules();
  /// One entry a finding of the last row(); empty unless they are listed.
  [[nodiscard]] std::span<const RuleId> rules_of_row() const;
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
  std::string format;      ///< of the format table
  scan::BatchFacts facts;  ///< added up over the file
  std::vector<scan::FileNote> notes;
  std::uint64_t records = 0;
  std::uint64_t malformed = 0;
  std::uint64_t bytes = 0;  ///< of the stored file
  /// Why it could not be read to its end; empty: it was.
  std::string failure;
};

/// What the rules know about the set at the end.
struct SetResult {
  FindingLog log;
  /// Records that repeat an earlier one; absent: not looked for.
  std::optional<std::uint64_t> duplicates;
  /// All findings, as a list of known ones; empty unless gather_found.
  KnownFindings found;
  /// Known findings that were not there.
  std::vector<StaleKnown> stale;
};

class SetChecker {
 public:
  explicit SetChecker(const RuleOptions& options);
  ~SetChecker();
  /// The next batch in input order, after whose first line `line_base` lines
  /// of its file stand before. `rows` carry absolute lines, and kUsable.
  void batch(BatchFindings&& findings, std::span<const facts::RowFacts> rows,
             std::uint32_t file, std::uint64_t line_base);
  void file(const FileSummary& summary);
  /// Everything found; call once, at the end. `type` is the run's type.
  SetResult finish(records::SampleType type);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_CHECK_H_
