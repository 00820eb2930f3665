// Laws of padding and packing, on seeded random data sets.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "trainsight/batching/order.h"
#include "trainsight/batching/pack.h"
#include "trainsight/batching/padding.h"
#include "unit/batching/naive.h"

namespace trainsight::batching {
namespace {

using Lengths = std::vector<std::uint32_t>;

constexpr Strategy kStrategies[] = {Strategy::kWrapped,
                                    Strategy::kNextFit,
                                    Strategy::kFirstFit,
                                    Strategy::kFirstFitShuffle,
                                    Strategy::kFirstFitDecreasing,
                                    Strategy::kBestFitDecreasing,
                                    Strategy::kModifiedFirstFitDecreasing};
constexpr Overlong kPolicies[] = {Overlong::kTruncateKeepStart,
                                  Overlong::kTruncateKeepEnd, Overlong::kDrop,
                                  Overlong::kSplit};

// A data set of round `round`: few or many rows, short or long, some empty.
Lengths data_set(std::uint64_t round) {
  SplitMix64 random(round * 77 + 1);
  const std::size_t rows = random.next() % (round % 4 == 0 ? 12 : 700);
  const auto most = static_cast<std::uint32_t>(
      1 + random.next() % (round % 3 == 0 ? 9 : 400));
  Lengths lengths = naive::skewed_lengths(rows, most, round);
  for (std::uint32_t& length : lengths) {
    if (random.next() % 20 == 0) length = 0;
  }
  return lengths;
}

TEST_CASE("every row is packed exactly once and no pack is over its limit") {
  for (std::uint64_t round = 0; round < 120; ++round) {
    const Lengths lengths = data_set(round);
    SplitMix64 random(round);
    PackOptions how;
    how.pack_length = static_cast<std::uint32_t>(1 + random.next() % 300);
    how.window_rows =
        round % 3 == 0 ? static_cast<std::uint32_t>(1 + random.next() % 60) : 0;
    for (const Strategy strategy : kStrategies) {
      how.strategy = strategy;
      how.drop_incomplete = strategy == Strategy::kWrapped && round % 2 == 0;
      for (const Overlong overlong : kPolicies) {
        how.overlong = overlong;
        INFO("round " << round << ", " << name_of(strategy) << ", policy "
                      << static_cast<int>(overlong) << ", pack "
                      << how.pack_length);
        Assignment assignment;
        const Result<PackingFigures> figures =
            pack(lengths, how, {}, &assignment);
        REQUIRE(figures.has_value());
        const Status proof = verify(assignment, lengths, how);
        if (!proof) FAIL(proof.error().message);

        CHECK(figures->rows_in == lengths.size());
        CHECK(figures->rows_in == figures->rows_packed + figures->rows_empty +
                                      figures->rows_dropped);
        CHECK(figures->tokens_in == figures->tokens + figures->tokens_lost);
        CHECK(figures->packs == assignment.pack_count());
        CHECK(figures->packs >= figures->packs_at_least);
        CHECK(figures->segments == assignment.rows.size());
        CHECK(figures->efficiency_ratio <= 1);
        CHECK(figures->squares_masked <= figures->squares_unmasked);

        // The same sums from the assignment itself.
        double masked = 0;
        double unmasked = 0;
        std::uint64_t most = 0;
        for (std::size_t p = 0; p < assignment.pack_count(); ++p) {
          double tokens = 0;
          for (std::uint64_t s = assignment.offsets[p];
               s < assignment.offsets[p + 1]; ++s) {
            const double length =
                segment_at(assignment, s, lengths, how).length;
            masked += length * length;
            tokens += length;
          }
          unmasked += tokens * tokens;
          most =
              std::max(most, assignment.offsets[p + 1] - assignment.offsets[p]);
        }
        CHECK(figures->squares_masked == masked);
        CHECK(figures->squares_unmasked == unmasked);
        CHECK(figures->most_segments_in_pack == most);
      }
    }
  }
}

TEST_CASE("packing on counts opens as many packs as the row-by-row rules") {
  for (std::uint64_t round = 0; round < 300; ++round) {
    const Lengths lengths = data_set(round);
    SplitMix64 random(round + 9000);
    PackOptions how;
    how.pack_length = static_cast<std::uint32_t>(1 + random.next() % 300);
    how.overlong =
        round % 2 == 0 ? Overlong::kSplit : Overlong::kTruncateKeepStart;
    const Lengths items =
        naive::pieces(lengths, how.pack_length, round % 2 == 0);
    INFO("round " << round << ", pack " << how.pack_length);
    how.strategy = Strategy::kBestFitDecreasing;
    CHECK(pack(lengths, how)->packs ==
          naive::best_fit_decreasing(items, how.pack_length));
    how.strategy = Strategy::kFirstFitDecreasing;
    CHECK(pack(lengths, how)->packs ==
          naive::first_fit_decreasing(items, how.pack_length));
    how.strategy = Strategy::kFirstFit;
    CHECK(pack(lengths, how)->packs ==
          naive::first_fit(items, how.pack_length).size());
  }
}

TEST_CASE("best fit is never worse than next fit") {
  for (std::uint64_t round = 0; round < 300; ++round) {
    const Lengths lengths = data_set(round);
    PackOptions how;
    how.pack_length = static_cast<std::uint32_t>(1 + round % 257);
    INFO("round " << round);
    const std::uint64_t best = pack(lengths, how)->packs;
    how.strategy = Strategy::kNextFit;
    CHECK(best <= pack(lengths, how)->packs);
  }
}

TEST_CASE("there is no cliff between neighbouring pack lengths") {
  const Lengths lengths = naive::skewed_lengths(20000, 1900, 11);
  for (const Strategy strategy : kStrategies) {
    PackOptions how;
    how.strategy = strategy;
    for (const std::uint32_t length : {1024U, 2048U}) {
      INFO(name_of(strategy) << " " << length);
      how.pack_length = length;
      how.overlong = Overlong::kSplit;
      const PackingFigures at = *pack(lengths, how);
      how.pack_length = length + 1;
      const PackingFigures above = *pack(lengths, how);
      CHECK(std::abs(at.efficiency_ratio - above.efficiency_ratio) < 0.003);
      CHECK(above.packs <= at.packs + at.packs / 500);
    }
  }
}

TEST_CASE("every sampler visits each row exactly once, and reproducibly") {
  for (std::uint64_t round = 0; round < 60; ++round) {
    const Lengths lengths = data_set(round);
    SplitMix64 random(round);
    BatchPlan plan;
    plan.micro_batch = static_cast<std::uint32_t>(1 + random.next() % 20);
    plan.world_size = static_cast<std::uint32_t>(1 + random.next() % 4);
    plan.accumulation = static_cast<std::uint32_t>(1 + random.next() % 3);
    plan.seed = random.next();
    plan.bucket_width = 16;
    for (const Sampler sampler :
         {Sampler::kFileOrder, Sampler::kRandom, Sampler::kLengthGrouped,
          Sampler::kSorted, Sampler::kBucketed, Sampler::kByTokens}) {
      plan.sampler = sampler;
      plan.drop_last = false;
      INFO("round " << round << ", " << name_of(sampler));
      const Result<BatchSchedule> all = BatchSchedule::make(lengths, plan, 3);
      const Result<BatchSchedule> again = BatchSchedule::make(lengths, plan, 3);
      REQUIRE(all.has_value());
      CHECK(verify_order(all->order(), lengths.size()).has_value());
      std::size_t in_batches = 0;
      for (std::size_t b = 0; b < all->batch_count(); ++b) {
        CHECK_FALSE(all->batch(b).empty());
        in_batches += all->batch(b).size();
      }
      CHECK(in_batches == lengths.size());
      std::size_t in_steps = 0;
      for (std::size_t s = 0; !all->step(s).empty(); ++s) {
        const auto rows = all->step(s);
        const auto same = again->step(s);
        CHECK(std::equal(rows.begin(), rows.end(), same.begin(), same.end()));
        in_steps += rows.size();
      }
      CHECK(in_steps == lengths.size());

      plan.drop_last = true;
      const Result<BatchSchedule> full = BatchSchedule::make(lengths, plan, 3);
      REQUIRE(full.has_value());
      CHECK(full->batch_count() % plan.world_size == 0);
      for (std::size_t b = 0; b < full->batch_count(); ++b) {
        if (sampler != Sampler::kByTokens) {
          CHECK(full->batch(b).size() == plan.micro_batch);
        }
      }
    }
  }
}

TEST_CASE("waste is a share, and every token has its slot") {
  for (std::uint64_t round = 0; round < 60; ++round) {
    const Lengths lengths = data_set(round);
    SplitMix64 random(round);
    BatchPlan plan;
    plan.micro_batch = static_cast<std::uint32_t>(1 + random.next() % 20);
    plan.world_size = static_cast<std::uint32_t>(1 + random.next() % 4);
    plan.pad_to_multiple_of = static_cast<std::uint32_t>(1 + random.next() % 9);
    plan.max_seq_len = round % 2 == 0 ? 100 : 0;
    plan.pad_to_max_length = round % 4 == 0;
    plan.drop_last = round % 5 == 0;
    for (const Sampler sampler :
         {Sampler::kFileOrder, Sampler::kRandom, Sampler::kLengthGrouped,
          Sampler::kSorted, Sampler::kBucketed, Sampler::kByTokens}) {
      for (const Overlong overlong : kPolicies) {
        plan.sampler = sampler;
        plan.overlong = overlong;
        INFO("round " << round << ", " << name_of(sampler));
        const Result<PaddingFigures> figures = padding(lengths, plan);
        REQUIRE(figures.has_value());
        CHECK(figures->waste_ratio >= 0);
        CHECK(figures->waste_ratio <= 1);
        CHECK(figures->tokens <= figures->slots * (1 + 1e-12));
        CHECK(figures->rank_imbalance_ratio >= 0);
        CHECK(figures->rank_imbalance_ratio < 1);
        CHECK(figures->kept.tokens_in ==
              figures->kept.tokens_kept + figures->kept.tokens_lost);
        CHECK(figures->rows + figures->rows_left_out ==
              Approx(figures->kept.sequences_kept).margin(1e-6));
      }
    }
  }
}

// The mean over many seeded epochs, whatever padding() would do.
double simulated_waste(const Lengths& lengths, BatchPlan plan, int epochs,
                       double* imbalance) {
  double slots = 0;
  double tokens = 0;
  double mean = 0;
  double slowest = 0;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const Result<BatchSchedule> schedule =
        BatchSchedule::make(lengths, plan, static_cast<std::uint64_t>(epoch));
    double largest = 0;
    double sum = 0;
    for (std::size_t b = 0; b < schedule->batch_count(); ++b) {
      std::uint32_t longest = 0;
      for (const std::uint32_t row : schedule->batch(b)) {
        longest = std::max(longest, lengths[row]);
        tokens += lengths[row];
      }
      const double padded = static_cast<double>(padded_length(longest, plan)) *
                            static_cast<double>(schedule->batch(b).size());
      slots += padded;
      sum += padded;
      largest = std::max(largest, padded);
      if ((b + 1) % plan.world_size == 0) {
        mean += sum / plan.world_size;
        slowest += largest;
        sum = largest = 0;
      }
    }
  }
  *imbalance = 1 - mean / slowest;
  return 1 - tokens / slots;
}

TEST_CASE("closed forms and simulation agree") {
  const Lengths lengths = naive::skewed_lengths(6003, 700, 21);
  for (const std::uint32_t batch : {1U, 4U, 8U, 32U}) {
    for (const Sampler sampler : {Sampler::kRandom, Sampler::kBucketed}) {
      BatchPlan plan;
      plan.micro_batch = batch;
      plan.world_size = 4;
      plan.sampler = sampler;
      plan.bucket_width = 150;
      plan.pad_to_multiple_of = 8;
      INFO("batch " << batch << ", " << name_of(sampler));
      const Result<PaddingFigures> figures = padding(lengths, plan);
      REQUIRE(figures.has_value());
      REQUIRE(figures->method == Method::kClosedForm);
      double imbalance = 0;
      const double waste = simulated_waste(lengths, plan, 60, &imbalance);
      CHECK(figures->waste_ratio == Approx(waste).margin(0.0015));
      CHECK(figures->rank_imbalance_ratio == Approx(imbalance).margin(0.006));

      const Result<PaddingFigures> counts =
          padding(count_lengths(lengths), plan);
      CHECK(counts->waste_ratio == figures->waste_ratio);
      CHECK(counts->squared_slots == figures->squared_slots);
    }
  }
}

TEST_CASE("the chance form of E[max] equals counting every batch") {
  // All C(7, 3) = 35 batches of these lengths, by hand of three loops.
  const Lengths lengths = {2, 2, 3, 5, 5, 8, 13};
  double sum = 0;
  double squares = 0;
  for (std::size_t a = 0; a < 7; ++a) {
    for (std::size_t b = a + 1; b < 7; ++b) {
      for (std::size_t c = b + 1; c < 7; ++c) {
        sum += lengths[c];
        squares += lengths[c] * lengths[c];
      }
    }
  }
  const LengthCounts counts = count_lengths(lengths);
  CHECK(expected_longest(counts, 3) == Approx(sum / 35));
  CHECK(expected_longest(counts, 3, 2) == Approx(squares / 35));
  CHECK(expected_longest(counts, 7) == Approx(13));
  CHECK(expected_longest(counts, 100) == Approx(13));
  CHECK(expected_longest(counts, 1) == Approx(38.0 / 7));
}

}  // namespace
}  // namespace trainsight::batching
