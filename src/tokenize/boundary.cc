#include "tokenize/boundary.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

#include "tokenize/unicode_classes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace trainsight::tokenize {
namespace {

// Class numbers of bytes, one bitmap for each of their four bits.
using Planes = std::array<std::uint64_t, 4>;

// What a byte is; none of these beyond ASCII.
enum AsciiFlag : std::uint8_t {
  kUpper = 1,
  kLower = 2,
  kDigit = 4,
  kBlank = 8,
  kNewline = 16,
  kSpace = 32,  // blank too
  kApostrophe = 64,
  kSlash = 128,
};
constexpr std::array<std::uint8_t, 256> kAsciiFlags = [] {
  std::array<std::uint8_t, 256> flags{};
  for (std::size_t b = 0; b < 128; ++b) {
    switch (class_of(static_cast<char32_t>(b))) {
      case CharClass::kUpper:
        flags[b] = kUpper;
        break;
      case CharClass::kLower:
        flags[b] = kLower;
        break;
      case CharClass::kNumber:
        flags[b] = kDigit;
        break;
      case CharClass::kSpace:
        flags[b] = kBlank;
        break;
      case CharClass::kNewline:
        flags[b] = kNewline;
        break;
      default:
        break;
    }
  }
  flags[' '] |= kSpace;
  flags['\''] = kApostrophe;
  flags['/'] = kSlash;
  return flags;
}();

namespace portable {
#include "tokenize/boundary_kernel.inc"
#include "tokenize/boundary_portable.inc"
}  // namespace portable

#if defined(__x86_64__)

#if defined(__clang__)
#pragma clang attribute push(                              \
    __attribute__((target("avx2,bmi,bmi2,lzcnt,popcnt"))), \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target("avx2,bmi,bmi2,lzcnt,popcnt")
#endif

namespace avx2 {
// clang-format off
// In this order, and the first once for each set.
#include "tokenize/boundary_kernel.inc"  // NOLINT(readability-duplicate-include)
#include "tokenize/boundary_avx2.inc"
// clang-format on
}  // namespace avx2

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#if defined(__clang__)
#pragma clang attribute push(                                              \
    __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi," \
                          "bmi,bmi2,lzcnt,popcnt"))),                      \
    apply_to = function)
#else
#pragma GCC push_options
#pragma GCC target( \
    "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,bmi,bmi2,lzcnt,popcnt")
#endif

namespace avx512 {
// clang-format off
// In this order, and the first once for each set.
#include "tokenize/boundary_kernel.inc"  // NOLINT(readability-duplicate-include)
#include "tokenize/boundary_avx512.inc"
// clang-format on
}  // namespace avx512

#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif

#endif  // __x86_64__

constexpr WordKernel kPortable = {"portable", portable::find_words,
                                  portable::count_words};
#if defined(__x86_64__)
constexpr WordKernel kAvx2 = {"avx2", avx2::find_words, avx2::count_words};
constexpr WordKernel kAvx512 = {"avx512", avx512::find_words,
                                avx512::count_words};
#endif

}  // namespace

bool has_kernel(Pattern pattern) {
  return pattern != Pattern::kNone && pattern != Pattern::kRegex;
}

std::span<const WordKernel* const> kernels() {
  static const std::vector<const WordKernel*> here = [] {
    std::vector<const WordKernel*> list;
#if defined(__x86_64__)
    const bool bits = __builtin_cpu_supports("bmi2") != 0;
    if (bits && __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
      list.push_back(&kAvx512);
    }
    if (bits && __builtin_cpu_supports("avx2")) list.push_back(&kAvx2);
#endif
    list.push_back(&kPortable);
    return list;
  }();
  return here;
}

const WordKernel& best_kernel() { return *kernels().front(); }

}  // namespace trainsight::tokenize
