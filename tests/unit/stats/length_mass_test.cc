#include "trainsight/stats/length_mass.h"

#include <catch2/catch.hpp>
#include <vector>

namespace trainsight::stats {
namespace {

using Masses = std::vector<LengthMass>;

TEST_CASE("rows become ascending lengths with counts") {
  const std::vector<std::uint64_t> rows = {5, 1, 5, 0};
  const Masses masses = length_masses(rows);
  CHECK(masses == Masses{{0, 1}, {1, 1}, {5, 2}});
  CHECK(record_count(masses) == 4);
  CHECK(token_count(masses) == 11);
}

TEST_CASE("a sketch gives the same masses as its rows") {
  LengthSketch sketch;
  for (const std::uint64_t length : {5, 1, 5, 0}) sketch.add(length);
  CHECK(length_masses(sketch) == Masses{{0, 1}, {1, 1}, {5, 2}});
}

TEST_CASE("each policy for over-long records does what it says") {
  const Masses lengths = {{4, 1}, {10, 2}, {20, 3}, {25, 1}};
  CHECK(apply_limit(lengths, Overlong::kKeep, 10) == lengths);
  CHECK(apply_limit(lengths, Overlong::kTruncate, 10) ==
        Masses{{4, 1}, {10, 6}});
  CHECK(apply_limit(lengths, Overlong::kDrop, 10) == Masses{{4, 1}, {10, 2}});
  // 20 becomes 10 + 10, 25 becomes 10 + 10 + 5.
  CHECK(apply_limit(lengths, Overlong::kSplit, 10) ==
        Masses{{4, 1}, {5, 1}, {10, 2 + 6 + 2}});
  CHECK(token_count(apply_limit(lengths, Overlong::kSplit, 7)) ==
        token_count(lengths));
}

TEST_CASE("a limit of zero counts as one") {
  CHECK(apply_limit(Masses{{3, 2}}, Overlong::kTruncate, 0) == Masses{{1, 2}});
}

TEST_CASE("splitting the longest length into single tokens does not wrap") {
  const Masses longest = {{0x1p63, 1000}};
  const Masses split = apply_limit(longest, Overlong::kSplit, 1);
  REQUIRE(split.size() == 1);
  CHECK(split[0].count == std::uint64_t{1} << 63);
}

}  // namespace
}  // namespace trainsight::stats
