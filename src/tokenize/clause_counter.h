// ClauseCounter: tokens of words that fall into parts (char_cuts.h), many words
// at once.
//
// Words are gathered first and counted together: where they are cut depends on
// no branch, and a loop over hundreds of characters hardly ever ends where the
// processor does not expect it. Of the parts of clauses nearly all are one or
// two characters; their counts lie in two small tables that are addressed by
// the characters themselves.
// Thread-safety: none; one a worker.
#ifndef TRAINSIGHT_TOKENIZE_CLAUSE_COUNTER_H_
#define TRAINSIGHT_TOKENIZE_CLAUSE_COUNTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenize/bit_positions.h"
#include "tokenize/char_cuts.h"

namespace trainsight::tokenize {

/// Counts what a ClauseCounter does not know.
class PartSource {
 public:
  virtual ~PartSource() = default;
  /// The tokens of parts of words.
  virtual std::uint64_t count_parts(const std::string_view* parts,
                                    std::size_t size) = 0;
  /// The tokens of a word that does not fall into parts.
  virtual std::uint64_t count_whole(std::string_view word) = 0;
};

class ClauseCounter {
 public:
  /// Both must outlive this.
  ClauseCounter(const CharCuts& cuts, PartSource& source);

  /// Adds a word to those that count() counts; returns the tokens of what had
  /// to be counted before that. REQUIRES: well-formed UTF-8 of more than two
  /// characters; the words between two calls of count() are in one buffer, in
  /// order, which is there until then.
  std::uint64_t add(std::string_view word);

  /// The tokens of the words since the last call.
  std::uint64_t count();

 private:
  static constexpr std::size_t kMaxCharacters = 4096;
  // Bit i % 64 of word i / 64 is that of character i.
  using Bits = std::array<std::uint64_t, kMaxCharacters / 64 + 2>;

  // Counts of parts of one and two characters of the first plane; what they
  // were told last.
  class SmallParts {
   public:
    [[nodiscard]] std::uint64_t one(char32_t c) const {
      return ones_[c < ones_.size() ? c : 0];
    }
    [[nodiscard]] std::uint64_t two(char32_t left, char32_t right) const {
      const std::uint32_t hash = hash_of(left, right);
      const std::uint32_t entry = twos_[hash >> kTagBits];
      const bool known =
          ((entry ^ hash) & kTagMask) == 0 && is_small(left, right);
      return known ? entry >> kTagBits : 0;
    }
    void set_one(char32_t c, std::uint64_t count) {
      if (c != 0 && c < ones_.size() && count < 256) {
        ones_[c] = static_cast<std::uint8_t>(count);
      }
    }
    void set_two(char32_t left, char32_t right, std::uint64_t count) {
      if (!is_small(left, right) || count >> (32 - kTagBits) != 0) return;
      const std::uint32_t hash = hash_of(left, right);
      twos_[hash >> kTagBits] =
          static_cast<std::uint32_t>(count << kTagBits) | (hash & kTagMask);
    }

   private:
    static constexpr int kTagBits = 17;
    static constexpr std::uint32_t kTagMask = (1U << kTagBits) - 1;

    static bool is_small(char32_t left, char32_t right) {
      return (left | right) < 0x10000;
    }
    // One to one for two characters of the first plane: slot and tag together
    // say which they are.
    static std::uint32_t hash_of(char32_t left, char32_t right) {
      return static_cast<std::uint32_t>(left << 16 | right) * 0x9E3779B1U;
    }

    std::array<std::uint8_t, 0x10000> ones_{};  // by character; 0: not known
    std::array<std::uint32_t, 1U << (32 - kTagBits)> twos_{};  // count and tag
  };

  void append(std::string_view text);
  std::uint64_t add_slices(std::string_view word);
  void find_parts();
  std::uint64_t count_ones();
  std::uint64_t count_twos();
  std::uint64_t count_others();
  [[nodiscard]] std::uint64_t count_small(std::size_t first,
                                          std::size_t characters);
  // Characters `first` to `end`, a part.
  [[nodiscard]] std::string_view bytes_of(std::size_t first,
                                          std::size_t end) const;

  const CharCuts& cuts_;
  PartSource& source_;
  SmallParts small_;

  // The characters of the words side by side.
  const char* base_ = nullptr;
  std::size_t size_ = 0;
  std::array<char32_t, kMaxCharacters + 65> characters_{};  // from [1] on
  std::array<std::uint8_t, kMaxCharacters + 64> leads_{};   // first bytes
  std::array<std::uint32_t, kMaxCharacters> begins_;  // offsets from base_
  Bits words_{};   // a word, or a slice of one, begins at the character
  Bits slices_{};  // it is a slice
  Bits parts_{};   // a part begins at the character; one is set at the end

  // Where the parts of one character begin, as bits; of two and of more, as
  // numbers.
  Bits ones_{};
  std::array<std::uint16_t, kMaxCharacters + kBitPositionsSlack> twos_, others_;
  std::size_t twos_size_ = 0;
  std::size_t others_size_ = 0;
  std::vector<std::string_view> long_parts_;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_CLAUSE_COUNTER_H_
