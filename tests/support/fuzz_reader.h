// What the fuzz targets of the file formats have in common.
#ifndef TRAINSIGHT_TESTS_SUPPORT_FUZZ_READER_H_
#define TRAINSIGHT_TESTS_SUPPORT_FUZZ_READER_H_

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "support/memory_source.h"
#include "support/read_rows.h"
#include "trainsight/scan/format_table.h"

namespace trainsight::tests {

using OpenFormat = Result<std::unique_ptr<scan::Reader>> (*)(
    std::unique_ptr<io::ByteSource>, const scan::ReadOptions&);

/// Small limits, so that an input that is a bomb ends soon.
inline scan::ReadOptions fuzz_options(std::uint64_t chunk_bytes) {
  scan::ReadOptions options;
  options.chunk_bytes = chunk_bytes;
  options.max_record_bytes = 1 << 20;
  options.max_values = 1000;
  options.expansion_floor_bytes = 1 << 18;
  options.max_expansion_ratio = 16;
  return options;
}

/// Reads the input to its end and visits every value; the sum of what was seen,
/// 0 when it cannot be opened. `step`: see MemorySource.
inline std::uint64_t fuzz_read(OpenFormat open, std::string_view input,
                               std::size_t step, std::uint64_t chunk_bytes) {
  constexpr std::uint64_t kMaxRows = 1'000'000;
  Result<std::unique_ptr<scan::Reader>> reader = open(
      std::make_unique<MemorySource>(input, step), fuzz_options(chunk_bytes));
  return reader ? visit_all(**reader, kMaxRows) : 0;
}

inline std::string_view fuzz_input(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// A crash for libFuzzer, whether or not assertions are compiled.
inline void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace trainsight::tests

#endif  // TRAINSIGHT_TESTS_SUPPORT_FUZZ_READER_H_
