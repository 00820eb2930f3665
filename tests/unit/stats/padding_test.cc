#include "trainsight/stats/padding.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>
#include <vector>

#include "support/synthetic_lengths.h"
#include "trainsight/stats/shuffle.h"

namespace trainsight::stats {
namespace {

using Rows = std::vector<std::uint64_t>;

double sum_of(const Rows& rows) {
  return static_cast<double>(
      std::accumulate(rows.begin(), rows.end(), std::uint64_t{0}));
}

TEST_CASE("batches in file order, the last one smaller") {
  // Batches 3 1 | 5 5 | 2: slots 6 + 10 + 2, used 16.
  const Rows rows = {3, 1, 5, 5, 2};
  const PaddingWaste waste = padding_in_order(rows, 16, {2, 1, 1});
  CHECK(waste.slots == 18);
  CHECK(waste.waste_ratio == Approx(2.0 / 18.0));
  CHECK(waste.method == PaddingMethod::kCounted);
}

TEST_CASE("the batch width is rounded up to the multiple") {
  const PaddingWaste waste = padding_in_order(Rows{3, 1, 9}, 13, {2, 8, 1});
  CHECK(waste.slots == 2 * 8 + 16);
}

TEST_CASE("a set without slots wastes nothing") {
  CHECK(padding_in_order(Rows{}, 0, {}).waste_ratio == 0);
  CHECK(padding_in_order(Rows{0, 0, 0}, 0, {}).waste_ratio == 0);
  CHECK(expected_padding({}, 0, {}).waste_ratio == 0);
  CHECK(random_padding({}, 0, {}).waste_ratio == 0);
  CHECK(random_padding_of_rows(Rows{0, 0}, 0, {}).waste_ratio == 0);
}

TEST_CASE("expected slots count the last partial batch with its own longest") {
  // Rows 1 2 3 in batches of 2: 2 * 8/3 for the pair, 2 for the one left.
  const PaddingWaste waste =
      expected_padding(length_masses(Rows{1, 2, 3}), 6, {2, 1, 1});
  CHECK(waste.slots == Approx(2 * 8.0 / 3.0 + 2.0));
  CHECK(waste.waste_ratio == Approx(1 - 6 / (16.0 / 3.0 + 2.0)));
  CHECK(waste.method == PaddingMethod::kClosedForm);
}

TEST_CASE("preferences pad both sides of a batch to its longest pair") {
  // Two pairs with prompt 10: sides 5 and 2, sides 1 and 20; pair lengths 15
  // and 30, sides 15 12 11 30 = 68 of 4 * 30 slots.
  const PaddingWaste waste = padding_in_order(Rows{15, 30}, 68, {2, 1, 2});
  CHECK(waste.slots == 120);
  CHECK(waste.waste_ratio == Approx(1 - 68.0 / 120.0));
  CHECK(expected_padding(length_masses(Rows{15, 30}), 68, {2, 1, 2})
            .waste_ratio == Approx(1 - 68.0 / 120.0));
}

TEST_CASE("one batch is the same in any order and is not simulated") {
  const PaddingWaste waste =
      random_padding_of_rows(Rows{4, 8, 1}, 13, {8, 1, 1});
  CHECK(waste.method == PaddingMethod::kClosedForm);
  CHECK(waste.slots == 24);
}

TEST_CASE("below 50 batches the mean of the shuffles 1 to 200 is given") {
  const Rows rows = {13, 300, 42, 7, 77, 120, 9, 1, 640, 55, 31};
  // The rule once more, written out on its own.
  double mean = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Rows order = rows;
    SplitMix64 random(seed);
    for (std::size_t i = order.size() - 1; i >= 1; --i) {
      std::swap(order[i], order[random.next() % (i + 1)]);
    }
    double slots = 0;
    for (std::size_t i = 0; i < order.size(); i += 4) {
      const std::size_t end = std::min(i + 4, order.size());
      std::uint64_t longest = 0;
      for (std::size_t k = i; k < end; ++k) {
        longest = std::max(longest, order[k]);
      }
      slots += static_cast<double>(longest * (end - i));
    }
    mean += (1 - sum_of(rows) / slots) / 200;
  }
  const PaddingWaste waste =
      random_padding_of_rows(rows, sum_of(rows), {4, 1, 1});
  CHECK(waste.method == PaddingMethod::kSimulated);
  CHECK(waste.orders == 200);
  CHECK(waste.waste_ratio == Approx(mean).epsilon(1e-12));
  CHECK(waste.stddev_ratio > 0);
}

TEST_CASE("counts alone give the same distribution as rows") {
  const Rows rows = test::synthetic_lengths(0.8, 2000, 300);
  const PaddedBatches batches{8, 1, 1};
  const PaddingWaste known =
      random_padding_of_rows(rows, sum_of(rows), batches);
  const PaddingWaste counted =
      random_padding(length_masses(rows), sum_of(rows), batches);
  CHECK(counted.method == PaddingMethod::kSimulated);
  // Two means of 200 orders: 4 standard errors of their difference.
  const double error = known.stddev_ratio * std::sqrt(2.0 / 200.0);
  CHECK(std::abs(known.waste_ratio - counted.waste_ratio) < 4 * error);
}

TEST_CASE("the closed form begins at 50 batches") {
  const Rows rows = test::synthetic_lengths(0.5, 500, 400);
  const auto first = [&](std::size_t n) {
    const Rows part(rows.begin(), rows.begin() + static_cast<long>(n));
    return random_padding_of_rows(part, sum_of(part), {8, 1, 1}).method;
  };
  CHECK(first(399) == PaddingMethod::kSimulated);
  CHECK(first(400) == PaddingMethod::kClosedForm);
}

TEST_CASE("the closed form meets the simulation within 0.3 points") {
  // Mean of 200 shuffles of at least 50 batches, on three spreads.
  for (const double cv : {0.3, 0.8, 1.5}) {
    const Rows rows = test::synthetic_lengths(cv, 3000, 1000);
    for (const std::uint64_t size : {4, 8, 16}) {
      double mean = 0;
      for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Rows order = rows;
        SplitMix64 random(seed);
        shuffle(std::span<std::uint64_t>(order), random);
        mean +=
            padding_in_order(order, sum_of(rows), {size, 1, 1}).waste_ratio /
            200;
      }
      INFO("cv " << cv << ", batch " << size);
      const PaddingWaste closed =
          random_padding_of_rows(rows, sum_of(rows), {size, 1, 1});
      CHECK(closed.method == PaddingMethod::kClosedForm);
      CHECK(std::abs(closed.waste_ratio - mean) < 0.003);
    }
  }
}

TEST_CASE("hostile batch sizes neither divide by zero nor allocate") {
  const std::vector<LengthMass> many = {{10, 1'000'000'000'000}};
  CHECK(random_padding(many, 1e13, {0, 1, 1}).waste_ratio == 0);
  const PaddingWaste huge =
      random_padding(many, 1e13, {~std::uint64_t{0}, 1, 1});
  CHECK(huge.method == PaddingMethod::kClosedForm);
  CHECK(huge.waste_ratio == 0);
  // Simulated in principle, but over the limit of rows.
  CHECK(random_padding(many, 1e13, {500'000'000'000, 1, 1}).method ==
        PaddingMethod::kClosedForm);
}

}  // namespace
}  // namespace trainsight::stats
