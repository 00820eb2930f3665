// Repeats, against hand-made groups and a plain sort.
#include "rules/fingerprint.h"

#include <catch2/catch.hpp>
#include <map>
#include <random>
#include <vector>

namespace trainsight::rules {
namespace {

TEST_CASE("repeats are counted with their first places", "[rules]") {
  FingerprintTable table;
  // Lines 1, 3 and 4 are alike to the byte, 2 and 6 only when folded; 5 is
  // alone; 7 is evaluation data.
  table.add({10, 1, 1});
  table.add({20, 5, 2});
  table.add({10, 1, 3});
  table.add({10, 1, 4});
  table.add({30, 9, 5});
  table.add({20, 6, 6});
  table.add({20, 5, 7});
  const auto summary =
      table.summarize(5, [](std::uint32_t line) { return line == 7; });
  CHECK(summary.exact.count == 2);
  CHECK(summary.exact.all_rows == 3);
  REQUIRE(summary.exact.first.size() == 2);
  CHECK(summary.exact.first[0].line == 3);
  CHECK(summary.exact.first[0].first_line == 1);
  CHECK(summary.exact.first[1].line == 4);
  CHECK(summary.folded.count == 1);
  CHECK(summary.folded.all_rows == 2);
  REQUIRE(summary.folded.first.size() == 1);
  CHECK(summary.folded.first[0].line == 6);
  CHECK(summary.folded.first[0].first_line == 2);
  CHECK(summary.leaked.count == 1);
  REQUIRE(summary.leaked.first.size() == 1);
  CHECK(summary.leaked.first[0].line == 7);
  CHECK(summary.leaked.first[0].first_line == 2);
}

TEST_CASE("only the first few repeats are kept, in line order", "[rules]") {
  FingerprintTable table;
  for (std::uint32_t line = 100; line > 0; --line) table.add({1, 1, line});
  const auto summary = table.summarize(3, [](std::uint32_t) { return false; });
  CHECK(summary.exact.count == 99);
  REQUIRE(summary.exact.first.size() == 3);
  CHECK(summary.exact.first[0].line == 2);
  CHECK(summary.exact.first[2].line == 4);
}

TEST_CASE("many rows give what counting by hand gives", "[rules]") {
  const std::uint32_t threads = GENERATE(1u, 3u);
  std::mt19937_64 random(11);  // the same rows on every run
  FingerprintTable table;
  std::map<std::uint64_t, std::map<std::uint32_t, std::uint64_t>> rows;
  constexpr std::uint32_t kRows = 120'000;
  for (std::uint32_t line = 1; line <= kRows; ++line) {
    // Few hashes among many: half alone, the rest in groups, some huge; the
    // top bytes of a part agree, so that sorting goes down to the last byte.
    const std::uint64_t hash = line % 2 == 0 ? random()
                               : line % 3 == 0
                                   ? 42
                                   : 0xABCD000000000000 + random() % 99;
    const auto exact = static_cast<std::uint32_t>(random() % 3);
    table.add({hash, exact, line});
    ++rows[hash][exact];
  }
  std::uint64_t exact = 0;
  std::uint64_t folded = 0;
  for (const auto& [hash, group] : rows) {
    folded += group.size() - 1;
    for (const auto& [value, count] : group) exact += count - 1;
  }
  const auto summary = table.summarize(
      4, [](std::uint32_t) { return false; }, threads);
  CHECK(summary.exact.count == exact);
  CHECK(summary.folded.count == folded);
}

TEST_CASE("an empty table has no repeats", "[rules]") {
  FingerprintTable table;
  CHECK(table.summarize(5, [](std::uint32_t) { return false; }).exact.count ==
        0);
}

}  // namespace
}  // namespace trainsight::rules
