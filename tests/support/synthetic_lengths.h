// Synthetic sets of lengths with a given sigma/mu and P99.
//
// The lengths are the quantiles of a log-normal distribution at (i - 1/2) / n:
// round(exp(m + s z_i)), with z the standard normal quantile. For given s,
// sigma/mu is sqrt(exp(s^2) - 1) and P99 is exp(m + 2.326 s); since rounding
// and the finite grid shift both a little, s and m are corrected until the
// lengths themselves meet the two targets within half a per cent. Then they
// are shuffled with SplitMix64, seed 42.
#ifndef TRAINSIGHT_TESTS_SUPPORT_SYNTHETIC_LENGTHS_H_
#define TRAINSIGHT_TESTS_SUPPORT_SYNTHETIC_LENGTHS_H_

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "trainsight/stats/length_sketch.h"
#include "trainsight/stats/shuffle.h"

namespace trainsight::test {

/// The z with P[N(0, 1) <= z] = p, by bisection of erfc. REQUIRES: 0 < p < 1.
inline double normal_quantile(double p) {
  double low = -10, high = 10;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    const bool below = std::erfc(-middle / std::sqrt(2.0)) / 2 < p;
    (below ? low : high) = middle;
  }
  return low;
}

inline std::vector<std::uint64_t> synthetic_lengths(double cv, double p99,
                                                    std::size_t n = 5000) {
  std::vector<double> z;
  for (std::size_t i = 0; i < n; ++i) {
    z.push_back(normal_quantile((static_cast<double>(i) + 0.5) /
                                static_cast<double>(n)));
  }
  double s = std::sqrt(std::log1p(cv * cv));
  double m = std::log(p99) - 2.326 * s;
  std::vector<std::uint64_t> lengths(n);
  for (int round = 0; round < 20; ++round) {
    stats::LengthSketch sketch;
    for (std::size_t i = 0; i < n; ++i) {
      lengths[i] =
          static_cast<std::uint64_t>(std::llround(std::exp(m + s * z[i])));
      sketch.add(lengths[i]);
    }
    const double reached = static_cast<double>(sketch.quantile(0.99));
    if (std::abs(sketch.cv() / cv - 1) < 0.001 &&
        std::abs(reached / p99 - 1) < 0.005) {
      break;
    }
    s *= cv / sketch.cv();
    m = std::log(p99) - z[n * 99 / 100 - 1] * s;
  }
  stats::SplitMix64 random(42);
  stats::shuffle(std::span<std::uint64_t>(lengths), random);
  return lengths;
}

}  // namespace trainsight::test

#endif  // TRAINSIGHT_TESTS_SUPPORT_SYNTHETIC_LENGTHS_H_
