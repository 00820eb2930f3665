#include "trainsight/trainers/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "trainers/defaults.h"
#include "trainers/flat_file.h"
#include "trainers/key_reader.h"
#include "trainers/key_table.h"

namespace trainsight::trainers {
namespace {

constexpr std::string_view kNames[kSettingCount] = {
    "model",
    "method",
    "base",
    "precision",
    "optimizer",
    "sharding",
    "offload",
    "checkpointing",
    "attention",
    "kernels",
    "loss",
    "objective",
    "packing",
    "order",
    "lora-rank",
    "lora-targets",
    "lora-dropout",
    "max-seq-len",
    "micro-batch",
    "accumulation",
    "pad-to-multiple-of",
    "epochs",
    "gpus",
    "tp",
    "pp",
    "cp",
    "ep",
    "sequence-parallel",
    "vpp",
    "chunk-layers",
    "global-batch",
    "backward-step",
    "activation-offload",
    "reference",
    "completion-budget",
    "generations",
    "engine",
    "engine-memory",
    "engine-tp",
    "engine-sleep",
};

// Which trainer writes such keys.
std::optional<Trainer> trainer_of(const std::vector<FlatValue>& values) {
  const auto has = [&](std::string_view key) {
    return std::any_of(values.begin(), values.end(), [&](const FlatValue& v) {
      return v.key == key ||
             (v.key.starts_with(key) && v.key.size() > key.size() &&
              (v.key[key.size()] == '.' || v.key[key.size()] == '['));
    });
  };
  if (has("model._component_")) return Trainer::kTorchtune;
  if (has("base_model")) return Trainer::kAxolotl;
  if (has("model_name_or_path") || has("model_name")) {
    return has("cutoff_len") || has("finetuning_type") || has("stage")
               ? Trainer::kLlamaFactory
               : Trainer::kTrl;
  }
  if (has("distributed_type") || has("compute_environment")) {
    return Trainer::kAccelerate;
  }
  if (has("zero_optimization") || has("train_micro_batch_size_per_gpu")) {
    return Trainer::kDeepSpeed;
  }
  if (has("num-layers") || has("micro-batch-size")) return Trainer::kMegatron;
  if (has("per_device_train_batch_size")) return Trainer::kTrl;
  return std::nullopt;
}

std::string_view profile_of(Trainer trainer) {
  switch (trainer) {
    case Trainer::kAxolotl:
      return "axolotl";
    case Trainer::kLlamaFactory:
      return "llama-factory";
    case Trainer::kTrl:
      return "trl";
    case Trainer::kTorchtune:
      return "torchtune";
    case Trainer::kMegatron:
      return "megatron";
    case Trainer::kAccelerate:
    case Trainer::kDeepSpeed:
      return "";  // part of another's run
  }
  return "";
}

}  // namespace

std::string_view name_of(Setting setting) {
  return kNames[static_cast<std::size_t>(setting)];
}

Result<TrainerConfig> parse_trainer_config(std::string_view text,
                                           std::string_view name) {
  if (text.size() > kMostConfigBytes) {
    return Error{
        ErrorKind::kLimit,
        fmt::format("{}: longer than {} bytes", name, kMostConfigBytes), ""};
  }
  std::vector<FlatValue> values;
  auto yaml = flatten_yaml(text, name);
  if (yaml) {
    values = *std::move(yaml);
  } else {
    values = flatten_arguments(text);
    if (trainer_of(values) != Trainer::kMegatron) return yaml.error();
  }
  // Megatron's YAML uses underscores.
  std::optional<Trainer> trainer = trainer_of(values);
  if (!trainer) {
    std::vector<FlatValue> dashed = values;
    for (FlatValue& value : dashed) {
      std::replace(value.key.begin(), value.key.end(), '_', '-');
    }
    if (trainer_of(dashed) == Trainer::kMegatron) {
      values = std::move(dashed);
      trainer = Trainer::kMegatron;
    }
  }
  if (!trainer) {
    return Error{ErrorKind::kUnsupported,
                 fmt::format("{}: no known trainer writes such keys", name),
                 "known: axolotl, TRL, accelerate, DeepSpeed, LLaMA-Factory, "
                 "torchtune, Megatron arguments"};
  }
  TrainerConfig config;
  config.trainer = profile_of(*trainer);
  const bool generates =
      std::any_of(values.begin(), values.end(), [](const FlatValue& v) {
        return v.key == "max_completion_length" || v.key == "num_generations" ||
               v.key == "use_vllm";
      });
  KeyReader reader(*trainer, name, generates, config);
  for (const FlatValue& value : values) {
    if (Status status = reader.read(value); !status) return status.error();
  }
  add_defaults(*trainer, config);
  add_generation(*trainer, values, config);
  return config;
}

void merge(const TrainerConfig& more, TrainerConfig& into) {
  if (into.trainer.empty()) into.trainer = more.trainer;
  for (const auto& [setting, word] : more.settings) {
    into.settings[setting] = word;
    into.defaulted.erase(setting);
  }
  for (const auto& [setting, word] : more.defaulted) {
    into.defaulted[setting] = word;
  }
  for (const auto& [key, size] : more.shape) into.shape[key] = size;
  into.datasets.insert(into.datasets.end(), more.datasets.begin(),
                       more.datasets.end());
  into.read.insert(into.read.end(), more.read.begin(), more.read.end());
  into.ignored.insert(into.ignored.end(), more.ignored.begin(),
                      more.ignored.end());
}

}  // namespace trainsight::trainers
