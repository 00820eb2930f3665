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

struct Chunk;
inline std::uint64_t classify_ascii(Chunk& c, std::size_t w);
inline std::uint64_t classify_common(const char* text, std::uint64_t leads,
                                     Planes& planes, Planes& spill);
inline std::uint64_t cjk_leads(const char* text);
inline std::uint64_t control_bytes(const char* text);

#include "tokenize/boundary_kernel.inc"

// Bit i of the result is bit 7 of byte i.
inline std::uint64_t high_bits(std::uint64_t bytes) {
  return ((bytes >> 7) & 0x0101010101010101U) * 0x0102040810204080U >> 56;
}

// Fills the classes that ASCII has; returns the bytes beyond ASCII.
inline std::uint64_t classify_ascii(Chunk& c, std::size_t w) {
  const char* text = c.text + (w - 1) * 64;
  std::array<std::uint64_t, 8> bits{};
  std::uint64_t wide = 0;
  std::uint64_t above_c0 = 0;
  for (std::size_t i = 0; i < 64; i += 8) {
    std::uint64_t bytes = 0;
    std::uint64_t flags = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      const auto byte = static_cast<unsigned char>(text[i + j]);
      bytes |= std::uint64_t{byte} << (8 * j);
      flags |= std::uint64_t{kAsciiFlags[byte]} << (8 * j);
    }
    for (std::size_t k = 0; k < 8; ++k) {
      bits[k] |= high_bits(flags << (7 - k)) << i;
    }
    wide |= high_bits(bytes) << i;
    above_c0 |= high_bits(bytes & bytes << 1) << i;
  }
  c.upper[w] = bits[0];
  c.lower[w] = bits[1];
  c.digit[w] = bits[2];
  c.blank[w] = bits[3];
  c.newline[w] = bits[4];
  c.space[w] = bits[5];
  c.apostrophe[w] = bits[6];
  c.slash[w] = bits[7];
  c.caseless[w] = 0;
  c.mark[w] = 0;
  c.continuation[w] = wide & ~above_c0;
  return wide;
}

// No characters are classed by vectors here.
inline std::uint64_t classify_common(const char*, std::uint64_t, Planes&,
                                     Planes&) {
  return 0;
}

// The first bytes of U+3040..U+30FF and U+4E00..U+9FA5 among 64.
inline std::uint64_t cjk_leads(const char* text) {
  std::uint64_t leads = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto byte = [&](std::size_t at) {
      return static_cast<std::uint32_t>(static_cast<unsigned char>(text[at]));
    };
    const std::uint32_t c = byte(i) << 16 | byte(i + 1) << 8 | byte(i + 2);
    const bool is_cjk =
        (c >= 0xE38180 && c <= 0xE383BF) || (c >= 0xE4B880 && c <= 0xE9BEA5);
    leads |= std::uint64_t{is_cjk} << i;
  }
  return leads;
}

// ASCII's controls, but for those that are white space, among 64 bytes.
inline std::uint64_t control_bytes(const char* text) {
  std::uint64_t controls = 0;
  for (std::size_t i = 0; i < 64; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool is_control =
        byte == 0x7F || byte < 0x09 || (byte >= 0x0E && byte < 0x20);
    controls |= std::uint64_t{is_control} << i;
  }
  return controls;
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
inline std::uint64_t classify_common(const char* text, std::uint64_t leads,
                                     Planes& planes, Planes& spill);
inline std::uint64_t cjk_leads(const char* text);
inline std::uint64_t control_bytes(const char* text);

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
inline std::uint64_t classify_common(const char* text, std::uint64_t leads,
                                     Planes& planes, Planes&) {
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
  const std::uint64_t caseless_bytes = caseless | caseless << 1 | caseless << 2;
  planes[0] |= upper | upper << 1 | caseless_bytes;
  planes[1] |= lower | lower << 1 | caseless_bytes;
  return upper | lower | caseless;
}

// See above.
inline std::uint64_t cjk_leads(const char* text) {
  const auto block_at = [text](std::size_t at) {
    return Block{
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + at)),
        _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + at + 32))};
  };
  const Block first = block_at(0);
  const Block second = block_at(1);
  const Block third = block_at(2);
  const std::uint64_t kana = equal(first, '\xE3') & in_range(second, 0x81, 3);
  const std::uint64_t from_4e00 =
      equal(first, '\xE4') & in_range(second, 0xB8, 8);
  const std::uint64_t to_9fa5 =
      equal(first, '\xE9') &
      (in_range(second, 0x80, 0x3E) |
       (equal(second, '\xBE') & in_range(third, 0x80, 0x26)));
  return kana | from_4e00 | in_range(first, 0xE5, 4) | to_9fa5;
}

// See above.
inline std::uint64_t control_bytes(const char* text) {
  const Block block = {
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text)),
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(text + 32))};
  return in_range(block, 0, 9) | in_range(block, 0x0E, 0x12) |
         equal(block, '\x7F');
}

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

struct Chunk;
inline std::uint64_t classify_ascii(Chunk& c, std::size_t w);
inline std::uint64_t classify_common(const char* text, std::uint64_t leads,
                                     Planes& planes, Planes& spill);
inline std::uint64_t cjk_leads(const char* text);
inline std::uint64_t control_bytes(const char* text);

#include "tokenize/boundary_kernel.inc"

inline std::uint64_t equal(const __m512i& bytes, int byte) {
  return _mm512_cmpeq_epi8_mask(bytes,
                                _mm512_set1_epi8(static_cast<char>(byte)));
}

// first <= byte < first + count.
inline std::uint64_t in_range(const __m512i& bytes, int first, int count) {
  return _mm512_cmplt_epu8_mask(
      _mm512_sub_epi8(bytes, _mm512_set1_epi8(static_cast<char>(first))),
      _mm512_set1_epi8(static_cast<char>(count)));
}

// Fills the classes that ASCII has; returns the bytes beyond ASCII.
inline std::uint64_t classify_ascii(Chunk& c, std::size_t w) {
  const __m512i block = _mm512_loadu_si512(c.text + (w - 1) * 64);
  const std::uint64_t wide = _mm512_movepi8_mask(block);
  const __m512i low = _mm512_loadu_si512(kAsciiFlags.data());
  const __m512i high = _mm512_loadu_si512(kAsciiFlags.data() + 64);
  const __m512i flags = _mm512_maskz_permutex2var_epi8(~wide, low, block, high);
  const auto with = [&](int flag) -> std::uint64_t {
    return _mm512_test_epi8_mask(flags,
                                 _mm512_set1_epi8(static_cast<char>(flag)));
  };
  c.upper[w] = with(kUpper);
  c.lower[w] = with(kLower);
  c.digit[w] = with(kDigit);
  c.blank[w] = with(kBlank);
  c.newline[w] = with(kNewline);
  c.space[w] = with(kSpace);
  c.apostrophe[w] = with(kApostrophe);
  c.slash[w] = with(kSlash);
  c.caseless[w] = 0;
  c.mark[w] = 0;
  c.continuation[w] =
      wide & ~_mm512_cmpge_epu8_mask(block, _mm512_set1_epi8('\xC0'));
  return wide;
}

// g++ 12 calls what its unmasked permutations and insertions leave alone
// uninitialized: those with a mask are used here, with every bit set.
constexpr std::uint64_t kAll = ~std::uint64_t{0};

// The classes of 128 neighbouring characters, two in a byte, from `first` on.
inline __m512i classes_of(char32_t first) {
  using namespace unicode_tables;
  const auto* const low = kBlocks[kBlockOf[first >> 6]];
  const auto* const high = kBlocks[kBlockOf[(first >> 6) + 1]];
  return _mm512_maskz_inserti64x4(
      0xFF,
      _mm512_castsi256_si512(
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(low))),
      _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high)), 1);
}

// Classes of the characters of two and three bytes. Ideographs first; what is
// left mostly belongs to few blocks of 128 characters, each of which is looked
// up at once for all of its characters. `leads` are first bytes; returns those
// whose characters are done.
inline std::uint64_t classify_common(const char* text, std::uint64_t leads,
                                     Planes& planes, Planes& spill) {
  constexpr int kMostBlocks = 6;
  const __m512i first = _mm512_loadu_si512(text);
  const __m512i second = _mm512_loadu_si512(text + 1);
  const std::uint64_t threes =
      leads & _mm512_cmpge_epu8_mask(first, _mm512_set1_epi8('\xE0'));
  // U+4E00..U+9FFF, by U+4000..U+9FFF without the hexagrams from U+4DC0 on.
  const std::uint64_t ideographs = leads & in_range(first, 0xE4, 6) &
                                   ~(equal(first, 0xE4) & equal(second, 0xB7));
  std::uint64_t left = leads & ~ideographs &
                       ~_mm512_cmpge_epu8_mask(first, _mm512_set1_epi8('\xF0'));
  Planes at = {ideographs, ideographs, 0, 0};
  if (left != 0) {
    const __m512i third = _mm512_loadu_si512(text + 2);
    const __m512i low_six = _mm512_set1_epi8(0x3F);
    // A character's number in its block: the last bit of the byte before the
    // last, and the last byte's six.
    const auto number = [&](const __m512i& before, const __m512i& last) {
      const __m512i bit = _mm512_and_si512(before, _mm512_set1_epi8(1));
      return _mm512_or_si512(_mm512_slli_epi16(bit, 6),
                             _mm512_and_si512(last, low_six));
    };
    const __m512i numbers = _mm512_mask_blend_epi8(
        threes, number(first, second), number(second, third));
    const __m512i halves =
        _mm512_and_si512(_mm512_srli_epi16(numbers, 1), low_six);
    const std::uint64_t odd =
        _mm512_test_epi8_mask(numbers, _mm512_set1_epi8(1));
    const __m512i even_first =
        _mm512_and_si512(first, _mm512_set1_epi8('\xFE'));
    const __m512i even_second =
        _mm512_and_si512(second, _mm512_set1_epi8('\xFE'));
    const __m512i nibble = _mm512_set1_epi8(0x0F);
    __m512i classes = _mm512_setzero_si512();
    for (int blocks = 0; blocks < kMostBlocks && left != 0; ++blocks) {
      const auto i = static_cast<std::size_t>(std::countr_zero(left));
      const auto lead = static_cast<unsigned char>(text[i]);
      const auto next = static_cast<unsigned char>(text[i + 1]);
      std::uint64_t same = 0;
      char32_t begin = 0;
      if (lead < 0xE0) {
        same = left & ~threes & equal(even_first, lead & 0xFE);
        begin = (lead & 0x1EU) << 6;
      } else {
        same = left & equal(first, lead) & equal(even_second, next & 0xFE);
        begin = (lead & 0x0FU) << 12 | (next & 0x3EU) << 6;
      }
      const __m512i pairs =
          _mm512_maskz_permutexvar_epi8(kAll, halves, classes_of(begin));
      const __m512i here = _mm512_and_si512(
          _mm512_mask_blend_epi8(odd, pairs, _mm512_srli_epi16(pairs, 4)),
          nibble);
      classes = _mm512_mask_mov_epi8(classes, same, here);
      left &= ~same;
    }
    for (std::size_t k = 0; k < 4; ++k) {
      at[k] |= _mm512_test_epi8_mask(
          classes, _mm512_set1_epi8(static_cast<char>(1U << k)));
    }
  }
  for (std::size_t k = 0; k < 4; ++k) {
    const std::uint64_t bits = at[k];
    planes[k] |= bits | bits << 1 | (bits & threes) << 2;
    spill[k] |= bits >> 63 | (bits & threes) >> 62;
  }
  const std::uint64_t fours =
      leads & _mm512_cmpge_epu8_mask(first, _mm512_set1_epi8('\xF0'));
  return leads & ~left & ~fours;
}

// See above.
inline std::uint64_t cjk_leads(const char* text) {
  const __m512i first = _mm512_loadu_si512(text);
  const __m512i second = _mm512_loadu_si512(text + 1);
  const __m512i third = _mm512_loadu_si512(text + 2);
  const std::uint64_t kana = equal(first, 0xE3) & in_range(second, 0x81, 3);
  const std::uint64_t from_4e00 =
      equal(first, 0xE4) & in_range(second, 0xB8, 8);
  const std::uint64_t to_9fa5 =
      equal(first, 0xE9) &
      (in_range(second, 0x80, 0x3E) |
       (equal(second, 0xBE) & in_range(third, 0x80, 0x26)));
  return kana | from_4e00 | in_range(first, 0xE5, 4) | to_9fa5;
}

// See above.
inline std::uint64_t control_bytes(const char* text) {
  const __m512i block = _mm512_loadu_si512(text);
  return in_range(block, 0, 9) | in_range(block, 0x0E, 0x12) |
         equal(block, 0x7F);
}

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
