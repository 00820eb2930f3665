#include "trainsight/stats/length_histogram.h"

#include <catch2/catch.hpp>
#include <vector>

#include "support/synthetic_lengths.h"

namespace trainsight::stats {
namespace {

using Rows = std::vector<HistogramRow>;

LengthSketch sketch_of(const std::vector<std::uint64_t>& lengths) {
  LengthSketch sketch;
  for (const std::uint64_t length : lengths) sketch.add(length);
  return sketch;
}

TEST_CASE("an empty sketch has no rows, and one length one row") {
  CHECK(make_histogram(LengthSketch()).rows.empty());
  CHECK(make_histogram(sketch_of({352, 352})).rows == Rows{{352, 352, 2}});
  CHECK(make_histogram(sketch_of({0})).rows == Rows{{0, 1, 1}});
}

TEST_CASE("rows of equal width have a round step") {
  // 12 rows must reach from 0 to 95: a step of 10, ten rows.
  const LengthHistogram histogram =
      make_histogram(sketch_of({0, 10, 11, 25, 38, 47, 52, 66, 74, 95}));
  CHECK_FALSE(histogram.logarithmic);
  CHECK(histogram.rows == Rows{{0, 10, 2},
                               {11, 20, 1},
                               {21, 30, 1},
                               {31, 40, 1},
                               {41, 50, 1},
                               {51, 60, 1},
                               {61, 70, 1},
                               {71, 80, 1},
                               {81, 90, 0},
                               {91, 100, 1}});
}

TEST_CASE("a long tail makes the rows widen by powers of two") {
  LengthSketch sketch;
  sketch.add(100, 50);
  sketch.add(200, 40);
  sketch.add(1000, 9);
  sketch.add(30000, 1);
  const LengthHistogram histogram = make_histogram(sketch);
  CHECK(histogram.logarithmic);
  CHECK(histogram.rows == Rows{{65, 128, 50},
                               {129, 256, 40},
                               {257, 512, 0},
                               {513, 1024, 9},
                               {1025, 2048, 0},
                               {2049, 4096, 0},
                               {4097, 8192, 0},
                               {8193, 16384, 0},
                               {16385, 32768, 1}});
}

TEST_CASE("rows cover all records without gaps, in any number of rows") {
  for (const double cv : {0.2, 0.8, 2.0}) {
    LengthSketch sketch;
    for (const auto length : test::synthetic_lengths(cv, 40000, 3000)) {
      sketch.add(length);
    }
    for (const std::size_t most : {2U, 5U, 12U}) {
      const LengthHistogram histogram = make_histogram(sketch, most);
      REQUIRE(histogram.rows.size() <= most);
      CHECK(histogram.rows.front().first <= sketch.min());
      CHECK(histogram.rows.back().last >= sketch.max());
      std::uint64_t count = 0;
      for (std::size_t i = 0; i < histogram.rows.size(); ++i) {
        count += histogram.rows[i].count;
        if (i > 0) {
          CHECK(histogram.rows[i].first == histogram.rows[i - 1].last + 1);
        }
      }
      CHECK(count == sketch.count());
    }
  }
}

TEST_CASE("lengths up to 2^63 fit into a histogram") {
  const LengthHistogram both =
      make_histogram(sketch_of({0, LengthSketch::kMaxLength}), 2);
  REQUIRE(both.rows.size() == 2);
  CHECK(both.rows[0].count == 1);
  CHECK(both.rows[1].count == 1);
  LengthSketch tail;
  tail.add(1, 100);
  tail.add(LengthSketch::kMaxLength);
  CHECK(make_histogram(tail).rows.back().count == 1);
}

}  // namespace
}  // namespace trainsight::stats
