// dataset_info.json of any bytes: read, turned into a column mapping, parsed.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "trainsight/records/dataset_info.h"
#include "trainsight/records/known_keys.h"

// NOLINTNEXTLINE(readability-identifier-naming): the name libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace trainsight;
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto all = records::parse_dataset_info(json, "dataset_info.json");
  if (!all) {
    if (all.error().message.empty()) std::abort();
    return 0;
  }
  for (const records::Registration& registration : *all) {
    const auto spec = records::column_spec(registration);
    // What it gives is a mapping: nothing in it is unknown.
    if (spec && !records::ColumnMap::parse(*spec)) std::abort();
  }
  return 0;
}
