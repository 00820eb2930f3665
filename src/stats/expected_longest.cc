#include "trainsight/stats/expected_longest.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace trainsight::stats {
namespace {

// Probabilities below this change no digit of a sum of lengths.
constexpr double kNegligible = 1e-20;

// C(m - c, b) / C(m, b), as a product over the shorter of the two ways to
// write it. REQUIRES: m - c >= b.
double choose_ratio(std::uint64_t m, std::uint64_t c, std::uint64_t b) {
  const std::uint64_t factors = std::min(b, c);
  const std::uint64_t taken = std::max(b, c);
  double ratio = 1.0;
  for (std::uint64_t i = 0; i < factors && ratio > kNegligible; ++i) {
    ratio *= static_cast<double>(m - taken - i) / static_cast<double>(m - i);
  }
  return ratio;
}

}  // namespace

double padded_length(double length, std::uint64_t pad_to_multiple_of) {
  if (pad_to_multiple_of <= 1) return length;
  const double multiple = static_cast<double>(pad_to_multiple_of);
  return std::ceil(length / multiple) * multiple;
}

double expected_longest(std::span<const LengthMass> lengths,
                        std::uint64_t batch, std::uint64_t pad_to_multiple_of) {
  std::uint64_t rows = record_count(lengths);  // no longer than the current
  if (rows == 0 || batch == 0) return 0;
  batch = std::min(batch, rows);

  double expected = 0;
  double probability = 1.0;  // that all of the batch are among `rows`
  for (std::size_t i = lengths.size(); i-- > 0;) {
    const std::uint64_t count = std::min(lengths[i].count, rows);
    double below = 0;
    if (rows - count >= batch) {
      below = probability * choose_ratio(rows, count, batch);
    }
    if (below < kNegligible) below = 0;
    expected += padded_length(lengths[i].length, pad_to_multiple_of) *
                (probability - below);
    if (below == 0) break;
    probability = below;
    rows -= count;
  }
  return expected;
}

}  // namespace trainsight::stats
