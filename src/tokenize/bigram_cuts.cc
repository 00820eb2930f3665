#include "tokenize/bigram_cuts.h"

#include <algorithm>
#include <bit>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trainsight::tokenize {

BigramCuts::BigramCuts(std::size_t pairs) : ascii_(0x8000, 0xFF) {
  // 16 bits a pair: one accident in 16 places at most.
  const std::size_t bits =
      std::bit_ceil(std::max<std::size_t>(4096, pairs * 16));
  bits_.assign(bits / 64, 0);
  shift_ = 64 - std::countr_zero(bits);
}

void BigramCuts::join(char32_t left, char32_t right) {
  if ((left | right) < 0x80) ascii_[ascii_index(left, right)] = 0;
  const std::uint64_t bit = bit_of(left, right);
  bits_[bit >> 6] |= std::uint64_t{1} << (bit & 63);
}

std::uint64_t BigramCuts::ascii_cuts(const char* bytes,
                                     std::size_t size) const {
  const std::uint8_t* const table = ascii_.data();
  const auto is_cut_before = [&](std::size_t i) {
    std::uint16_t pair = 0;
    std::memcpy(&pair, bytes + i - 1, sizeof pair);
    return table[pair];
  };
  std::uint64_t cuts = 0;
  std::size_t at = 0;
#if defined(__SSE2__)
  for (; at + 16 <= size; at += 16) {
    alignas(16) std::uint8_t flags[16];
    for (std::size_t i = 0; i < 16; ++i) flags[i] = is_cut_before(at + i);
    __m128i block;
    std::memcpy(&block, flags, sizeof block);
    cuts |= static_cast<std::uint64_t>(
                static_cast<unsigned>(_mm_movemask_epi8(block)))
            << at;
  }
#endif
  for (; at < size; ++at) {
    cuts |= std::uint64_t{is_cut_before(at) & 1U} << at;
  }
  return cuts;
}

}  // namespace trainsight::tokenize
