#include "trainsight/batching/order.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace trainsight::batching {
namespace {

using Lengths = std::vector<std::uint32_t>;

Lengths ids(std::span<const std::uint32_t> rows) {
  return {rows.begin(), rows.end()};
}

TEST_CASE("the generator and the shuffle are the published ones") {
  // Values as stated with the real data's padding rules.
  SplitMix64 random(42);
  CHECK(random.next() == 0xbdd732262feb6e95U);
  CHECK(random.next() == 0x28efe333b266f103U);
  CHECK(random.next() == 0x47526757130f9f52U);
  Lengths order(10);
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, 42);
  CHECK(order == Lengths{0, 9, 5, 8, 6, 4, 7, 2, 1, 3});
}

TEST_CASE("the first epoch uses the seed itself, later ones do not") {
  CHECK(epoch_seed(42, 0) == 42);
  CHECK(epoch_seed(42, 1) != epoch_seed(42, 2));
  CHECK(epoch_seed(42, 1) == epoch_seed(42, 1));
}

TEST_CASE("step i holds the batches of all ranks and micro-steps") {
  BatchPlan plan;
  plan.micro_batch = 2;
  plan.world_size = 2;
  plan.accumulation = 2;
  plan.sampler = Sampler::kFileOrder;
  const Lengths lengths(19, 5);
  const Result<BatchSchedule> all = BatchSchedule::make(lengths, plan);
  REQUIRE(all.has_value());
  CHECK(all->batch_count() == 10);
  CHECK(ids(all->batch(9)) == Lengths{18});
  CHECK(ids(all->step(0)) == Lengths{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(ids(all->step(2)) == Lengths{16, 17, 18});
  CHECK(all->step(3).empty());
  plan.drop_last = true;  // 9 full batches; 8 make whole micro-steps
  const Result<BatchSchedule> full = BatchSchedule::make(lengths, plan);
  CHECK(full->batch_count() == 8);
  CHECK(full->order().size() == 16);
}

TEST_CASE("length grouping sorts mega-batches, longest row of all first") {
  BatchPlan plan;
  plan.micro_batch = 2;
  plan.mega_batch_mult = 2;
  plan.sampler = Sampler::kLengthGrouped;
  plan.seed = 42;
  // The shuffle of 0…9 is 0 9 5 8 | 6 4 7 2 | 1 3, and row i has i tokens:
  // sorted 9 8 5 0 | 7 6 4 2 | 3 1, and 9 is already first.
  Lengths lengths(10);
  std::iota(lengths.begin(), lengths.end(), 0U);
  CHECK(ids(BatchSchedule::make(lengths, plan)->order()) ==
        Lengths{9, 8, 5, 0, 7, 6, 4, 2, 3, 1});
  // With row 7 the longest, it changes places with the first mega-batch's 9.
  lengths[7] = 50;
  CHECK(ids(BatchSchedule::make(lengths, plan)->order()) ==
        Lengths{7, 8, 5, 0, 9, 6, 4, 2, 3, 1});
}

TEST_CASE("sorted batches ascend and keep file order among equals") {
  BatchPlan plan;
  plan.sampler = Sampler::kSorted;
  CHECK(ids(BatchSchedule::make(Lengths{5, 1, 5, 0, 1}, plan)->order()) ==
        Lengths{3, 1, 4, 0, 2});
}

TEST_CASE("a bucket's batches hold lengths of that bucket only") {
  BatchPlan plan;
  plan.sampler = Sampler::kBucketed;
  plan.bucket_width = 10;
  plan.micro_batch = 2;
  const Lengths lengths = {10, 11, 20, 1, 21, 0, 12};
  const Result<BatchSchedule> all = BatchSchedule::make(lengths, plan);
  // Buckets: {10, 1, 0}, {11, 20, 12}, {21}: 2 + 2 + 1 batches.
  REQUIRE(all->batch_count() == 5);
  for (std::size_t b = 0; b < 5; ++b) {
    const auto bucket = [&](std::uint32_t row) {
      return lengths[row] == 0 ? 0 : (lengths[row] - 1) / 10;
    };
    for (const std::uint32_t row : all->batch(b)) {
      CHECK(bucket(row) == bucket(all->batch(b)[0]));
    }
  }
  plan.drop_last = true;
  CHECK(BatchSchedule::make(lengths, plan)->batch_count() == 2);
}

TEST_CASE("batches by tokens keep the padded size within the budget") {
  BatchPlan plan;
  plan.sampler = Sampler::kByTokens;
  plan.max_tokens_per_batch = 20;
  plan.micro_batch = 8;
  plan.mega_batch_mult = 1;  // one mega-batch of 8: fully sorted
  const Lengths lengths = {4, 9, 25, 10, 3, 3, 2, 2};
  const Result<BatchSchedule> all = BatchSchedule::make(lengths, plan);
  // 25 | 10 9 | 4 3 3 2 2 (5 × 4 = 20)
  REQUIRE(all->batch_count() == 3);
  CHECK(ids(all->batch(0)) == Lengths{2});
  CHECK(ids(all->batch(1)) == Lengths{3, 1});
  CHECK(all->batch(2).size() == 5);
}

TEST_CASE("a plan that cannot be is refused with the reason") {
  const auto complaint = [](const BatchPlan& plan) {
    const Status status = check(plan);
    return status ? std::string("accepted") : status.error().message;
  };
  BatchPlan plan;
  CHECK(complaint(plan) == "accepted");
  plan.micro_batch = 0;
  CHECK(complaint(plan) == "micro-batch must be at least 1");
  plan.micro_batch = 1U << 20;
  plan.world_size = 1U << 20;
  CHECK(complaint(plan) == "global batch is larger than 16777216");
  plan = BatchPlan{};
  plan.pad_to_max_length = true;
  CHECK(complaint(plan) == "padding to the maximum needs max_seq_len");
  plan.max_seq_len = 1U << 25;
  CHECK(complaint(plan) == "max_seq_len is larger than 16777216");
  plan = BatchPlan{};
  plan.pad_to_multiple_of = 0;
  CHECK(complaint(plan) == "pad_to_multiple_of must be 1 to 16777216");
}

TEST_CASE("samplers have names") {
  for (const std::string_view name : {"file_order", "random", "length_grouped",
                                      "sorted", "bucketed", "by_tokens"}) {
    REQUIRE(sampler_named(name).has_value());
    CHECK(name_of(*sampler_named(name)) == name);
  }
  CHECK_FALSE(sampler_named("grouped").has_value());
}

}  // namespace
}  // namespace trainsight::batching
