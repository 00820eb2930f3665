// Vocabulary: the pieces of a tokenizer and their ids, for look-up by text.
//
// One block of memory holds all texts, one table of 8-byte slots finds them:
// a quarter of a million pieces load in some 20 ms. Ids may have holes.
// Thread-safety: const after loading.
#ifndef TRAINSIGHT_TOKENIZE_VOCABULARY_H_
#define TRAINSIGHT_TOKENIZE_VOCABULARY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainsight::tokenize {

/// A hash of short texts, for tables in memory only (never stored).
std::uint64_t hash_text(std::string_view text);

/// Texts with ids; see the top of this file.
class Vocabulary {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;

  /// Room for `pieces` texts of `bytes` bytes together.
  explicit Vocabulary(std::size_t pieces = 0, std::size_t bytes = 0);

  /// Adds a piece, or gives a known text a new id, as a map's insert would.
  /// REQUIRES: fewer than 2^31 pieces, 4 GiB of text.
  void set(std::string_view text, std::uint32_t id);

  /// The id of `text`, or kNone.
  [[nodiscard]] std::uint32_t find(std::string_view text) const;

  /// Number of different texts.
  [[nodiscard]] std::size_t size() const { return pieces_.size(); }
  /// Largest id + 1, 0 when empty.
  [[nodiscard]] std::uint32_t id_limit() const { return id_limit_; }

  /// The i-th text in the order of insertion, and its id.
  [[nodiscard]] std::string_view text(std::size_t i) const {
    return std::string_view(bytes_).substr(pieces_[i].begin, pieces_[i].size);
  }
  [[nodiscard]] std::uint32_t id(std::size_t i) const { return pieces_[i].id; }

 private:
  struct Piece {
    std::uint32_t begin;
    std::uint32_t size;
    std::uint32_t id;
  };
  // Index into pieces_ + 1 (0: empty), with the upper half of the hash so that
  // other texts are rarely looked at.
  struct Slot {
    std::uint32_t piece_plus_one;
    std::uint32_t tag;
  };
  [[nodiscard]] std::size_t slot_of(std::string_view text,
                                    std::uint64_t hash) const;
  void grow(std::size_t slots);

  std::string bytes_;
  std::vector<Piece> pieces_;
  std::vector<Slot> slots_;
  std::uint32_t id_limit_ = 0;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_VOCABULARY_H_
