// A set of small numbers with fast neighbours: free spaces, or lengths left.
//
// A tree of 64-bit words in which a bit says that the word below is not
// empty; four levels hold kMaxSequenceLength. Every call touches at most two
// words a level. Not thread-safe.
#ifndef TRAINSIGHT_BATCHING_LENGTH_SET_H_
#define TRAINSIGHT_BATCHING_LENGTH_SET_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainsight::batching {

class LengthSet {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFU;

  /// An empty set that can hold 0 … largest.
  explicit LengthSet(std::uint32_t largest) {
    std::size_t words = largest / 64 + std::size_t{1};
    levels_.emplace_back(words);
    while (words > 1) {
      words = (words + 63) / 64;
      levels_.emplace_back(words);
    }
  }

  /// REQUIRES for all below: value <= largest.
  void insert(std::uint32_t value) {
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[value / 64];
      const bool was_empty = word == 0;
      word |= std::uint64_t{1} << (value % 64);
      if (!was_empty) return;
      value /= 64;
    }
  }

  void erase(std::uint32_t value) {
    for (std::vector<std::uint64_t>& level : levels_) {
      std::uint64_t& word = level[value / 64];
      word &= ~(std::uint64_t{1} << (value % 64));
      if (word != 0) return;
      value /= 64;
    }
  }

  /// The smallest member >= value, or kNone.
  [[nodiscard]] std::uint32_t next(std::uint32_t value) const {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const std::size_t at = value / 64;
      if (at >= levels_[level].size()) return kNone;
      const std::uint64_t word = levels_[level][at] >> (value % 64);
      if (word != 0) {
        value += static_cast<std::uint32_t>(std::countr_zero(word));
        return descend(value, level, /*lowest=*/true);
      }
      value = static_cast<std::uint32_t>(at + 1);
    }
    return kNone;
  }

  /// The largest member <= value, or kNone.
  [[nodiscard]] std::uint32_t prev(std::uint32_t value) const {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const std::uint64_t word = levels_[level][value / 64]
                                 << (63 - value % 64);
      if (word != 0) {
        value -= static_cast<std::uint32_t>(std::countl_zero(word));
        return descend(value, level, /*lowest=*/false);
      }
      if (value / 64 == 0) return kNone;
      value = value / 64 - 1;
    }
    return kNone;
  }

 private:
  // The lowest or highest member below bit `value` of `level`.
  [[nodiscard]] std::uint32_t descend(std::uint32_t value, std::size_t level,
                                      bool lowest) const {
    while (level > 0) {
      --level;
      const std::uint64_t word = levels_[level][value];
      const int bit =
          lowest ? std::countr_zero(word) : 63 - std::countl_zero(word);
      value = value * 64 + static_cast<std::uint32_t>(bit);
    }
    return value;
  }

  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_LENGTH_SET_H_
