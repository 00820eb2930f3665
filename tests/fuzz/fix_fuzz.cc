// The repairs of `trainsight fix` on files of any bytes: chunks do not matter,
// and a second pass finds nothing to do.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/fixed.h"

// NOLINTNEXTLINE(readability-identifier-naming): the name libFuzzer calls.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  using namespace trainsight;
  const std::string input(reinterpret_cast<const char*>(data), size);
  for (const bool drop : {false, true}) {
    const tests::Fixed once = tests::fixed(input, drop);
    if (once.format != "jsonl" && once.format != "json") return 0;
    const tests::Fixed cut = tests::fixed(input, drop, 16);
    if (cut.refused != once.refused) std::abort();
    if (once.refused) return 0;
    if (cut.out != once.out) std::abort();
    const tests::Fixed twice = tests::fixed(once.out, drop);
    // A first line that could not be repaired may look like another format.
    if (twice.format != "jsonl") continue;
    if (twice.refused || twice.out != once.out) std::abort();
  }
  return 0;
}
