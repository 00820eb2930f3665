// CharCuts: where a long word beyond ASCII falls into parts that no merge
// joins.
//
// Where no token of a byte-level vocabulary holds bytes of two characters that
// stand side by side, no merge ever crosses between them, and the tokens of
// both sides are found apart. In scripts without spaces words are whole clauses
// that hardly come twice, but their parts do, and can be cached.
// Thread-safety: immutable.
#ifndef TRAINSIGHT_TOKENIZE_CHAR_CUTS_H_
#define TRAINSIGHT_TOKENIZE_CHAR_CUTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tokenize/bigram_cuts.h"
#include "tokenize/byte_bpe.h"

namespace trainsight::tokenize {

class CharCuts {
 public:
  /// `tokens` is looked at here only.
  explicit CharCuts(const TokenBytes& tokens);

  /// 1 where a text may be cut between these two characters, which both are
  /// beyond ASCII then, or 0. `lead` is the first byte of `right`. A number, so
  /// that no compiler makes a branch of what is as good as random.
  [[nodiscard]] std::uint64_t cut_bit(char32_t left, char32_t right,
                                      std::uint8_t lead) const {
    const std::uint64_t joined =
        bigrams_.joined_bit(left, right) |
        std::uint64_t{sides_[place_of(left)]} >> kJoinedRight |
        std::uint64_t{sides_[place_of(right)]} >> kJoinedLeft |
        std::uint64_t{byte_pairs_[left & 0x3F]} >> (lead & 0x0F);
    return ~joined & 1;
  }

 private:
  void add_token(std::string_view token);

  // Bits of characters that some token joins to a part of one on their right or
  // left; ASCII characters have both. Those beyond the first plane share a
  // place.
  enum Side : int { kJoinedRight = 0, kJoinedLeft = 1 };
  [[nodiscard]] static std::size_t place_of(char32_t c) {
    return c < 0xFFFF ? c : 0xFFFF;
  }
  void add(Side side, char32_t c) {
    sides_[place_of(c)] |= static_cast<std::uint8_t>(1U << side);
  }

  // Stands for every character on the side where a token holds only some bytes
  // of one.
  static constexpr char32_t kAny = 0x110000;

  BigramCuts bigrams_;
  std::array<std::uint8_t, 0x10000> sides_{};  // by character
  // Bit f of entry l is set where some token reaches from a byte with the low
  // bits l to one with f, of which neither belongs to a character that is in
  // the token as a whole. The high bits say only how long characters are.
  std::array<std::uint16_t, 64> byte_pairs_{};
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_CHAR_CUTS_H_
