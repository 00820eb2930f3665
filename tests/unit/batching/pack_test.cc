#include "trainsight/batching/pack.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "unit/batching/naive.h"

namespace trainsight::batching {
namespace {

using Lengths = std::vector<std::uint32_t>;

PackOptions options(std::uint32_t pack_length, Strategy strategy) {
  PackOptions result;
  result.pack_length = pack_length;
  result.strategy = strategy;
  return result;
}

PackingFigures packed(const Lengths& lengths, const PackOptions& how,
                      Assignment* assignment = nullptr) {
  const Result<PackingFigures> figures = pack(lengths, how, {}, assignment);
  REQUIRE(figures.has_value());
  return *figures;
}

// Lengths of the segments in each pack, for comparison by eye.
std::vector<Lengths> contents(const Assignment& assignment,
                              const Lengths& lengths, const PackOptions& how) {
  std::vector<Lengths> packs;
  for (std::size_t p = 0; p < assignment.pack_count(); ++p) {
    Lengths& pack = packs.emplace_back();
    for (std::uint64_t s = assignment.offsets[p]; s < assignment.offsets[p + 1];
         ++s) {
      pack.push_back(segment_at(assignment, s, lengths, how).length);
    }
  }
  return packs;
}

TEST_CASE("best-fit decreasing puts a row where the least room is left") {
  // 7 and 6 open packs of 10; 4 fits best beside 6 (full), 3 beside 7 (full),
  // 2 opens the third.
  const PackOptions how = options(10, Strategy::kBestFitDecreasing);
  const Lengths lengths = {4, 7, 2, 6, 3};
  Assignment assignment;
  const PackingFigures figures = packed(lengths, how, &assignment);
  CHECK(figures.packs == 3);
  CHECK(figures.tokens == 22);
  CHECK(figures.efficiency_ratio == Approx(22.0 / 30));
  CHECK(figures.packs_at_least == 3);
  CHECK(figures.squares_masked == 16 + 49 + 4 + 36 + 9);
  CHECK(figures.squares_unmasked == 100 + 100 + 4);
  CHECK(figures.most_segments_in_pack == 2);
  CHECK(figures.segments_per_pack == Approx(5.0 / 3));
  CHECK(verify(assignment, lengths, how).has_value());
}

TEST_CASE("first-fit decreasing puts a row into the first pack with room") {
  // Sorted 6 5 5 3 1 in packs of 10: {6,3,1}, {5,5}; best fit makes the same
  // of these, so a case that differs: 6 5 2 2: first fit {6,2,2}{5}.
  const PackOptions how = options(10, Strategy::kFirstFitDecreasing);
  Assignment assignment;
  packed({2, 5, 6, 2}, how, &assignment);
  CHECK(contents(assignment, {2, 5, 6, 2}, how) ==
        std::vector<Lengths>{{6, 2, 2}, {5}});
  packed({5, 3, 6, 1, 5}, how, &assignment);
  CHECK(contents(assignment, {5, 3, 6, 1, 5}, how) ==
        std::vector<Lengths>{{6, 3, 1}, {5, 5}});
}

TEST_CASE("next fit closes a pack at the first row that does not fit") {
  const PackOptions how = options(10, Strategy::kNextFit);
  const Lengths lengths = {4, 7, 2, 6, 3};
  Assignment assignment;
  CHECK(packed(lengths, how, &assignment).packs == 3);
  CHECK(contents(assignment, lengths, how) ==
        std::vector<Lengths>{{4}, {7, 2}, {6, 3}});
}

TEST_CASE("first fit goes back to earlier packs") {
  const PackOptions how = options(10, Strategy::kFirstFit);
  const Lengths lengths = {4, 7, 2, 6, 3};
  Assignment assignment;
  CHECK(packed(lengths, how, &assignment).packs == 3);
  CHECK(contents(assignment, lengths, how) ==
        std::vector<Lengths>{{4, 2, 3}, {7}, {6}});
}

TEST_CASE("wrapped packs are full and cut rows") {
  const PackOptions how = options(10, Strategy::kWrapped);
  const Lengths lengths = {4, 7, 2, 6, 3};
  Assignment assignment;
  const PackingFigures figures = packed(lengths, how, &assignment);
  CHECK(figures.packs == 3);
  CHECK(contents(assignment, lengths, how) ==
        std::vector<Lengths>{{4, 6}, {1, 2, 6, 1}, {2}});
  CHECK(figures.rows_split == 2);  // rows 1 and 4
  CHECK(figures.rows_without_start == 2);
  CHECK(figures.segments_without_start == 2);
  CHECK(figures.tokens_lost == 0);
  CHECK(verify(assignment, lengths, how).has_value());
}

TEST_CASE("an incomplete wrapped pack can be dropped") {
  PackOptions how = options(10, Strategy::kWrapped);
  how.drop_incomplete = true;
  const Lengths lengths = {4, 7, 2, 6, 3};
  Assignment assignment;
  const PackingFigures figures = packed(lengths, how, &assignment);
  CHECK(figures.packs == 2);
  CHECK(figures.tokens == 20);
  CHECK(figures.tokens_lost == 2);
  CHECK(figures.rows_truncated == 1);
  CHECK(figures.rows_dropped == 0);
  CHECK(verify(assignment, lengths, how).has_value());
}

TEST_CASE("twenty tiny rows are less than one pack") {
  // Case E4: 20 rows of 2 tokens against a pack of 4,096.
  PackOptions how = options(4096, Strategy::kWrapped);
  const Lengths lengths(20, 2);
  const PackingFigures kept = packed(lengths, how);
  CHECK(kept.packs == 1);
  CHECK(kept.efficiency_ratio == Approx(40.0 / 4096));
  how.drop_incomplete = true;
  const PackingFigures dropped = packed(lengths, how);
  CHECK(dropped.packs == 0);
  CHECK(dropped.rows_dropped == 20);
  CHECK(dropped.tokens_lost == 40);
  CHECK(dropped.efficiency_ratio == 0);
}

TEST_CASE("truncation before packing loses what is beyond the pack") {
  // Case E1: five rows of 200,000 tokens in packs of 512 keep 512 each.
  PackOptions how = options(512, Strategy::kBestFitDecreasing);
  const Lengths lengths(5, 200000);
  const PackingFigures cut = packed(lengths, how);
  CHECK(cut.packs == 5);
  CHECK(cut.tokens_lost == 5 * (200000 - 512));
  CHECK(cut.rows_truncated == 5);
  how.overlong = Overlong::kSplit;
  Assignment assignment;
  const PackingFigures split = packed(lengths, how, &assignment);
  CHECK(split.tokens_lost == 0);
  // 390 whole pieces of 512 and a rest of 320 each; two rests do not fit.
  CHECK(split.packs == 5 * 391);
  CHECK(split.rows_split == 5);
  CHECK(split.segments_without_start == 5 * 390);
  CHECK(verify(assignment, lengths, how).has_value());
  how.strategy = Strategy::kWrapped;
  CHECK(packed(lengths, how).packs == 1954);  // ⌈1,000,000 / 512⌉
}

TEST_CASE("90 short and 10 long rows pack as the case log says") {
  // Case E5: 25 packs whole, 23 wrapped.
  Lengths lengths(90, 300);
  lengths.insert(lengths.end(), 10, 2000);
  CHECK(packed(lengths, options(2048, Strategy::kBestFitDecreasing)).packs ==
        25);
  CHECK(packed(lengths, options(2048, Strategy::kWrapped)).packs == 23);
}

TEST_CASE("the over-long policies keep, drop, split or refuse a row") {
  const Lengths lengths = {15, 3};
  PackOptions how = options(10, Strategy::kBestFitDecreasing);
  Assignment assignment;

  how.overlong = Overlong::kTruncateKeepEnd;
  PackingFigures figures = packed(lengths, how, &assignment);
  CHECK(figures.rows_without_start == 1);
  CHECK(figures.tokens_lost == 5);
  CHECK(segment_at(assignment, 0, lengths, how) == Segment{0, 5, 10});
  CHECK(verify(assignment, lengths, how).has_value());

  how.overlong = Overlong::kDrop;
  figures = packed(lengths, how, &assignment);
  CHECK(figures.rows_dropped == 1);
  CHECK(figures.tokens_lost == 15);
  CHECK(figures.packs == 1);
  CHECK(verify(assignment, lengths, how).has_value());

  how.overlong = Overlong::kError;
  const Result<PackingFigures> refused = pack(lengths, how);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message ==
        "a row of 15 tokens is longer than a pack of 10");
  CHECK(refused.error().kind == ErrorKind::kUsage);
}

TEST_CASE("segments before the first label have nothing to learn from") {
  // Row 0 trains from token 6 on, row 1 from its start, row 2 never.
  const Lengths lengths = {8, 5, 4};
  const Lengths labels = {6, 0, kNoLabel};
  PackOptions how = options(5, Strategy::kWrapped);
  // Packs: [0:0-4] [0:5-7,1:0-1] [1:2-4,2:0-1] [2:2-3]; without a label are
  // row 0's first segment and both of row 2's.
  CHECK(pack(lengths, how, labels)->segments_without_label == 3);
  how.strategy = Strategy::kBestFitDecreasing;  // row 0 cut at 5: no label
  CHECK(pack(lengths, how, labels)->segments_without_label == 2);
  how.overlong = Overlong::kTruncateKeepEnd;  // keeps tokens 3 to 7
  CHECK(pack(lengths, how, labels)->segments_without_label == 1);
  how.overlong = Overlong::kSplit;
  CHECK(pack(lengths, how, labels)->segments_without_label == 2);
  CHECK_FALSE(pack(lengths, how)->segments_without_label.has_value());
  CHECK(pack(lengths, how, Lengths{1}).error().message ==
        "first labels and lengths differ in number");
}

TEST_CASE("windows are packed on their own") {
  PackOptions how = options(10, Strategy::kBestFitDecreasing);
  const Lengths lengths = {6, 7, 4, 3};
  CHECK(packed(lengths, how).packs == 2);
  how.window_rows = 2;
  Assignment assignment;
  CHECK(packed(lengths, how, &assignment).packs == 3);  // {7} {6} | {4, 3}
  CHECK(contents(assignment, lengths, how) ==
        std::vector<Lengths>{{7}, {6}, {4, 3}});
}

TEST_CASE("modified first-fit decreasing pairs large rows before small ones") {
  // Packs of 60. Large 35 31; medium 25 22 (20 < l <= 30); small 15 (10 < l
  // <= 20); tiny 8. Phase 2: 35+25, 31+22. Phase 3: none is free. Phase 4:
  // pack 1 is full (60), pack 2 has 7: nothing fits. Phase 5: {15, 8}.
  const PackOptions how = options(60, Strategy::kModifiedFirstFitDecreasing);
  const Lengths lengths = {8, 35, 22, 15, 31, 25};
  Assignment assignment;
  CHECK(packed(lengths, how, &assignment).packs == 3);
  CHECK(contents(assignment, lengths, how) ==
        std::vector<Lengths>{{35, 25}, {31, 22}, {15, 8}});
  // Phase 3: one large 32 with room 28; the two smallest small are 11 and 12,
  // the largest that fits beside 11 is 17. Left: 12, 18.
  const Lengths small = {32, 11, 12, 17, 18};
  CHECK(packed(small, how, &assignment).packs == 2);
  CHECK(contents(assignment, small, how) ==
        std::vector<Lengths>{{32, 11, 17}, {18, 12}});
}

TEST_CASE("degenerate data sets pack without trouble") {
  const Lengths none;
  const Lengths empty_rows(3, 0);
  const Lengths one = {7};
  const Lengths equal(100, 3);
  const Lengths ones(25, 1);
  const Lengths exact(4, 10);
  for (const std::string_view name :
       {"wrapped", "next_fit", "first_fit", "first_fit_shuffle", "ffd", "bfd",
        "mffd"}) {
    INFO(name);
    const PackOptions how = options(10, *strategy_named(name));
    Assignment assignment;
    CHECK(packed(none, how, &assignment).packs == 0);
    CHECK(verify(assignment, none, how).has_value());
    const PackingFigures empty = packed(empty_rows, how, &assignment);
    CHECK(empty.packs == 0);
    CHECK(empty.rows_empty == 3);
    CHECK(verify(assignment, empty_rows, how).has_value());
    CHECK(packed(one, how, &assignment).packs == 1);
    CHECK(verify(assignment, one, how).has_value());
    const PackingFigures same = packed(equal, how, &assignment);
    CHECK(same.packs == (name == "wrapped" ? 30 : 34));
    CHECK(verify(assignment, equal, how).has_value());
    CHECK(packed(ones, how, &assignment).packs == 3);
    CHECK(verify(assignment, ones, how).has_value());
    CHECK(packed(exact, how, &assignment).packs == 4);
    CHECK(verify(assignment, exact, how).has_value());
    CHECK(packed(exact, options(1, *strategy_named(name))).packs ==
          (name == "wrapped" ? 40 : 4));
  }
}

TEST_CASE("one more token of pack length changes little") {
  // Trainers have cliffs where a length passes a power of two (cases.md, E).
  const Lengths lengths = naive::skewed_lengths(20000, 1500, 9);
  for (const std::string_view name :
       {"wrapped", "next_fit", "first_fit", "first_fit_shuffle", "ffd", "bfd",
        "mffd"}) {
    for (const std::uint32_t length : {511u, 1024u, 2048u, 4096u}) {
      INFO(name << " " << length);
      PackOptions how = options(length, *strategy_named(name));
      how.overlong = Overlong::kSplit;
      const PackingFigures at = packed(lengths, how);
      how.pack_length = length + 1;
      const PackingFigures above = packed(lengths, how);
      CHECK(above.packs <= at.packs + at.packs / 1000 + 1);
      CHECK(above.efficiency_ratio ==
            Approx(at.efficiency_ratio).margin(0.003));
    }
  }
}

TEST_CASE("contradicting options are refused") {
  PackOptions how;
  how.pack_length = 0;
  CHECK(pack(Lengths{1}, how).error().message ==
        "pack length must be 1 to 16777216");
  how.pack_length = 10;
  how.drop_incomplete = true;
  CHECK(pack(Lengths{1}, how).error().message ==
        "only wrapped packs can be dropped for being incomplete");
}

TEST_CASE("counts give the figures of rows, for strategies that sort") {
  const Lengths lengths = naive::skewed_lengths(5000, 900, 3);
  for (const Strategy strategy :
       {Strategy::kBestFitDecreasing, Strategy::kFirstFitDecreasing,
        Strategy::kModifiedFirstFitDecreasing}) {
    for (const Overlong overlong :
         {Overlong::kTruncateKeepStart, Overlong::kTruncateKeepEnd,
          Overlong::kDrop, Overlong::kSplit}) {
      PackOptions how = options(512, strategy);
      how.overlong = overlong;
      const PackingFigures rows = packed(lengths, how);
      const Result<PackingFigures> counts = pack(count_lengths(lengths), how);
      REQUIRE(counts.has_value());
      CHECK(counts->packs == rows.packs);
      CHECK(counts->tokens == rows.tokens);
      CHECK(counts->tokens_lost == rows.tokens_lost);
      CHECK(counts->rows_packed == rows.rows_packed);
      CHECK(counts->rows_dropped == rows.rows_dropped);
      CHECK(counts->rows_truncated == rows.rows_truncated);
      CHECK(counts->rows_split == rows.rows_split);
      CHECK(counts->rows_without_start == rows.rows_without_start);
      CHECK(counts->segments == rows.segments);
      CHECK(counts->segments_without_start == rows.segments_without_start);
      CHECK(counts->squares_masked == rows.squares_masked);
      CHECK(counts->squares_unmasked == rows.squares_unmasked);
      CHECK(counts->most_segments_in_pack == rows.most_segments_in_pack);
    }
  }
  PackOptions wrapped = options(512, Strategy::kWrapped);
  CHECK(pack(count_lengths(lengths), wrapped).error().message ==
        "wrapped needs the rows in file order, and only counts of lengths are "
        "known");
}

TEST_CASE("a proof fails on each kind of wrong assignment") {
  const PackOptions how = options(10, Strategy::kBestFitDecreasing);
  const Lengths lengths = {6, 4, 7};
  Assignment good;
  packed(lengths, how, &good);
  REQUIRE(verify(good, lengths, how).has_value());
  const auto complaint = [&](Assignment bad) {
    const Status status = verify(bad, lengths, how);
    return status ? std::string("accepted") : status.error().message;
  };
  CHECK(complaint({{0, 2, 3}, {0, 1, 1}, {}, {}}) ==
        "row 1 is in packs more than once");
  CHECK(complaint({{0, 2}, {0, 1}, {}, {}}) == "row 2 lacks 7 tokens");
  CHECK(complaint({{0, 3}, {0, 1, 2}, {}, {}}) ==
        "pack 0 holds 17 tokens, more than 10");
  CHECK(complaint({{0, 2, 3}, {0, 1, 3}, {}, {}}) == "pack 1 holds row 3 of 3");
  CHECK(complaint({{0, 2, 2, 3}, {0, 1, 2}, {}, {}}) == "pack 1 is empty");
  CHECK(complaint({{0, 2}, {0, 1, 2}, {}, {}}) ==
        "offsets do not begin at 0 and end at the segments' number");
  CHECK(complaint({{0, 2, 3}, {0, 1, 2}, {0}, {6}}) ==
        "segments' rows, begins and lengths differ in number");

  PackOptions split = how;
  split.overlong = Overlong::kSplit;
  const Lengths one = {15};
  CHECK(verify({{0, 1, 2}, {0, 0}, {0, 10}, {10, 5}}, one, split).has_value());
  CHECK(verify({{0, 1, 2}, {0, 0}, {5, 0}, {10, 5}}, one, split).has_value());
  CHECK(verify({{0, 1, 2}, {0, 0}, {0, 8}, {10, 5}}, one, split)
            .error()
            .message == "segments of row 0 overlap or leave a gap");
  CHECK(verify({{0, 1, 2}, {0, 0}, {1, 11}, {10, 5}}, one, split)
            .error()
            .message == "segments of row 0 overlap or leave a gap");
}

TEST_CASE("packs can be put into a seeded order") {
  const PackOptions how = options(64, Strategy::kBestFitDecreasing);
  const Lengths lengths = naive::skewed_lengths(500, 60, 5);
  Assignment assignment;
  packed(lengths, how, &assignment);
  Assignment once = assignment;
  Assignment twice = assignment;
  shuffle_packs(once, 7);
  shuffle_packs(twice, 7);
  CHECK(once.rows == twice.rows);
  CHECK(once.rows != assignment.rows);
  CHECK(verify(once, lengths, how).has_value());
}

TEST_CASE("an order is proved to be a permutation") {
  CHECK(verify_order(Lengths{2, 0, 1}, 3).has_value());
  CHECK(verify_order(Lengths{2, 0, 2}, 3).error().message ==
        "row 2 is there twice");
  CHECK(verify_order(Lengths{2, 0}, 3).error().message ==
        "2 rows in order, 3 in the data set");
  CHECK(verify_order(Lengths{3, 0, 1}, 3).error().message == "row 3 of 3");
}

}  // namespace
}  // namespace trainsight::batching
