#include "batching/epoch.h"

#include <algorithm>

namespace trainsight::batching {

void EpochSums::add(std::uint64_t rows, std::uint32_t longest,
                    std::uint64_t tokens) {
  const std::uint64_t padded = padded_length(longest, plan_);
  const std::uint64_t sequences = rows * sequences_per_row_;
  const std::uint64_t slots = sequences * padded;
  ++batches_;
  rows_ += rows;
  tokens_ += tokens;
  slots_ += slots;
  squared_slots_ += static_cast<double>(slots) * static_cast<double>(padded);
  largest_ = std::max(largest_, slots);
  any_longest_ += padded;
  if (rows == plan_.micro_batch) {
    ++full_batches_;
    full_longest_ += padded;
  }
  round_slots_ += slots;
  round_max_ = std::max(round_max_, slots);
  if (batches_ % plan_.world_size == 0) {
    rounds_slots_ += round_slots_;
    rounds_max_ += round_max_;
    round_slots_ = round_max_ = 0;
  }
}

double EpochSums::waste_ratio() const {
  if (slots_ == 0) return 0;
  return static_cast<double>(slots_ - tokens_) / static_cast<double>(slots_);
}

double EpochSums::mean_longest() const {
  if (batches_ == 0) return 0;
  if (full_batches_ == 0) {
    return static_cast<double>(any_longest_) / static_cast<double>(batches_);
  }
  return static_cast<double>(full_longest_) /
         static_cast<double>(full_batches_);
}

double EpochSums::rank_imbalance_ratio() const {
  if (rounds_max_ == 0) return 0;
  const double mean = static_cast<double>(rounds_slots_) /
                      static_cast<double>(plan_.world_size);
  return std::max(0.0, 1 - mean / static_cast<double>(rounds_max_));
}

EpochSums walk(const BatchSchedule& schedule,
               std::span<const std::uint32_t> widths,
               std::span<const std::uint64_t> tokens, const BatchPlan& plan,
               std::uint32_t sequences_per_row) {
  EpochSums sums(plan, sequences_per_row);
  for (std::size_t b = 0; b < schedule.batch_count(); ++b) {
    const std::span<const std::uint32_t> rows = schedule.batch(b);
    std::uint32_t longest = 0;
    std::uint64_t held = 0;
    for (const std::uint32_t row : rows) {
      longest = std::max(longest, widths[row]);
      held += tokens.empty() ? widths[row] : tokens[row];
    }
    sums.add(rows.size(), longest, held);
  }
  return sums;
}

}  // namespace trainsight::batching
