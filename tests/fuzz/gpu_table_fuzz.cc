// A GPU table of any bytes: refused, or a table that can be searched.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "trainsight/hardware/gpu_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace trainsight::hardware;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto table = parse_gpu_table(json, "fuzz");
  if (!table) return 0;
  for (const Gpu& gpu : *table) {
    if (!(gpu.usable_gib > 0) || find_gpu(*table, gpu.name) == nullptr) {
      std::abort();
    }
  }
  return 0;
}
