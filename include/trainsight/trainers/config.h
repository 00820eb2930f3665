// Settings from a trainer's own files: axolotl, TRL (with accelerate and
// DeepSpeed files), LLaMA-Factory, torchtune, and Megatron's arguments.
//
// A file is recognised by its keys. What it says is given in the words of the
// command line's flags, so that a flag can go before it; which keys were read
// and which were not is part of the answer, since a setting that is silently
// left out would make the prediction a lie.
//
// Source of the keys: docs.axolotl.ai config reference; TRL's SFTConfig,
// DPOConfig, GRPOConfig, ModelConfig and transformers' TrainingArguments;
// LLaMA-Factory's hparams; torchtune's recipe configs; Megatron-LM's
// arguments.py; DeepSpeed's JSON reference; accelerate's config files. Pure;
// thread-safe.
#ifndef TRAINSIGHT_TRAINERS_CONFIG_H_
#define TRAINSIGHT_TRAINERS_CONFIG_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::trainers {

/// Longer files are refused before they are parsed.
inline constexpr std::uint64_t kMostConfigBytes = 1u << 20;
/// As are files with more values than this, aliases followed.
inline constexpr std::size_t kMostValues = 20000;

/// Which settings a file can give; the names are those of the flags.
enum class Setting : std::uint8_t {
  kModel,
  kMethod,
  kBase,
  kPrecision,
  kOptimizer,
  kSharding,
  kOffload,
  kCheckpointing,
  kAttention,
  kKernels,
  kLoss,
  kObjective,
  kPacking,
  kOrder,
  kLoraRank,
  kLoraTargets,
  kLoraDropout,
  kMaxSeqLen,
  kMicroBatch,
  kAccumulation,
  kPadToMultipleOf,
  kEpochs,
  kGpus,
  kTensor,
  kPipeline,
  kContext,
  kExpert,
  kSequenceParallel,
  kVirtualStages,
  kChunkLayers,   ///< layers of a virtual stage; no flag's name
  kGlobalBatch,   ///< sequences of a step on all ranks; no flag's name
  kBackwardStep,  ///< the optimizer steps inside the backward
  kActivationOffload,
  kReference,
  kCompletionBudget,
  kGenerations,
  kEngine,
  kEngineMemory,
  kEngineTensor,
  kEngineSleep,
};
inline constexpr std::size_t kSettingCount = 40;

/// "model", "max-seq-len", …: as the flag without its dashes.
std::string_view name_of(Setting setting);

/// A key that was read, and what it was taken for.
struct ReadKey {
  std::string key;      ///< "lora_r", "fsdp_config.offload_params"
  std::string value;    ///< as written
  std::string meaning;  ///< "lora-rank 16"
};

struct TrainerConfig {
  std::string trainer;  ///< "axolotl", "trl", …: a framework profile's name
  /// In the words of the flags; numbers in decimal.
  std::map<Setting, std::string> settings;
  /// Sizes of a model that is given by them alone (Megatron): "hidden-size".
  std::map<std::string, std::uint64_t> shape;
  std::vector<std::string> datasets;  ///< as written; maybe names on a hub
  std::vector<ReadKey> read;
  std::vector<std::string> ignored;  ///< keys that say nothing to a plan
  /// What the trainer does where its file is silent, by setting; not what a
  /// framework's profile says (memory/profiles.h).
  std::map<Setting, std::string> defaulted;
};

/// Reads one file. Errors: kCorrupt with line and column, kLimit,
/// kUnsupported when no known trainer writes such keys, kUsage for a value
/// that its key cannot have.
Result<TrainerConfig> parse_trainer_config(std::string_view text,
                                           std::string_view name);

/// Adds `more`, whose settings go before those there are: the accelerate or
/// DeepSpeed file of a run beside the trainer's own.
void merge(const TrainerConfig& more, TrainerConfig& into);

}  // namespace trainsight::trainers

#endif  // TRAINSIGHT_TRAINERS_CONFIG_H_
