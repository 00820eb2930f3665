// PartCounts: the number of tokens of parts of one and two characters.
//
// Of the parts that clauses fall into (char_cuts.h), nearly all are one or two
// characters of the first plane. Their counts lie in two small tables that are
// addressed by the characters themselves. Both hold what they were told last;
// a part that is not in them is counted in another way.
// Thread-safety: none; one a worker.
#ifndef TRAINSIGHT_TOKENIZE_PART_COUNTS_H_
#define TRAINSIGHT_TOKENIZE_PART_COUNTS_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "tokenize/char_cuts.h"

namespace trainsight::tokenize {

class PartCounts {
 public:
  /// The sum of the counts of the characters whose bits are set in `parts`.
  /// Adds the bits of those that are not known to `unknown`.
  [[nodiscard]] std::uint64_t count_ones(const CharCuts::Run& run,
                                         std::uint64_t parts,
                                         std::uint64_t& unknown) const {
    std::uint64_t total = 0;
    std::uint64_t absent = 0;
    for (std::size_t i = 0; i < run.size; ++i) {
      const char32_t c = run.characters[i];
      const std::uint64_t count = ones_[c < ones_.size() ? c : 0];
      total += count & (0 - (parts >> i & 1));
      absent |= std::uint64_t{count == 0} << i;
    }
    unknown |= absent & parts;
    return total;
  }

  /// The same for parts of two characters; a part's bit is that of its first.
  [[nodiscard]] std::uint64_t count_twos(const CharCuts::Run& run,
                                         std::uint64_t parts,
                                         std::uint64_t& unknown) const {
    std::uint64_t total = 0;
    for (; parts != 0; parts &= parts - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(parts));
      const std::uint32_t hash =
          hash_of(run.characters[i], run.characters[i + 1]);
      const std::uint32_t entry = twos_[hash >> kTagBits];
      const bool known = ((entry ^ hash) & kTagMask) == 0 && entry > kTagMask &&
                         is_small(run.characters[i], run.characters[i + 1]);
      total += known ? entry >> kTagBits : 0;
      unknown |= std::uint64_t{!known} << i;
    }
    return total;
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

  std::array<std::uint8_t, 0x10000> ones_{};                 // by character
  std::array<std::uint32_t, 1U << (32 - kTagBits)> twos_{};  // count and tag
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_PART_COUNTS_H_
