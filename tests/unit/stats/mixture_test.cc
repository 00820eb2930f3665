#include "trainsight/stats/mixture.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "trainsight/stats/shuffle.h"

namespace trainsight::stats {
namespace {

LengthSketch sketch_of(const std::vector<std::uint64_t>& lengths) {
  LengthSketch sketch;
  for (const std::uint64_t length : lengths) sketch.add(length);
  return sketch;
}

TEST_CASE("a mixture of two sources, by hand") {
  // A: 10, 30 (mean 20, variance 100). B: 100 (mean 100, variance 0).
  const LengthSketch a = sketch_of({10, 30});
  const LengthSketch b = sketch_of({100});
  const std::vector<WeightedSource> sources = {{3, &a}, {1, &b}};
  const Mixture m = mix(sources);
  CHECK(m.sources[0].probability == Approx(0.75));
  CHECK(m.sources[1].probability == Approx(0.25));
  // 0.75 * 20 + 0.25 * 100 = 40.
  CHECK(m.mean == Approx(40));
  // 0.75 * (100 + 400) + 0.25 * 10000 - 1600 = 1275.
  CHECK(m.stddev == Approx(std::sqrt(1275.0)));
  CHECK(m.cv == Approx(std::sqrt(1275.0) / 40));
  // Shares: 10 and 30 have 0.375 each, 100 has 0.25.
  CHECK(m.p50 == 30);
  CHECK(m.p90 == 100);
  CHECK(m.max == 100);
  CHECK(m.sources[0].tokens_ratio == Approx(15.0 / 40));
  CHECK(m.sources[1].tokens_ratio == Approx(25.0 / 40));
  // A ends after 2 / 0.75 = 2.67 draws, B after 1 / 0.25 = 4.
  CHECK(m.rows_first == Approx(8.0 / 3));
  CHECK(m.ends_first == 0);
  CHECK(m.rows_all == Approx(4));
  CHECK(m.ends_all == 1);
  CHECK(m.sources[0].passes_first == Approx(1));
  CHECK(m.sources[1].passes_first == Approx(2.0 / 3));
  CHECK(m.sources[0].passes_all == Approx(1.5));
  CHECK(m.sources[1].passes_all == Approx(1));
}

TEST_CASE("a quantile that falls on the edge of a share takes the lower one") {
  const LengthSketch a = sketch_of({1, 2, 3, 4, 5, 6, 7});
  const LengthSketch b = sketch_of({8, 9, 10});
  const std::vector<WeightedSource> sources = {{0.5, &a}, {0.5, &b}};
  CHECK(mix(sources).p50 == 7);
}

TEST_CASE("weights in proportion to the rows give the plain union") {
  const LengthSketch a = sketch_of({3, 4, 5, 6});
  const LengthSketch b = sketch_of({50, 60});
  LengthSketch both = a;
  both.merge(b);
  const std::vector<WeightedSource> sources = {{4, &a}, {2, &b}};
  const Mixture m = mix(sources);
  CHECK(m.mean == Approx(both.mean()));
  CHECK(m.stddev == Approx(both.stddev()));
  CHECK(m.p50 == both.quantile(0.5));
  CHECK(m.p90 == both.quantile(0.9));
  CHECK(m.rows_first == Approx(6));
  CHECK(m.rows_all == Approx(6));
}

TEST_CASE("one source is itself, and empty rows have no spread") {
  const LengthSketch a = sketch_of({0, 0});
  const std::vector<WeightedSource> sources = {{0.1, &a}};
  const Mixture m = mix(sources);
  CHECK(m.sources[0].probability == Approx(1));
  CHECK(m.mean == 0);
  CHECK(m.cv == 0);
  CHECK(m.rows_first == Approx(2));
}

// One epoch drawn as interleave_datasets does it.
struct Drawn {
  double rows = 0;
  double of_first_source = 0;
};
Drawn draw_epoch(double p, std::uint64_t n0, std::uint64_t n1, bool all,
                 SplitMix64& random) {
  std::uint64_t given[2] = {0, 0};
  Drawn drawn;
  while (all ? given[0] < n0 || given[1] < n1
             : given[0] < n0 && given[1] < n1) {
    const double u = static_cast<double>(random.next() >> 11) * 0x1.0p-53;
    const std::size_t s = u < p ? 0 : 1;
    ++given[s];
    ++drawn.rows;
    if (s == 0) ++drawn.of_first_source;
  }
  return drawn;
}

TEST_CASE("drawn epochs are as long as the formula says") {
  // 400 rows at 0.8 end after 500 draws in the mean, 300 at 0.2 after 1,500:
  // deviations 11 and 69, so that neither end disturbs the other.
  constexpr int kEpochs = 400;
  const LengthSketch a = sketch_of(std::vector<std::uint64_t>(400, 7));
  const LengthSketch b = sketch_of(std::vector<std::uint64_t>(300, 9));
  const std::vector<WeightedSource> sources = {{0.8, &a}, {0.2, &b}};
  const Mixture m = mix(sources);
  CHECK(m.rows_first == Approx(500));
  CHECK(m.rows_all == Approx(1500));
  SplitMix64 random(20261130);
  Drawn first;
  Drawn all;
  for (int i = 0; i < kEpochs; ++i) {
    const Drawn one = draw_epoch(0.8, 400, 300, false, random);
    first.rows += one.rows / kEpochs;
    const Drawn other = draw_epoch(0.8, 400, 300, true, random);
    all.rows += other.rows / kEpochs;
    all.of_first_source += other.of_first_source / kEpochs;
  }
  // Four standard errors: 11.2 / 20 and 77.5 / 20.
  CHECK(std::abs(first.rows - m.rows_first) < 4 * 0.56);
  CHECK(std::abs(all.rows - m.rows_all) < 4 * 3.9);
  CHECK(all.of_first_source / 400 ==
        Approx(m.sources[0].passes_all).epsilon(0.02));
}

}  // namespace
}  // namespace trainsight::stats
