// The positions of the bits of a word, written in a row.
#ifndef TRAINSIGHT_TOKENIZE_BIT_POSITIONS_H_
#define TRAINSIGHT_TOKENIZE_BIT_POSITIONS_H_

#include <cstddef>
#include <cstdint>

namespace trainsight::tokenize {

/// How many entries more than there are bits write_bit_positions() may write.
inline constexpr std::size_t kBitPositionsSlack = 3;

/// Writes the positions of the bits of `bits`, each plus `base`, to `out`, in
/// order; returns their number. Four a turn, so that the branch is seldom
/// mispredicted; what is written too much the next call may overwrite.
inline std::size_t write_bit_positions(std::uint64_t bits, std::size_t base,
                                       std::uint16_t* out) {
  // std::popcount is a call where the processor's instruction may not be used.
  std::uint64_t sums = bits - (bits >> 1 & 0x5555555555555555);
  sums = (sums & 0x3333333333333333) + (sums >> 2 & 0x3333333333333333);
  sums = (sums + (sums >> 4)) & 0x0F0F0F0F0F0F0F0F;
  while (bits != 0) {
    for (int i = 0; i < 4; ++i) {
      const auto bit = static_cast<std::size_t>(
          __builtin_ctzll(bits | std::uint64_t{1} << 63));
      *out++ = static_cast<std::uint16_t>(base + bit);
      bits &= bits - 1;
    }
  }
  return static_cast<std::size_t>(sums * 0x0101010101010101 >> 56);
}

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_BIT_POSITIONS_H_
