#include "trainsight/batching/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace trainsight::batching {
namespace {

// Names as read in: trl 1.16.0 (SFTConfig) and transformers 5.24.0
// (TrainingArguments); axolotl 0.18 (utils/schemas/config.py); LLaMA-Factory
// @ ff6d4d1 (hparams/data_args.py); Megatron-Bridge (GPT SFT recipes); verl
// @ 059eb26 (trainer/config/sft_trainer_engine.yaml).
struct TrainerName {
  Trainer trainer;
  std::string_view name;
};

constexpr std::array<TrainerName, 5> kTrainerNames = {{
    {Trainer::kTrl, "trl"},
    {Trainer::kAxolotl, "axolotl"},
    {Trainer::kLlamaFactory, "llama-factory"},
    {Trainer::kMegatron, "megatron"},
    {Trainer::kVerl, "verl"},
}};

using Lines = std::vector<std::string>;

// What all trainers need to know of a choice.
struct Facts {
  const Choice& choice;
  const BatchPlan& plan;
  std::uint32_t length = 0;  ///< of a sequence or pack; 0: no limit
  /// Sequences of a micro-step, and micro-steps of a step: with packs, those
  /// that keep tokens a step equal.
  std::uint64_t micro_batch = 1;
  std::uint64_t accumulation = 1;

  [[nodiscard]] bool packed() const { return choice.packing.has_value(); }
  [[nodiscard]] std::uint64_t global() const {
    return micro_batch * accumulation * plan.world_size;
  }
  [[nodiscard]] bool splits() const {
    return packed() && (choice.packing->overlong == Overlong::kSplit ||
                        cuts_rows(choice.packing->strategy));
  }
  [[nodiscard]] Overlong overlong() const {
    return packed() ? choice.packing->overlong : plan.overlong;
  }
};

Facts facts_of(const Choice& choice, const BatchPlan& plan) {
  Facts facts{choice, plan};
  facts.length =
      choice.packing ? choice.packing->pack_length : plan.max_seq_len;
  facts.micro_batch = plan.micro_batch;
  facts.accumulation = plan.accumulation;
  if (choice.packing) {
    // A pack is a whole micro-batch; the rest is accumulated.
    const std::uint64_t ranks = plan.world_size;
    facts.micro_batch = 1;
    facts.accumulation = std::max<std::uint64_t>(
        1, (choice.equal_global_batch + ranks / 2) / ranks);
  }
  return facts;
}

std::string setting(std::string_view key, std::uint64_t value) {
  return fmt::format("{}: {}", key, value);
}

// transformers' TrainingArguments, which three of the trainers pass on.
void add_transformers_sampler(const Facts& facts, Lines& lines) {
  if (facts.packed()) return;
  switch (*facts.choice.sampler) {
    case Sampler::kRandom:
      return;
    case Sampler::kFileOrder:
      lines.emplace_back("train_sampling_strategy: sequential");
      return;
    case Sampler::kLengthGrouped:
      lines.emplace_back("train_sampling_strategy: group_by_length");
      lines.emplace_back("# before transformers 5: group_by_length: true");
      return;
    case Sampler::kSorted:
    case Sampler::kBucketed:
    case Sampler::kByTokens:
      lines.push_back(
          fmt::format("# {} order: write it with trainsight pack, then",
                      name_of(*facts.choice.sampler)));
      lines.emplace_back("train_sampling_strategy: sequential");
      return;
  }
}

void add_transformers_batches(const Facts& facts, Lines& lines) {
  lines.push_back(setting("per_device_train_batch_size", facts.micro_batch));
  lines.push_back(setting("gradient_accumulation_steps", facts.accumulation));
  if (facts.plan.drop_last) lines.emplace_back("dataloader_drop_last: true");
}

// A strategy that the trainer does not have is packed beforehand.
void add_packed_beforehand(const Facts& facts, Lines& lines) {
  lines.push_back(
      fmt::format("# {} is not built in: pack with trainsight pack, then",
                  facts.choice.name));
}

Lines trl(const Facts& facts) {
  Lines lines;
  if (facts.length > 0) lines.push_back(setting("max_length", facts.length));
  if (facts.packed()) {
    const PackOptions& packing = *facts.choice.packing;
    std::string_view strategy;
    if (packing.strategy == Strategy::kWrapped) strategy = "wrapped";
    if (packing.strategy == Strategy::kBestFitDecreasing) {
      strategy = packing.overlong == Overlong::kSplit ? "bfd_split" : "bfd";
    }
    if (strategy.empty()) {
      add_packed_beforehand(facts, lines);
      lines.emplace_back("packing: false");
    } else {
      lines.emplace_back("packing: true");
      lines.push_back(fmt::format("packing_strategy: {}", strategy));
      if (packing.window_rows == 0) {
        lines.emplace_back(
            "# TRL packs windows of 1000 rows; trainsight pack the whole set");
      }
    }
  } else if (facts.plan.pad_to_multiple_of > 1) {
    lines.push_back(
        setting("pad_to_multiple_of", facts.plan.pad_to_multiple_of));
  }
  if (facts.overlong() == Overlong::kTruncateKeepEnd) {
    lines.emplace_back("truncation_mode: keep_end");
  } else if (facts.overlong() == Overlong::kDrop) {
    lines.emplace_back("# TRL truncates: drop longer rows beforehand");
  }
  add_transformers_batches(facts, lines);
  add_transformers_sampler(facts, lines);
  lines.push_back(setting("data_seed", facts.plan.seed));
  return lines;
}

Lines axolotl(const Facts& facts) {
  Lines lines;
  if (facts.length > 0) lines.push_back(setting("sequence_len", facts.length));
  if (facts.splits()) {
    add_packed_beforehand(facts, lines);
    lines.emplace_back("sample_packing: false");
  } else if (facts.packed()) {
    lines.emplace_back("sample_packing: true");
    lines.emplace_back("pad_to_sequence_len: true");
    lines.emplace_back(
        "# axolotl packs first-fit decreasing in groups of 100000 rows");
    const auto segments =
        static_cast<std::uint64_t>(facts.choice.segments_per_sequence * 2);
    lines.push_back(setting("sample_packing_bin_size",
                            std::max<std::uint64_t>(200, segments)));
  } else {
    lines.emplace_back("sample_packing: false");
  }
  if (!facts.splits()) {
    const bool drops = facts.overlong() == Overlong::kDrop;
    const bool raises = facts.overlong() == Overlong::kError;
    lines.push_back(
        fmt::format("excess_length_strategy: {}", drops    ? "drop"
                                                  : raises ? "raise"
                                                           : "truncate"));
  }
  lines.push_back(setting("micro_batch_size", facts.micro_batch));
  lines.push_back(setting("gradient_accumulation_steps", facts.accumulation));
  if (facts.choice.sampler == Sampler::kLengthGrouped) {
    lines.emplace_back("group_by_length: true");
  } else if (!facts.packed()) {
    if (*facts.choice.sampler != Sampler::kRandom) {
      lines.push_back(fmt::format("# {} order: write it with trainsight pack",
                                  name_of(*facts.choice.sampler)));
    }
  }
  return lines;
}

Lines llama_factory(const Facts& facts) {
  Lines lines;
  if (facts.length > 0) lines.push_back(setting("cutoff_len", facts.length));
  if (facts.splits()) {
    add_packed_beforehand(facts, lines);
    lines.emplace_back("packing: false");
  } else if (facts.packed()) {
    lines.emplace_back("packing: true");
    lines.emplace_back("neat_packing: true");
    lines.emplace_back(
        "# LLaMA-Factory packs each preprocessing batch and drops longer rows");
    lines.emplace_back("preprocessing_batch_size: 1000");
  } else {
    lines.emplace_back("packing: false");
  }
  add_transformers_batches(facts, lines);
  add_transformers_sampler(facts, lines);
  lines.push_back(setting("data_seed", facts.plan.seed));
  return lines;
}

Lines megatron(const Facts& facts) {
  Lines lines;
  if (facts.length > 0) {
    lines.push_back(fmt::format("dataset.seq_length={}", facts.length));
    lines.push_back(fmt::format("model.seq_length={}", facts.length));
  }
  if (facts.packed()) {
    lines.push_back(fmt::format(
        "dataset.packed_sequence_specs.packed_sequence_size={}", facts.length));
    lines.emplace_back(
        "# newer Megatron-Bridge: dataset.offline_packing_specs");
    if (facts.splits()) {
      lines.emplace_back("# it skips longer rows: split them beforehand");
    }
  } else if (facts.choice.sampler != Sampler::kRandom) {
    lines.push_back(fmt::format("# {} order: write it with trainsight pack",
                                name_of(*facts.choice.sampler)));
  }
  lines.push_back(fmt::format("train.micro_batch_size={}", facts.micro_batch));
  lines.push_back(fmt::format("train.global_batch_size={}", facts.global()));
  return lines;
}

// verl has no packs of fixed length: a micro-batch takes rows up to a budget
// of tokens, without padding, which wastes as little.
Lines verl(const Facts& facts) {
  Lines lines;
  if (facts.length > 0) {
    lines.push_back(fmt::format("data.max_length={}", facts.length));
  }
  const bool drops = facts.overlong() == Overlong::kDrop;
  const bool refuses = facts.overlong() == Overlong::kError;
  const bool end = facts.overlong() == Overlong::kTruncateKeepEnd;
  if (drops || facts.splits()) {
    lines.emplace_back("# verl truncates or stops: treat longer rows before");
  }
  lines.push_back(fmt::format("data.truncation={}", refuses ? "error"
                                                    : end   ? "left"
                                                            : "right"));
  // In rows either way: verl's global batch counts rows, not packs.
  lines.push_back(
      fmt::format("data.train_batch_size={}", global_batch(facts.plan)));
  if (facts.packed() || facts.choice.sampler == Sampler::kByTokens) {
    const std::uint64_t budget =
        facts.packed() ? facts.length
        : facts.plan.max_tokens_per_batch != 0
            ? facts.plan.max_tokens_per_batch
            : std::uint64_t{facts.plan.micro_batch} * facts.length;
    lines.emplace_back("data.use_dynamic_bsz=True");
    if (budget > 0) {
      lines.push_back(fmt::format("data.max_token_len_per_gpu={}", budget));
    }
    lines.emplace_back("data.pad_mode=no_padding");
    lines.emplace_back("model.use_remove_padding=True");
  } else {
    lines.emplace_back("data.use_dynamic_bsz=False");
    lines.push_back(
        fmt::format("data.micro_batch_size_per_gpu={}", facts.micro_batch));
    if (facts.choice.sampler != Sampler::kRandom) {
      lines.push_back(fmt::format("# {} order: write it with trainsight pack",
                                  name_of(*facts.choice.sampler)));
    }
  }
  return lines;
}

}  // namespace

std::string_view name_of(Trainer trainer) {
  for (const TrainerName& row : kTrainerNames) {
    if (row.trainer == trainer) return row.name;
  }
  return "";
}

std::optional<Trainer> trainer_named(std::string_view name) {
  for (const TrainerName& row : kTrainerNames) {
    if (row.name == name) return row.trainer;
  }
  return std::nullopt;
}

std::vector<std::string> settings_for(Trainer trainer, const Choice& choice,
                                      const BatchPlan& plan) {
  const Facts facts = facts_of(choice, plan);
  switch (trainer) {
    case Trainer::kTrl:
      return trl(facts);
    case Trainer::kAxolotl:
      return axolotl(facts);
    case Trainer::kLlamaFactory:
      return llama_factory(facts);
    case Trainer::kMegatron:
      return megatron(facts);
    case Trainer::kVerl:
      return verl(facts);
  }
  return {};
}

std::optional<PackOptions> packing_of(Trainer trainer,
                                      std::uint32_t pack_length) {
  PackOptions packing;
  packing.pack_length = pack_length;
  switch (trainer) {
    case Trainer::kTrl:
      packing.window_rows = 1000;
      return packing;
    case Trainer::kAxolotl:
      packing.strategy = Strategy::kFirstFitDecreasing;
      packing.overlong = Overlong::kDrop;
      packing.window_rows = 100000;
      return packing;
    case Trainer::kLlamaFactory:
      packing.strategy = Strategy::kFirstFitDecreasing;
      packing.overlong = Overlong::kDrop;
      packing.window_rows = 1000;
      return packing;
    case Trainer::kMegatron:
      packing.strategy = Strategy::kFirstFitShuffle;
      packing.overlong = Overlong::kDrop;
      return packing;
    case Trainer::kVerl:
      return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace trainsight::batching
