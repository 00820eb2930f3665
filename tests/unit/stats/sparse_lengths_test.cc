#include "trainsight/stats/sparse_lengths.h"

#include <catch2/catch.hpp>

#include "trainsight/stats/shuffle.h"

namespace trainsight::stats {
namespace {

TEST_CASE("sparse lengths of few records, by hand") {
  SparseLengths lengths;
  CHECK(lengths.mean() == 0);
  for (const std::uint64_t length : {5, 1, 5, 9}) lengths.add(length);
  CHECK(lengths.count() == 4);
  CHECK(lengths.sum() == 20);
  CHECK(lengths.max() == 9);
  CHECK(lengths.mean() == Approx(5));
  CHECK(lengths.sketch().quantile(0.5) == 5);
  CHECK(lengths.sketch().quantile(0.25) == 1);
}

TEST_CASE("sparse lengths answer as a sketch of the same records does") {
  SplitMix64 random(7);
  SparseLengths all;
  SparseLengths parts[2];
  LengthSketch sketch;
  for (int i = 0; i < 20'000; ++i) {
    // Short ones as a rule, some far above the exact range.
    const std::uint64_t length = random.next() % 10 == 0
                                     ? random.next() % 3'000'000
                                     : random.next() % 3'000;
    all.add(length);
    parts[i % 2].add(length);
    sketch.add(length);
  }
  parts[0].merge(parts[1]);
  for (const SparseLengths* sparse : {&all, &parts[0]}) {
    CHECK(sparse->count() == sketch.count());
    CHECK(sparse->sum() == sketch.sum());
    CHECK(sparse->max() == sketch.max());
    const LengthSketch same = sparse->sketch();
    for (const double q : {0.01, 0.5, 0.85}) {
      CHECK(same.quantile(q) == sketch.quantile(q));
    }
    for (const double q : {0.95, 0.99}) {
      CHECK(static_cast<double>(same.quantile(q)) ==
            Approx(static_cast<double>(sketch.quantile(q))).epsilon(1.0 / 128));
    }
  }
}

}  // namespace
}  // namespace trainsight::stats
