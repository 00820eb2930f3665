// CSV, TSV and plain text: the rows do not depend on how the bytes come.
#include "scan/csv_reader.h"
#include "scan/text_lines_reader.h"
#include "support/fuzz_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace trainsight;
  const std::string_view input = tests::fuzz_input(data, size);
  for (const tests::OpenFormat open :
       {scan::open_csv, scan::open_tsv, scan::open_text_lines}) {
    const std::uint64_t whole = tests::fuzz_read(open, input, 0, 1 << 20);
    tests::require(tests::fuzz_read(open, input, 0, 1) == whole);
    tests::require(tests::fuzz_read(open, input, 7, 13) == whole);
  }
  return 0;
}
