// WordCache: the number of tokens of words seen before, one look-up a word.
//
// Words of up to 15 bytes are entries of 16 bytes, key and count in one; of up
// to 31 bytes, of 32. A word is only ever looked for in two neighbouring cache
// lines, most often at its home in one: where both are full an entry is
// forgotten, so the memory is fixed and nothing is ever rebuilt. Longer words
// are found by hash and compared byte by byte.
//
// Keys are the complements of the bytes, zero after the word's end: 0xFF does
// not occur in UTF-8, so that distinct words have distinct keys, no length is
// needed, and zeroed memory is an empty table.
// Thread-safety: none; one a worker.
#ifndef TRAINSIGHT_TOKENIZE_WORD_CACHE_H_
#define TRAINSIGHT_TOKENIZE_WORD_CACHE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainsight::tokenize {

/// Whether a word that begins with this byte may be a clause, of which hardly
/// one comes twice: the first byte of kana, ideographs, Hangul, and of their
/// punctuation. Only its parts are worth a place in a table.
constexpr bool may_lack_spaces(char first) {
  return static_cast<unsigned char>(first) >= 0xE3 &&
         static_cast<unsigned char>(first) <= 0xEF;
}

/// Zeroed memory from the system, huge pages asked for before first touch.
class ZeroedPages {
 public:
  explicit ZeroedPages(std::size_t bytes);
  ~ZeroedPages();
  ZeroedPages(const ZeroedPages&) = delete;
  ZeroedPages& operator=(const ZeroedPages&) = delete;

  /// Aligned to 2 MiB; null where the system gave none.
  [[nodiscard]] unsigned char* data() const { return data_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  unsigned char* data_ = nullptr;
};

/// kWords 64-bit words: 8 * kWords - 1 bytes of key, the count on top.
template <std::size_t kWords>
struct WordEntry {
  static constexpr std::size_t kMaxBytes = 8 * kWords - 1;
  /// Entries that a key may be in: two neighbouring lines.
  static constexpr std::size_t kWays = 16 / kWords;

  std::array<std::uint64_t, kWords> words;

  /// REQUIRES: size <= kMaxBytes; 8 * kWords bytes can be read at `bytes`.
  static WordEntry of_padded(const char* bytes, std::size_t size) {
    WordEntry key;
    const char* mask = kMasks.data() + (8 * kWords - size);
    for (std::size_t i = 0; i < kWords; ++i) {
      std::uint64_t word = 0;
      std::uint64_t keep = 0;
      std::memcpy(&word, bytes + 8 * i, 8);
      std::memcpy(&keep, mask + 8 * i, 8);
      key.words[i] = ~word & keep;
    }
    return key;
  }

  /// The key of the same bytes as a part of a word, which a vocabulary may
  /// treat in another way: its last byte reads as 0xFE, which UTF-8 never has.
  /// REQUIRES: a key of fewer than kMaxBytes bytes.
  [[nodiscard]] WordEntry of_part() const {
    WordEntry key = *this;
    key.words[kWords - 1] |= std::uint64_t{1} << 48;
    return key;
  }

  /// Its highest bits depend on every byte.
  [[nodiscard]] std::uint64_t hash() const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < kWords; ++i) h ^= words[i] * kFactors[i];
    return h;
  }
  /// Whether this entry, count and all, is for `key`.
  [[nodiscard]] bool is_for(const WordEntry& key) const {
    std::uint64_t differing = (words[kWords - 1] ^ key.words[kWords - 1]) << 8;
    for (std::size_t i = 0; i + 1 < kWords; ++i) {
      differing |= words[i] ^ key.words[i];
    }
    return differing == 0;
  }
  [[nodiscard]] std::uint64_t count() const { return words[kWords - 1] >> 56; }
  [[nodiscard]] WordEntry with_count(std::uint64_t count) const {
    WordEntry entry = *this;
    entry.words[kWords - 1] |= count << 56;
    return entry;
  }

 private:
  static constexpr std::array<std::uint64_t, 4> kFactors = {
      0x9E3779B97F4A7C15U, 0xC2B2AE3D27D4EB4FU, 0xD6E8FEB86659FD93U,
      0xA0761D6478BD642FU};
  // 8 * kWords bytes of 0xFF, then as many of 0.
  static constexpr std::array<char, 16 * kWords> kMasks = [] {
    std::array<char, 16 * kWords> masks{};
    for (std::size_t i = 0; i < 8 * kWords; ++i) masks[i] = '\xFF';
    return masks;
  }();
};

/// A table of 2^kBits entries in sets of two lines of 64 bytes. The all-zero
/// key must not be looked up by find(); it reads as absent with count 0 in the
/// slot 0 that its hash names, which is never filled.
template <std::size_t kWords, int kBits>
class WordTable {
 public:
  using Entry = WordEntry<kWords>;
  static constexpr std::size_t kBytes = sizeof(Entry) << kBits;

  /// REQUIRES: kBytes zeroed bytes at `memory`, aligned to a line.
  explicit WordTable(unsigned char* memory)
      : entries_(reinterpret_cast<Entry*>(memory)) {}

  /// The slot where a key with this hash is looked for first.
  [[nodiscard]] static std::size_t home_of(std::uint64_t hash) {
    return hash >> (64 - kBits);
  }
  [[nodiscard]] const Entry* slot(std::size_t index) const {
    return entries_ + index;
  }
  /// The count of `key`, or 0; `index` is home_of(key.hash()). What is found
  /// elsewhere in its set moves home, so that what is common is mostly found
  /// there.
  std::uint64_t find(const Entry& key, std::size_t index) {
    if (entries_[index].is_for(key)) return entries_[index].count();
    for (std::size_t way = 1; way < Entry::kWays; ++way) {
      Entry& entry = entries_[index ^ way];
      if (!entry.is_for(key)) continue;
      const std::uint64_t count = entry.count();
      if (index != 0) std::swap(entry, entries_[index]);
      return count;
    }
    return 0;
  }
  /// Remembers a key that find() did not find. REQUIRES: 0 < count < 256.
  void insert(const Entry& key, std::size_t index, std::uint64_t count) {
    std::size_t way = 0;
    while (way < Entry::kWays &&
           ((index ^ way) == 0 || entries_[index ^ way].count() != 0)) {
      ++way;
    }
    if (way == Entry::kWays) {
      // The entry at home stays: the first to come is mostly the commonest.
      way = 1 + replaced_++ % (Entry::kWays - 1);
      if ((index ^ way) == 0) return;
    }
    entries_[index ^ way] = key.with_count(count);
  }

 private:
  Entry* entries_;
  std::size_t replaced_ = 0;
};

/// Words of more than 31 bytes, in a table and an arena of fixed size that are
/// emptied together when either is full.
class LongWordTable {
 public:
  static constexpr std::size_t kMaxBytes = 1024;

  /// The word's count, or 0; `hash` is hash_of(word).
  [[nodiscard]] std::uint32_t find(std::string_view word,
                                   std::uint64_t hash) const;
  /// REQUIRES: find() gave 0; word.size() <= kMaxBytes; 0 < count.
  void insert(std::string_view word, std::uint64_t hash, std::uint32_t count);
  [[nodiscard]] static std::uint64_t hash_of(std::string_view word);

 private:
  static constexpr std::size_t kSlots = std::size_t{1} << 15;
  static constexpr std::size_t kArenaBytes = std::size_t{3} << 20;

  struct Slot {
    std::uint32_t tag = 0;
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
    std::uint32_t count = 0;
  };
  std::vector<Slot> slots_;  // empty before the first insert
  std::size_t used_slots_ = 0;
  std::string arena_;
};

/// The three tables of a worker: about 12 MiB at most.
class WordCache {
 public:
  using ShortTable = WordTable<2, 18>;
  using MediumTable = WordTable<4, 17>;

  /// Null where the system gives no memory.
  static std::unique_ptr<WordCache> make();

  ShortTable short_words;
  MediumTable medium_words;
  LongWordTable long_words;

 private:
  explicit WordCache(std::unique_ptr<ZeroedPages> pages)
      : short_words(pages->data()),
        medium_words(pages->data() + ShortTable::kBytes),
        pages_(std::move(pages)) {}
  std::unique_ptr<ZeroedPages> pages_;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_WORD_CACHE_H_
