#include "tokenize/piece_trie.h"

#include <algorithm>
#include <bit>

namespace trainsight::tokenize {

PieceTrie::PieceTrie(std::size_t bytes) : root_(256, kNone), values_(1, kNone) {
  const std::size_t slots = std::bit_ceil(std::max<std::size_t>(16, bytes * 2));
  edges_.assign(slots, Edge{0, 0});
  mask_ = slots - 1;
  shift_ = 64 - std::countr_zero(slots);
}

void PieceTrie::grow() {
  std::vector<Edge> old(edges_.size() * 2, Edge{0, 0});
  old.swap(edges_);
  mask_ = edges_.size() - 1;
  --shift_;
  for (const Edge& edge : old) {
    if (edge.key == 0) continue;
    std::size_t at = slot_of(edge.key);
    while (edges_[at].key != 0) at = (at + 1) & mask_;
    edges_[at] = edge;
  }
}

void PieceTrie::insert(std::string_view piece, std::uint32_t value) {
  std::uint32_t node = kRoot;
  for (const char c : piece) {
    const auto byte = static_cast<unsigned char>(c);
    std::uint32_t next = child(node, byte);
    if (next == kNone) {
      next = static_cast<std::uint32_t>(values_.size());
      values_.push_back(kNone);
      if (node == kRoot) {
        root_[byte] = next;
      } else {
        if ((edge_count_ + 1) * 2 > edges_.size()) grow();
        const std::uint64_t key = key_of(node, byte);
        std::size_t at = slot_of(key);
        while (edges_[at].key != 0) at = (at + 1) & mask_;
        edges_[at] = Edge{key, next};
        ++edge_count_;
      }
    }
    node = next;
  }
  values_[node] = value;
}

}  // namespace trainsight::tokenize
