#include "stats/base64.h"

#include <cstddef>

namespace trainsight::stats {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// The six bits of a character, or 64.
constexpr std::uint32_t bits_of(char c) {
  if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
  if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a' + 26);
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0' + 52);
  if (c == '+') return 62;
  if (c == '/') return 63;
  return 64;
}

}  // namespace

std::string to_base64(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  text.reserve((bytes.size() * 4 + 2) / 3);
  std::uint32_t held = 0;
  unsigned held_bits = 0;
  for (const std::uint8_t byte : bytes) {
    held = (held << 8) | byte;
    held_bits += 8;
    while (held_bits >= 6) {
      held_bits -= 6;
      text.push_back(kAlphabet[(held >> held_bits) & 63]);
    }
  }
  if (held_bits > 0) text.push_back(kAlphabet[(held << (6 - held_bits)) & 63]);
  return text;
}

std::optional<std::vector<std::uint8_t>> parse_base64(std::string_view text) {
  if (text.size() % 4 == 1) return std::nullopt;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(text.size() * 3 / 4);
  std::uint32_t held = 0;
  unsigned held_bits = 0;
  for (const char c : text) {
    const std::uint32_t bits = bits_of(c);
    if (bits == 64) return std::nullopt;
    held = (held << 6) | bits;
    held_bits += 6;
    if (held_bits >= 8) {
      held_bits -= 8;
      bytes.push_back(static_cast<std::uint8_t>((held >> held_bits) & 0xFF));
    }
  }
  if ((held & ((1U << held_bits) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace trainsight::stats
