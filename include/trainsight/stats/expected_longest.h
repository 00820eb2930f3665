// The expected longest of a batch: what a padded batch is as wide as.
//
// B rows drawn without replacement from n: with m(x) the number of rows no
// longer than x, all B are no longer than x with probability
// C(m(x), B) / C(n, B), hence
//
//   E[max] = sum over x >= 0 of (1 - C(m(x), B) / C(n, B)).
//
// Source: the distribution of the largest order statistic of a sample without
// replacement (H. A. David, H. N. Nagaraja, "Order Statistics", 3rd ed.,
// Wiley 2003, section 3.7). It is summed here as
// sum x * (P[max <= x] - P[max < x]) over the lengths that occur, downwards,
// with P as a running product of ratios (no factorials, no logarithms of
// them): relative error below 1e-12 for up to 10^9 rows.
#ifndef TRAINSIGHT_STATS_EXPECTED_LONGEST_H_
#define TRAINSIGHT_STATS_EXPECTED_LONGEST_H_

#include <cstdint>
#include <span>

#include "trainsight/stats/length_mass.h"

namespace trainsight::stats {

/// `length` rounded up to a multiple; a multiple of 0 or 1 changes nothing.
double padded_length(double length, std::uint64_t pad_to_multiple_of);

/// E of the longest of `batch` rows, after rounding each up to the multiple.
/// A batch of all rows or more gives the longest; no rows or a batch of 0
/// give 0. REQUIRES: ascending lengths, counts > 0. Cost: distinct lengths
/// times min(batch, their counts), less what no longer matters in doubles.
double expected_longest(std::span<const LengthMass> lengths,
                        std::uint64_t batch,
                        std::uint64_t pad_to_multiple_of = 1);

}  // namespace trainsight::stats

#endif  // TRAINSIGHT_STATS_EXPECTED_LONGEST_H_
