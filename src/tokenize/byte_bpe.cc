#include "tokenize/byte_bpe.h"

#include <simdjson.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "tokenize/boundary.h"
#include "tokenize/bpe_merge.h"
#include "tokenize/char_cuts.h"
#include "tokenize/part_counts.h"
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
        part_counts_(std::make_unique<PartCounts>()),
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
        total += count_waiting();  // whose bytes are in this chunk
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
    return count_one(repaired(utf8));
  }

  void encode_word(std::string_view utf8,
                   std::vector<std::uint32_t>& ids) override {
    encode_one(repaired(utf8), ids);
  }

 private:
  using Short = WordCache::ShortTable;
  using Medium = WordCache::MediumTable;
  // A part of a word that waits for its cache line.
  struct Part {
    std::string_view bytes;
    Short::Entry key;  // of bytes that fit
    std::size_t home;
  };
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
    if (word.size() > Medium::Entry::kMaxBytes) {
      const std::uint64_t count = count_uncached(word);
      return count + count_waiting();
    }
    std::array<char, Medium::Entry::kMaxBytes + 33> padded{};
    std::memcpy(padded.data(), word.data(), word.size());
    const std::uint64_t count =
        count_uncached(std::string_view(padded.data(), word.size()));
    return count + count_waiting();
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
    // Words of several parts rarely come twice: only the parts are kept, and
    // where such words are the rule nothing else is looked for.
    const bool has_parts = word.size() > Short::Entry::kMaxBytes;
    const bool parts_first = has_parts && may_lack_spaces(word[0]);
    std::uint64_t total = 0;
    if (parts_first && count_parts(word, total)) return total;
    if (const std::uint64_t known = table.find(key, home)) return known;
    if (has_parts && !parts_first && count_parts(word, total)) return total;
    const std::uint64_t count = merger_.merge_word(word, scratch_);
    if (count != 0) table.insert(key, home, count);
    return count;
  }

  std::uint64_t count_long(std::string_view word) {
    std::uint64_t total = 0;
    if (count_parts(word, total)) return total;
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

  // The first byte of kana, ideographs, Hangul, and of their punctuation.
  static bool may_lack_spaces(char byte) {
    return static_cast<unsigned char>(byte) >= 0xE3 &&
           static_cast<unsigned char>(byte) <= 0xEF;
  }

  // Adds the tokens of a word's parts to `total`: those of one or two
  // characters mostly at once; the others are put aside, so that the table's
  // lines of many are on their way in time. False, and nothing is done, when
  // the word does not fall into parts. (One that does is no token, since a
  // token never does.)
  bool count_parts(std::string_view word, std::uint64_t& total) {
    CharCuts::Run run;
    for (std::size_t begin = 0; begin < word.size();) {
      cuts_.cut(word, begin, run);
      const int last = 63 - std::countl_zero(run.cuts);
      if (last == 0) {  // a part that is longer than a run
        const std::size_t end = cuts_.part_end(word, begin);
        if (begin == 0 && end == word.size()) return false;
        put_aside(word, begin, end, total);
        begin = end;
        continue;
      }
      const std::size_t run_end = run.begins[static_cast<std::size_t>(last)];
      // What begins at the last cut goes on behind the run.
      const std::uint64_t begins = run.cuts & ((std::uint64_t{1} << last) - 1);
      if (begin == 0 && begins == 1 && run_end == word.size()) return false;
      const std::uint64_t ones = begins & run.cuts >> 1;
      const std::uint64_t twos = begins & ~ones & run.cuts >> 2;
      std::uint64_t unknown = 0;
      total += part_counts_->count_ones(run, ones, unknown) +
               part_counts_->count_twos(run, twos, unknown);
      for (; unknown != 0; unknown &= unknown - 1) {
        total += count_small_part(
            word, run, static_cast<std::size_t>(std::countr_zero(unknown)),
            (ones & unknown & (0 - unknown)) != 0);
      }
      std::uint64_t others = begins & ~ones & ~twos;
      for (; others != 0; others &= others - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(others));
        const std::uint64_t after = run.cuts >> i >> 1;
        const auto end =
            i + 1 + static_cast<std::size_t>(std::countr_zero(after));
        put_aside(word, run.begins[i], run.begins[end], total);
      }
      begin = run_end;
    }
    return true;
  }

  // A part of one or two characters that part_counts_ does not know.
  std::uint64_t count_small_part(std::string_view word,
                                 const CharCuts::Run& run, std::size_t at,
                                 bool is_one) {
    const std::size_t begin = run.begins[at];
    const std::string_view bytes =
        word.substr(begin, run.begins[at + (is_one ? 1 : 2)] - begin);
    const auto key = padded_key<Short>(word, begin, bytes.size()).of_part();
    const std::uint64_t count =
        count_part(cache_->short_words, key, Short::home_of(key.hash()), bytes);
    if (is_one) {
      part_counts_->set_one(run.characters[at], count);
    } else {
      part_counts_->set_two(run.characters[at], run.characters[at + 1], count);
    }
    return count;
  }

  void put_aside(std::string_view word, std::size_t begin, std::size_t end,
                 std::uint64_t& total) {
    if (waiting_size_ == waiting_.size()) total += count_waiting();
    Part& part = waiting_[waiting_size_++];
    part.bytes = word.substr(begin, end - begin);
    if (part.bytes.size() < Short::Entry::kMaxBytes) {
      part.key = padded_key<Short>(word, begin, part.bytes.size()).of_part();
      part.home = Short::home_of(part.key.hash());
      __builtin_prefetch(cache_->short_words.slot(part.home));
    }
  }

  std::uint64_t count_waiting() {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < waiting_size_; ++i) {
      const Part& part = waiting_[i];
      if (part.bytes.size() < Short::Entry::kMaxBytes) {
        total +=
            count_part(cache_->short_words, part.key, part.home, part.bytes);
      } else if (part.bytes.size() < Medium::Entry::kMaxBytes) {
        const auto key =
            padded_key<Medium>(part.bytes, 0, part.bytes.size()).of_part();
        total += count_part(cache_->medium_words, key,
                            Medium::home_of(key.hash()), part.bytes);
      } else {
        total += merger_.merge(part.bytes, scratch_);
      }
    }
    waiting_size_ = 0;
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
  std::unique_ptr<PartCounts> part_counts_;
  bool use_kernel_;
  MergeScratch scratch_;
  std::array<Part, 128> waiting_;
  std::size_t waiting_size_ = 0;
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
