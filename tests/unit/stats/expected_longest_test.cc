#include "trainsight/stats/expected_longest.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <vector>

#include "trainsight/stats/shuffle.h"

namespace trainsight::stats {
namespace {

// The mean of the longest over every subset of `batch` rows.
double enumerated(const std::vector<std::uint64_t>& rows, int batch) {
  double sum = 0;
  int subsets = 0;
  for (std::uint32_t mask = 0; mask < 1U << rows.size(); ++mask) {
    if (std::popcount(mask) != batch) continue;
    std::uint64_t longest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if ((mask >> i & 1U) != 0) longest = std::max(longest, rows[i]);
    }
    sum += static_cast<double>(longest);
    ++subsets;
  }
  return sum / subsets;
}

TEST_CASE("the longest of two of 1 2 3 is 8/3 on average") {
  // Pairs: 2, 3, 3.
  const std::vector<LengthMass> lengths = {{1, 1}, {2, 1}, {3, 1}};
  CHECK(expected_longest(lengths, 2) == Approx(8.0 / 3.0));
  CHECK(expected_longest(lengths, 1) == Approx(2.0));
  CHECK(expected_longest(lengths, 3) == 3.0);
  CHECK(expected_longest(lengths, 100) == 3.0);
}

TEST_CASE("no rows or no batch have no longest") {
  CHECK(expected_longest({}, 8) == 0);
  CHECK(expected_longest(std::vector<LengthMass>{{5, 3}}, 0) == 0);
}

TEST_CASE("equal lengths are their own longest") {
  CHECK(expected_longest(std::vector<LengthMass>{{352, 1'000'000'000}}, 8) ==
        352);
}

TEST_CASE("it equals the mean over all subsets") {
  SplitMix64 random(7);
  for (int trial = 0; trial < 40; ++trial) {
    std::vector<std::uint64_t> rows(1 + random.next() % 12);
    for (std::uint64_t& row : rows) row = random.next() % 30;
    const auto lengths = length_masses(rows);
    for (int batch = 1; batch <= static_cast<int>(rows.size()); ++batch) {
      INFO("trial " << trial << ", batch " << batch);
      CHECK(expected_longest(lengths, static_cast<std::uint64_t>(batch)) ==
            Approx(enumerated(rows, batch)).epsilon(1e-12));
    }
  }
}

TEST_CASE("lengths are rounded up before the longest is taken") {
  CHECK(padded_length(0, 64) == 0);
  CHECK(padded_length(1, 64) == 64);
  CHECK(padded_length(64, 64) == 64);
  CHECK(padded_length(65, 1) == 65);
  CHECK(padded_length(65, 0) == 65);
  // Of 10 and 70 one is drawn: 64 or 128.
  CHECK(expected_longest(std::vector<LengthMass>{{10, 1}, {70, 1}}, 1, 64) ==
        96);
}

TEST_CASE("a billion rows lose no digits") {
  // Lengths 1 and 2, half each: 1 + P[not all eight short]. With h = 5 * 10^8
  // the product over i < 8 of (h - i) / (2h - i) is 2^-8 times
  // 1 - (1 + ... + 7) / 2h + O(h^-2).
  const std::uint64_t half = 500'000'000;
  const double all_short = (1.0 - 28.0 / 1e9) / 256.0;
  CHECK(expected_longest(std::vector<LengthMass>{{1, half}, {2, half}}, 8) ==
        Approx(2.0 - all_short).epsilon(1e-14));
}

TEST_CASE("a single long row in a billion is drawn with chance B / n") {
  const std::uint64_t rows = 1'000'000'000;
  const std::vector<LengthMass> lengths = {{0, rows - 1}, {1e6, 1}};
  CHECK(expected_longest(lengths, 8) == Approx(8e-3).epsilon(1e-7));
  CHECK(expected_longest(lengths, rows / 2) == Approx(5e5).epsilon(1e-9));
}

}  // namespace
}  // namespace trainsight::stats
