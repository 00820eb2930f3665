// Padding waste: the share of slots that hold no token when rows are padded to
// the longest of their batch.
//
//   waste_ratio = 1 - used tokens / slots
//
// Random batches: an epoch of n rows in random order is n div B batches of B
// and a last one of r = n mod B. Every batch is a sample without replacement,
// so that the expected slots are exactly
//
//   (n div B) * B * E_B[max] + r * E_r[max]        (expected_longest.h)
//
// and 1 - used / E[slots] is the closed form; for whole batches it is
// 1 - mean / E[max]. In small sets the mean of the waste differs from it,
// since the slots scatter from epoch to epoch: below 50 B rows the waste is
// the mean over simulated epochs with the seeds 1, 2, ..., 200. With the rows
// at hand in file order that is the very number that a reference with the
// same shuffle gives; from counts alone the rows are first put in ascending
// order, which has the same distribution.
//
// Preferences: both sides of all pairs of a batch are padded together, to the
// longest pair length (prompt + longer side). Then a row's length is its pair
// length, `sequences_per_row` is 2 and `used_tokens` are those of all 2 n
// sides: waste = 1 - mean of all sides / E[max of B pair lengths].
//
// Pure functions, deterministic on every machine.
#ifndef TRAINSIGHT_STATS_PADDING_H_
#define TRAINSIGHT_STATS_PADDING_H_

#include <cstdint>
#include <span>

#include "trainsight/stats/length_mass.h"

namespace trainsight::stats {

/// How rows become padded batches.
struct PaddedBatches {
  std::uint64_t micro_batch = 8;         ///< rows a batch; 0 counts as 1
  std::uint64_t pad_to_multiple_of = 1;  ///< batch width is rounded up to it
  std::uint64_t sequences_per_row = 1;   ///< 2 for preference pairs
};

/// Where a figure comes from; printed beside it.
enum class PaddingMethod : std::uint8_t {
  kCounted,     ///< one order only: batches cut from the rows as they are
  kClosedForm,  ///< expected slots of a random order
  kSimulated,   ///< mean over simulated random orders
};

struct PaddingWaste {
  double waste_ratio = 0;  ///< 0 when there are no slots
  double used_tokens = 0;
  double slots = 0;  ///< expected, or mean over the orders
  PaddingMethod method = PaddingMethod::kCounted;
  /// Standard deviation of waste_ratio from one random order to another; 0
  /// unless simulated.
  double stddev_ratio = 0;
  std::uint64_t orders = 1;  ///< orders simulated or counted
};

/// Closed form from this many batches on.
inline constexpr std::uint64_t kClosedFormBatches = 50;
/// Random orders of a simulation, with seeds from 1.
inline constexpr std::uint64_t kSimulatedOrders = 200;
/// Rows beyond which nothing is simulated, and rows times orders within which
/// a simulation keeps: fewer orders of more rows are as exact.
inline constexpr std::uint64_t kMaxSimulatedRows = 200'000;
inline constexpr std::uint64_t kMaxSimulatedVisits = 4'000'000;

/// The rows cut into batches in the order given.
PaddingWaste padding_in_order(std::span<const std::uint64_t> rows,
                              double used_tokens, const PaddedBatches& batches);

/// Random batches, closed form, for any number of rows.
/// REQUIRES: ascending lengths, counts > 0.
PaddingWaste expected_padding(std::span<const LengthMass> rows,
                              double used_tokens, const PaddedBatches& batches);

/// Random batches from counts alone: simulated below 50 B rows, else the
/// closed form. REQUIRES: ascending lengths, counts > 0.
PaddingWaste random_padding(std::span<const LengthMass> rows,
                            double used_tokens, const PaddedBatches& batches);

/// Random batches of rows known in file order: simulated from that order below
/// 50 B rows, else the closed form.
PaddingWaste random_padding_of_rows(std::span<const std::uint64_t> rows,
                                    double used_tokens,
                                    const PaddedBatches& batches);

}  // namespace trainsight::stats

#endif  // TRAINSIGHT_STATS_PADDING_H_
