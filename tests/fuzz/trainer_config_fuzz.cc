// A trainer's file of any bytes: refused, or settings that have words.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "trainsight/trainers/config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace trainsight::trainers;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  auto config = parse_trainer_config(text, "fuzz");
  if (!config) return 0;
  for (const auto& [setting, word] : config->settings) {
    if (word.empty() || name_of(setting).empty()) std::abort();
  }
  TrainerConfig other = *config;
  merge(*config, other);
  return 0;
}
