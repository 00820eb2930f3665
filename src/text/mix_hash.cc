#include "trainsight/text/mix_hash.h"

#include <cstddef>
#include <cstring>

namespace trainsight::text {
namespace {

constexpr std::uint64_t kMask[4] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b,
                                    0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1};

__extension__ using Product = unsigned __int128;

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  const Product product = Product{a} * b;
  return static_cast<std::uint64_t>(product) ^
         static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t load64(const char* at) {
  std::uint64_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

std::uint64_t load32(const char* at) {
  std::uint32_t word;
  std::memcpy(&word, at, sizeof(word));
  return word;
}

}  // namespace

std::uint64_t mix_hash(std::string_view bytes) {
  const char* at = bytes.data();
  const std::size_t size = bytes.size();
  std::uint64_t state = kMask[0];
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (size >= 16) {
    std::size_t left = size;
    if (left > 48) {
      std::uint64_t second = state;
      std::uint64_t third = state;
      do {
        state = mix(load64(at) ^ kMask[1], load64(at + 8) ^ state);
        second = mix(load64(at + 16) ^ kMask[2], load64(at + 24) ^ second);
        third = mix(load64(at + 32) ^ kMask[3], load64(at + 40) ^ third);
        at += 48;
        left -= 48;
      } while (left > 48);
      state ^= second ^ third;
    }
    for (; left > 16; at += 16, left -= 16) {
      state = mix(load64(at) ^ kMask[1], load64(at + 8) ^ state);
    }
    // The last 16 bytes, some of them for the second time.
    a = load64(at + left - 16);
    b = load64(at + left - 8);
  } else if (size >= 8) {
    a = load64(at);
    b = load64(at + size - 8);
  } else if (size >= 4) {
    a = load32(at);
    b = load32(at + size - 4);
  } else {
    for (std::size_t i = 0; i < size; ++i) {
      a = a << 8 | static_cast<unsigned char>(at[i]);
    }
  }
  return mix(kMask[1] ^ size, mix(a ^ kMask[1], b ^ state));
}

}  // namespace trainsight::text
