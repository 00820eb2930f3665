// BpeMerger: the merges of one word, exactly, in linear time.
//
// The rule (both references'): of all neighbours that can merge, those with
// the lowest rank do, the leftmost first, until none can.
//
// A word of up to 128 bytes is merged in arrays on the stack. A longer one is
// merged in overlapping windows: a sequence of tokens is the result for its
// text exactly when each two neighbours are the result for *their* text, so
// the tokens of two windows can be joined at a token that both have. (Merges
// that never cross an edge go on as if the other side were not there; and the
// first merge that did cross the edge between two neighbours would have
// happened in their text alone.) Where two windows share no token they are
// taken together and merged by a heap, so that the result is exact and the
// cost never more than n log n.
//
// Thread-safety: immutable; the scratch is one thread's.
#ifndef TRAINSIGHT_TOKENIZE_BPE_MERGE_H_
#define TRAINSIGHT_TOKENIZE_BPE_MERGE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/byte_bpe.h"
#include "tokenize/token_table.h"
#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// A token of a word: where it begins, and its id.
struct TokenAt {
  std::uint32_t begin = 0;
  std::uint32_t id = kNoToken;
  bool operator==(const TokenAt&) const = default;
};

/// Memory that merge() uses again; grows with the longest word only where
/// windows share no token.
struct MergeScratch {
  std::vector<TokenAt> tokens;  ///< of the last merge()
  std::vector<TokenAt> first_window, second_window;
  /// The window merged last: where in the word, and its tokens from there.
  std::size_t memo_begin = 0, memo_size = 0;
  std::vector<TokenAt> memo;
  std::vector<std::uint64_t> heap;
  std::vector<std::uint32_t> ids, next, previous;
  std::string kept_bytes;
};

class BpeMerger {
 public:
  /// `spec` must outlive the merger and stay where it is. Errors: see
  /// ByteBpe::make().
  static Result<BpeMerger> make(const ByteBpeSpec& spec);

  /// The tokens of `word`, which is merged whatever it holds; scratch.tokens
  /// has as many elements as the result says.
  /// REQUIRES: word.size() < 2^32.
  std::size_t merge(std::string_view word, MergeScratch& scratch) const;

  /// The tokens of a whole word: the word itself where the vocabulary holds
  /// it and the rule says that this is enough, else merge().
  std::size_t merge_word(std::string_view word, MergeScratch& scratch) const;

 private:
  struct Pair {
    std::uint32_t left = kNoToken;
    std::uint32_t right = kNoToken;
    std::uint32_t rank = kNoToken;
    std::uint32_t result = kNoToken;
  };
  struct Merged {
    std::uint32_t rank = kNoToken;
    std::uint32_t id = kNoToken;
  };

  explicit BpeMerger(const ByteBpeSpec& spec);
  Status add_merges(const ByteBpeSpec& spec);
  void add_byte_pairs(const ByteBpeSpec& spec);

  // What the neighbours `left` and `right` become, whose bytes together are
  // `both`. REQUIRES: 16 bytes can be read from both.data() on.
  [[nodiscard]] Merged merged(std::uint32_t left, std::uint32_t right,
                              std::string_view both) const;
  [[nodiscard]] Merged merged_bytes(char left, char right) const;

  void merge_window(std::string_view padded,
                    std::vector<TokenAt>& tokens) const;
  void merge_by_heap(std::string_view padded, MergeScratch& scratch,
                     std::vector<TokenAt>& tokens) const;
  void merge_long(std::string_view padded, MergeScratch& scratch) const;
  void merge_part(std::string_view word, std::size_t begin, std::size_t size,
                  MergeScratch& scratch, std::vector<TokenAt>& tokens) const;

  TokenTable table_;
  bool by_rank_ = false;
  bool whole_words_ = false;
  bool every_byte_known_ = true;
  std::array<std::uint32_t, 256> byte_ids_{};
  std::vector<Merged> byte_pairs_;  // by left * 256 + right
  // Open addressing, at most half full; empty where left is kNoToken.
  std::vector<Pair> pairs_;
  int pair_shift_ = 0;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_BPE_MERGE_H_
