#include "tokenize/byte_bpe.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tokenize/boundary.h"
#include "tokenize/bpe_merge.h"
#include "tokenize/char_cuts.h"
#include "tokenize/word_cache.h"
#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {

struct ByteBpe::Tables {
  explicit Tables(ByteBpeSpec given)
      : spec(std::move(given)), cuts(spec.tokens) {}
  ByteBpeSpec spec;
  CharCuts cuts;
  std::unique_ptr<const BpeMerger> merger;  // refers to spec
};

namespace {

// Looks words up, and merges those that are new.
class CachedWorker final : public ByteBpe::Worker, private WordCounter {
 public:
  CachedWorker(const ByteBpeSpec& spec, const BpeMerger& merger,
               const CharCuts& cuts)
      : spec_(spec),
        merger_(merger),
        cuts_(cuts),
        kernel_(best_kernel()),
        cache_(WordCache::make()),
        use_kernel_(cache_ != nullptr && has_kernel(spec.pattern)) {}

  std::uint64_t count(std::string_view utf8) override {
    utf8 = repaired(utf8);
    if (!use_kernel_) return count_by_words(utf8, 0, utf8.size()).total;
    std::uint64_t total = 0;
    for (std::size_t begin = 0; begin < utf8.size();) {
      const std::size_t left = utf8.size() - begin;
      const std::size_t size = std::min(left, kChunkBytes);
      const char* chunk = utf8.data() + begin;
      if (left < size + kChunkPadBytes) {
        std::memcpy(padded_.data(), chunk, left);
        chunk = padded_.data();
      }
      kernel_.find_words(spec_.pattern, chunk, size, left == size, words_);
      if (words_.size == 0) {
        const Progress slow = count_by_words(utf8, begin, begin + size);
        total += slow.total;
        begin = slow.end;
      } else {
        total += kernel_.count_words(chunk, words_.ends.data(), words_.size,
                                     cache_->short_words, *this);
        begin += words_.ends[words_.size - 1];
      }
    }
    return total;
  }

  void encode(std::string_view utf8, std::vector<std::uint32_t>& ids) override {
    utf8 = repaired(utf8);
    for (std::size_t begin = 0; begin < utf8.size();) {
      const std::size_t end = word_end(spec_.pattern, utf8, begin);
      encode_one(utf8.substr(begin, end - begin), ids);
      begin = end;
    }
  }

  std::uint64_t count_word(std::string_view utf8) override {
    return count_unpadded(repaired(utf8));
  }

  void encode_word(std::string_view utf8,
                   std::vector<std::uint32_t>& ids) override {
    encode_one(repaired(utf8), ids);
  }

 private:
  struct Progress {
    std::uint64_t total = 0;
    std::size_t end = 0;
  };

  // The text itself, or a copy with U+FFFD for what is not UTF-8.
  std::string_view repaired(std::string_view bytes) {
    if (simdjson::validate_utf8(bytes.data(), bytes.size())) return bytes;
    repaired_.clear();
    text::append_repaired_utf8(bytes, repaired_);
    return repaired_;
  }

  // Words one by one, from `begin` until one ends at `until` or beyond.
  Progress count_by_words(std::string_view utf8, std::size_t begin,
                          std::size_t until) {
    Progress progress{0, begin};
    while (progress.end < until) {
      const std::size_t end = word_end(spec_.pattern, utf8, progress.end);
      progress.total +=
          count_unpadded(utf8.substr(progress.end, end - progress.end));
      progress.end = end;
    }
    return progress;
  }

  std::uint64_t count_unpadded(std::string_view word) {
    using Medium = WordCache::MediumTable::Entry;
    if (word.size() > Medium::kMaxBytes) return count_uncached(word);
    std::array<char, Medium::kMaxBytes + 33> padded{};
    std::memcpy(padded.data(), word.data(), word.size());
    return count_uncached(std::string_view(padded.data(), word.size()));
  }

  std::uint64_t count_uncached(std::string_view word) override {
    if (cache_ == nullptr) return merger_.merge_word(word, scratch_);
    if (word.size() <= WordCache::ShortTable::Entry::kMaxBytes) {
      return count_in<false>(cache_->short_words, word);
    }
    if (word.size() <= WordCache::MediumTable::Entry::kMaxBytes) {
      return count_in<false>(cache_->medium_words, word);
    }
    return count_long(word);
  }

  // Up to 31 bytes; a part of a word, or a whole one.
  template <bool kIsPart, typename Table>
  std::uint64_t count_in(Table& table, std::string_view word) {
    auto key = Table::Entry::of_padded(word.data(), word.size());
    if (kIsPart) key = key.of_part();
    const std::size_t home = Table::home(key);
    if (const std::uint64_t known = table.find(key, home)) return known;
    const std::uint64_t count =
        kIsPart ? merger_.merge(word, scratch_) : count_new(word);
    if (count != 0) table.insert(key, home, count);
    return count;
  }

  std::uint64_t count_long(std::string_view word) {
    // Words of many parts rarely come twice, so that those are not kept.
    if (cuts_.part_end(word, 0) < word.size()) return count_parts(word);
    if (word.size() > LongWordTable::kMaxBytes) {
      return merger_.merge_word(word, scratch_);
    }
    const std::uint64_t hash = LongWordTable::hash_of(word);
    std::uint32_t count = cache_->long_words.find(word, hash);
    if (count == 0) {
      count = static_cast<std::uint32_t>(merger_.merge_word(word, scratch_));
      if (count != 0) cache_->long_words.insert(word, hash, count);
    }
    return count;
  }

  // A word that no table holds.
  std::uint64_t count_new(std::string_view word) {
    if (word.size() > WordCache::ShortTable::Entry::kMaxBytes &&
        cuts_.part_end(word, 0) < word.size()) {
      return count_parts(word);
    }
    return merger_.merge_word(word, scratch_);
  }

  // A word that is cut is no token, since a token is never cut.
  std::uint64_t count_parts(std::string_view word) {
    std::uint64_t total = 0;
    for (std::size_t begin = 0; begin < word.size();) {
      const std::size_t end = cuts_.part_end(word, begin);
      std::string_view part = word.substr(begin, end - begin);
      std::array<char, 32> padded{};
      if (begin + padded.size() > word.size() && part.size() < padded.size()) {
        std::memcpy(padded.data(), part.data(), part.size());
        part = std::string_view(padded.data(), part.size());
      }
      if (part.size() < WordCache::ShortTable::Entry::kMaxBytes) {
        total += count_in<true>(cache_->short_words, part);
      } else if (part.size() < WordCache::MediumTable::Entry::kMaxBytes) {
        total += count_in<true>(cache_->medium_words, part);
      } else {
        total += merger_.merge(part, scratch_);
      }
      begin = end;
    }
    return total;
  }

  void encode_one(std::string_view word, std::vector<std::uint32_t>& ids) {
    merger_.merge_word(word, scratch_);
    for (const TokenAt& token : scratch_.tokens) {
      ids.push_back(token.id + spec_.id_offset);
    }
  }

  const ByteBpeSpec& spec_;
  const BpeMerger& merger_;
  const CharCuts& cuts_;
  const WordKernel& kernel_;
  std::unique_ptr<WordCache> cache_;
  bool use_kernel_;
  MergeScratch scratch_;
  WordEnds words_;
  std::array<char, kChunkBytes + 2 * kChunkPadBytes> padded_{};
  std::string repaired_;
};

}  // namespace

ByteBpe::ByteBpe(std::unique_ptr<const Tables> tables)
    : tables_(std::move(tables)) {}
ByteBpe::~ByteBpe() = default;

Result<std::unique_ptr<ByteBpe>> ByteBpe::make(ByteBpeSpec spec) {
  if (spec.pattern == Pattern::kRegex) {
    return Error{ErrorKind::kUnsupported,
                 "pre-tokenizer pattern not known: " + spec.regex, ""};
  }
  auto tables = std::make_unique<Tables>(std::move(spec));
  Result<BpeMerger> merger = BpeMerger::make(tables->spec);
  if (!merger) return merger.error();
  tables->merger = std::make_unique<const BpeMerger>(std::move(*merger));
  return std::unique_ptr<ByteBpe>(new ByteBpe(std::move(tables)));
}

std::unique_ptr<ByteBpe::Worker> ByteBpe::make_worker() const {
  return std::make_unique<CachedWorker>(tables_->spec, *tables_->merger,
                                        tables_->cuts);
}

const TokenBytes& ByteBpe::tokens() const { return tables_->spec.tokens; }

}  // namespace trainsight::tokenize
