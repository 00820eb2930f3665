// Walking the batches of one epoch: the exact side of padding.h.
#ifndef TRAINSIGHT_BATCHING_EPOCH_H_
#define TRAINSIGHT_BATCHING_EPOCH_H_

#include <cstdint>
#include <span>

#include "trainsight/batching/order.h"
#include "trainsight/batching/plan.h"

namespace trainsight::batching {

/// Sums over the batches of one epoch, batch by batch in training order.
class EpochSums {
 public:
  /// `sequences_per_row` is 2 for preference pairs, else 1.
  EpochSums(const BatchPlan& plan, std::uint32_t sequences_per_row)
      : plan_(plan), sequences_per_row_(sequences_per_row) {}

  /// Adds a batch of `rows` rows whose longest sequence has `longest` tokens
  /// and whose sequences have `tokens` together.
  void add(std::uint64_t rows, std::uint32_t longest, std::uint64_t tokens);

  [[nodiscard]] std::uint64_t batches() const { return batches_; }
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  [[nodiscard]] std::uint64_t tokens() const { return tokens_; }
  [[nodiscard]] std::uint64_t slots() const { return slots_; }
  [[nodiscard]] double squared_slots() const { return squared_slots_; }
  [[nodiscard]] std::uint64_t largest_batch_slots() const { return largest_; }
  [[nodiscard]] double waste_ratio() const;
  /// Mean padded length of full batches (of any, when none is full).
  [[nodiscard]] double mean_longest() const;
  /// 1 − Σ mean over ranks / Σ max over ranks, over complete micro-steps.
  [[nodiscard]] double rank_imbalance_ratio() const;

 private:
  const BatchPlan& plan_;
  std::uint32_t sequences_per_row_;
  std::uint64_t batches_ = 0, rows_ = 0, tokens_ = 0, slots_ = 0, largest_ = 0;
  std::uint64_t full_batches_ = 0, full_longest_ = 0, any_longest_ = 0;
  double squared_slots_ = 0;
  std::uint64_t round_slots_ = 0, round_max_ = 0;    // of the open micro-step
  std::uint64_t rounds_slots_ = 0, rounds_max_ = 0;  // of complete ones
};

/// Walks `schedule`. `widths[i]` decides how far row i is padded; `tokens[i]`
/// is what it holds (empty: its width).
EpochSums walk(const BatchSchedule& schedule,
               std::span<const std::uint32_t> widths,
               std::span<const std::uint64_t> tokens, const BatchPlan& plan,
               std::uint32_t sequences_per_row);

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_EPOCH_H_
