#include "trainsight/stats/shuffle.h"

#include <catch2/catch.hpp>
#include <vector>

namespace trainsight::stats {
namespace {

// Expected values: the definition of the padding truths (shared data, README)
// states these outputs of SplitMix64 and this shuffle of 0..9 for seed 42.
TEST_CASE("SplitMix64 from 42 gives the published numbers") {
  SplitMix64 random(42);
  CHECK(random.next() == 0xbdd732262feb6e95ULL);
  CHECK(random.next() == 0x28efe333b266f103ULL);
  CHECK(random.next() == 0x47526757130f9f52ULL);
}

TEST_CASE("the shuffle of ten items with seed 42 is the published one") {
  std::vector<int> items = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  SplitMix64 random(42);
  shuffle(std::span<int>(items), random);
  CHECK(items == std::vector<int>{0, 9, 5, 8, 6, 4, 7, 2, 1, 3});
}

TEST_CASE("none or one item need no random number") {
  std::vector<int> one = {7};
  SplitMix64 random(42);
  shuffle(std::span<int>(one), random);
  shuffle(std::span<int>(), random);
  CHECK(one == std::vector<int>{7});
  CHECK(random.next() == 0xbdd732262feb6e95ULL);
}

}  // namespace
}  // namespace trainsight::stats
