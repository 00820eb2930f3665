// Steps over well-formed UTF-8, forwards and backwards.
//
// Faster than text/utf8.h's decoder since ill-formed bytes were replaced
// before; every function here REQUIRES well-formed UTF-8 and offsets that are
// borders of code points.
#ifndef TRAINSIGHT_TOKENIZE_TEXT_CURSOR_H_
#define TRAINSIGHT_TOKENIZE_TEXT_CURSOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace trainsight::tokenize {

/// Whether a byte goes on with a code point: 10xxxxxx.
inline bool is_continuation(char byte) { return (byte & '\xC0') == '\x80'; }

/// Whether all of `text` is ASCII.
inline bool is_ascii(std::string_view text) {
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t block = 0;
    std::memcpy(&block, text.data() + at, sizeof block);
    seen |= block;
  }
  for (; at < text.size(); ++at) seen |= static_cast<std::uint64_t>(text[at]);
  return (seen & 0x8080808080808080U) == 0;
}

/// Bytes of the code point that begins with `lead`.
inline std::size_t code_point_bytes(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0x80) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

/// Offset after the code point at `at`. REQUIRES: at < utf8.size().
inline std::size_t next_code_point(std::string_view utf8, std::size_t at) {
  const std::size_t next = at + code_point_bytes(utf8[at]);
  return next < utf8.size() ? next : utf8.size();
}

/// Offset of the code point that ends at `end`. REQUIRES: end > 0.
inline std::size_t previous_code_point(std::string_view utf8, std::size_t end) {
  --end;
  while (end > 0 && (static_cast<unsigned char>(utf8[end]) & 0xC0) == 0x80) {
    --end;
  }
  return end;
}

/// The code point at `at`. REQUIRES: at < utf8.size().
inline char32_t code_point_at(std::string_view utf8, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return at + i < utf8.size()
               ? static_cast<char32_t>(static_cast<unsigned char>(utf8[at + i]))
               : char32_t{0};
  };
  const char32_t lead = byte(0);
  if (lead < 0x80) return lead;
  if (lead < 0xE0) return (lead & 0x1F) << 6 | (byte(1) & 0x3F);
  if (lead < 0xF0) {
    return (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  }
  return (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 |
         (byte(3) & 0x3F);
}

/// The code point that begins at `bytes`. REQUIRES: all of it is readable.
inline char32_t code_point_of(const char* bytes) {
  const auto byte = [&](int i) {
    return static_cast<char32_t>(static_cast<unsigned char>(bytes[i]));
  };
  const char32_t lead = byte(0);
  if (lead < 0x80) return lead;
  if (lead < 0xE0) return (lead & 0x1F) << 6 | (byte(1) & 0x3F);
  if (lead < 0xF0) {
    return (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
  }
  return (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 |
         (byte(3) & 0x3F);
}

/// The bytes of the character that begins at `bytes` as one number, the first
/// byte lowest: found faster than its code point, and no less distinct.
/// REQUIRES: four bytes can be read.
inline std::uint32_t packed_character(const char* bytes) {
  // By the high four bits of the first byte.
  static constexpr std::array<std::uint32_t, 16> kMasks = {
      0xFF, 0xFF, 0xFF, 0xFF, 0xFF,   0xFF,   0xFF,     0xFF,
      0xFF, 0xFF, 0xFF, 0xFF, 0xFFFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF};
  std::uint32_t packed = 0;
  for (unsigned i = 0; i < 4; ++i) {
    packed |= std::uint32_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return packed & kMasks[packed >> 4 & 15];
}

/// The code point that ends at `end`. REQUIRES: end > 0.
inline char32_t code_point_before(std::string_view utf8, std::size_t end) {
  return code_point_at(utf8, previous_code_point(utf8, end));
}

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_TEXT_CURSOR_H_
