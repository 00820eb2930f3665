#include "tokenize/byte_bpe.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tokenize/boundary.h"
#include "tokenize/bpe_merge.h"
#include "tokenize/char_cuts.h"
#include "tokenize/pcre2_split.h"
#include "tokenize/word_cache.h"
#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {

struct ByteBpe::Tables {
  explicit Tables(ByteBpeSpec given)
      : spec(std::move(given)), cuts(spec.tokens) {}
  ByteBpeSpec spec;
  CharCuts cuts;
  std::unique_ptr<const RegexSplitter> splitter;  // for Pattern::kRegex
  std::unique_ptr<const BpeMerger> merger;        // refers to spec
};

namespace {

// Looks words up, and merges those that are new.
class CachedWorker final : public ByteBpe::Worker, private WordCounter {
 public:
  CachedWorker(const ByteBpeSpec& spec, const BpeMerger& merger,
               const CharCuts& cuts, const RegexSplitter* splitter)
      : spec_(spec),
        merger_(merger),
        cuts_(cuts),
        matcher_(splitter == nullptr ? nullptr : splitter->make_matcher()),
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
                                     *cache_, *this);
        begin += words_.ends[words_.size - 1];
      }
    }
    return total;
  }

  void encode(std::string_view utf8, std::vector<std::uint32_t>& ids) override {
    utf8 = repaired(utf8);
    match_ = Span{};
    for (std::size_t begin = 0; begin < utf8.size();) {
      const std::size_t end = end_of_word(utf8, begin);
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

  // The end of the word at `begin`. By a regular expression, what lies between
  // two matches is a word as well; match_ is the one looked up last.
  std::size_t end_of_word(std::string_view utf8, std::size_t begin) {
    if (matcher_ == nullptr) return word_end(spec_.pattern, utf8, begin);
    if (begin >= match_.end && !matcher_->next(utf8, begin, match_)) {
      match_ = Span{utf8.size(), utf8.size()};
    }
    return begin < match_.begin ? match_.begin : match_.end;
  }

  // Words one by one, from `begin` until one ends at `until` or beyond.
  Progress count_by_words(std::string_view utf8, std::size_t begin,
                          std::size_t until) {
    Progress progress{0, begin};
    match_ = Span{};
    while (progress.end < until) {
      const std::size_t end = end_of_word(utf8, progress.end);
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
      return count_in(cache_->short_words, word);
    }
    if (word.size() <= WordCache::MediumTable::Entry::kMaxBytes) {
      return count_in(cache_->medium_words, word);
    }
    return count_long(word);
  }

  // A word of up to 31 bytes.
  template <typename Table>
  std::uint64_t count_in(Table& table, std::string_view word) {
    const auto key = Table::Entry::of_padded(word.data(), word.size());
    const std::size_t home = Table::home_of(key.hash());
    if (const std::uint64_t known = table.find(key, home)) return known;
    // Words of several parts rarely come twice: only the parts are kept.
    if (is_cut(word)) return count_parts(word);
    const std::uint64_t count = merger_.merge_word(word, scratch_);
    if (count != 0) table.insert(key, home, count);
    return count;
  }

  std::uint64_t count_long(std::string_view word) {
    if (is_cut(word)) return count_parts(word);
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

  // Whether a word is better counted by parts. A word that falls into parts is
  // no token, since a token never does.
  bool is_cut(std::string_view word) const {
    return word.size() > WordCache::ShortTable::Entry::kMaxBytes &&
           cuts_.part_end(word, 0) < word.size();
  }

  std::uint64_t count_parts(std::string_view word) {
    using Short = WordCache::ShortTable;
    struct Part {
      std::size_t begin;
      std::size_t size;
      Short::Entry key;
      std::size_t home;
    };
    // In batches, so that the table's lines are on their way in time.
    std::array<Part, CharCuts::kBatch> parts;
    CharCuts::Ends ends;
    std::uint64_t total = 0;
    for (std::size_t begin = 0; begin < word.size();) {
      const std::size_t size = cuts_.part_ends(word, begin, ends);
      for (std::size_t i = 0; i < size; ++i) {
        Part& part = parts[i];
        part.begin = begin;
        part.size = ends[i] - begin;
        begin = ends[i];
        if (part.size >= Short::Entry::kMaxBytes) continue;
        part.key = padded_key<Short>(word, part.begin, part.size).of_part();
        part.home = Short::home_of(part.key.hash());
        __builtin_prefetch(cache_->short_words.slot(part.home));
      }
      for (std::size_t i = 0; i < size; ++i) {
        const Part& part = parts[i];
        const std::string_view bytes = word.substr(part.begin, part.size);
        if (part.size < Short::Entry::kMaxBytes) {
          total += count_part(cache_->short_words, part.key, part.home, bytes);
        } else if (part.size < WordCache::MediumTable::Entry::kMaxBytes) {
          using Medium = WordCache::MediumTable;
          const auto key =
              padded_key<Medium>(word, part.begin, part.size).of_part();
          total += count_part(cache_->medium_words, key,
                              Medium::home_of(key.hash()), bytes);
        } else {
          total += merger_.merge(bytes, scratch_);
        }
      }
    }
    return total;
  }

  // The key of a part of `word`, which may not be padded.
  template <typename Table>
  static typename Table::Entry padded_key(std::string_view word,
                                          std::size_t begin, std::size_t size) {
    std::array<char, sizeof(typename Table::Entry)> padded{};
    if (begin + padded.size() <= word.size()) {
      return Table::Entry::of_padded(word.data() + begin, size);
    }
    std::memcpy(padded.data(), word.data() + begin, size);
    return Table::Entry::of_padded(padded.data(), size);
  }

  template <typename Table>
  std::uint64_t count_part(Table& table, const typename Table::Entry& key,
                           std::size_t home, std::string_view bytes) {
    if (const std::uint64_t known = table.find(key, home)) return known;
    const std::uint64_t count = merger_.merge(bytes, scratch_);
    if (count != 0) table.insert(key, home, count);
    return count;
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
  std::unique_ptr<RegexSplitter::Matcher> matcher_;
  const WordKernel& kernel_;
  std::unique_ptr<WordCache> cache_;
  bool use_kernel_;
  MergeScratch scratch_;
  Span match_;
  WordEnds words_;
  std::array<char, kChunkBytes + 2 * kChunkPadBytes> padded_{};
  std::string repaired_;
};

}  // namespace

ByteBpe::ByteBpe(std::unique_ptr<const Tables> tables)
    : tables_(std::move(tables)) {}
ByteBpe::~ByteBpe() = default;

Result<std::unique_ptr<ByteBpe>> ByteBpe::make(ByteBpeSpec spec) {
  auto tables = std::make_unique<Tables>(std::move(spec));
  if (tables->spec.pattern == Pattern::kRegex) {
    Result<std::unique_ptr<RegexSplitter>> splitter =
        RegexSplitter::make(tables->spec.regex);
    if (!splitter) return splitter.error();
    tables->splitter = std::move(*splitter);
  }
  Result<BpeMerger> merger = BpeMerger::make(tables->spec);
  if (!merger) return merger.error();
  tables->merger = std::make_unique<const BpeMerger>(std::move(*merger));
  return std::unique_ptr<ByteBpe>(new ByteBpe(std::move(tables)));
}

std::unique_ptr<ByteBpe::Worker> ByteBpe::make_worker() const {
  return std::make_unique<CachedWorker>(tables_->spec, *tables_->merger,
                                        tables_->cuts, tables_->splitter.get());
}

const TokenBytes& ByteBpe::tokens() const { return tables_->spec.tokens; }

}  // namespace trainsight::tokenize
