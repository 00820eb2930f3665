// zstd frames: the bytes do not depend on how they are read.
#include "scan/compressed_reader.h"
#include "support/fuzz_decompress.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace trainsight;
  const std::string_view input = tests::fuzz_input(data, size);
  tests::fuzz_decompress(input, scan::Compression::kZstd);
  tests::fuzz_read(scan::open_zstd, input, 0, 4096);
  return 0;
}
