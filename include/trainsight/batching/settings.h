// A choice of batching in the words of a trainer's own configuration.
//
// Keys as the trainers spell them at the versions named in settings.cc; what
// a trainer cannot do is said in a comment line instead of a setting.
#ifndef TRAINSIGHT_BATCHING_SETTINGS_H_
#define TRAINSIGHT_BATCHING_SETTINGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/batching/compare.h"

namespace trainsight::batching {

enum class Trainer : std::uint8_t {
  kTrl,           ///< SFTConfig, YAML
  kAxolotl,       ///< YAML
  kLlamaFactory,  ///< YAML
  kMegatron,      ///< Megatron-Bridge overrides
  kVerl,          ///< verl SFT trainer, dotted overrides
};

std::string_view name_of(Trainer trainer);
std::optional<Trainer> trainer_named(std::string_view name);

/// Lines to paste, without line ends: "packing: true", or "# …" for what
/// the trainer does differently. `choice` as from compare() with `plan`.
std::vector<std::string> settings_for(Trainer trainer, const Choice& choice,
                                      const BatchPlan& plan);

/// What a trainer does by itself when packing is switched on, to predict it:
/// TRL bfd in windows of 1,000 rows, axolotl first-fit decreasing in groups
/// of 100,000 with over-long rows dropped, LLaMA-Factory's knapsack (the same
/// packs as first-fit decreasing) in windows of 1,000 with them dropped,
/// NeMo's first fit over a shuffle. kVerl packs by tokens at run time: none.
std::optional<PackOptions> packing_of(Trainer trainer,
                                      std::uint32_t pack_length);

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_SETTINGS_H_
