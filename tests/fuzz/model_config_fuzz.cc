// config.json of any bytes: refused, or a shape that can be counted.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "trainsight/models/config_json.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace trainsight::models;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto config = parse_config_json(json, "config.json");
  if (!config) return 0;
  if (!check(config->shape)) std::abort();
  const ParameterCounts counts = count_parameters(config->shape);
  // No sum has wrapped around: the whole is at least each of its parts.
  if (counts.total < counts.embedding || counts.total < counts.layer_linears ||
      counts.total > std::uint64_t{1} << 56) {
    std::abort();
  }
  return 0;
}
