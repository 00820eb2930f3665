#include "trainsight/stats/length_sketch.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stats/buckets.h"

namespace trainsight::stats {
namespace {

LengthSketch sketch_of(const std::vector<std::uint64_t>& lengths) {
  LengthSketch sketch;
  for (const std::uint64_t length : lengths) sketch.add(length);
  return sketch;
}

TEST_CASE("an empty sketch answers zero to everything") {
  const LengthSketch sketch;
  CHECK(sketch.count() == 0);
  CHECK(sketch.sum() == 0);
  CHECK(sketch.min() == 0);
  CHECK(sketch.max() == 0);
  CHECK(sketch.mean() == 0);
  CHECK(sketch.stddev() == 0);
  CHECK(sketch.cv() == 0);
  CHECK(sketch.quantile(0.5) == 0);
  CHECK(sketch.digest_quantile(0.5) == 0);
  CHECK(sketch.share_above(0) == 0);
  CHECK(sketch.bins().empty());
}

TEST_CASE("moments of 2 4 4 4 5 5 7 9 are 5 and 2") {
  const LengthSketch sketch = sketch_of({9, 4, 5, 2, 4, 7, 5, 4});
  CHECK(sketch.count() == 8);
  CHECK(sketch.sum() == 40);
  CHECK(sketch.mean() == 5);
  CHECK(sketch.stddev() == 2);
  CHECK(sketch.cv() == 0.4);
  CHECK(sketch.min() == 2);
  CHECK(sketch.max() == 9);
}

TEST_CASE("equal lengths have no spread, and empty records no variation") {
  CHECK(sketch_of({352, 352, 352}).stddev() == 0);
  CHECK(sketch_of({352, 352, 352}).cv() == 0);
  CHECK(sketch_of({0, 0}).cv() == 0);
}

TEST_CASE("a small spread on long lengths is not lost to cancellation") {
  // 10^12 - 1 and 10^12 + 1: the squares agree in 24 digits.
  const std::uint64_t middle = 1'000'000'000'000;
  CHECK(sketch_of({middle - 1, middle + 1}).stddev() == 1);
}

TEST_CASE("quantiles are nearest ranks") {
  // 12 lengths: P50 is the 6th, P90 the 11th, P95 and P99 the 12th.
  const LengthSketch sketch =
      sketch_of({120, 10, 20, 110, 30, 40, 100, 50, 60, 90, 70, 80});
  CHECK(sketch.quantile(0.0) == 10);
  CHECK(sketch.quantile(0.5) == 60);
  CHECK(sketch.quantile(0.9) == 110);
  CHECK(sketch.quantile(0.95) == 120);
  CHECK(sketch.quantile(1.0) == 120);
}

TEST_CASE("a decimal p times n that is whole is not rounded up") {
  LengthSketch sketch;
  for (std::uint64_t length = 1; length <= 10000; ++length) sketch.add(length);
  // 0.07 * 10000 and 0.57 * 10000 exceed a whole number in doubles.
  for (std::uint64_t percent = 1; percent <= 100; ++percent) {
    CHECK(sketch.quantile(static_cast<double>(percent) / 100.0) ==
          100 * percent);
  }
  CHECK(sketch.quantile(0.9999) == 9999);
  CHECK(sketch.quantile(0.50001) == 5001);
}

TEST_CASE("weights are records") {
  LengthSketch weighted;
  weighted.add(7, 3);
  weighted.add(20000, 2);
  weighted.add(9, 0);
  CHECK(weighted.same_counts(sketch_of({7, 20000, 7, 20000, 7})));
  CHECK(weighted.digest().count() == 5);
}

TEST_CASE("buckets tile the lengths above the exact range") {
  CHECK(index_of(0) == 0);
  CHECK(index_of(16384) == 16384);
  CHECK(index_of(16385) == 16385);
  CHECK(index_of(16448) == 16385);
  CHECK(index_of(16449) == 16386);
  CHECK(index_of(32768) == 16385 + 255);
  CHECK(index_of(32769) == 16385 + 256);
  CHECK(index_of(LengthSketch::kMaxLength) == kIndexCount - 1);
  CHECK(last_of(kIndexCount - 1) == LengthSketch::kMaxLength);
  for (std::size_t i = kFirstBucket; i < kIndexCount; ++i) {
    REQUIRE(first_of(i) == last_of(i - 1) + 1);
    REQUIRE(index_of(first_of(i)) == i);
    REQUIRE(index_of(last_of(i)) == i);
    REQUIRE(width_of(i) <= first_of(i) / 256);
  }
}

TEST_CASE("a length over 2^63 counts as 2^63") {
  const LengthSketch sketch = sketch_of({~std::uint64_t{0}});
  CHECK(sketch.max() == LengthSketch::kMaxLength);
  CHECK(sketch.quantile(0.5) == LengthSketch::kMaxLength);
}

TEST_CASE("sums that 64 or 128 bits cannot hold saturate") {
  LengthSketch sketch;
  sketch.add(LengthSketch::kMaxLength, 1000);
  sketch.add(LengthSketch::kMaxLength, 1000);
  CHECK(sketch.sum() == ~std::uint64_t{0});
  CHECK(sketch.mean() == std::ldexp(1.0, 63));
  CHECK(std::isfinite(sketch.stddev()));
}

TEST_CASE("cutting at a limit tells records over, their tokens and the loss") {
  const LengthSketch sketch = sketch_of({100, 200, 300, 400, 1000});
  const CutAt cut = sketch.cut_at(300);
  CHECK(cut.records_over == 2);
  CHECK(cut.tokens_over == 1400);
  CHECK(cut.tokens_lost == 800);
  CHECK(cut.records_uncertain == 0);
  CHECK(sketch.share_above(300) == 0.4);
  CHECK(sketch.cut_at(0).tokens_lost == 2000);
  CHECK(sketch.cut_at(1000).records_over == 0);
  CHECK(sketch.cut_at(999).tokens_lost == 1);
}

TEST_CASE("cutting the tail at a bucket's edge is exact") {
  const LengthSketch sketch =
      sketch_of({100, 20000, 20480, 20481, 32768, 32769, 100000});
  CHECK(sketch.cut_at(20480).records_over == 4);
  CHECK(sketch.cut_at(20480).tokens_over == 20481 + 32768 + 32769 + 100000);
  CHECK(sketch.cut_at(20480).records_uncertain == 0);
  CHECK(sketch.cut_at(32768).records_over == 2);
  CHECK(sketch.cut_at(32768).tokens_lost == 1 + 67232);
}

TEST_CASE("a bucket of one record is cut exactly") {
  const LengthSketch sketch = sketch_of({10, 100000});
  CHECK(sketch.cut_at(99999).records_over == 1);
  CHECK(sketch.cut_at(99999).tokens_lost == 1);
  CHECK(sketch.cut_at(99999).records_uncertain == 0);
  CHECK(sketch.cut_at(100000).records_over == 0);
  CHECK(sketch.quantile(1.0) == 100000);
}

TEST_CASE("a record alone in a bucket is known to the last digit") {
  // 2^62 + 12,345 has no exact double.
  const std::uint64_t odd = (std::uint64_t{1} << 62) + 12345;
  const LengthSketch sketch = sketch_of({1, odd, LengthSketch::kMaxLength});
  CHECK(sketch.quantile(0.5) == odd);
}

TEST_CASE("a cut through a bucket says how many records are in doubt") {
  LengthSketch sketch;
  // The bucket 65,537..65,792 has the width 256; all its lengths once, and 10
  // records of the greatest length far above.
  for (std::uint64_t length = 65537; length <= 65792; ++length) {
    sketch.add(length);
  }
  sketch.add(1'000'000, 10);
  const CutAt cut = sketch.cut_at(65600);
  CHECK(cut.records_uncertain == 256);
  CHECK(cut.records_over == 10 + 192);
  CHECK(cut.tokens_lost == 10 * (1'000'000 - 65600) + 192 * 193 / 2);
  CHECK(cut.tokens_over == cut.tokens_lost + 202 * 65600);
}

TEST_CASE("bins carry the exact mean of their records") {
  const LengthSketch sketch = sketch_of({5, 5, 16384, 16385, 16400, 40000});
  const std::vector<LengthBin> bins = sketch.bins();
  REQUIRE(bins.size() == 4);
  CHECK(bins[0].first == 5);
  CHECK(bins[0].last == 5);
  CHECK(bins[0].count == 2);
  CHECK(bins[0].mean == 5);
  CHECK(bins[1].mean == 16384);
  CHECK(bins[2].first == 16385);
  CHECK(bins[2].last == 16448);
  CHECK(bins[2].count == 2);
  CHECK(bins[2].mean == 16392.5);
  CHECK(bins[3].mean == 40000);
}

TEST_CASE("a merge with itself doubles every count") {
  LengthSketch sketch = sketch_of({1, 2, 3, 20000});
  sketch.merge(sketch);
  CHECK(sketch.same_counts(sketch_of({1, 1, 2, 2, 3, 3, 20000, 20000})));
  CHECK(sketch.digest().count() == 8);
}

}  // namespace
}  // namespace trainsight::stats
