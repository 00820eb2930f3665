// What a limit on the length leaves of a data set, as a target would have it.
//
// Exact: counted row by row, with the target's own over-long policy and its
// own idea of what is learnt. Pure; one counter a target, used by one thread.
#ifndef TRAINSIGHT_TARGETS_SURVIVAL_H_
#define TRAINSIGHT_TARGETS_SURVIVAL_H_

#include <cstdint>
#include <optional>
#include <string>

#include "trainsight/facts/row_facts.h"
#include "trainsight/targets/target_table.h"

namespace trainsight::targets {

struct SurvivalOptions {
  std::string name;               ///< the target's, or "generic"
  std::uint32_t max_seq_len = 0;  ///< tokens
  /// What happens to rows over max_seq_len; shown in the report.
  Overlong overlong = Overlong::kTruncateStart;
  /// The same for preferences and for RL prompts.
  Overlong pairs = Overlong::kTruncateStart;
  Overlong prompts = Overlong::kKeep;
  Learns learns = Learns::kAssistant;
  bool drops_unlabelled = false;
};

/// How `target` treats rows at `max_seq_len` (absent: its own default), packed
/// or not. nullopt when neither the run nor the target states a limit.
std::optional<SurvivalOptions> survival_options(
    const Target& target, std::optional<std::uint32_t> max_seq_len,
    bool packing);

struct SurvivalFigures {
  struct Part {
    std::uint64_t records = 0;
    std::uint64_t tokens = 0;
  };
  Part kept;        ///< rows that reach training, with the tokens left of them
  Part truncated;   ///< of those, rows that were cut, with the tokens lost; or
                    ///< split, which loses none
  Part dropped;     ///< rows left out, or that stop the run, with their tokens
  Part unlabelled;  ///< rows of which nothing is learnt (kept or dropped for
                    ///< it), with the tokens that they would cost
};

class SurvivalCounter {
 public:
  explicit SurvivalCounter(SurvivalOptions options)
      : options_(std::move(options)) {}

  /// The next row. Rows of no known type are passed over.
  void add(const facts::RowFacts& row);
  /// Adds the rows of `other`. REQUIRES: the same options.
  void merge(const SurvivalCounter& other);
  [[nodiscard]] const SurvivalFigures& figures() const { return figures_; }
  [[nodiscard]] const SurvivalOptions& options() const { return options_; }

 private:
  SurvivalOptions options_;
  SurvivalFigures figures_;
};

}  // namespace trainsight::targets

#endif  // TRAINSIGHT_TARGETS_SURVIVAL_H_
