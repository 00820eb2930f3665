// Snapshots of any bytes: refused with a reason, or with figures that a run can
// have.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "trainsight/manifest/snapshot.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace trainsight::manifest;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto s = parse_snapshot(json, "fuzz");
  if (!s) {
    if (s.error().message.empty()) std::abort();
    return 0;
  }
  const bool has_peak = s->peak_allocated_bytes || s->peak_device_bytes;
  if (!has_peak && !s->step_seconds) std::abort();
  if (s->step_seconds && !(*s->step_seconds > 0)) std::abort();
  if (s->largest_batch &&
      (s->largest_batch->sequences == 0 || s->largest_batch->length == 0)) {
    std::abort();
  }
  return 0;
}
