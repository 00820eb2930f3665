// A safetensors file's first bytes and an index of any bytes.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "trainsight/models/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace trainsight::models;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto length = header_bytes(bytes);
  if (length) {
    const auto totals =
        parse_safetensors_header(bytes.substr(8, *length), "fuzz");
    if (totals) {
      std::uint64_t sum = 0;
      for (const auto& [dtype, count] : totals->by_dtype) sum += count;
      if (sum != totals->parameters) std::abort();
    }
  }
  (void)parse_safetensors_header(bytes, "fuzz");
  (void)parse_weight_index(bytes, "fuzz");
  return 0;
}
