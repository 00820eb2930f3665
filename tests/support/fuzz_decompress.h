// Decompressing in two ways, for the fuzz targets of gzip and zstd.
#ifndef TRAINSIGHT_TESTS_SUPPORT_FUZZ_DECOMPRESS_H_
#define TRAINSIGHT_TESTS_SUPPORT_FUZZ_DECOMPRESS_H_

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "scan/decompressing_source.h"
#include "support/fuzz_reader.h"

namespace trainsight::tests {

/// The bytes of a compressed input up to its end or fault.
inline std::string decompressed(std::string_view input,
                                scan::Compression compression, std::size_t step,
                                std::size_t read_bytes) {
  const auto source = scan::make_decompressing_source(
      std::make_unique<MemorySource>(input, step), compression,
      fuzz_options(4096));
  std::string text;
  std::vector<char> buffer(read_bytes);
  while (true) {
    const Result<std::size_t> got = source->read(buffer);
    if (!got || *got == 0) return text;
    text.append(buffer.data(), *got);
  }
}

/// Mapped at once and streamed in small steps give the same; where a limit or
/// a fault ends one, both have the same beginning.
inline void fuzz_decompress(std::string_view input,
                            scan::Compression compression) {
  const std::string whole = decompressed(input, compression, 0, 1 << 16);
  const std::string pieces = decompressed(input, compression, 5, 1000);
  const std::size_t both = std::min(whole.size(), pieces.size());
  require(whole.compare(0, both, pieces, 0, both) == 0);
}

}  // namespace trainsight::tests

#endif  // TRAINSIGHT_TESTS_SUPPORT_FUZZ_DECOMPRESS_H_
