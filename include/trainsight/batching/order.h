// The order of rows in an epoch, reproducible from a seed.
//
// A BatchSchedule lists every micro-batch of an epoch: the rows of step i on
// rank r are a function of (lengths, plan, epoch) alone, on any machine.
// Random order is a Fisher-Yates shuffle driven by SplitMix64.
#ifndef TRAINSIGHT_BATCHING_ORDER_H_
#define TRAINSIGHT_BATCHING_ORDER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainsight/batching/plan.h"
#include "trainsight/core/result.h"
#include "trainsight/stats/shuffle.h"

namespace trainsight::batching {

/// The generator of every seeded order.
using stats::SplitMix64;

/// stats::shuffle() from `seed`.
void shuffle(std::span<std::uint32_t> values, std::uint64_t seed);

/// The seed of `epoch` (from 0): `seed` itself in the first, and an
/// independent-looking one in each later epoch.
std::uint64_t epoch_seed(std::uint64_t seed, std::uint64_t epoch);

/// The micro-batches of one epoch.
///
/// Batch b = (s·accumulation + a)·world_size + r is what rank r sees in
/// micro-step a of optimiser step s (all from 0). Immutable once made;
/// threads may read it at once.
class BatchSchedule {
 public:
  /// Makes the schedule of `epoch`.
  ///
  /// `lengths` are kept lengths (see keep()); plan.max_seq_len and overlong
  /// are not applied again. With drop_last only whole rounds of full batches
  /// remain. Cost: linear, plus sorting for the samplers that sort; 4 bytes
  /// a row and, for kBucketed and kByTokens, 8 a batch.
  /// Errors: those of check(plan); kLimit for 2^32 rows or more.
  static Result<BatchSchedule> make(std::span<const std::uint32_t> lengths,
                                    const BatchPlan& plan,
                                    std::uint64_t epoch = 0);

  /// Row ids of the epoch in the order of training; without drop_last, each
  /// row exactly once.
  [[nodiscard]] std::span<const std::uint32_t> order() const { return order_; }

  [[nodiscard]] std::size_t batch_count() const { return batch_count_; }

  /// Row ids of batch `b`. REQUIRES: b < batch_count().
  [[nodiscard]] std::span<const std::uint32_t> batch(std::size_t b) const;

  /// Row ids of optimiser step `step` over all ranks and micro-steps, in the
  /// order of batches; empty past the end.
  [[nodiscard]] std::span<const std::uint32_t> step(std::size_t step) const;

 private:
  BatchSchedule() = default;

  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> offsets_;  // empty: batches of batch_size_ rows
  std::size_t batch_size_ = 1;
  std::size_t batch_count_ = 0;
  std::size_t batches_per_step_ = 1;
};

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_ORDER_H_
