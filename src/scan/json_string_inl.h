// The inside of a JSON string: where it ends and what its escapes are.
//
// Both JSON parsers use these loops. They read whole blocks: at least 64
// readable bytes must follow the end (16 for find_special()).
// Source: RFC 8259, section 7.
#ifndef TRAINSIGHT_SCAN_JSON_STRING_INL_H_
#define TRAINSIGHT_SCAN_JSON_STRING_INL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trainsight::scan {

/// Bit i is set when byte i of the 16 at `p` matters.
struct ByteMasks {
#if defined(__SSE2__)
  static __m128i load(const char* p) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  }
  static std::uint32_t bits(__m128i matches) {
    return static_cast<std::uint32_t>(_mm_movemask_epi8(matches));
  }
  /// Backslashes.
  static std::uint32_t backslashes(const char* p) {
    return bits(_mm_cmpeq_epi8(load(p), _mm_set1_epi8('\\')));
  }
  static std::uint64_t backslashes64(const char* p) {
    const std::uint64_t low = backslashes(p) | backslashes(p + 16) << 16;
    const std::uint64_t high = backslashes(p + 32) | backslashes(p + 48) << 16;
    return low | high << 32;
  }
  /// Quotes, backslashes and control characters: all that can end a plain run.
  static std::uint32_t specials(const char* p) {
    const __m128i block = load(p);
    const __m128i quote = _mm_cmpeq_epi8(block, _mm_set1_epi8('"'));
    const __m128i slash = _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'));
    // min(b, 0x1F) == b for unsigned b <= 0x1F.
    const __m128i control =
        _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1F)), block);
    return bits(_mm_or_si128(_mm_or_si128(quote, slash), control));
  }
#else
  template <typename Test>
  static std::uint32_t bits_where(const char* p, Test test) {
    std::uint32_t mask = 0;
    for (std::uint32_t i = 0; i < 16; ++i) {
      if (test(static_cast<unsigned char>(p[i]))) mask |= 1u << i;
    }
    return mask;
  }
  static std::uint32_t backslashes(const char* p) {
    return bits_where(p, [](unsigned char c) { return c == '\\'; });
  }
  static std::uint64_t backslashes64(const char* p) {
    std::uint64_t mask = 0;
    for (int i = 0; i < 4; ++i) {
      mask |= std::uint64_t{backslashes(p + 16 * i)} << 16 * i;
    }
    return mask;
  }
  static std::uint32_t specials(const char* p) {
    return bits_where(
        p, [](unsigned char c) { return c == '\\' || c == '"' || c < 0x20; });
  }
#endif
};

/// The first quote, backslash or control character in [p, end), or `end`.
inline const char* find_special(const char* p, const char* end) {
  for (; p < end; p += 16) {
    const std::uint32_t mask = ByteMasks::specials(p);
    if (mask == 0) continue;
    const char* const found = p + __builtin_ctz(mask);
    return found < end ? found : end;
  }
  return end;
}

/// What is known of a string's escapes.
struct EscapeFacts {
  std::uint64_t saved_bytes = 0;  ///< escaped size less size in UTF-8
  bool any = false;
  bool lone_surrogate = false;
};

/// Value of each byte as a hex digit; 0x80 for what is none.
inline std::uint32_t hex_value(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte - unsigned{'0'} < 10) return byte - unsigned{'0'};
  const unsigned letter = (byte | 0x20u) - unsigned{'a'};
  return letter < 6 ? letter + 10 : 0x80;
}

/// The 16 bits of four hex digits at `p`; above 0xFFFF when they are none.
inline std::uint32_t hex4(const char* p) {
  const std::uint32_t a = hex_value(p[0]);
  const std::uint32_t b = hex_value(p[1]);
  const std::uint32_t c = hex_value(p[2]);
  const std::uint32_t d = hex_value(p[3]);
  if (((a | b | c | d) & 0x80) != 0) return 0x10000;
  return a << 12 | b << 8 | c << 4 | d;
}

/// Passes the escape at `p` (a backslash) of a string that ends at or before
/// `end`. The position after it, or nullptr when it is no valid escape; adds
/// to `facts`.
inline const char* pass_escape(const char* p, const char* end,
                               EscapeFacts& facts) {
  if (end - p < 2) return nullptr;
  facts.any = true;
  switch (p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
      facts.saved_bytes += 1;
      return p + 2;
    case 'u':
      break;
    default:
      return nullptr;
  }
  if (end - p < 6) return nullptr;
  const std::uint32_t unit = hex4(p + 2);
  if (unit > 0xFFFF) return nullptr;
  if (unit < 0xD800 || unit > 0xDFFF) {
    facts.saved_bytes += unit < 0x80 ? 5 : unit < 0x800 ? 4 : 3;
    return p + 6;
  }
  if (unit < 0xDC00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
    const std::uint32_t low = hex4(p + 8);
    if (low >= 0xDC00 && low <= 0xDFFF) {
      facts.saved_bytes += 8;  // twelve bytes for four
      return p + 12;
    }
  }
  facts.lone_surrogate = true;
  facts.saved_bytes += 3;  // becomes U+FFFD
  return p + 6;
}

/// The characters that make an escape of two bytes.
inline constexpr std::array<bool, 256> kShortEscapes = [] {
  std::array<bool, 256> table{};
  for (const char c : {'"', '\\', '/', 'b', 'f', 'n', 'r', 't'}) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}();

/// Checks every escape of the string bytes [p, end), which hold no unescaped
/// quote. False when one is not valid.
///
/// Line feeds are escaped every few dozen bytes in most texts: 64 bytes are
/// looked at together, and the usual escapes passed without a branch on which
/// one it is.
inline bool check_escapes(const char* p, const char* end, EscapeFacts& facts) {
  while (p < end) {
    const auto left = static_cast<std::size_t>(end - p);
    std::uint64_t mask =
        left <= 16 ? ByteMasks::backslashes(p) : ByteMasks::backslashes64(p);
    if (left < 64) mask &= (std::uint64_t{1} << left) - 1;
    const char* next = p + 64;
    while (mask != 0) {
      const int i = __builtin_ctzll(mask);
      if (kShortEscapes[static_cast<unsigned char>(p[i + 1])]) {
        facts.any = true;
        ++facts.saved_bytes;
        // The byte after the backslash is passed, too.
        mask &= ~(std::uint64_t{3} << i);
        if (i == 63) ++next;
        continue;
      }
      const char* const after = pass_escape(p + i, end, facts);
      if (after == nullptr) return false;
      const auto passed = static_cast<std::size_t>(after - p);
      if (passed >= 64) {
        next = after;
        break;
      }
      mask &= ~std::uint64_t{0} << passed;
    }
    p = next;
  }
  return true;
}

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSON_STRING_INL_H_
