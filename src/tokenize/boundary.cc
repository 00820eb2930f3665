#include "tokenize/boundary.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "tokenize/unicode_classes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace trainsight::tokenize {
namespace {

namespace portable {

struct Chunk;
inline std::uint64_t classify_ascii(Chunk& c, std::size_t w);
inline std::uint64_t classify_common(Chunk& c, std::size_t w,
                                     std::uint64_t leads);

#include "tokenize/boundary_kernel.inc"

// Bit i of the result is bit 7 of byte i.
inline std::uint64_t high_bits(std::uint64_t bytes) {
  return ((bytes >> 7) & 0x0101010101010101U) * 0x0102040810204080U >> 56;
}

// Fills the classes that ASCII has; returns the bytes beyond ASCII.
inline std::uint64_t classify_ascii(Chunk& c, std::size_t w) {
  // Bits of a byte's flags; the two highest are of bytes beyond ASCII.
  enum : std::uint8_t {
    kUpper = 1,
    kLower = 2,
    kDigit = 4,
    kBlank = 8,
    kNewline = 16,
    kMarkSlash = 32,
    kContinuation = 64,
    kWide = 128,
  };
  static constexpr std::array<std::uint8_t, 256> kFlags = [] {
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
    flags['\''] = kMarkSlash;
    flags['/'] = kMarkSlash;
    for (std::size_t b = 128; b < 192; ++b) flags[b] = kWide | kContinuation;
    for (std::size_t b = 192; b < 256; ++b) flags[b] = kWide;
    return flags;
  }();
  const char* text = c.text + (w - 1) * 64;
  std::array<std::uint64_t, 8> bits{};
  std::uint64_t space = 0;
  std::uint64_t slash = 0;
  for (std::size_t i = 0; i < 64; i += 8) {
    std::uint64_t flags = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      const auto byte = static_cast<unsigned char>(text[i + j]);
      flags |= std::uint64_t{kFlags[byte]} << (8 * j);
      space |= std::uint64_t{byte == ' '} << (i + j);
      slash |= std::uint64_t{byte == '/'} << (i + j);
    }
    for (std::size_t k = 0; k < 8; ++k) {
      bits[k] |= high_bits(flags << (7 - k)) << i;
    }
  }
  c.upper[w] = bits[0];
  c.lower[w] = bits[1];
  c.digit[w] = bits[2];
  c.blank[w] = bits[3];
  c.newline[w] = bits[4];
  c.apostrophe[w] = bits[5] & ~slash;
  c.slash[w] = slash;
  c.space[w] = space;
  c.caseless[w] = 0;
  c.mark[w] = 0;
  c.continuation[w] = bits[6];
  return bits[7];
}

// No characters are classed by vectors here.
inline std::uint64_t classify_common(Chunk&, std::size_t, std::uint64_t) {
  return 0;
}

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

struct Chunk;
inline std::uint64_t classify_ascii(Chunk& c, std::size_t w);
inline std::uint64_t classify_common(Chunk& c, std::size_t w,
                                     std::uint64_t leads);

#include "tokenize/boundary_kernel.inc"

struct Block {
  __m256i low;
  __m256i high;
};

inline std::uint64_t mask_of(__m256i low, __m256i high) {
  return static_cast<std::uint32_t>(_mm256_movemask_epi8(low)) |
         std::uint64_t{static_cast<std::uint32_t>(_mm256_movemask_epi8(high))}
             << 32;
}

inline std::uint64_t equal(const Block& block, char byte) {
  const __m256i value = _mm256_set1_epi8(byte);
  return mask_of(_mm256_cmpeq_epi8(block.low, value),
                 _mm256_cmpeq_epi8(block.high, value));
}

// first <= byte < first + count, unsigned, by one signed comparison.
inline std::uint64_t in_range(const Block& block, int first, int count) {
  const __m256i shift = _mm256_set1_epi8(static_cast<char>(-128 - first));
  const __m256i bound = _mm256_set1_epi8(static_cast<char>(-128 + count));
  return mask_of(_mm256_cmpgt_epi8(bound, _mm256_add_epi8(block.low, shift)),
                 _mm256_cmpgt_epi8(bound, _mm256_add_epi8(block.high, shift)));
}

// Fills the classes that ASCII has; returns the bytes beyond ASCII.
inline std::uint64_t classify_ascii(Chunk& c, std::size_t w) {
  const char* text = c.text + (w - 1) * 64;
  const Block block = {
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text)),
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32))};
  c.upper[w] = in_range(block, 'A', 26);
  c.lower[w] = in_range(block, 'a', 26);
  c.digit[w] = in_range(block, '0', 10);
  const std::uint64_t space = equal(block, ' ');
  const std::uint64_t newline = equal(block, '\n') | equal(block, '\r');
  c.space[w] = space;
  c.newline[w] = newline;
  c.blank[w] = (in_range(block, '\t', 5) & ~newline) | space;
  c.apostrophe[w] = equal(block, '\'');
  c.slash[w] = equal(block, '/');
  c.caseless[w] = 0;
  c.mark[w] = 0;
  const std::uint64_t wide = mask_of(block.low, block.high);
  c.continuation[w] = wide == 0 ? 0 : in_range(block, 0x80, 0x40);
  return wide;
}

// Classes of the commonest characters beyond ASCII, by their first two bytes:
// U+0400..U+042F upper case, U+0430..U+045F lower case, U+5000..U+8FFF and
// U+B000..U+CFFF letters without case. `leads` are first bytes; returns those
// whose characters are done. One that goes on in the next word is not.
inline std::uint64_t classify_common(Chunk& c, std::size_t w,
                                     std::uint64_t leads) {
  const char* text = c.text + (w - 1) * 64;
  const Block block = {
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text)),
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32))};
  const std::uint64_t twos = leads & ~(std::uint64_t{1} << 63);
  const std::uint64_t threes = leads & ~(std::uint64_t{3} << 62);
  const std::uint64_t d0 = equal(block, '\xD0') & twos;
  const std::uint64_t d1 = equal(block, '\xD1') & twos;
  const std::uint64_t from_b0 = in_range(block, 0xB0, 0x10) >> 1;
  const std::uint64_t below_a0 = in_range(block, 0x80, 0x20) >> 1;
  const std::uint64_t upper = d0 & ~from_b0;
  const std::uint64_t lower = (d0 & from_b0) | (d1 & below_a0);
  const std::uint64_t caseless =
      (in_range(block, 0xE5, 4) | in_range(block, 0xEB, 2)) & threes;
  c.upper[w] |= upper | upper << 1;
  c.lower[w] |= lower | lower << 1;
  c.caseless[w] |= caseless | caseless << 1 | caseless << 2;
  return upper | lower | caseless;
}

}  // namespace avx2

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
#endif

}  // namespace

bool has_kernel(Pattern pattern) {
  return pattern != Pattern::kNone && pattern != Pattern::kRegex &&
         pattern != Pattern::kDeepSeekV3;
}

const WordKernel& best_kernel() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2")) {
    return kAvx2;
  }
#endif
  return kPortable;
}

const WordKernel& portable_kernel() { return kPortable; }

}  // namespace trainsight::tokenize
