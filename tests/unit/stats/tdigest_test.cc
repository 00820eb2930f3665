#include "trainsight/stats/tdigest.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

namespace trainsight::stats {
namespace {

using Centroid = TDigest::Centroid;

std::vector<Centroid> whole_numbers(int first, int last) {
  std::vector<Centroid> values;
  for (int i = first; i <= last; ++i) values.push_back({double(i), 1.0});
  return values;
}

TEST_CASE("a digest of few values gives each of them back") {
  TDigest digest;
  digest.add_sorted(std::vector<Centroid>{{3, 1}, {10, 1}, {50, 1}});
  CHECK(digest.count() == 3);
  CHECK(digest.value_at_rank(1) == 3);
  CHECK(digest.value_at_rank(2) == 10);
  CHECK(digest.value_at_rank(3) == 50);
}

TEST_CASE("ranks between two means are interpolated linearly") {
  // Two centroids of two values: middles at 1 and 3, so that rank 2 (position
  // 1.5) lies a quarter of the way from 10 to 20; the ends lean on 8 and 22.
  const TDigest digest({{20, 2}, {40, 2}}, 8, 22);
  CHECK(digest.value_at_rank(1) == Approx(9.0));
  CHECK(digest.value_at_rank(2) == Approx(12.5));
  CHECK(digest.value_at_rank(3) == Approx(17.5));
  CHECK(digest.value_at_rank(4) == Approx(21.0));
}

TEST_CASE("centroids respect the scale function k1") {
  TDigest digest;
  digest.add_sorted(whole_numbers(1, 100000));
  REQUIRE(digest.centroids().size() <= TDigest::kMaxCentroids);
  REQUIRE(digest.centroids().size() > 90);
  const double unit = 2.0 * std::acos(-1.0) / TDigest::kCompression;
  double before = 0;
  for (const Centroid& c : digest.centroids()) {
    if (c.weight > 1) {
      const double low = before / digest.count();
      const double high = (before + c.weight) / digest.count();
      CHECK(std::asin(2 * high - 1) - std::asin(2 * low - 1) <= unit + 1e-9);
    }
    before += c.weight;
  }
  CHECK(before == 100000);
}

TEST_CASE("the rank of an answer is off by less than a centroid") {
  TDigest digest;
  for (int i = 0; i < 10; ++i) {
    digest.add_sorted(whole_numbers(1 + 10000 * i, 10000 * (i + 1)));
  }
  // The value of rank k is k. Bound: 2 pi sqrt(q (1 - q)) / 200.
  for (const double q : {0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999}) {
    const double rank = q * 100000;
    const double bound =
        2 * std::acos(-1.0) * std::sqrt(q * (1 - q)) / 200 * 100000;
    CHECK(std::abs(digest.value_at_rank(std::uint64_t(rank)) - rank) < bound);
  }
}

TEST_CASE("many equal values are divided among centroids, not one of them") {
  TDigest digest;
  digest.add_sorted(
      std::vector<Centroid>{{100.0 * 99000, 99000}, {5000.0 * 1000, 1000}});
  // P50 and P98 are 100, P99.5 is 5000: no slope from one to the other.
  CHECK(digest.count() == 100000);
  CHECK(digest.value_at_rank(50000) == 100);
  CHECK(digest.value_at_rank(98000) == 100);
  CHECK(digest.value_at_rank(99500) == 5000);
  CHECK(digest.centroids().size() <= TDigest::kMaxCentroids);
}

TEST_CASE("the extremes are exact after a merge") {
  TDigest a, b;
  a.add_sorted(whole_numbers(1000, 9000));
  b.add_sorted(whole_numbers(5, 5000));
  a.merge(b);
  CHECK(a.count() == 8001 + 4996);
  CHECK(a.value_at_rank(1) == 5);
  CHECK(a.value_at_rank(8001 + 4996) == 9000);
}

TEST_CASE("a digest can be merged with itself, and with an empty one") {
  TDigest digest;
  digest.add_sorted(whole_numbers(1, 10));
  digest.merge(TDigest());
  CHECK(digest.count() == 10);
  digest.merge(digest);
  CHECK(digest.count() == 20);
  CHECK(digest.value_at_rank(1) == 1);
  CHECK(digest.value_at_rank(20) == 10);
}

}  // namespace
}  // namespace trainsight::stats
