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

  /// Characters of a word side by side, and between which of them it is cut.
  struct Run {
    static constexpr std::size_t kMax = 62;
    std::size_t size = 0;
    std::array<char32_t, kMax> characters;
    /// Offsets in the word; [size] is the end of the last.
    std::array<std::size_t, kMax + 1> begins;
    /// Bit i: the word is cut before character i. Bit 0 is set, and bit `size`
    /// where the run ends at a cut or with the word.
    std::uint64_t cuts = 0;
  };

  /// The characters from `begin` on: kMax, or all that are left of `word`.
  /// REQUIRES: well-formed UTF-8; begin < word.size(), and the word may be cut
  /// at `begin`.
  void cut(std::string_view word, std::size_t begin, Run& run) const;

  /// The end of the part of `word` that begins at `begin`: a cut between two
  /// characters beyond ASCII, or the word's end. REQUIRES: as cut().
  [[nodiscard]] std::size_t part_end(std::string_view word,
                                     std::size_t begin) const;

 private:
  void add_token(std::string_view token);
  // Without branches: where the cuts are is as good as random. `last_byte` is
  // that of `left`, `lead` the first one of `right`.
  [[nodiscard]] bool is_cut(char32_t left, char32_t right, char last_byte,
                            char lead) const {
    const unsigned narrow = static_cast<unsigned>(left < 0x80) |
                            static_cast<unsigned>(right < 0x80);
    const unsigned joined =
        static_cast<unsigned>(!bigrams_.is_wide_cut(left, right)) |
        (sides_of(left) & kJoinedRight) | (sides_of(right) & kJoinedLeft) |
        static_cast<unsigned>(is_byte_pair(last_byte, lead));
    return (narrow | joined) == 0;
  }
  // Characters that some token joins to a part of one on their right or left.
  // U+0000, an ASCII character, is asked for by no one: its place stands for
  // the further planes.
  enum Side : std::uint8_t { kJoinedRight = 1, kJoinedLeft = 2 };
  [[nodiscard]] static std::size_t place_of(char32_t c) {
    return c < 0x10000 ? c : 0;
  }
  [[nodiscard]] unsigned sides_of(char32_t c) const {
    return sides_[place_of(c)];
  }
  void add(Side side, char32_t c) { sides_[place_of(c)] |= side; }
  // Some token reaches from the byte `left` to `right`, of which neither
  // belongs to a character that is in the token as a whole.
  [[nodiscard]] bool is_byte_pair(char left, char right) const {
    return byte_pairs_[byte_pair(left, right)];
  }

  [[nodiscard]] static std::size_t byte_pair(char left, char right) {
    return static_cast<std::size_t>(static_cast<unsigned char>(left) << 8 |
                                    static_cast<unsigned char>(right));
  }

  // Stands for every character on the side where a token holds only some bytes
  // of one.
  static constexpr char32_t kAny = 0x110000;

  BigramCuts bigrams_;
  std::array<std::uint8_t, 0x10000> sides_{};  // by character
  std::array<bool, 256 * 256> byte_pairs_{};
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_CHAR_CUTS_H_
