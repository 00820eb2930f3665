#include "scan/lz4_block.h"

#include <cstdint>
#include <cstring>

namespace trainsight::scan {
namespace {

constexpr std::size_t kMinMatch = 4;

// A length of 15 goes on in further bytes, until one is not 255.
bool extend(std::string_view block, std::size_t& at, std::size_t& length) {
  if (length < 15) return true;
  while (at < block.size()) {
    const auto byte = static_cast<std::uint8_t>(block[at++]);
    length += byte;
    if (byte != 255) return true;
  }
  return false;
}

}  // namespace

std::optional<std::size_t> decompress_lz4_block(std::string_view block,
                                                std::span<char> output,
                                                std::size_t begin) {
  std::size_t at = 0;
  std::size_t to = begin;
  while (at < block.size()) {
    const auto token = static_cast<std::uint8_t>(block[at++]);
    std::size_t literals = token >> 4;
    if (!extend(block, at, literals) || literals > block.size() - at ||
        literals > output.size() - to) {
      return std::nullopt;
    }
    if (literals > 0)
      std::memcpy(output.data() + to, block.data() + at, literals);
    at += literals;
    to += literals;
    if (at == block.size()) return to - begin;  // the last has no match
    if (block.size() - at < 2) return std::nullopt;
    const std::size_t distance = static_cast<std::uint8_t>(block[at]) |
                                 static_cast<std::uint8_t>(block[at + 1]) << 8;
    at += 2;
    std::size_t length = token & 15;
    if (!extend(block, at, length)) return std::nullopt;
    length += kMinMatch;
    if (distance == 0 || distance > to || length > output.size() - to) {
      return std::nullopt;
    }
    if (distance >= length) {
      std::memcpy(output.data() + to, output.data() + to - distance, length);
    } else {
      // The match overlaps what it writes: it repeats.
      for (std::size_t i = 0; i < length; ++i) {
        output[to + i] = output[to + i - distance];
      }
    }
    to += length;
  }
  return to - begin;
}

}  // namespace trainsight::scan
