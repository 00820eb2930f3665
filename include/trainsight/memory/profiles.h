// Framework profiles: what a trainer's code does by default that decides its
// memory. Facts about versions of code, as data; the numbers that follow from
// them are in coefficients.h.
//
// A profile is applied first, what a person states afterwards. Thread-safety:
// constant.
#ifndef TRAINSIGHT_MEMORY_PROFILES_H_
#define TRAINSIGHT_MEMORY_PROFILES_H_

#include <optional>
#include <span>
#include <string_view>

#include "trainsight/memory/settings.h"

namespace trainsight::memory {

struct Profile {
  std::string_view name;      ///< "trl"
  std::string_view versions;  ///< "transformers >= 4.45"
  std::string_view source;    ///< where the facts are written
  Loss loss = Loss::kUpcast;
  Kernels kernels = Kernels::kUnfused;
  Attention attention = Attention::kSdpa;
  Precision full_precision = Precision::kMixed32;  ///< of full fine-tuning
  Checkpointing checkpointing = Checkpointing::kNone;
  bool foreach_step = true;
  bool adapters32 = true;
  double kept_input_bytes = 0;  ///< of 4-bit bases
  bool upcast_frozen = false;   ///< of k-bit bases
  bool fsdp2 = false;
  bool unties_head = false;
  bool loads_whole = false;
  bool holds_gradients = false;  ///< under ZeRO 1 and 2
};

/// All profiles; of one name the newest versions come first.
std::span<const Profile> profiles();

/// The newest profile of this name, or the one whose name is "name@older".
const Profile* find_profile(std::string_view name);

/// `settings` with what the profile says; method and base must be set before.
Settings apply(const Profile& profile, Settings settings);

}  // namespace trainsight::memory

#endif  // TRAINSIGHT_MEMORY_PROFILES_H_
