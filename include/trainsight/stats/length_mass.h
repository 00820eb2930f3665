// LengthMass: a distribution of lengths as plain pairs, and what a policy for
// over-long records makes of it.
//
// The closed forms and simulations work on these, so that a sketch can be
// judged under any limit without touching the data. Pure functions.
#ifndef TRAINSIGHT_STATS_LENGTH_MASS_H_
#define TRAINSIGHT_STATS_LENGTH_MASS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "trainsight/stats/length_sketch.h"

namespace trainsight::stats {

/// `count` records of one length.
struct LengthMass {
  double length = 0;  ///< whole up to 16,384; above, a bucket's mean
  std::uint64_t count = 0;

  friend bool operator==(const LengthMass&, const LengthMass&) = default;
};

/// What happens to a record longer than the limit.
enum class Overlong : std::uint8_t {
  kKeep,      ///< nothing: there is no limit
  kTruncate,  ///< it becomes as long as the limit
  kDrop,      ///< it is left out
  kSplit,     ///< it becomes pieces as long as the limit, and a remainder
};

/// The lengths of a sketch, ascending. Exact up to 16,384; above, the records
/// of a bucket stand at their mean, within 1/256 of each.
std::vector<LengthMass> length_masses(const LengthSketch& sketch);

/// The same for rows at hand. Linear, plus sorting.
std::vector<LengthMass> length_masses(std::span<const std::uint64_t> lengths);

/// What is left after the policy; ascending, equal lengths joined. Empty
/// remainders of kSplit are left out. `limit` is at least 1 (0 counts as 1)
/// and means nothing to kKeep. REQUIRES: ascending lengths.
std::vector<LengthMass> apply_limit(std::span<const LengthMass> lengths,
                                    Overlong policy, std::uint64_t limit);

/// Number of records; 2^64 - 1 when there are more (rows split into tokens).
std::uint64_t record_count(std::span<const LengthMass> lengths);

/// Sum of all lengths.
double token_count(std::span<const LengthMass> lengths);

}  // namespace trainsight::stats

#endif  // TRAINSIGHT_STATS_LENGTH_MASS_H_
