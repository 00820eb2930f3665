// The keys of the trainers' files, a row each, and what they are taken for.
#ifndef TRAINSIGHT_TRAINERS_KEY_TABLE_H_
#define TRAINSIGHT_TRAINERS_KEY_TABLE_H_

#include <span>
#include <string_view>

#include "trainsight/trainers/config.h"

namespace trainsight::trainers {

enum class Trainer : std::uint8_t {
  kAxolotl,
  kLlamaFactory,
  kTrl,
  kTorchtune,
  kMegatron,
  kAccelerate,
  kDeepSpeed,
};

/// How a value is turned into a setting's word.
enum class Reading : std::uint8_t {
  kWord,            ///< as it is
  kWholeNumber,     ///< at least 1
  kNumber,          ///< above 0
  kIfTrue,          ///< true: the row's word; false: nothing
  kIfFalse,         ///< false: the row's word
  kIfPositive,      ///< a number above 0: the row's word
  kAdapter,         ///< lora, qlora, empty: full
  kFinetuning,      ///< LLaMA-Factory's finetuning_type
  kBits,            ///< 4: nf4, 8: int8
  kOptimizer,       ///< transformers' and torchtune's names
  kAttention,       ///< flash_attention_2, sdpa, eager, fa2
  kTargets,         ///< module names, "all-linear", "all"
  kObjective,       ///< dpo, orpo, kto, simpo, grpo, sft, pt
  kDeepSpeedFile,   ///< a path whose name tells the stage
  kStage,           ///< 1, 2, 3
  kDevice,          ///< cpu, nvme: the row's word; none: nothing
  kDistributed,     ///< FSDP, DEEPSPEED, MULTI_GPU
  kStrategy,        ///< FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, 1 to 5
  kDtype,           ///< bfloat16: pure16, float32: mixed
  kMixedPrecision,  ///< accelerate under FSDP: 32-bit masters
  kPlugins,         ///< axolotl's: Liger, Cut Cross Entropy
  kComponent,       ///< torchtune's model builder
  kLossComponent,   ///< torchtune's loss
  kRecompute,       ///< Megatron: full, selective
  kShape,           ///< Megatron: a size of the model
  kPromptLength,    ///< of a prompt; says nothing where rows hold answers
  kVllmMode,        ///< colocate, server
  kShare,           ///< above 0, at most 1
  kBeta,            ///< weight of the reference: 0 needs none
  kDataset,         ///< a path or name
};

struct KeyRow {
  Trainer trainer;
  std::string_view key;  ///< "datasets[].path": any element
  Reading reading;
  Setting setting = Setting::kModel;
  std::string_view word = "";
};

std::span<const KeyRow> key_rows();

}  // namespace trainsight::trainers

#endif  // TRAINSIGHT_TRAINERS_KEY_TABLE_H_
