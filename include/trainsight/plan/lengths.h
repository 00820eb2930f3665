// What a plan needs of a data set: its lengths under the way of training, and
// the batches that they make.
//
// Padded batches: over an epoch the longest kept row will be drawn, so the
// largest batch is B x that length, rounded up; the sampler only decides when.
// Packed: B x pack length at every step. Padding-free: the largest sum of B
// lengths of a seeded simulation. In RL a row is a prompt and its completions
// come on top: the largest batch is B x (longest prompt + completion budget).
// Pure; thread-safe.
#ifndef TRAINSIGHT_PLAN_LENGTHS_H_
#define TRAINSIGHT_PLAN_LENGTHS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "trainsight/memory/settings.h"
#include "trainsight/stats/length_mass.h"
#include "trainsight/throughput/step_time.h"

namespace trainsight::plan {

enum class Packing : std::uint8_t {
  kPadded,       ///< rows of a batch are padded to its longest
  kPacked,       ///< packs of max_seq_len
  kPaddingFree,  ///< rows one after the other, nothing padded
};

/// "padded", "packed", "padding-free".
std::string_view name_of(Packing packing);

enum class Order : std::uint8_t {
  kRandom,        ///< a shuffle an epoch
  kFile,          ///< rows as they stand
  kLongestFirst,  ///< grouped by length, or sorted downwards
};

/// How rows become batches.
struct Batching {
  std::uint64_t max_seq_len = 0;  ///< 0: no limit; packs need one
  stats::Overlong overlong = stats::Overlong::kTruncate;
  std::uint64_t pad_to_multiple_of = 1;
  Packing packing = Packing::kPadded;
  Order order = Order::kRandom;
  double epochs = 1;
  std::uint64_t seed = 1;
  /// RL: rows are prompts, which max_seq_len is about, and a micro-batch
  /// counts completions. Most tokens generated for a prompt; 0: no RL.
  std::uint64_t completion_budget = 0;
  /// Lengths that completions are expected to have, ascending, none above the
  /// budget; empty: all as long as that.
  std::vector<stats::LengthMass> completions;
  std::uint64_t generations = 1;  ///< completions of each prompt
};

/// A row among the longest.
struct LongRow {
  std::string file;
  std::uint64_t line = 0;
  std::uint64_t tokens = 0;
};

struct DataSet {
  std::vector<stats::LengthMass> lengths;  ///< raw, ascending; empty: none
  std::vector<LongRow> longest;            ///< longest first; only the top
};

/// The kept rows of a data set as batches of some size; figures of one size
/// are computed once. Not thread-safe: one a thread.
class Batches {
 public:
  /// Without a data set every row is max_seq_len long. REQUIRES: one of both.
  Batches(const DataSet& data, const Batching& batching);

  /// Rows after the over-long policy; 0 without a data set.
  [[nodiscard]] double rows() const { return rows_; }
  [[nodiscard]] double tokens() const { return tokens_; }
  [[nodiscard]] std::uint64_t longest() const { return longest_; }

  /// RL: what `sequences` completions, generated together, are like.
  [[nodiscard]] throughput::Rollout rollout(double sequences,
                                            std::uint64_t together) const;

  /// The largest batch of B sequences that the data can make.
  memory::Batch largest(std::uint64_t sequences);

  struct Typical {
    throughput::Work work;  ///< of a micro-batch of one rank
    double useful_tokens = 0;
    double micro_batches = 0;  ///< of an epoch, over all ranks; 0: no data
  };
  /// An average batch of B sequences.
  Typical typical(std::uint64_t sequences);

  /// Tokens of the median batch over those of the largest: how much a worst
  /// batch stands out. 1 for packs.
  double typical_over_largest(std::uint64_t sequences);

 private:
  double largest_sum(std::uint64_t sequences);
  [[nodiscard]] double mean_completion() const;
  [[nodiscard]] double longest_completion(std::uint64_t of) const;

  Batching batching_;
  std::vector<stats::LengthMass> kept_;
  double rows_ = 0, tokens_ = 0, squares_ = 0;
  std::uint64_t longest_ = 0;
  struct Known {
    std::uint64_t sequences = 0;
    Typical typical;
    double sum = 0;  ///< largest; 0: not computed
    bool has_typical = false;
  };
  std::vector<Known> known_;
  Known& known(std::uint64_t sequences);
};

}  // namespace trainsight::plan

#endif  // TRAINSIGHT_PLAN_LENGTHS_H_
