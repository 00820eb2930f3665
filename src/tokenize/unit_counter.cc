#include "tokenize/unit_counter.h"

#include <algorithm>
#include <utility>

namespace trainsight::tokenize {
namespace {

template <int kBits>
std::size_t slot_of(std::uint64_t hash) {
  return hash >> (64 - kBits);
}

}  // namespace

UnitCounter::UnitCounter(UnitSource& source)
    : source_(source),
      pages_((sizeof(Short) << kFrontBits) + (sizeof(Short) << kShortBits) +
             (sizeof(Medium) << kMediumBits)) {
  unsigned char* at = pages_.data();
  if (at == nullptr) return;
  front_ = reinterpret_cast<Short*>(at);
  at += sizeof(Short) << kFrontBits;
  short_ = reinterpret_cast<Short*>(at);
  at += sizeof(Short) << kShortBits;
  medium_ = reinterpret_cast<Medium*>(at);
}

std::uint64_t UnitCounter::count(std::string_view unit) {
  if (unit.size() > Medium::kMaxBytes) return count_padded(unit);
  std::array<char, Medium::kMaxBytes + kUnitPadBytes + 1> padded{};
  std::memcpy(padded.data(), unit.data(), unit.size());
  return count_padded(std::string_view(padded.data(), unit.size()));
}

std::uint64_t UnitCounter::count_all(const char* chunk, const UnitEnds& ends) {
  constexpr std::size_t kBatch = 64;
  struct Probe {
    Short key;
    const Short* entry;
  };
  std::uint64_t total = 0;
  std::size_t begin = 0;
  if (front_ == nullptr) {
    for (std::size_t i = 0; i < ends.size; ++i) {
      total += source_.count_unit(
          std::string_view(chunk + begin, ends.ends[i] - begin));
      begin = ends.ends[i];
    }
    return total;
  }
  std::array<Probe, kBatch> probes;
  std::array<std::uint8_t, kBatch> absent;
  for (std::size_t first = 0; first < ends.size; first += kBatch) {
    const std::size_t batch = std::min(kBatch, ends.size - first);
    const std::uint16_t* const batch_ends = ends.ends.data() + first;
    const std::size_t batch_begin = begin;
    for (std::size_t i = 0; i < batch; ++i) {
      const std::size_t size = batch_ends[i] - begin;
      // A longer unit gets the key of none, which no entry has.
      const Short key =
          Short::of_padded(chunk + begin, size <= Short::kMaxBytes ? size : 0);
      const Short* const entry = front_ + slot_of<kFrontBits>(key.hash());
      __builtin_prefetch(entry);
      probes[i] = Probe{key, entry};
      begin = batch_ends[i];
    }
    std::size_t absent_count = 0;
    for (std::size_t i = 0; i < batch; ++i) {
      const Short& entry = *probes[i].entry;
      const std::uint64_t count =
          entry.is_for(probes[i].key) ? entry.count() : 0;
      total += count;
      absent[absent_count] = static_cast<std::uint8_t>(i);
      absent_count += count == 0 ? 1 : 0;
    }
    // Behind the front table too, lines are fetched before they are needed.
    const auto absent_unit = [&](std::size_t j) {
      const std::size_t i = absent[j];
      const std::size_t from = i == 0 ? batch_begin : batch_ends[i - 1];
      return std::string_view(chunk + from, batch_ends[i] - from);
    };
    for (std::size_t j = 0; j < absent_count; ++j) {
      const std::string_view unit = absent_unit(j);
      if (unit.size() <= Short::kMaxBytes) {
        __builtin_prefetch(short_ +
                           slot_of<kShortBits>(probes[absent[j]].key.hash()));
      } else if (unit.size() <= Medium::kMaxBytes) {
        const Medium key = Medium::of_padded(unit.data(), unit.size());
        __builtin_prefetch(medium_ + slot_of<kMediumBits>(key.hash()));
      }
    }
    for (std::size_t j = 0; j < absent_count; ++j) {
      total += count_padded(absent_unit(j));
    }
  }
  return total;
}

std::uint64_t UnitCounter::count_padded(std::string_view unit) {
  if (unit.empty()) return 0;
  if (front_ == nullptr) return source_.count_unit(unit);
  if (unit.size() <= Short::kMaxBytes) {
    const Short key = Short::of_padded(unit.data(), unit.size());
    const std::uint64_t count = count_in<Short, kShortBits>(short_, key, unit);
    if (count > 0 && count < 256) {
      front_[slot_of<kFrontBits>(key.hash())] = key.with_count(count);
    }
    return count;
  }
  if (unit.size() <= Medium::kMaxBytes) {
    return count_in<Medium, kMediumBits>(
        medium_, Medium::of_padded(unit.data(), unit.size()), unit);
  }
  return count_long(unit);
}

// An entry is in the cache line of its slot; when that is full, the entries of
// the line are replaced by turns.
template <typename Entry, int kBits>
std::uint64_t UnitCounter::count_in(Entry* table, const Entry& key,
                                    std::string_view unit) {
  constexpr std::size_t kWays = 64 / sizeof(Entry);
  const std::size_t slot = slot_of<kBits>(key.hash());
  for (std::size_t way = 0; way < kWays; ++way) {
    const Entry& entry = table[slot ^ way];
    if (entry.is_for(key)) return entry.count();
  }
  const std::uint64_t count = source_.count_unit(unit);
  if (count == 0 || count > 255) return count;
  std::size_t way = 0;
  while (way < kWays && table[slot ^ way].count() != 0) ++way;
  if (way == kWays) way = replaced_++ % kWays;
  table[slot ^ way] = key.with_count(count);
  return count;
}

std::uint64_t UnitCounter::count_long(std::string_view unit) {
  if (unit.size() > LongWordTable::kMaxBytes) return source_.count_unit(unit);
  const std::uint64_t hash = LongWordTable::hash_of(unit);
  if (const std::uint32_t known = long_.find(unit, hash)) return known;
  const std::uint64_t count = source_.count_unit(unit);
  if (count > 0) long_.insert(unit, hash, static_cast<std::uint32_t>(count));
  return count;
}

}  // namespace trainsight::tokenize
