#include "batching/expected_longest.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "trainsight/batching/padding.h"
#include "trainsight/stats/expected_longest.h"

namespace trainsight::batching {

double chance_all_among(std::uint64_t shorter, std::uint64_t rows,
                        std::uint64_t draws) {
  if (draws > shorter) return 0;
  // C(m,B)/C(n,B) = Π_{j<B} (m−j)/(n−j), and by symmetry, with d = n − m,
  // = Π_{i<d} (n−B−i)/(n−i). The shorter product is taken; every factor is
  // below 1, so it can stop once nothing visible is left.
  const std::uint64_t longer = rows - shorter;
  const std::uint64_t factors = std::min(draws, longer);
  const std::uint64_t top = draws <= longer ? shorter : rows - draws;
  double chance = 1;
  for (std::uint64_t j = 0; j < factors; ++j) {
    chance *= static_cast<double>(top - j) / static_cast<double>(rows - j);
    if (chance < 1e-18) return 0;
  }
  return chance;
}

double expected_longest(const LengthCounts& counts, std::uint64_t draws,
                        int power) {
  std::vector<stats::LengthMass> masses;
  masses.reserve(counts.size());
  for (const LengthCount& entry : counts) {
    if (entry.count == 0) continue;
    const double length = entry.length;
    masses.push_back({power == 2 ? length * length : length, entry.count});
  }
  return stats::expected_longest(masses, draws);
}

double expected_longest_independent(const LengthCounts& counts,
                                    std::uint64_t draws) {
  const auto rows = static_cast<double>(row_count(counts));
  double expected = 0;
  double below = 0;
  std::uint64_t shorter = 0;
  for (const LengthCount& entry : counts) {
    shorter += entry.count;
    const double up_to = std::pow(static_cast<double>(shorter) / rows,
                                  static_cast<double>(draws));
    expected += entry.length * (up_to - below);
    below = up_to;
  }
  return expected;
}

}  // namespace trainsight::batching
