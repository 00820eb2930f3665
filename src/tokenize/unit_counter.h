// UnitCounter: how many tokens stretches of text have, mostly from memory.
//
// A unit is a stretch that a model counts by itself: a word, or what is
// between two cuts. Its count is looked up in tables of fixed size; a unit not
// seen before is asked for. Nine of ten are found in a front table that stays
// in the processor's own cache, each in its one place; behind it are larger
// ones for units of up to 15, up to 31 and more bytes. About 7 MiB in all.
//
// Not thread-safe: one per worker.
#ifndef TRAINSIGHT_TOKENIZE_UNIT_COUNTER_H_
#define TRAINSIGHT_TOKENIZE_UNIT_COUNTER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "tokenize/bit_positions.h"
#include "tokenize/word_cache.h"

namespace trainsight::tokenize {

/// Knows the count of any unit.
class UnitSource {
 public:
  virtual ~UnitSource() = default;
  virtual std::uint64_t count_unit(std::string_view unit) = 0;
};

/// A stretch of a text that is looked at at once.
inline constexpr std::size_t kUnitChunkBytes = 4096;
/// Bytes after it that must be readable.
inline constexpr std::size_t kUnitPadBytes = 64;

/// Where the units of a chunk end, as offsets from its first byte, ascending.
struct UnitEnds {
  std::size_t size = 0;
  std::array<std::uint16_t, kUnitChunkBytes + 8> ends;

  /// Appends the positions of the bits of `bits`, each plus `base`.
  void append_bits(std::uint64_t bits, std::size_t base) {
    size += write_bit_positions(bits, base, ends.data() + size);
  }
  void append(std::size_t end) {
    ends[size++] = static_cast<std::uint16_t>(end);
  }
};

/// Counts of units; see the top of this file.
class UnitCounter {
 public:
  /// `source` must outlive this.
  explicit UnitCounter(UnitSource& source);

  /// The count of one unit.
  std::uint64_t count(std::string_view unit);

  /// The sum of the counts of units, the first of which begins at `chunk`.
  /// REQUIRES: kUnitPadBytes more bytes can be read after the last.
  std::uint64_t count_all(const char* chunk, const UnitEnds& ends);

 private:
  using Short = WordEntry<2>;
  using Medium = WordEntry<4>;
  static constexpr int kFrontBits = 14;
  static constexpr int kShortBits = 17;
  static constexpr int kMediumBits = 16;

  // The unit can be read kUnitPadBytes beyond its end.
  std::uint64_t count_padded(std::string_view unit);
  template <typename Entry, int kBits>
  std::uint64_t count_in(Entry* table, const Entry& key, std::string_view unit);
  std::uint64_t count_long(std::string_view unit);

  UnitSource& source_;
  ZeroedPages pages_;
  Short* front_ = nullptr;  // null: the system had no memory
  Short* short_ = nullptr;
  Medium* medium_ = nullptr;
  LongWordTable long_;
  std::size_t replaced_ = 0;
};

/// The bytes of a text from an offset on, chunk by chunk, each with
/// kUnitPadBytes readable bytes after it.
class PaddedChunk {
 public:
  /// At most kUnitChunkBytes of `text` from `begin` on; valid until the next
  /// call.
  const char* take(std::string_view text, std::size_t begin) {
    const std::size_t left = text.size() - begin;
    size_ = left < kUnitChunkBytes ? left : kUnitChunkBytes;
    if (left >= size_ + kUnitPadBytes) return text.data() + begin;
    std::memcpy(bytes_.data(), text.data() + begin, left);
    return bytes_.data();
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
  std::array<char, kUnitChunkBytes + 2 * kUnitPadBytes> bytes_{};
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_UNIT_COUNTER_H_
