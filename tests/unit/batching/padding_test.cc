#include "trainsight/batching/padding.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "trainsight/batching/order.h"
#include "unit/batching/naive.h"

namespace trainsight::batching {
namespace {

using Lengths = std::vector<std::uint32_t>;

BatchPlan in_file_order(std::uint32_t micro_batch) {
  BatchPlan plan;
  plan.micro_batch = micro_batch;
  plan.sampler = Sampler::kFileOrder;
  return plan;
}

PaddingFigures padded(const Lengths& lengths, const BatchPlan& plan) {
  const Result<PaddingFigures> figures = padding(lengths, plan);
  REQUIRE(figures.has_value());
  return *figures;
}

TEST_CASE("file order is padded batch by batch") {
  // {3, 5} {2, 8} {4}: 2·5 + 2·8 + 4 = 30 slots for 22 tokens.
  const PaddingFigures figures = padded({3, 5, 2, 8, 4}, in_file_order(2));
  CHECK(figures.method == Method::kExact);
  CHECK(figures.slots == 30);
  CHECK(figures.tokens == 22);
  CHECK(figures.waste_ratio == Approx(8.0 / 30));
  CHECK(figures.batches == 3);
  CHECK(figures.steps == 3);
  CHECK(figures.mean_longest == 6.5);  // of the two full batches
  CHECK(figures.squared_slots == 2 * 25 + 2 * 64 + 16);
  CHECK(figures.largest_batch_slots == 16);
  CHECK(figures.typical_batch_slots == 10);
}

TEST_CASE("padding goes up to a multiple, or to the maximum") {
  BatchPlan plan = in_file_order(2);
  plan.pad_to_multiple_of = 8;
  CHECK(padded({3, 5, 2, 9}, plan).slots == 2 * 8 + 2 * 16);
  plan.max_seq_len = 20;
  plan.pad_to_max_length = true;
  CHECK(padded({3, 5, 2, 9}, plan).slots == 4 * 24);
}

TEST_CASE("drop_last leaves out what does not fill every rank") {
  BatchPlan plan = in_file_order(2);
  plan.world_size = 2;
  plan.drop_last = true;
  // Seven rows: three full batches, two of them for a whole micro-step.
  const PaddingFigures figures = padded({1, 1, 2, 2, 3, 3, 4}, plan);
  CHECK(figures.batches == 2);
  CHECK(figures.rows_left_out == 3);
  CHECK(figures.tokens == 6);
  CHECK(figures.steps == 1);
}

TEST_CASE("fewer rows than a global batch make no step with drop_last") {
  // Case D7: 82 of 100 rows are over the limit and dropped, 18 < 32 remain.
  Lengths lengths(82, 40000);
  lengths.insert(lengths.end(), 18, 2);
  BatchPlan plan = in_file_order(4);
  plan.accumulation = 8;
  plan.max_seq_len = 32768;
  plan.overlong = Overlong::kDrop;
  plan.drop_last = true;
  const PaddingFigures figures = padded(lengths, plan);
  CHECK(figures.kept.rows_dropped == 82);
  CHECK(figures.kept.rows_kept == 18);
  CHECK(figures.steps == 0);
}

TEST_CASE("ranks wait for the longest batch of a micro-step") {
  BatchPlan plan = in_file_order(1);
  plan.world_size = 2;
  // Micro-steps {4, 8} and {6, 6}: mean 6 + 6, longest 8 + 6.
  CHECK(padded({4, 8, 6, 6}, plan).rank_imbalance_ratio ==
        Approx(1 - 12.0 / 14));
}

TEST_CASE("two thirds of padding, found before the run") {
  // Case E5: 90 rows of 300 and 10 of 2,000, batch 8.
  Lengths lengths(90, 300);
  lengths.insert(lengths.end(), 10, 2000);
  BatchPlan plan;
  plan.max_seq_len = 2048;
  plan.pad_to_max_length = true;
  const PaddingFigures fixed = padded(lengths, plan);
  CHECK(fixed.slots == Approx(204800));
  CHECK(fixed.tokens == Approx(47000));
  CHECK(fixed.waste_ratio == Approx(0.7705).margin(0.0001));
  plan.pad_to_max_length = false;
  const PaddingFigures longest = padded(lengths, plan);
  CHECK(longest.method == Method::kSimulated);  // 100 rows < 50 batches
  // P(a batch of 8 holds a long row) = 1 − C(90,8)/C(100,8) = 0.5834, so a
  // slot row is 300 or 2,000 tokens: 470 of 1,292 in expectation.
  CHECK(longest.waste_ratio == Approx(0.63).margin(0.01));
}

TEST_CASE("a random batch of all rows pads to the longest") {
  BatchPlan plan;
  plan.micro_batch = 4;
  const PaddingFigures figures = padded({1, 2, 3, 10}, plan);
  CHECK(figures.slots == 40);
  CHECK(figures.waste_ratio == Approx(24.0 / 40));
}

TEST_CASE("grouping and sorting cut padding where random batches do not") {
  // Case E6: 512 rows, 50 to 2,000 tokens geometrically, batch 8.
  Lengths lengths;
  for (int i = 0; i < 512; ++i) {
    lengths.push_back(
        static_cast<std::uint32_t>(50 * std::pow(40.0, i / 511.0)));
  }
  BatchPlan plan;
  const double random = padded(lengths, plan).waste_ratio;
  plan.sampler = Sampler::kLengthGrouped;
  const PaddingFigures grouped = padded(lengths, plan);
  plan.sampler = Sampler::kSorted;
  const double sorted = padded(lengths, plan).waste_ratio;
  CHECK(random > 0.5);
  CHECK(grouped.waste_ratio < 0.25);
  CHECK(sorted < 0.03);
  CHECK(sorted < grouped.waste_ratio);
  CHECK(grouped.largest_batch_slots == 8 * 2000);
}

TEST_CASE("both sides of all pairs are padded together") {
  BatchPlan plan = in_file_order(2);
  const Lengths chosen = {3, 4};
  const Lengths rejected = {6, 1};
  const Result<PaddingFigures> figures =
      padding_of_pairs(chosen, rejected, plan);
  REQUIRE(figures.has_value());
  CHECK(figures->rows == 2);
  CHECK(figures->slots == 4 * 6);
  CHECK(figures->tokens == 14);
  CHECK(figures->waste_ratio == Approx(10.0 / 24));
  CHECK(figures->largest_batch_slots == 24);
  plan.max_seq_len = 5;
  plan.overlong = Overlong::kDrop;
  const Result<PaddingFigures> dropped =
      padding_of_pairs(chosen, rejected, plan);
  CHECK(dropped->slots == 2 * 4);
  CHECK(dropped->kept.tokens_lost == 9);
  plan.overlong = Overlong::kSplit;
  CHECK(padding_of_pairs(chosen, rejected, plan).error().message ==
        "preference pairs cannot be split");
  CHECK(padding_of_pairs(chosen, Lengths{1}, plan).error().message ==
        "chosen and rejected differ in number");
}

TEST_CASE("pairs from counts equal pairs from rows") {
  const Lengths chosen = naive::skewed_lengths(3000, 500, 1);
  const Lengths rejected = naive::skewed_lengths(3000, 600, 2);
  Lengths longer;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    longer.push_back(std::max(chosen[i], rejected[i]));
  }
  BatchPlan plan;
  plan.max_seq_len = 300;
  for (const Sampler sampler : {Sampler::kRandom, Sampler::kSorted}) {
    plan.sampler = sampler;
    const Result<PaddingFigures> rows =
        padding_of_pairs(chosen, rejected, plan);
    const Result<PaddingFigures> counts =
        padding_of_pairs(count_lengths(longer), count_lengths(chosen),
                         count_lengths(rejected), plan);
    REQUIRE(counts.has_value());
    CHECK(counts->waste_ratio == Approx(rows->waste_ratio));
    CHECK(counts->slots == Approx(rows->slots));
    CHECK(counts->kept == rows->kept);
  }
  // The definition: 1 − mean of all 2n sides / E[max of B pair lengths].
  plan.max_seq_len = 0;
  plan.sampler = Sampler::kRandom;
  double sides = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    sides += chosen[i] + rejected[i];
  }
  CHECK(padding_of_pairs(chosen, rejected, plan)->waste_ratio ==
        Approx(1 - sides / 6000 / expected_longest(count_lengths(longer), 8)));
}

TEST_CASE("a rollout's waste is unknown until completions are") {
  const LengthCounts prompts = {{100, 500}, {300, 500}};
  BatchPlan plan;
  plan.micro_batch = 2;
  Generation generation;
  generation.completion_budget = 512;
  generation.generations = 4;
  const Result<RolloutFigures> unknown =
      padding_of_rollouts(prompts, plan, generation);
  REQUIRE(unknown.has_value());
  CHECK(unknown->context_needed == 812);
  CHECK_FALSE(unknown->step_waste_ratio.has_value());
  // Two prompts: E[max] = 300 − 200·P(both short); P = 500·499/(1000·999).
  const double prompt = 300 - 200 * (500.0 * 499) / (1000.0 * 999);
  CHECK(unknown->prompts.mean_longest == Approx(prompt));
  // Completions of 10 or 1,000 (cut at 512): the longest of 8 is 512 unless
  // all are short.
  generation.completions = {{10, 1}, {1000, 1}};
  const double completion = 512 - 502 / 256.0;
  CHECK(*padding_of_rollouts(prompts, plan, generation)->step_waste_ratio ==
        Approx(1 - (200 + 261) / (prompt + completion)));
}

TEST_CASE("a sample of many rows stands for all of them") {
  // Three million rows: more than are simulated. The exact walk of one epoch
  // of the same order is the reference.
  const Lengths lengths = naive::skewed_lengths(3000000, 700, 4);
  BatchPlan plan;
  plan.sampler = Sampler::kLengthGrouped;
  const PaddingFigures figures = padded(lengths, plan);
  CHECK(figures.method == Method::kSimulated);
  CHECK(figures.rows == Approx(3000000));
  const Result<BatchSchedule> schedule = BatchSchedule::make(lengths, plan);
  Lengths ordered;
  for (const std::uint32_t row : schedule->order()) {
    ordered.push_back(lengths[row]);
  }
  CHECK(figures.waste_ratio ==
        Approx(padded(ordered, in_file_order(8)).waste_ratio).margin(0.0003));
  CHECK(padding(count_lengths(lengths), plan)->waste_ratio ==
        Approx(figures.waste_ratio).margin(0.0003));
}

TEST_CASE("completion lengths follow their mean and 99th percentile") {
  const Result<LengthCounts> counts = completion_counts(400, 2000, 100000);
  REQUIRE(counts.has_value());
  CHECK(row_count(*counts) == 1000);
  const double mean = static_cast<double>(token_count(*counts)) / 1000;
  CHECK(mean == Approx(400).epsilon(0.01));
  std::uint64_t above = 0;
  for (const LengthCount& entry : *counts) {
    if (entry.length > 2000) above += entry.count;
  }
  CHECK(above == 10);
  CHECK(completion_counts(400, 2000, 300)->back().length == 300);
  CHECK(completion_counts(50, 50, 1000)->size() == 1);
  CHECK_FALSE(completion_counts(400, 300, 1000).has_value());
  CHECK_FALSE(completion_counts(1, 100, 1000).has_value());
  CHECK_FALSE(completion_counts(std::nan(""), 100, 1000).has_value());
}

TEST_CASE("the over-long policy counts what is lost") {
  const Lengths lengths = {5, 12, 25};
  KeptFigures figures = keep(lengths, 10, Overlong::kTruncateKeepEnd)->figures;
  CHECK(figures.rows_truncated == 2);
  CHECK(figures.tokens_lost == 17);
  const Result<KeptLengths> split = keep(lengths, 10, Overlong::kSplit);
  CHECK(split->lengths == Lengths{5, 10, 2, 10, 10, 5});
  CHECK(split->rows == Lengths{0, 1, 1, 2, 2, 2});
  const Result<KeptLengths> dropped = keep(lengths, 10, Overlong::kDrop);
  CHECK(dropped->lengths == Lengths{5});
  CHECK(dropped->rows == Lengths{0});
  CHECK(keep(lengths, 10, Overlong::kError).error().message ==
        "a row of 12 tokens is longer than 10");
  for (const Overlong overlong :
       {Overlong::kTruncateKeepStart, Overlong::kDrop, Overlong::kSplit}) {
    const Result<KeptLengths> rows = keep(lengths, 10, overlong);
    const Result<KeptCounts> counts =
        keep(count_lengths(lengths), 10, overlong);
    CHECK(counts->figures == rows->figures);
    CHECK(counts->counts == count_lengths(rows->lengths));
  }
}

TEST_CASE("hostile counts meet a limit, not an overflow") {
  const LengthCounts many = {{1, std::uint64_t{1} << 60},
                             {4000000000U, std::uint64_t{1} << 62}};
  CHECK(keep(many, 0, Overlong::kDrop).error().kind == ErrorKind::kLimit);
  const LengthCounts split = {{4000000000U, 4000000000U}};
  CHECK(keep(split, 1, Overlong::kSplit).error().kind == ErrorKind::kLimit);
  CHECK(padding(split, BatchPlan{}).has_value());
  const LengthCounts disordered = {{5, 1}, {4, 1}};
  CHECK(keep(disordered, 0, Overlong::kDrop).error().message ==
        "counts of lengths do not ascend");
  CHECK_FALSE(keep(LengthCounts{{5, 0}}, 0, Overlong::kDrop).has_value());
}

TEST_CASE("no rows, one row and empty rows have figures") {
  for (const Sampler sampler :
       {Sampler::kFileOrder, Sampler::kRandom, Sampler::kLengthGrouped,
        Sampler::kSorted, Sampler::kBucketed, Sampler::kByTokens}) {
    BatchPlan plan;
    plan.sampler = sampler;
    INFO(name_of(sampler));
    CHECK(padded({}, plan).waste_ratio == 0);
    CHECK(padded({}, plan).steps == 0);
    CHECK(padded({7}, plan).slots == 7);
    CHECK(padded({7}, plan).steps == 1);
    CHECK(padded({0, 0, 0}, plan).waste_ratio == 0);
    CHECK(padded(Lengths(1000, 9), plan).waste_ratio == 0);
    CHECK(padded({0, 1}, plan).waste_ratio == 0.5);
  }
  BatchPlan file;
  file.sampler = Sampler::kFileOrder;
  CHECK(padding(LengthCounts{{3, 1}}, file).error().kind ==
        ErrorKind::kUnsupported);
}

}  // namespace
}  // namespace trainsight::batching
