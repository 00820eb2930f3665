// Distribution of the longest of a batch; the closed forms of padding.h.
#ifndef TRAINSIGHT_BATCHING_EXPECTED_LONGEST_H_
#define TRAINSIGHT_BATCHING_EXPECTED_LONGEST_H_

#include <cstdint>

#include "trainsight/batching/lengths.h"

namespace trainsight::batching {

/// C(m, B) / C(n, B): the chance that all of `draws` = B rows, drawn without
/// replacement from `rows` = n, are among `shorter` = m given ones.
///
/// Relative error below 1e-11; chances under 1e-18 may come back as 0.
/// Cost: O(min(B, n − m)), and far less where the chance is small.
/// REQUIRES: m <= n, B <= n.
double chance_all_among(std::uint64_t shorter, std::uint64_t rows,
                        std::uint64_t draws);

/// E[max] of `draws` independent draws (with replacement).
/// REQUIRES: counts not empty.
double expected_longest_independent(const LengthCounts& counts,
                                    std::uint64_t draws);

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_EXPECTED_LONGEST_H_
