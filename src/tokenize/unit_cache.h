// UnitCache: one worker's memory of how many tokens a unit of text has.
//
// A unit is a stretch that a model counts by itself: a word, or what is
// between two cuts. Units of up to 15 bytes are keys of 16 bytes with the
// count in their spare bits, four to a cache line; a full line forgets its
// oldest entry. Longer units are kept with their text in an arena, and all are
// forgotten when it is full. Memory is bounded, whatever is counted:
// kShortEntries * 16 bytes + kLongEntries * 24 + kArenaBytes, 5 MiB in all.
//
// Not thread-safe: one per worker.
#ifndef TRAINSIGHT_TOKENIZE_UNIT_CACHE_H_
#define TRAINSIGHT_TOKENIZE_UNIT_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/token_table.h"

namespace trainsight::tokenize {

/// Counts of units; see the top of this file.
class UnitCache {
 public:
  static constexpr std::size_t kShortEntries = std::size_t{1} << 17;
  static constexpr std::size_t kLongEntries = std::size_t{1} << 15;
  static constexpr std::size_t kArenaBytes = std::size_t{2} << 20;
  /// Longer units are not kept.
  static constexpr std::size_t kLongestUnit = 512;
  static constexpr std::uint32_t kMiss = 0xFFFFFFFF;

  UnitCache() : lines_(kShortEntries / 4) {}

  /// The count of a short unit, or kMiss.
  [[nodiscard]] std::uint32_t find_short(const ShortKey& key) const {
    const Line& line = lines_[line_of(key)];
    for (const ShortKey& entry : line.entries) {
      if (entry.low == key.low && (entry.high & kKeyBits) == key.high) {
        return static_cast<std::uint32_t>(entry.high >> kCountShift);
      }
    }
    return kMiss;
  }
  /// Remembers a count; one above 15 is not kept.
  void add_short(const ShortKey& key, std::uint64_t count);

  /// The same for units of more than 15 bytes.
  [[nodiscard]] std::uint32_t find_long(std::string_view unit) const;
  void add_long(std::string_view unit, std::uint64_t count);

  /// The count of any unit: from memory, else compute(), remembered.
  template <typename Compute>
  std::uint64_t count(std::string_view unit, Compute compute) {
    if (unit.size() <= ShortKey::kMaxBytes) {
      const ShortKey key = ShortKey::of(unit);
      const std::uint32_t known = find_short(key);
      if (known != kMiss) return known;
      const std::uint64_t count = compute();
      add_short(key, count);
      return count;
    }
    const std::uint32_t known = find_long(unit);
    if (known != kMiss) return known;
    const std::uint64_t count = compute();
    add_long(unit, count);
    return count;
  }

 private:
  // ShortKey has its size in the bits 56 to 59 of `high`; the count stands
  // above. An empty entry has size 0, which no unit has.
  static constexpr int kCountShift = 60;
  static constexpr std::uint64_t kKeyBits = (std::uint64_t{1} << 60) - 1;
  static constexpr int kLineShift = 64 - 15;
  static_assert(kShortEntries / 4 == std::size_t{1} << (64 - kLineShift));

  struct alignas(64) Line {
    ShortKey entries[4];
  };
  struct LongEntry {
    std::uint64_t hash = 0;
    std::uint32_t begin = 0;
    std::uint32_t size = 0;  // 0: empty
    std::uint32_t count = 0;
  };
  [[nodiscard]] static std::size_t line_of(const ShortKey& key) {
    return key.hash() >> kLineShift;
  }
  [[nodiscard]] std::size_t long_slot(std::string_view unit,
                                      std::uint64_t hash) const;

  std::vector<Line> lines_;
  std::vector<LongEntry> long_entries_;
  std::size_t long_count_ = 0;
  std::string arena_;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_UNIT_CACHE_H_
