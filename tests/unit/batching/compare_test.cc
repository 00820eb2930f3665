#include "trainsight/batching/compare.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "unit/batching/naive.h"

namespace trainsight::batching {
namespace {

using Lengths = std::vector<std::uint32_t>;

const Choice& named(const Comparison& comparison, const std::string& name) {
  for (const Choice& choice : comparison.choices) {
    if (choice.name == name) return choice;
  }
  FAIL("no " << name);
  return comparison.choices[0];
}

Lengths two_kinds() {
  Lengths lengths(90, 300);
  lengths.insert(lengths.end(), 10, 2000);
  return lengths;
}

TEST_CASE("the shape behind the default attention ratio") {
  // Llama-3-8B: per layer q and o 4096², k and v 4096·1024, three of
  // 4096·14336; and the unembedding 4096·128256.
  const std::uint64_t layer =
      2 * 4096 * 4096 + 2 * 4096 * 1024 + std::uint64_t{3} * 4096 * 14336;
  const std::uint64_t all = 32 * layer + std::uint64_t{4096} * 128256;
  CHECK(attention_ratio(32, 4096, all) == kDefaultAttentionRatio);
}

TEST_CASE("all ways are side by side, relative to the plan's own sampler") {
  CompareOptions options;
  options.plan.max_seq_len = 2048;
  options.attention_ratio = 0;
  const Result<Comparison> result = compare(two_kinds(), options);
  REQUIRE(result.has_value());
  CHECK(result->choices.size() == 15);
  const Choice& random = named(*result, "random");
  CHECK(result->choices[result->current].name == "random");
  CHECK(random.relative_time == 1);
  CHECK(random.relative_step_time == 1);
  CHECK(random.steps == 13);
  // 25 packs of 2,048 for the same 47,000 tokens, without attention:
  // 51,200 slots against about 47,000 / (1 − waste), as the waste of so few
  // rows is a mean of ratios.
  const Choice& bfd = named(*result, "bfd");
  CHECK(bfd.waste_ratio == Approx(1 - 47000.0 / 51200));
  CHECK(bfd.steps == 4);
  CHECK(bfd.relative_time ==
        Approx(51200.0 / (47000 / (1 - random.waste_ratio))).epsilon(0.02));
  // 13 steps of 3,615 tokens; a pack holds 1,880: two of them are nearest.
  CHECK(bfd.equal_global_batch == 2);
  CHECK(named(*result, "wrapped").rows_cut == 22);
  CHECK(result->choices[result->recommended].name == "bfd");
  CHECK(result->sentence ==
        "pack with bfd into sequences of 2048 tokens: 8.2 % of slots empty "
        "instead of 63.0 %, about 40 % of the time per trained token; price: "
        "4 optimiser steps instead of 13 at the same batch (a global batch of "
        "2 packs comes nearest to the same tokens a step)");
}

TEST_CASE("without packing, grouping by length is recommended with its price") {
  Lengths lengths;
  for (int i = 0; i < 512; ++i) {
    lengths.push_back(
        static_cast<std::uint32_t>(50 * std::pow(40.0, i / 511.0)));
  }
  CompareOptions options;
  options.can_pack = false;
  const Result<Comparison> result = compare(lengths, options);
  REQUIRE(result.has_value());
  CHECK(result->choices.size() == 6);
  CHECK(result->choices[result->recommended].name == "length_grouped");
  const std::string price =
      "price: rows of similar length share a batch, so losses go up and down "
      "with it";
  CHECK(result->sentence.size() > price.size());
  CHECK(result->sentence.substr(result->sentence.size() - price.size()) ==
        price);
}

TEST_CASE("equal rows need nothing else than what is there") {
  CompareOptions options;
  options.plan.max_seq_len = 1000;
  const Result<Comparison> result = compare(Lengths(400, 500), options);
  REQUIRE(result.has_value());
  CHECK(result->recommended == result->current);
  CHECK(result->sentence ==
        "keep random batches: 0.0 % of slots are padding, and nothing else "
        "would save 2 % of the time");
  CHECK(compare(Lengths{}, options)->sentence ==
        "random batches have no token to train on");
}

TEST_CASE("keeping every token counts before time where rows may be cut") {
  // Case E1: truncating strategies keep 512 of 200,000 tokens a row.
  CompareOptions options;
  options.plan.max_seq_len = 512;
  const Lengths lengths(5, 200000);
  Result<Comparison> result = compare(lengths, options);
  REQUIRE(result.has_value());
  CHECK(named(*result, "bfd").tokens_lost == 5 * (200000 - 512));
  CHECK(result->choices[result->recommended].tokens_lost > 0);
  options.may_cut_rows = true;
  result = compare(lengths, options);
  const Choice& best = result->choices[result->recommended];
  CHECK(best.tokens_lost == 0);
  CHECK(best.name == "bfd_split");
}

TEST_CASE("a stored profile is compared as far as counts go") {
  const Lengths lengths = naive::skewed_lengths(4000, 900, 8);
  CompareOptions options;
  options.plan.max_seq_len = 2048;
  const Result<Comparison> rows = compare(lengths, options);
  const Result<Comparison> counts = compare(count_lengths(lengths), options);
  REQUIRE(counts.has_value());
  CHECK(counts->choices.size() == 9);
  for (const Choice& choice : counts->choices) {
    INFO(choice.name);
    const Choice& same = named(*rows, choice.name);
    CHECK(choice.waste_ratio == Approx(same.waste_ratio).margin(0.002));
    CHECK(choice.steps == Approx(same.steps).epsilon(0.01));
    CHECK(choice.relative_time == Approx(same.relative_time).epsilon(0.01));
  }
  options.plan.sampler = Sampler::kFileOrder;
  CHECK(compare(count_lengths(lengths), options).error().kind ==
        ErrorKind::kUnsupported);
  options.attention_ratio = std::nan("");
  CHECK(compare(lengths, options).error().message ==
        "attention ratio must be 0 to 1");
}

TEST_CASE("pairs are compared by both of their sides") {
  // In file order, batches of two pairs: the longest of each batch's four
  // sides is 40, then 50.
  const Lengths chosen = {10, 40, 20, 50};
  const Lengths rejected = {30, 20, 20, 10};
  CompareOptions options;
  options.plan.micro_batch = 2;
  options.plan.sampler = Sampler::kFileOrder;
  const Result<Comparison> result = compare_pairs(chosen, rejected, options);
  REQUIRE(result.has_value());
  CHECK(result->choices.size() == 6);  // padded orders only
  const Choice& now = named(*result, "file_order");
  CHECK(now.sequences == 4);
  CHECK(now.tokens == 200);
  CHECK(now.waste_ratio == Approx(1 - 200.0 / (4 * 40 + 4 * 50)));
  // Pair lengths 30, 40, 20, 50 sorted: batches of 30 and 50.
  CHECK(named(*result, "sorted").waste_ratio ==
        Approx(1 - 200.0 / (4 * 30 + 4 * 50)));
  options.plan.overlong = Overlong::kSplit;
  CHECK_FALSE(compare_pairs(chosen, rejected, options).has_value());
}

}  // namespace
}  // namespace trainsight::batching
