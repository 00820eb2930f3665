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

  /// The end of the part of `word` that begins at `begin`: a cut between two
  /// characters beyond ASCII, or the word's end.
  /// REQUIRES: well-formed UTF-8; begin < word.size() and at a character.
  [[nodiscard]] std::size_t part_end(std::string_view word,
                                     std::size_t begin) const;

  /// The ends of the parts from `begin` on, one or more but not all of a long
  /// word; returns their number. Faster than part_end() where there are many:
  /// no branch depends on where the cuts are. REQUIRES: as part_end().
  static constexpr std::size_t kBatch = 64;
  using Ends = std::array<std::size_t, kBatch>;
  std::size_t part_ends(std::string_view word, std::size_t begin,
                        Ends& ends) const;

 private:
  void add_token(std::string_view token);
  [[nodiscard]] bool is_cut(char32_t left, char32_t right) const {
    return left >= 0x80 && right >= 0x80 && bigrams_.is_cut(left, right) &&
           !holds(joined_right_, left) && !holds(joined_left_, right);
  }
  using Characters = std::array<std::uint64_t, 0x10000 / 64>;
  // Beyond the first plane all such characters count as in the set or none.
  [[nodiscard]] static bool holds(const Characters& set, char32_t c) {
    return c < 0x10000 ? (set[c / 64] >> (c % 64) & 1) != 0 : (set[0] & 1) != 0;
  }
  static void add(Characters& set, char32_t c) {
    // U+0000, an ASCII character, is asked for by no one: its bit stands for
    // the further planes.
    const char32_t bit = c < 0x10000 ? c : 0;
    set[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
  // Some token reaches from the byte `left` to `right`, of which neither
  // belongs to a character that is in the token as a whole.
  [[nodiscard]] bool is_byte_pair(char left, char right) const {
    const auto bit =
        static_cast<std::size_t>(static_cast<unsigned char>(left) << 8 |
                                 static_cast<unsigned char>(right));
    return (byte_pairs_[bit / 64] >> (bit % 64) & 1) != 0;
  }

  // Stands for every character on the side where a token holds only some bytes
  // of one.
  static constexpr char32_t kAny = 0x110000;

  BigramCuts bigrams_;
  // Characters that some token joins to a part of one on their right or left.
  Characters joined_right_{};
  Characters joined_left_{};
  std::array<std::uint64_t, 256 * 256 / 64> byte_pairs_{};
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_CHAR_CUTS_H_
