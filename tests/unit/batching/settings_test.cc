#include "trainsight/batching/settings.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace trainsight::batching {
namespace {

using Lines = std::vector<std::string>;

Choice packed(Strategy strategy, Overlong overlong) {
  Choice choice;
  choice.packing = PackOptions{};
  choice.packing->strategy = strategy;
  choice.packing->overlong = overlong;
  choice.name = overlong == Overlong::kSplit ? "bfd_split" : name_of(strategy);
  choice.equal_global_batch = 16;
  choice.segments_per_sequence = 13;
  return choice;
}

Choice padded(Sampler sampler) {
  Choice choice;
  choice.sampler = sampler;
  choice.name = name_of(sampler);
  return choice;
}

BatchPlan plan_of_four_ranks() {
  BatchPlan plan;
  plan.micro_batch = 4;
  plan.accumulation = 2;
  plan.world_size = 4;
  plan.max_seq_len = 4096;
  return plan;
}

TEST_CASE("whole rows packed, in every trainer's words") {
  const Choice choice =
      packed(Strategy::kBestFitDecreasing, Overlong::kTruncateKeepStart);
  const BatchPlan plan = plan_of_four_ranks();
  CHECK(settings_for(Trainer::kTrl, choice, plan) ==
        Lines{"max_length: 2048", "packing: true", "packing_strategy: bfd",
              "# TRL packs windows of 1000 rows; trainsight pack the whole set",
              "per_device_train_batch_size: 1",
              "gradient_accumulation_steps: 4", "data_seed: 42"});
  CHECK(settings_for(Trainer::kAxolotl, choice, plan) ==
        Lines{"sequence_len: 2048", "sample_packing: true",
              "pad_to_sequence_len: true",
              "# axolotl packs first-fit decreasing in groups of 100000 rows",
              "sample_packing_bin_size: 200",
              "excess_length_strategy: truncate", "micro_batch_size: 1",
              "gradient_accumulation_steps: 4"});
  CHECK(settings_for(Trainer::kLlamaFactory, choice, plan) ==
        Lines{"cutoff_len: 2048", "packing: true", "neat_packing: true",
              "# LLaMA-Factory packs each preprocessing batch and drops longer "
              "rows",
              "preprocessing_batch_size: 1000",
              "per_device_train_batch_size: 1",
              "gradient_accumulation_steps: 4", "data_seed: 42"});
  CHECK(settings_for(Trainer::kMegatron, choice, plan) ==
        Lines{"dataset.seq_length=2048", "model.seq_length=2048",
              "dataset.packed_sequence_specs.packed_sequence_size=2048",
              "# newer Megatron-Bridge: dataset.offline_packing_specs",
              "train.micro_batch_size=1", "train.global_batch_size=16"});
  CHECK(settings_for(Trainer::kVerl, choice, plan) ==
        Lines{"data.max_length=2048", "data.truncation=right",
              "data.train_batch_size=32", "data.use_dynamic_bsz=True",
              "data.max_token_len_per_gpu=2048", "data.pad_mode=no_padding",
              "model.use_remove_padding=True"});
}

TEST_CASE("what a trainer lacks is said instead of set") {
  const BatchPlan plan = plan_of_four_ranks();
  const Choice split = packed(Strategy::kBestFitDecreasing, Overlong::kSplit);
  CHECK(settings_for(Trainer::kTrl, split, plan)[2] ==
        "packing_strategy: bfd_split");
  CHECK(settings_for(Trainer::kAxolotl, split, plan) ==
        Lines{"sequence_len: 2048",
              "# bfd_split is not built in: pack with trainsight pack, then",
              "sample_packing: false", "micro_batch_size: 1",
              "gradient_accumulation_steps: 4"});
  const Choice ffd =
      packed(Strategy::kFirstFitDecreasing, Overlong::kTruncateKeepStart);
  CHECK(settings_for(Trainer::kTrl, ffd, plan) ==
        Lines{"max_length: 2048",
              "# ffd is not built in: pack with trainsight pack, then",
              "packing: false", "per_device_train_batch_size: 1",
              "gradient_accumulation_steps: 4", "data_seed: 42"});
}

TEST_CASE("padded batches, in every trainer's words") {
  BatchPlan plan = plan_of_four_ranks();
  plan.drop_last = true;
  plan.pad_to_multiple_of = 8;
  const Choice grouped = padded(Sampler::kLengthGrouped);
  CHECK(settings_for(Trainer::kTrl, grouped, plan) ==
        Lines{"max_length: 4096", "pad_to_multiple_of: 8",
              "per_device_train_batch_size: 4",
              "gradient_accumulation_steps: 2", "dataloader_drop_last: true",
              "train_sampling_strategy: group_by_length",
              "# before transformers 5: group_by_length: true",
              "data_seed: 42"});
  plan.overlong = Overlong::kDrop;
  CHECK(settings_for(Trainer::kAxolotl, grouped, plan) ==
        Lines{"sequence_len: 4096", "sample_packing: false",
              "excess_length_strategy: drop", "micro_batch_size: 4",
              "gradient_accumulation_steps: 2", "group_by_length: true"});
  CHECK(settings_for(Trainer::kMegatron, padded(Sampler::kSorted), plan) ==
        Lines{"dataset.seq_length=4096", "model.seq_length=4096",
              "# sorted order: write it with trainsight pack",
              "train.micro_batch_size=4", "train.global_batch_size=32"});
  CHECK(settings_for(Trainer::kVerl, padded(Sampler::kRandom),
                     plan_of_four_ranks()) ==
        Lines{"data.max_length=4096", "data.truncation=right",
              "data.train_batch_size=32", "data.use_dynamic_bsz=False",
              "data.micro_batch_size_per_gpu=4"});
}

TEST_CASE("trainers have names, and packings of their own") {
  for (const std::string_view name :
       {"trl", "axolotl", "llama-factory", "megatron", "verl"}) {
    REQUIRE(trainer_named(name).has_value());
    CHECK(name_of(*trainer_named(name)) == name);
  }
  CHECK_FALSE(trainer_named("TRL").has_value());
  CHECK(packing_of(Trainer::kTrl, 1024)->window_rows == 1000);
  CHECK(packing_of(Trainer::kAxolotl, 1024)->window_rows == 100000);
  CHECK(packing_of(Trainer::kLlamaFactory, 1024)->overlong == Overlong::kDrop);
  CHECK(packing_of(Trainer::kMegatron, 1024)->strategy ==
        Strategy::kFirstFitShuffle);
  CHECK_FALSE(packing_of(Trainer::kVerl, 1024).has_value());
}

}  // namespace
}  // namespace trainsight::batching
