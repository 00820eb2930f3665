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

  /// The ids of many texts at once: ids[i] = find(texts[i]). Several times
  /// faster than one by one, since memory is asked for ahead.
  void find_all(const std::string_view* texts, std::size_t count,
                std::uint32_t* ids) const;

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
  // All that a look-up needs but the text itself, so that it reads two lines of
  // memory. `tag` is a part of the hash; a size of kLongText or more is in
  // pieces_ only.
  struct Slot {
    std::uint32_t piece_plus_one = 0;  // 0: a free slot
    std::uint32_t begin = 0;
    std::uint32_t id = kNone;
    std::uint16_t tag = 0;
    std::uint16_t size = 0;
  };
  static constexpr std::size_t kLongText = 0xFFFF;
  static Slot slot_for(const Piece& piece, std::size_t index,
                       std::uint64_t hash);
  [[nodiscard]] bool holds(const Slot& slot, std::string_view text,
                           std::uint64_t hash) const;
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
