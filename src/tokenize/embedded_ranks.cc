#include "trainsight/tokenize/embedded_ranks.h"

#include <cstddef>

// The build defines TRAINSIGHT_O200K_FILE, the file's path as a string, when
// it has the file. The assembler copies it into the object: a byte array of
// 3.6 MB in C++ source would take the compiler many seconds and much memory.
#ifdef TRAINSIGHT_O200K_FILE

__asm__(
    ".pushsection .rodata.trainsight_o200k,\"a\",%progbits\n"
    ".balign 64\n"
    ".globl trainsight_o200k_begin\n"
    ".hidden trainsight_o200k_begin\n"
    "trainsight_o200k_begin:\n"
    ".incbin \"" TRAINSIGHT_O200K_FILE
    "\"\n"
    ".globl trainsight_o200k_end\n"
    ".hidden trainsight_o200k_end\n"
    "trainsight_o200k_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char trainsight_o200k_begin[]
    __attribute__((visibility("hidden")));
extern const char trainsight_o200k_end[] __attribute__((visibility("hidden")));
}

namespace trainsight::tokenize {

std::string_view o200k_base_ranks() {
  return {
      trainsight_o200k_begin,
      static_cast<std::size_t>(trainsight_o200k_end - trainsight_o200k_begin)};
}

}  // namespace trainsight::tokenize

#else

namespace trainsight::tokenize {

std::string_view o200k_base_ranks() { return {}; }

}  // namespace trainsight::tokenize

#endif
