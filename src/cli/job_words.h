// The words that flags and files of a job take, one table a setting.
//
// Internal to cli.
#ifndef TRAINSIGHT_CLI_JOB_WORDS_H_
#define TRAINSIGHT_CLI_JOB_WORDS_H_

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"
#include "trainsight/memory/settings.h"
#include "trainsight/plan/plan.h"

namespace trainsight::cli::words {

using memory::Attention;
using memory::BaseStorage;
using memory::Checkpointing;
using memory::Kernels;
using memory::Loss;
using memory::Method;
using memory::Objective;
using memory::Offload;
using memory::Optimizer;
using memory::Precision;
using memory::Sharding;

template <typename E>
struct Word {
  std::string_view word;
  E value;
};

inline constexpr Word<BaseStorage> kBases[] = {
    {"16bit", BaseStorage::k16Bit}, {"32bit", BaseStorage::k32Bit},
    {"int8", BaseStorage::kInt8},   {"gptq4", BaseStorage::kGptq4},
    {"nf4", BaseStorage::kNf4},     {"nf4-double", BaseStorage::kNf4Double},
};
inline constexpr Word<Precision> kPrecisions[] = {
    {"pure16", Precision::kPure16},
    {"mixed", Precision::kMixed32},
    {"deepspeed", Precision::kMaster16},
    {"megatron", Precision::kMegatron},
};
inline constexpr Word<Optimizer> kOptimizers[] = {
    {"adamw", Optimizer::kAdamW},
    {"adamw-fused", Optimizer::kAdamW},
    {"adamw8bit", Optimizer::kAdamW8bit},
    {"paged-adamw", Optimizer::kPagedAdamW},
    {"paged-adamw8bit", Optimizer::kPagedAdamW8bit},
    {"sgd", Optimizer::kSgd},
    {"momentum", Optimizer::kMomentum},
    {"lion", Optimizer::kLion},
    {"adafactor", Optimizer::kAdafactor},
    {"muon", Optimizer::kMuon},
};
inline constexpr Word<Sharding> kShardings[] = {
    {"none", Sharding::kNone},
    {"ddp", Sharding::kDdp},
    {"zero1", Sharding::kZero1},
    {"zero2", Sharding::kZero2},
    {"zero3", Sharding::kZero3},
    {"fsdp", Sharding::kFsdp},
    {"fsdp-grad-op", Sharding::kFsdpGradOp},
};
inline constexpr Word<Offload> kOffloads[] = {
    {"none", Offload::kNone},
    {"optimizer", Offload::kOptimizer},
    {"parameters", Offload::kParameters},
};
inline constexpr Word<Checkpointing> kCheckpointings[] = {
    {"none", Checkpointing::kNone},
    {"full", Checkpointing::kFull},
    {"selective", Checkpointing::kOperators},
    {"offloaded", Checkpointing::kOffloaded},
};
inline constexpr Word<Attention> kAttentions[] = {
    {"flash", Attention::kFlash},
    {"sdpa", Attention::kSdpa},
    {"eager", Attention::kEager},
};
inline constexpr Word<Kernels> kKernels[] = {
    {"unfused", Kernels::kUnfused},
    {"fused", Kernels::kFused},
};
inline constexpr Word<Loss> kLosses[] = {
    {"upcast", Loss::kUpcast},     {"upcast-copy", Loss::kUpcastCopy},
    {"compiled", Loss::kCompiled}, {"in-place", Loss::kInPlace},
    {"16bit", Loss::kHalf},        {"vocab-parallel", Loss::kVocabParallel},
    {"chunked", Loss::kChunked},   {"fused", Loss::kFusedLinear},
};
inline constexpr Word<Objective> kObjectives[] = {
    {"sft", Objective::kSft},     {"dpo", Objective::kDpo},
    {"simpo", Objective::kSimPo}, {"orpo", Objective::kOrpo},
    {"kto", Objective::kKto},     {"grpo", Objective::kGrpo},
};
inline constexpr Word<plan::Packing> kPackings[] = {
    {"padded", plan::Packing::kPadded},
    {"packed", plan::Packing::kPacked},
    {"padding-free", plan::Packing::kPaddingFree},
};
inline constexpr Word<plan::Order> kOrders[] = {
    {"random", plan::Order::kRandom},
    {"file", plan::Order::kFile},
    {"longest-first", plan::Order::kLongestFirst},
};

inline constexpr Word<bool> kSwitch[] = {{"on", true}, {"off", false}};

/// Where a reference's log-probabilities come from.
enum class Referring : std::uint8_t { kNone, kModel };
inline constexpr Word<Referring> kReferences[] = {
    {"none", Referring::kNone},
    {"model", Referring::kModel},
};
inline constexpr Word<memory::Engine> kEngines[] = {
    {"trainer", memory::Engine::kTrainer},
    {"colocated", memory::Engine::kColocated},
    {"elsewhere", memory::Engine::kElsewhere},
};

/// All words of a table, for a person.
template <typename E>
std::string words_of(std::span<const Word<E>> words) {
  std::string text;
  for (const Word<E>& word : words) {
    if (!text.empty()) text += ", ";
    text += word.word;
  }
  return text;
}

/// Puts the value of the word that was `given`, if any, into `value`.
/// Errors: kUsage with the words that there are.
template <typename E, std::size_t N>
Status set_word(const char* flag, const std::optional<std::string>& given,
                const Word<E> (&words)[N], E& value) {
  if (!given) return {};
  for (const Word<E>& word : words) {
    if (word.word == *given) {
      value = word.value;
      return {};
    }
  }
  return Error{ErrorKind::kUsage,
               fmt::format("{}: unknown word \"{}\"", flag, *given),
               "one of " + words_of(std::span<const Word<E>>(words))};
}

}  // namespace trainsight::cli::words

#endif  // TRAINSIGHT_CLI_JOB_WORDS_H_
