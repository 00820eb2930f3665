// BigramCuts: between which characters no piece of a vocabulary ever reaches.
//
// Built from the pieces that merges make: characters that stand side by side
// in one of them may be joined, all others never are, and a text can be cut
// there without changing its tokens. ASCII pairs are a table; other pairs are
// bits found by a hash, where an accident only means a cut that is not made.
// Thread-safety: const after the last add().
#ifndef TRAINSIGHT_TOKENIZE_BIGRAM_CUTS_H_
#define TRAINSIGHT_TOKENIZE_BIGRAM_CUTS_H_

#include <cstdint>
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

  /// May a text be cut between these two characters?
  [[nodiscard]] bool is_cut(char32_t left, char32_t right) const {
    if (left < 0x80 && right < 0x80) return ascii_cut(left, right) != 0;
    const std::uint64_t bit = bit_of(left, right);
    return (bits_[bit >> 6] >> (bit & 63) & 1) == 0;
  }

  /// 1 where a cut may be made. REQUIRES: both below 0x80.
  [[nodiscard]] std::uint8_t ascii_cut(unsigned left, unsigned right) const {
    return ascii_[left << 7 | right];
  }
  [[nodiscard]] const std::uint8_t* ascii_table() const {
    return ascii_.data();
  }

 private:
  [[nodiscard]] std::uint64_t bit_of(char32_t left, char32_t right) const {
    const std::uint64_t key = std::uint64_t{left} << 32 | right;
    return (key ^ key >> 25) * 0x9E3779B97F4A7C15 >> shift_;
  }
  std::vector<std::uint8_t> ascii_;  // by left * 128 + right
  std::vector<std::uint64_t> bits_;
  int shift_ = 0;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_BIGRAM_CUTS_H_
