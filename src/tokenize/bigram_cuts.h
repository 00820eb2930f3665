// BigramCuts: between which characters no piece of a vocabulary ever reaches.
//
// Built from the pieces that merges make: characters that stand side by side
// in one of them may be joined, all others never are, and a text can be cut
// there without changing its tokens. Pairs are bits found by a hash, where an
// accident only means a cut that is not made; those of ASCII are in a table,
// too. A character is given as its code point or as any other number that tells
// it from the others and is the same for ASCII. Thread-safety: const after the
// last add().
#ifndef TRAINSIGHT_TOKENIZE_BIGRAM_CUTS_H_
#define TRAINSIGHT_TOKENIZE_BIGRAM_CUTS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace trainsight::tokenize {

/// Pairs of characters that must stay together; see the top of this file.
class BigramCuts {
 public:
  /// `pairs` is an estimate of how many different ones are added.
  explicit BigramCuts(std::size_t pairs);

  /// `left` and `right` must stay together.
  void join(char32_t left, char32_t right);

  /// 0 where a text may be cut between these two characters, or 1. A number, so
  /// that no compiler makes a branch of what is as good as random.
  [[nodiscard]] std::uint64_t joined_bit(char32_t left, char32_t right) const {
    const std::uint64_t bit = bit_of(left, right);
    return bits_[bit >> 6] >> (bit & 63) & 1;
  }

  /// Bit i, for each i < size, is set where the text may be cut before
  /// bytes[i]. REQUIRES: size <= 64; bytes[-1] to bytes[size - 1] are ASCII.
  [[nodiscard]] std::uint64_t ascii_cuts(const char* bytes,
                                         std::size_t size) const;

 private:
  // The two bytes as they stand in memory, as one number.
  static std::size_t ascii_index(char32_t left, char32_t right) {
    const std::uint8_t bytes[2] = {static_cast<std::uint8_t>(left),
                                   static_cast<std::uint8_t>(right)};
    std::uint16_t pair = 0;
    std::memcpy(&pair, bytes, sizeof pair);
    return pair;
  }
  [[nodiscard]] std::uint64_t bit_of(char32_t left, char32_t right) const {
    const std::uint64_t key = std::uint64_t{left} << 32 | right;
    return (key ^ key >> 25) * 0x9E3779B97F4A7C15 >> shift_;
  }
  std::vector<std::uint8_t> ascii_;  // by ascii_index(): 0xFF for a cut, or 0
  std::vector<std::uint64_t> bits_;
  int shift_ = 0;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_BIGRAM_CUTS_H_
