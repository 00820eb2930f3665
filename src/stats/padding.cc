#include "trainsight/stats/padding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "trainsight/stats/expected_longest.h"
#include "trainsight/stats/shuffle.h"

namespace trainsight::stats {
namespace {

double waste_of(double used_tokens, double slots) {
  return slots > 0 ? 1.0 - used_tokens / slots : 0.0;
}

std::uint64_t batch_size(const PaddedBatches& batches) {
  return std::max<std::uint64_t>(batches.micro_batch, 1);
}

// Slots of batches cut from `widths` in order; widths are rounded already.
double slots_in_order(std::span<const double> widths,
                      const PaddedBatches& batches) {
  const std::uint64_t size = batch_size(batches);
  double slots = 0;
  for (std::size_t begin = 0; begin < widths.size();) {
    const std::size_t rows = static_cast<std::size_t>(
        std::min<std::uint64_t>(size, widths.size() - begin));
    const auto batch = widths.subspan(begin, rows);
    slots += static_cast<double>(rows) *
             *std::max_element(batch.begin(), batch.end());
    begin += rows;
  }
  return slots * static_cast<double>(batches.sequences_per_row);
}

std::vector<double> widths_of(std::span<const std::uint64_t> rows,
                              const PaddedBatches& batches) {
  std::vector<double> widths;
  widths.reserve(rows.size());
  for (const std::uint64_t row : rows) {
    widths.push_back(
        padded_length(static_cast<double>(row), batches.pad_to_multiple_of));
  }
  return widths;
}

PaddingWaste simulated_padding(const std::vector<double>& widths,
                               double used_tokens,
                               const PaddedBatches& batches) {
  PaddingWaste result;
  result.used_tokens = used_tokens;
  result.method = PaddingMethod::kSimulated;
  const std::uint64_t rows = std::max<std::uint64_t>(widths.size(), 1);
  result.orders = std::clamp<std::uint64_t>(kMaxSimulatedVisits / rows, 1,
                                            kSimulatedOrders);
  double sum = 0;
  double sum_of_squares = 0;
  std::vector<double> order(widths.size());
  for (std::uint64_t seed = 1; seed <= result.orders; ++seed) {
    order = widths;
    SplitMix64 random(seed);
    shuffle(std::span<double>(order), random);
    const double slots = slots_in_order(order, batches);
    const double waste = waste_of(used_tokens, slots);
    result.slots += slots;
    sum += waste;
    sum_of_squares += waste * waste;
  }
  const double n = static_cast<double>(result.orders);
  result.slots /= n;
  result.waste_ratio = sum / n;
  result.stddev_ratio = std::sqrt(std::max(
      sum_of_squares / n - result.waste_ratio * result.waste_ratio, 0.0));
  return result;
}

bool is_simulated(std::uint64_t rows, const PaddedBatches& batches) {
  // More than one batch, or the order does not matter.
  return rows > batch_size(batches) && rows <= kMaxSimulatedRows &&
         rows / kClosedFormBatches < batch_size(batches);
}

}  // namespace

PaddingWaste padding_in_order(std::span<const std::uint64_t> rows,
                              double used_tokens,
                              const PaddedBatches& batches) {
  PaddingWaste result;
  result.used_tokens = used_tokens;
  result.slots = slots_in_order(widths_of(rows, batches), batches);
  result.waste_ratio = waste_of(used_tokens, result.slots);
  return result;
}

PaddingWaste expected_padding(std::span<const LengthMass> rows,
                              double used_tokens,
                              const PaddedBatches& batches) {
  const std::uint64_t count = record_count(rows);
  const std::uint64_t size = batch_size(batches);
  const std::uint64_t rest = count % size;
  const double whole = static_cast<double>(count - rest);
  double slots = 0;
  if (whole > 0) {
    slots += whole * expected_longest(rows, size, batches.pad_to_multiple_of);
  }
  slots += static_cast<double>(rest) *
           expected_longest(rows, rest, batches.pad_to_multiple_of);

  PaddingWaste result;
  result.used_tokens = used_tokens;
  result.slots = slots * static_cast<double>(batches.sequences_per_row);
  result.waste_ratio = waste_of(used_tokens, result.slots);
  result.method = PaddingMethod::kClosedForm;
  return result;
}

PaddingWaste random_padding(std::span<const LengthMass> rows,
                            double used_tokens, const PaddedBatches& batches) {
  const std::uint64_t count = record_count(rows);
  if (!is_simulated(count, batches)) {
    return expected_padding(rows, used_tokens, batches);
  }
  std::vector<double> widths;
  widths.reserve(count);
  for (const LengthMass& mass : rows) {
    widths.insert(widths.end(), mass.count,
                  padded_length(mass.length, batches.pad_to_multiple_of));
  }
  return simulated_padding(widths, used_tokens, batches);
}

PaddingWaste random_padding_of_rows(std::span<const std::uint64_t> rows,
                                    double used_tokens,
                                    const PaddedBatches& batches) {
  if (!is_simulated(rows.size(), batches)) {
    return expected_padding(length_masses(rows), used_tokens, batches);
  }
  return simulated_padding(widths_of(rows, batches), used_tokens, batches);
}

}  // namespace trainsight::stats
