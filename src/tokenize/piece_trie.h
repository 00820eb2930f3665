// PieceTrie: all pieces that begin at a place in a text, byte by byte.
//
// Children of the root are a direct table, all others one open-addressing
// table of (node, byte): 16 bytes an edge, no pointers.
// Thread-safety: const after the last insert.
#ifndef TRAINSIGHT_TOKENIZE_PIECE_TRIE_H_
#define TRAINSIGHT_TOKENIZE_PIECE_TRIE_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace trainsight::tokenize {

/// A map from byte strings to 32-bit values that can be walked.
class PieceTrie {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  static constexpr std::uint32_t kRoot = 0;

  /// `bytes` is an estimate of the number of edges, to avoid growing.
  explicit PieceTrie(std::size_t bytes = 0);

  /// Maps `piece` to `value`; a second value for a piece replaces the first.
  /// REQUIRES: piece not empty, value != kNone, fewer than 2^32 - 1 edges.
  void insert(std::string_view piece, std::uint32_t value);

  /// The node one byte below `node`, or kNone.
  [[nodiscard]] std::uint32_t child(std::uint32_t node,
                                    unsigned char byte) const {
    if (node == kRoot) return root_[byte];
    const std::uint64_t key = key_of(node, byte);
    for (std::size_t at = slot_of(key);; at = (at + 1) & mask_) {
      if (edges_[at].key == key) return edges_[at].child;
      if (edges_[at].key == 0) return kNone;
    }
  }
  /// The value of the piece that ends at `node`, or kNone.
  [[nodiscard]] std::uint32_t value(std::uint32_t node) const {
    return values_[node];
  }
  [[nodiscard]] std::size_t node_count() const { return values_.size(); }

 private:
  struct Edge {
    std::uint64_t key;  // 0: free; node 0 never stands here
    std::uint32_t child;
  };
  static std::uint64_t key_of(std::uint32_t node, unsigned char byte) {
    return std::uint64_t{node} << 8 | byte;
  }
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const {
    return (key * 0x9E3779B97F4A7C15) >> shift_;
  }
  void grow();

  std::vector<std::uint32_t> root_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> values_;
  std::size_t mask_ = 0;
  std::size_t edge_count_ = 0;
  int shift_ = 64;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_PIECE_TRIE_H_
