#include "trainsight/memory/profiles.h"

namespace trainsight::memory {
namespace {

constexpr Loss kUpcastCopy = Loss::kUpcastCopy;
constexpr Loss kUpcast = Loss::kUpcast;
constexpr Kernels kUnfused = Kernels::kUnfused;
constexpr Kernels kFused = Kernels::kFused;
constexpr Precision kPure16 = Precision::kPure16;
constexpr Precision kMixed32 = Precision::kMixed32;
constexpr Precision kMaster16 = Precision::kMaster16;
constexpr Precision kMegatron = Precision::kMegatron;
constexpr Checkpointing kNone = Checkpointing::kNone;
constexpr Checkpointing kFull = Checkpointing::kFull;
constexpr Checkpointing kOffloaded = Checkpointing::kOffloaded;

// clang-format off
constexpr Profile kProfiles[] = {
    {"trl", ">= 0.20, transformers >= 4.45",
     "transformers loss/loss_utils.py ForCausalLMLoss; trainer optim "
     "adamw_torch; peft tuners_utils.py autocast_adapter_dtype; trl configs "
     "gradient_checkpointing (pull 3510)",
     kUpcast, kUnfused, Attention::kSdpa, kMixed32, kFull, true, true},
    {"trl@0.19", "< 0.20, transformers >= 4.45",
     "as above, without checkpointing",
     kUpcast, kUnfused, Attention::kSdpa, kMixed32, kNone, true, true},
    {"trl@4.44", "transformers < 4.45",
     "transformers modeling_llama.py v4.44: logits.float(), shift_logits "
     "contiguous; peft prepare_model_for_kbit_training",
     kUpcastCopy, kUnfused, Attention::kSdpa, kMixed32, kNone, true, true, 0,
     true},
    {"axolotl", ">= 0.9",
     "axolotl docs: bf16 loads in 16 bits; cut_cross_entropy and liger are "
     "plugins",
     kUpcast, kUnfused, Attention::kFlash, kPure16, kNone, true, true},
    {"llama-factory", ">= 0.6",
     "LLaMA-Factory src/llamafactory/model/model_utils: checkpointing on, "
     "layer norms upcast",
     kUpcast, kUnfused, Attention::kSdpa, kMixed32, kFull, true, true},
    {"unsloth", ">= 2024.11",
     "unsloth-zoo: fused linear cross entropy, use_gradient_checkpointing="
     "\"unsloth\"",
     Loss::kFusedLinear, kFused, Attention::kFlash, kPure16, kOffloaded, false,
     true},
    {"litgpt", ">= 0.3 (April 2024)",
     "litgpt utils.py chunked_cross_entropy; config_hub bf16-true; torch "
     "AdamW; lm_head kept beside a tied wte; bitsandbytes MatMul4Bit",
     Loss::kHalf, kUnfused, Attention::kSdpa, kPure16, kNone, true, false, 4,
     false, false, true, true},
    {"litgpt@0.2", "2023",
     "lit-gpt tutorials/resource-tables.md; as above, inputs kept once",
     Loss::kHalf, kUnfused, Attention::kSdpa, kPure16, kNone, true, false, 2,
     false, false, true, true},
    {"torchtune", ">= 0.4",
     "torchtune CEWithChunkedOutputLoss; recipes fused=True, dtype bf16; "
     "FSDP2",
     Loss::kChunked, kUnfused, Attention::kSdpa, kPure16, kFull, false, false,
     0, false, true},
    {"torchtitan", "2024.12",
     "torchtitan train_configs: FSDP2 mixed precision, fused AdamW, "
     "selective checkpointing \"op\"",
     kUpcast, kUnfused, Attention::kSdpa, kMixed32, Checkpointing::kOperators,
     false, true, 0, false, true},
    {"llm-foundry", ">= 0.1",
     "llm-foundry scripts/train/yamls: fused_crossentropy, flash attention, "
     "low-precision layer norms",
     Loss::kInPlace, kFused, Attention::kFlash, kMixed32, kFull, true, true},
    {"megatron", "core >= 0.5",
     "Megatron-LM theoretical_memory_usage.py; vocab_parallel_cross_entropy; "
     "TransformerEngine layers",
     Loss::kVocabParallel, kFused, Attention::kFlash, kMegatron, kNone, false,
     false},
    {"deepspeed", ">= 0.10",
     "DeepSpeed runtime/bf16_optimizer.py, zero/stage_1_and_2.py, stage3.py",
     kUpcast, kUnfused, Attention::kSdpa, kMaster16, kNone, false, true},
    {"fsdp_qlora", "2024.03",
     "AnswerDotAI/fsdp_qlora train.py: adapters in the base's 16 bits, so that "
     "FSDP can flatten them",
     kUpcastCopy, kUnfused, Attention::kSdpa, kPure16, kFull, true, false},
    {"colossalai", ">= 0.4",
     "ColossalAI zero/low_level: gradients kept through the step; shardformer "
     "cross entropy",
     Loss::kInPlace, kUnfused, Attention::kFlash, kMaster16, kNone, false, true,
     0, false, false, false, false, true},
};
// clang-format on

}  // namespace

std::span<const Profile> profiles() { return kProfiles; }

const Profile* find_profile(std::string_view name) {
  for (const Profile& profile : kProfiles) {
    if (profile.name == name) return &profile;
  }
  return nullptr;
}

Settings apply(const Profile& profile, Settings settings) {
  settings.loss = profile.loss;
  settings.kernels = profile.kernels;
  settings.attention = profile.attention;
  settings.checkpointing = profile.checkpointing;
  settings.foreach_step = profile.foreach_step;
  settings.adapter.bits32 = profile.adapters32;
  const bool quantised = settings.method == Method::kLora &&
                         settings.base != BaseStorage::k16Bit &&
                         settings.base != BaseStorage::k32Bit;
  settings.kept_input_bytes = quantised ? profile.kept_input_bytes : 0;
  settings.fsdp2 = profile.fsdp2;
  settings.unties_head = profile.unties_head;
  settings.loads_whole = profile.loads_whole;
  settings.holds_gradients |= profile.holds_gradients;
  settings.upcast_frozen = quantised && profile.upcast_frozen;
  settings.precision = settings.method == Method::kFull ? profile.full_precision
                                                        : Precision::kPure16;
  return settings;
}

}  // namespace trainsight::memory
