#include "tokenize/byte_bpe.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tokenize/boundary.h"
#include "tokenize/bpe_merge.h"
#include "tokenize/char_cuts.h"
#include "tokenize/clause_counter.h"
#include "tokenize/pcre2_split.h"
#include "tokenize/text_cursor.h"
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
class CachedWorker final : public ByteBpe::Worker,
                           private WordCounter,
                           private PartSource {
 public:
  CachedWorker(const ByteBpeSpec& spec, const BpeMerger& merger,
               const CharCuts& cuts, const RegexSplitter* splitter)
      : spec_(spec),
        merger_(merger),
        matcher_(splitter == nullptr ? nullptr : splitter->make_matcher()),
        kernel_(best_kernel()),
        cache_(WordCache::make()),
        clauses_(std::make_unique<ClauseCounter>(
            cuts, static_cast<PartSource&>(*this))),
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
      readable_end_ = chunk + size + kChunkPadBytes;
      kernel_.find_words(spec_.pattern, chunk, size, left == size, words_);
      if (words_.size == 0) {
        const Progress slow = count_by_words(utf8, begin, begin + size);
        total += slow.total;
        begin = slow.end;
      } else {
        total += kernel_.count_words(chunk, words_.ends.data(), words_.size,
                                     *cache_, *this);
        total += clauses_->count();  // whose bytes are in this chunk
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

  // The words up to `at` must be the same with and without what follows.
  bool parts_at(std::string_view utf8, std::size_t at) override {
    const bool is_inside_character =
        at < utf8.size() && is_continuation(utf8[at]);
    if (matcher_ != nullptr || is_inside_character ||
        !simdjson::validate_utf8(utf8.data(), utf8.size())) {
      return false;
    }
    const std::string_view first = utf8.substr(0, at);
    std::size_t begin = 0;
    while (begin < at) {
      const std::size_t end = end_of_word(utf8, begin);
      if (end > at || end_of_word(first, begin) != end) return false;
      begin = end;
    }
    return true;
  }

  std::uint64_t count_word(std::string_view utf8) override {
    return count_one(repaired(utf8));
  }

  void encode_word(std::string_view utf8,
                   std::vector<std::uint32_t>& ids) override {
    encode_one(repaired(utf8), ids);
  }

 private:
  using Short = WordCache::ShortTable;
  using Medium = WordCache::MediumTable;
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
          count_one(utf8.substr(progress.end, end - progress.end));
      progress.end = end;
    }
    return progress;
  }

  // A word by itself, which may not be padded.
  std::uint64_t count_one(std::string_view word) {
    std::array<char, Medium::Entry::kMaxBytes + 33> padded{};
    readable_end_ = word.data() + word.size();
    if (word.size() <= Medium::Entry::kMaxBytes) {
      std::memcpy(padded.data(), word.data(), word.size());
      word = std::string_view(padded.data(), word.size());
      readable_end_ = padded.data() + padded.size();
    }
    const std::uint64_t count = count_uncached(word);
    return count + clauses_->count();
  }

  // Words of several parts rarely come twice: only the parts are kept, and
  // where such words are the rule nothing else is looked for.
  std::uint64_t count_uncached(std::string_view word) override {
    if (cache_ == nullptr) return merger_.merge_word(word, scratch_);
    if (word.size() <= Short::Entry::kMaxBytes) {
      return count_in(cache_->short_words, word);
    }
    if (may_lack_spaces(word[0])) return clauses_->add(word);
    if (word.size() <= Medium::Entry::kMaxBytes) {
      const auto key = Medium::Entry::of_padded(word.data(), word.size());
      const std::uint64_t known =
          cache_->medium_words.find(key, Medium::home_of(key.hash()));
      if (known != 0) return known;
    }
    return is_ascii(word) ? count_whole(word) : clauses_->add(word);
  }

  // (One that falls into parts is no token, since a token never does.)
  std::uint64_t count_whole(std::string_view word) override {
    if (word.size() <= Medium::Entry::kMaxBytes) {
      return count_in(cache_->medium_words, word);
    }
    return count_in_long(word, LongWordTable::hash_of(word), true);
  }

  // A word of up to 31 bytes.
  template <typename Table>
  std::uint64_t count_in(Table& table, std::string_view word) {
    const auto key = padded_key<Table>(word);
    const std::size_t home = Table::home_of(key.hash());
    if (const std::uint64_t known = table.find(key, home)) return known;
    const std::uint64_t count = merger_.merge_word(word, scratch_);
    if (count != 0) table.insert(key, home, count);
    return count;
  }

  // A word, or a part of one, of any size.
  std::uint64_t count_in_long(std::string_view bytes, std::uint64_t hash,
                              bool is_word) {
    const auto merged = [&] {
      return is_word ? merger_.merge_word(bytes, scratch_)
                     : merger_.merge(bytes, scratch_);
    };
    if (bytes.size() > LongWordTable::kMaxBytes) return merged();
    std::uint32_t count = cache_->long_words.find(bytes, hash);
    if (count == 0) {
      count = static_cast<std::uint32_t>(merged());
      if (count != 0) cache_->long_words.insert(bytes, hash, count);
    }
    return count;
  }

  std::uint64_t count_parts(const std::string_view* parts,
                            std::size_t size) override {
    // The table's lines of many are on their way before the first is needed.
    constexpr std::size_t kBatch = 64;
    std::array<Short::Entry, kBatch> keys;
    std::uint64_t total = 0;
    for (std::size_t first = 0; first < size; first += kBatch) {
      const std::size_t batch = std::min(kBatch, size - first);
      for (std::size_t i = 0; i < batch; ++i) {
        const std::string_view part = parts[first + i];
        if (part.size() >= Short::Entry::kMaxBytes) continue;
        keys[i] = padded_key<Short>(part).of_part();
        __builtin_prefetch(
            cache_->short_words.slot(Short::home_of(keys[i].hash())));
      }
      for (std::size_t i = 0; i < batch; ++i) {
        total += count_part(parts[first + i], keys[i]);
      }
    }
    return total;
  }

  // `key` is that of a short part.
  std::uint64_t count_part(std::string_view part, const Short::Entry& key) {
    if (part.size() < Short::Entry::kMaxBytes) {
      return count_part_in(cache_->short_words, key, part);
    }
    if (part.size() < Medium::Entry::kMaxBytes) {
      return count_part_in(cache_->medium_words,
                           padded_key<Medium>(part).of_part(), part);
    }
    // Under hashes that a word of the same bytes never has.
    return count_in_long(part, ~LongWordTable::hash_of(part), false);
  }

  template <typename Table>
  std::uint64_t count_part_in(Table& table, const typename Table::Entry& key,
                              std::string_view part) {
    const std::size_t home = Table::home_of(key.hash());
    if (const std::uint64_t known = table.find(key, home)) return known;
    const std::uint64_t count = merger_.merge(part, scratch_);
    if (count != 0) table.insert(key, home, count);
    return count;
  }

  // The key of bytes that may not be padded.
  template <typename Table>
  typename Table::Entry padded_key(std::string_view bytes) const {
    std::array<char, sizeof(typename Table::Entry)> padded{};
    if (bytes.data() + padded.size() <= readable_end_) {
      return Table::Entry::of_padded(bytes.data(), bytes.size());
    }
    std::memcpy(padded.data(), bytes.data(), bytes.size());
    return Table::Entry::of_padded(padded.data(), bytes.size());
  }

  void encode_one(std::string_view word, std::vector<std::uint32_t>& ids) {
    merger_.merge_word(word, scratch_);
    for (const TokenAt& token : scratch_.tokens) {
      ids.push_back(token.id + spec_.id_offset);
    }
  }

  const ByteBpeSpec& spec_;
  const BpeMerger& merger_;
  std::unique_ptr<RegexSplitter::Matcher> matcher_;
  const WordKernel& kernel_;
  std::unique_ptr<WordCache> cache_;
  std::unique_ptr<ClauseCounter> clauses_;
  bool use_kernel_;
  MergeScratch scratch_;
  const char* readable_end_ = nullptr;  // of the text that is counted
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
    Result<std::unique_ptr<RegexSplitter>> splitter = RegexSplitter::make(
        tables->spec.regex,
        tables->spec.by_rank ? RegexSyntax::kRust : RegexSyntax::kOniguruma);
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
