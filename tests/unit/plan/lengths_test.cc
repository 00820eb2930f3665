#include "trainsight/plan/lengths.h"

#include <catch2/catch.hpp>

namespace trainsight::plan {
namespace {

// 10 rows: 8 of 100 tokens, one of 300, one of 1,000.
DataSet ten_rows() {
  DataSet data;
  data.lengths = {{100, 8}, {300, 1}, {1000, 1}};
  return data;
}

TEST_CASE("the longest kept row makes the largest padded batch") {
  Batching b;
  b.pad_to_multiple_of = 64;
  Batches all(ten_rows(), b);
  CHECK(all.largest(4).length == 1024);
  CHECK(all.largest(4).tokens() == 4096);
  b.max_seq_len = 512;
  Batches cut(ten_rows(), b);
  CHECK(cut.largest(2).length == 512);
  CHECK(cut.tokens() == 8 * 100 + 300 + 512);
  b.overlong = stats::Overlong::kDrop;
  Batches dropped(ten_rows(), b);
  CHECK(dropped.largest(2).length == 320);
  CHECK(dropped.rows() == 9);
}

TEST_CASE("packs are full whatever the rows") {
  Batching b;
  b.max_seq_len = 2048;
  b.packing = Packing::kPacked;
  Batches batches(ten_rows(), b);
  CHECK(batches.largest(3).tokens() == 3 * 2048);
  const Batches::Typical t = batches.typical(1);
  CHECK(t.work.tokens == 2048);
  CHECK(t.useful_tokens == Approx(2048 * 0.98));
  // 2,100 tokens in packs of 2,007 useful ones.
  CHECK(t.micro_batches == 2);
  // E[l^2] / E[l] a token: (8 x 100^2 + 300^2 + 1000^2) / 2100.
  CHECK(t.work.squared_tokens == Approx(2048 * 0.98 * 1'170'000 / 2100));
}

TEST_CASE("a padding-free batch holds the longest row and some more") {
  Batching b;
  b.packing = Packing::kPaddingFree;
  Batches batches(ten_rows(), b);
  const memory::Batch largest = batches.largest(4);
  CHECK(largest.length == 1000);
  CHECK(largest.tokens() >= 1000 + 3 * 100);
  CHECK(largest.tokens() <= 4000);
  Batches again(ten_rows(), b);
  CHECK(again.largest(4).tokens() == largest.tokens());
}

TEST_CASE("a padded batch is as wide as its expected longest") {
  Batches batches(ten_rows(), {});
  // Of one row the mean; of all ten the longest.
  CHECK(batches.typical(1).work.tokens == Approx(210));
  CHECK(batches.typical(10).work.tokens == Approx(10 * 1000));
  CHECK(batches.typical(10).useful_tokens == Approx(2100));
  CHECK(batches.typical(4).micro_batches == 3);
}

TEST_CASE("without data every row is as long as the limit") {
  Batching b;
  b.max_seq_len = 4096;
  Batches batches({}, b);
  CHECK(batches.largest(2).tokens() == 8192);
  CHECK(batches.typical(2).useful_tokens == 8192);
  CHECK(batches.typical(2).micro_batches == 0);
}

TEST_CASE("completions come on top of prompts") {
  Batching b;
  b.max_seq_len = 512;
  b.completion_budget = 256;
  b.generations = 4;
  Batches batches(ten_rows(), b);
  const memory::Batch largest = batches.largest(2);
  CHECK(largest.length == 512 + 256);
  CHECK(largest.scored_length == 256);
  CHECK(largest.tokens() == 2 * 768);
  // Prompts alone are cut at max_seq_len: (800 + 300 + 512) / 10 on average,
  // and each completion as long as the budget.
  CHECK(batches.typical(1).useful_tokens == Approx(161.2 + 256));
  CHECK(batches.typical(1).micro_batches == 40);
  const throughput::Rollout rollout = batches.rollout(8, 8);
  CHECK(rollout.prompt_tokens == Approx(161.2));
  CHECK(rollout.completion_tokens == 256);
  CHECK(rollout.longest_completion == 256);
  b.completions = {{50, 3}, {250, 1}};
  Batches known(ten_rows(), b);
  CHECK(known.largest(2).length == 768);
  CHECK(known.typical(1).useful_tokens == Approx(161.2 + 100));
  CHECK(known.rollout(4, 4).longest_completion == 250);
  // Two of four drawn: the long one is among them with 1/2.
  CHECK(known.rollout(4, 2).longest_completion == Approx(150));
  b.packing = Packing::kPaddingFree;
  Batches flat(ten_rows(), b);
  CHECK(flat.largest(1).tokens() == 512 + 256);
}

}  // namespace
}  // namespace trainsight::plan
