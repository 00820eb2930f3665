#include "tokenize/unit_cache.h"

#include "tokenize/vocabulary.h"

namespace trainsight::tokenize {

void UnitCache::add_short(const ShortKey& key, std::uint64_t count) {
  if (count > 15) return;
  Line& line = lines_[line_of(key)];
  // The newest entry comes first, the oldest falls out.
  for (int i = 3; i > 0; --i) line.entries[i] = line.entries[i - 1];
  line.entries[0] = ShortKey{key.low, key.high | count << kCountShift};
}

std::size_t UnitCache::long_slot(std::string_view unit,
                                 std::uint64_t hash) const {
  const std::size_t mask = kLongEntries - 1;
  std::size_t at = hash & mask;
  for (;; at = (at + 1) & mask) {
    const LongEntry& entry = long_entries_[at];
    if (entry.size == 0) return at;
    if (entry.hash == hash &&
        std::string_view(arena_).substr(entry.begin, entry.size) == unit) {
      return at;
    }
  }
}

std::uint32_t UnitCache::find_long(std::string_view unit) const {
  if (long_entries_.empty() || unit.size() > kLongestUnit) return kMiss;
  const LongEntry& entry = long_entries_[long_slot(unit, hash_text(unit))];
  return entry.size == 0 ? kMiss : entry.count;
}

void UnitCache::add_long(std::string_view unit, std::uint64_t count) {
  if (unit.empty() || unit.size() > kLongestUnit) return;
  if (long_entries_.empty() || long_count_ * 2 >= kLongEntries ||
      arena_.size() + unit.size() > kArenaBytes) {
    long_entries_.assign(kLongEntries, LongEntry{});
    arena_.clear();
    arena_.reserve(kArenaBytes);
    long_count_ = 0;
  }
  const std::uint64_t hash = hash_text(unit);
  LongEntry& entry = long_entries_[long_slot(unit, hash)];
  if (entry.size == 0) ++long_count_;
  entry = LongEntry{hash, static_cast<std::uint32_t>(arena_.size()),
                    static_cast<std::uint32_t>(unit.size()),
                    static_cast<std::uint32_t>(count)};
  arena_.append(unit);
}

}  // namespace trainsight::tokenize
