#include "tokenize/bigram_cuts.h"

#include <algorithm>
#include <bit>

namespace trainsight::tokenize {

BigramCuts::BigramCuts(std::size_t pairs) : ascii_(128 * 128, 1) {
  // 16 bits a pair: one accident in 16 places at most.
  const std::size_t bits =
      std::bit_ceil(std::max<std::size_t>(4096, pairs * 16));
  bits_.assign(bits / 64, 0);
  shift_ = 64 - std::countr_zero(bits);
}

void BigramCuts::join(char32_t left, char32_t right) {
  if (left < 0x80 && right < 0x80) {
    ascii_[left << 7 | right] = 0;
    return;
  }
  const std::uint64_t bit = bit_of(left, right);
  bits_[bit >> 6] |= std::uint64_t{1} << (bit & 63);
}

}  // namespace trainsight::tokenize
