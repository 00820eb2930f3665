#include "trainsight/stats/length_mass.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainsight::stats {
namespace {

// The sum, or the greatest number where it has none.
std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) {
  return a + std::min(b, ~std::uint64_t{0} - a);
}

// Sorts and joins equal lengths.
std::vector<LengthMass> joined(std::vector<LengthMass> masses) {
  std::sort(masses.begin(), masses.end(),
            [](const LengthMass& a, const LengthMass& b) {
              return a.length < b.length;
            });
  std::vector<LengthMass> result;
  for (const LengthMass& mass : masses) {
    if (!result.empty() && result.back().length == mass.length) {
      result.back().count = capped_sum(result.back().count, mass.count);
    } else {
      result.push_back(mass);
    }
  }
  return result;
}

std::uint64_t saturated_product(std::uint64_t a, double b) {
  const double product = static_cast<double>(a) * b;
  if (product >= 0x1p63) return std::uint64_t{1} << 63;
  return a * static_cast<std::uint64_t>(b);
}

}  // namespace

std::vector<LengthMass> length_masses(const LengthSketch& sketch) {
  std::vector<LengthMass> masses;
  for (const LengthBin& bin : sketch.bins()) {
    masses.push_back({bin.mean, bin.count});
  }
  return masses;
}

std::vector<LengthMass> length_masses(std::span<const std::uint64_t> lengths) {
  std::vector<LengthMass> masses;
  masses.reserve(lengths.size());
  for (const std::uint64_t length : lengths) {
    masses.push_back({static_cast<double>(length), 1});
  }
  return joined(std::move(masses));
}

std::vector<LengthMass> apply_limit(std::span<const LengthMass> lengths,
                                    Overlong policy, std::uint64_t limit) {
  const double most = static_cast<double>(std::max<std::uint64_t>(limit, 1));
  std::vector<LengthMass> kept;
  for (const LengthMass& mass : lengths) {
    if (policy == Overlong::kKeep || mass.length <= most) {
      kept.push_back(mass);
      continue;
    }
    if (policy == Overlong::kTruncate) {
      kept.push_back({most, mass.count});
    } else if (policy == Overlong::kSplit) {
      const double pieces = std::floor(mass.length / most);
      const double rest = mass.length - pieces * most;
      kept.push_back({most, saturated_product(mass.count, pieces)});
      if (rest > 0) kept.push_back({rest, mass.count});
    }
  }
  return joined(std::move(kept));
}

std::uint64_t record_count(std::span<const LengthMass> lengths) {
  std::uint64_t count = 0;
  for (const LengthMass& mass : lengths) count = capped_sum(count, mass.count);
  return count;
}

double token_count(std::span<const LengthMass> lengths) {
  double sum = 0;
  for (const LengthMass& mass : lengths) {
    sum += mass.length * static_cast<double>(mass.count);
  }
  return sum;
}

}  // namespace trainsight::stats
