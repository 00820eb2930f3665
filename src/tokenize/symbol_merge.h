// SymbolMerger: BPE merges over symbols, exactly.
//
// The rule: of all neighbours that may merge, those with the lowest rank do,
// the leftmost first, until none may.
//
// A short sequence is merged by looking for the lowest rank again and again, a
// longer one with a heap. A very long one is merged in overlapping windows
// that are joined at a token both have: a sequence is the result for its text
// exactly when each two neighbours are the result for theirs. (Up to the first
// merge across their border both sides go on as if they were alone; and that
// merge would come first in their text alone too.) Where two windows share no
// token, larger windows are tried, then the whole is merged with the heap, so
// that the cost never exceeds n log n and is linear for all but odd texts.
//
// Thread-safety: immutable after the last add(); the scratch is one thread's.
#ifndef TRAINSIGHT_TOKENIZE_SYMBOL_MERGE_H_
#define TRAINSIGHT_TOKENIZE_SYMBOL_MERGE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainsight::tokenize {

/// Merges of pairs of symbols; see the top of this file.
class SymbolMerger {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// Room for `pairs` pairs.
  explicit SymbolMerger(std::size_t pairs);

  /// `left` before `right` become `result`, at `rank`; replaces what was said
  /// about this pair before. REQUIRES: left, right, rank < kNone.
  void add(std::uint32_t left, std::uint32_t right, std::uint32_t rank,
           std::uint32_t result);

  /// Memory that merge() uses again.
  struct Scratch {
    std::vector<std::uint32_t> ranks, results, next, previous;
    std::vector<std::uint64_t> heap;
    std::vector<std::uint32_t> part, part_begins, joined, joined_begins;
  };

  /// Merges `symbols` in place.
  void merge(std::vector<std::uint32_t>& symbols, Scratch& scratch) const;

 private:
  struct Pair {
    std::uint32_t left = kNone;  // kNone: a free slot
    std::uint32_t right = kNone;
    std::uint32_t rank = kNone;
    std::uint32_t result = kNone;
  };
  [[nodiscard]] const Pair& find(std::uint32_t left,
                                 std::uint32_t right) const {
    std::size_t at = slot_of(left, right);
    while (pairs_[at].left != kNone &&
           (pairs_[at].left != left || pairs_[at].right != right)) {
      at = (at + 1) & mask_;
    }
    return pairs_[at];
  }
  [[nodiscard]] std::size_t slot_of(std::uint32_t left,
                                    std::uint32_t right) const {
    const std::uint64_t key = std::uint64_t{left} << 32 | right;
    return (key ^ key >> 29) * 0x9E3779B97F4A7C15 >> shift_;
  }
  void prefetch(std::uint32_t left, std::uint32_t right) const {
    __builtin_prefetch(&pairs_[slot_of(left, right)]);
  }
  template <bool kWithBegins>
  void merge_short(std::vector<std::uint32_t>& symbols,
                   std::vector<std::uint32_t>& begins, Scratch& scratch) const;
  // Also says at which of the given symbols each result begins.
  void merge_with_heap(std::vector<std::uint32_t>& symbols,
                       std::vector<std::uint32_t>& begins,
                       Scratch& scratch) const;
  // False where two windows share no token.
  bool merge_in_windows(std::vector<std::uint32_t>& symbols, std::size_t window,
                        std::size_t overlap, Scratch& scratch) const;

  std::vector<Pair> pairs_;
  std::size_t mask_ = 0;
  int shift_ = 0;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_SYMBOL_MERGE_H_
