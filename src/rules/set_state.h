// What the reducer knows of the files and rows that went by.
#ifndef TRAINSIGHT_RULES_SET_STATE_H_
#define TRAINSIGHT_RULES_SET_STATE_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "batch_state.h"
#include "known_ledger.h"
#include "trainsight/batching/lengths.h"
#include "trainsight/facts/row_facts.h"
#include "trainsight/rules/check.h"

namespace trainsight::rules {

/// Rows of a kind and the first of them.
struct Tally {
  std::uint64_t rows = 0;
  std::uint64_t line = 0;
  std::uint64_t offset = kNoOffset;

  void add(const facts::RowFacts& row) {
    if (rows++ == 0) {
      line = row.line;
      offset = row.offset;
    }
  }
};

/// How a preference or prompt-completion row is written.
enum class Style : std::uint8_t { kStandard, kConversational, kMixed };

/// One file, or all training files together.
struct RowTally {
  std::uint64_t rows = 0;
  std::uint64_t usable = 0;
  std::uint64_t tokens = 0;
  std::uint64_t rows_over = 0;    ///< longer than max_seq_len
  std::uint64_t tokens_over = 0;  ///< all tokens of those
  std::uint64_t label_end = 0;    ///< greatest: every label is kept there
  std::uint64_t longest = 0;
  std::uint64_t conversations = 0;
  std::uint64_t media_rows = 0;
  std::uint64_t marked_rows = 0;  ///< that hold the response marker
  std::uint64_t labels_true = 0, labels_false = 0;
  std::uint64_t pairs = 0, chosen_tokens = 0, rejected_tokens = 0;
  std::array<Tally, 5> dialects;  ///< by records::Dialect
  std::array<Tally, 3> styles;    ///< by Style
  std::vector<Tally> schemas;     ///< by schema index + 1

  void add(const facts::RowFacts& row, const RuleOptions& options);
};

/// A row that is among the longest.
struct LongRow {
  std::uint32_t tokens = 0;
  std::uint32_t file = 0;
  std::uint64_t line = 0;
  std::uint64_t offset = 0;
};

/// Lengths of the training rows, for the rules about batches.
struct LengthTally {
  static constexpr std::size_t kMostLongRows = 64;
  static constexpr std::size_t kMostInOrder = 1u << 16;

  std::unordered_map<std::uint32_t, std::uint64_t> counts;
  std::vector<std::uint32_t> in_order;  ///< empty when there are more rows
  bool too_many_for_order = false;
  std::vector<LongRow> longest;  ///< longest first; ties in input order

  void add(const facts::RowFacts& row);
  [[nodiscard]] batching::LengthCounts sorted() const;
};

struct DateUse {
  std::uint64_t rows = 0;
  std::uint32_t file = 0;
  std::uint64_t line = 0;
};

/// Everything that is known at the end.
struct SetState {
  explicit SetState(const RuleOptions& given)
      : options(given),
        log(given.kept_findings),
        known(given.known, given.gather_found) {}

  RuleOptions options;
  FindingLog log;
  KnownLedger known;
  RowTally file;             ///< the file being read
  RowTally train;            ///< all training files
  std::uint64_t arrays = 0;  ///< lines of the file that are arrays
  LengthTally lengths;
  SetColumns columns;
  std::map<std::string, DateUse> dates;
  ToolSchemas tools;
  FingerprintTable fingerprints;
  PromptTally prompts;
  /// Lines of all files before each file: where its lines begin among all.
  std::vector<std::uint64_t> lines_before;
  std::uint64_t lines = 0;
  std::uint32_t files = 0;  ///< training files

  /// Whether `rule` is reported with `severity`; the severity may be changed
  /// by what the user says.
  [[nodiscard]] bool wants(RuleId rule, Severity& severity) const {
    severity = options.selection.severity_of(rule, severity);
    return options.selection.is_on(rule, severity);
  }
  /// Adds a finding about a file or the set. A severity of the rule's own.
  void add(RuleId rule, std::uint32_t file_index, std::uint64_t line,
           std::string message, std::vector<Figure> figures,
           const std::string& pointer = "", std::uint64_t offset = kNoOffset);
  /// The same with another severity.
  void add_as(RuleId rule, Severity severity, std::uint32_t file_index,
              std::uint64_t line, std::string message,
              std::vector<Figure> figures, const std::string& pointer = "",
              std::uint64_t offset = kNoOffset);
  /// Adds `count` findings that are about no one row; `first` are the first
  /// few.
  void add_group(const FindingLog::Key& key, std::uint64_t count,
                 std::vector<Finding> first);
  /// The file index of what holds for all training rows: the only file's.
  [[nodiscard]] std::uint32_t whole() const;
  /// The group of a rule in a file, whatever its severity; nullptr: none.
  FindingGroup* group(RuleId rule, std::uint32_t file_index);
};

/// file_rules.cc: TS1xx about whole files, TS901, TS902; figures of the groups
/// of the file that ends.
void check_file(const FileSummary& summary, SetState& state);

/// column_rules.cc: TS201–TS203, TS205, TS207 at the end.
void check_columns_of_set(SetState& state);

/// set_rules.cc: TS7xx and TS8xx at the end.
std::optional<std::uint64_t> check_set(records::SampleType type,
                                       SetState& state);

/// batch_rules.cc: TS5xx and TS6xx at the end.
void check_batches(records::SampleType type, SetState& state);

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_SET_STATE_H_
