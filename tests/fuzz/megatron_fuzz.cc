// Megatron indexes: no input crashes, mapped or streamed.
#include "scan/megatron_reader.h"
#include "support/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace trainsight;
  const std::string_view input = tests::fuzz_input(data, size);
  tests::fuzz_read(scan::open_megatron, input, 0, 64);
  tests::fuzz_read(scan::open_megatron, input, 3, 1 << 20);
  return 0;
}
