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
constexpr Checkpointing kOffloaded = Checkpointing::kOffloaded;

// clang-format off
constexpr Profile kProfiles[] = {
    {"trl", "transformers >= 4.45",
     "transformers loss/loss_utils.py ForCausalLMLoss; trainer optim "
     "adamw_torch; peft tuners_utils.py autocast_adapter_dtype",
     kUpcast, kUnfused, Attention::kSdpa, kMixed32, kNone, true, true, false,
     false},
    {"trl@4.44", "transformers < 4.45",
     "transformers modeling_llama.py v4.44: logits.float(), shift_logits "
     "contiguous; peft prepare_model_for_kbit_training",
     kUpcastCopy, kUnfused, Attention::kSdpa, kMixed32, kNone, true, true,
     false, true},
    {"axolotl", ">= 0.9",
     "axolotl docs: bf16 loads in 16 bits; cut_cross_entropy and liger are "
     "plugins",
     kUpcast, kUnfused, Attention::kFlash, kPure16, kNone, true, true, false,
     false},
    {"llama-factory", ">= 0.6",
     "LLaMA-Factory src/llamafactory/model/model_utils: checkpointing on, "
     "layernorms upcast",
     kUpcast, kUnfused, Attention::kSdpa, kMixed32, Checkpointing::kFull, true,
     true, false, false},
    {"unsloth", ">= 2024.11",
     "unsloth-zoo: fused linear cross entropy, use_gradient_checkpointing="
     "\"unsloth\"",
     Loss::kFusedLinear, kFused, Attention::kFlash, kPure16, kOffloaded, false,
     true, false, false},
    {"litgpt", ">= 0.3",
     "litgpt utils.py chunked_cross_entropy; config_hub bf16-true; torch AdamW",
     Loss::kHalf, kUnfused, Attention::kSdpa, kPure16, kNone, true, false, true,
     false},
    {"torchtune", ">= 0.4",
     "torchtune CEWithChunkedOutputLoss; recipes fused=True, dtype bf16",
     Loss::kChunked, kUnfused, Attention::kSdpa, kPure16, Checkpointing::kFull,
     false, false, false, false},
    {"torchtitan", "2024.12",
     "torchtitan train_configs: FSDP2 mixed precision, fused AdamW, "
     "selective checkpointing \"op\"",
     kUpcast, kUnfused, Attention::kSdpa, kMixed32, Checkpointing::kOperators,
     false, true, false, false},
    {"megatron", "core >= 0.5",
     "Megatron-LM theoretical_memory_usage.py; vocab_parallel_cross_entropy; "
     "TransformerEngine layers",
     Loss::kVocabParallel, kFused, Attention::kFlash, kMegatron, kNone, false,
     false, false, false},
    {"deepspeed", ">= 0.10",
     "DeepSpeed runtime/bf16_optimizer.py, zero/stage_1_and_2.py, stage3.py",
     kUpcast, kUnfused, Attention::kSdpa, kMaster16, kNone, false, true, false,
     false},
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
  settings.keeps_linear_inputs = quantised && profile.keeps_linear_inputs;
  settings.upcast_frozen = quantised && profile.upcast_frozen;
  settings.precision = settings.method == Method::kFull ? profile.full_precision
                                                        : Precision::kPure16;
  return settings;
}

}  // namespace trainsight::memory
