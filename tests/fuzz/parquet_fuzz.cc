// Parquet: no input crashes, hangs or fills memory, whole or cut into ranges.
#include "scan/parquet_reader.h"
#include "support/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace trainsight;
  const std::string_view input = tests::fuzz_input(data, size);
  tests::fuzz_read(scan::open_parquet, input, 0, 1 << 20);
  tests::fuzz_read(scan::open_parquet, input, 0, 64);
  return 0;
}
