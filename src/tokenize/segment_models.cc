#include "tokenize/segment_models.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "tokenize/text_cursor.h"
#include "tokenize/unicode_classes.h"
#include "tokenize/unit_counter.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trainsight::tokenize {
namespace {

class ByteBpeCounter final : public SegmentCounter {
 public:
  explicit ByteBpeCounter(const ByteBpe& bpe) : worker_(bpe.make_worker()) {}
  std::uint64_t count(std::string_view segment, bool) override {
    return worker_->count(segment);
  }
  void encode(std::string_view segment, bool,
              std::vector<std::uint32_t>& ids) override {
    worker_->encode(segment, ids);
  }
  bool parts_at(std::string_view segment, std::size_t at) override {
    return worker_->parts_at(segment, at);
  }

 private:
  std::unique_ptr<ByteBpe::Worker> worker_;
};

class ByteBpeModel final : public SegmentModel {
 public:
  explicit ByteBpeModel(std::unique_ptr<ByteBpe> bpe) : bpe_(std::move(bpe)) {}
  [[nodiscard]] std::unique_ptr<SegmentCounter> make_counter() const override {
    return std::make_unique<ByteBpeCounter>(*bpe_);
  }

 private:
  std::unique_ptr<ByteBpe> bpe_;
};

class NormalizingCounter final : public SegmentCounter {
 public:
  NormalizingCounter(const Normalizer& normalizer,
                     std::unique_ptr<SegmentCounter> model)
      : normalizer_(normalizer), model_(std::move(model)) {}
  std::uint64_t count(std::string_view segment, bool at_start) override {
    return model_->count(normalizer_.apply(segment, scratch_), at_start);
  }
  void encode(std::string_view segment, bool at_start,
              std::vector<std::uint32_t>& ids) override {
    model_->encode(normalizer_.apply(segment, scratch_), at_start, ids);
  }

 private:
  const Normalizer& normalizer_;
  std::unique_ptr<SegmentCounter> model_;
  NormalizerScratch scratch_;
};

class NormalizingModel final : public SegmentModel {
 public:
  NormalizingModel(Normalizer normalizer, SegmentModelPtr model)
      : normalizer_(std::move(normalizer)), model_(std::move(model)) {}
  [[nodiscard]] std::unique_ptr<SegmentCounter> make_counter() const override {
    return std::make_unique<NormalizingCounter>(normalizer_,
                                                model_->make_counter());
  }

 private:
  Normalizer normalizer_;
  SegmentModelPtr model_;
};

class WordByWordCounter final : public SegmentCounter, private UnitSource {
 public:
  WordByWordCounter(const PreTokenizer& pre_tokenizer,
                    std::unique_ptr<SegmentCounter> model, bool cached)
      : words_(pre_tokenizer), model_(std::move(model)) {
    UnitSource& source = *this;
    if (cached) units_ = std::make_unique<UnitCounter>(source);
  }
  std::uint64_t count(std::string_view segment, bool at_start) override {
    std::uint64_t total = 0;
    for (const Word& word : words_.split(segment, at_start)) {
      total += units_ != nullptr ? units_->count(word.text)
                                 : model_->count(word.text, word.at_start);
    }
    return total;
  }
  void encode(std::string_view segment, bool at_start,
              std::vector<std::uint32_t>& ids) override {
    for (const Word& word : words_.split(segment, at_start)) {
      model_->encode(word.text, word.at_start, ids);
    }
  }

 private:
  std::uint64_t count_unit(std::string_view unit) override {
    return model_->count(unit, false);
  }

  PreTokenizer::Worker words_;
  std::unique_ptr<SegmentCounter> model_;
  std::unique_ptr<UnitCounter> units_;
};

class WordByWordModel final : public SegmentModel {
 public:
  WordByWordModel(PreTokenizer pre_tokenizer, SegmentModelPtr model,
                  bool cached)
      : pre_tokenizer_(std::move(pre_tokenizer)),
        model_(std::move(model)),
        cached_(cached) {}
  [[nodiscard]] std::unique_ptr<SegmentCounter> make_counter() const override {
    return std::make_unique<WordByWordCounter>(pre_tokenizer_,
                                               model_->make_counter(), cached_);
  }

 private:
  PreTokenizer pre_tokenizer_;
  SegmentModelPtr model_;
  bool cached_;
};

bool is_visible(char c) { return c > 0x20 && c < 0x7F; }
bool is_ascii_punctuation(char c) {
  return is_visible(c) && !((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
                            (c >= 'a' && c <= 'z'));
}

// Whether the space at `at`, between two characters, stands by itself.
bool is_single_space(std::string_view text, std::size_t at) {
  if (text[at] != ' ' || at == 0 || at + 1 >= text.size()) return false;
  const char before = text[at - 1];
  const char after = text[at + 1];
  if ((after & 0x80) != 0 ? !stands_apart(code_point_at(text, at + 1))
                          : !is_visible(after)) {
    return false;
  }
  if ((before & 0x80) == 0) return is_visible(before);
  const char32_t c = code_point_before(text, at);
  return stands_apart(c) || (class_of(c) == CharClass::kMark && c < 0xF900);
}

// The first of three bytes of U+5000 to U+9FFF.
bool is_ideograph_lead(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0xE5 && byte <= 0xE9;
}

// Of 64 bytes, which are spaces, visible ASCII, ASCII punctuation, beyond
// ASCII, and first bytes of ideographs.
struct BlockMasks {
  std::uint64_t space = 0, visible = 0, punctuation = 0, wide = 0,
                ideograph = 0;
};

BlockMasks masks_of(const char* bytes, std::size_t size) {
  BlockMasks masks;
  std::size_t at = 0;
#if defined(__SSE2__)
  const auto in_range = [](__m128i v, char first, char last) {
    return _mm_and_si128(
        _mm_cmpgt_epi8(v, _mm_set1_epi8(static_cast<char>(first - 1))),
        _mm_cmplt_epi8(v, _mm_set1_epi8(static_cast<char>(last + 1))));
  };
  const auto bits = [](__m128i v) {
    return static_cast<std::uint64_t>(
        static_cast<unsigned>(_mm_movemask_epi8(v)));
  };
  for (; at + 16 <= size; at += 16) {
    __m128i v;
    std::memcpy(&v, bytes + at, sizeof v);
    // Signed comparisons: bytes from 0x80 on are below every bound.
    const __m128i visible =
        _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8(' ')),
                      _mm_cmplt_epi8(v, _mm_set1_epi8(0x7F)));
    const __m128i lower = _mm_or_si128(v, _mm_set1_epi8(0x20));
    const __m128i word =
        _mm_or_si128(in_range(v, '0', '9'), in_range(lower, 'a', 'z'));
    masks.space |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8(' '))) << at;
    masks.visible |= bits(visible) << at;
    masks.wide |= bits(v) << at;
    masks.punctuation |= bits(_mm_andnot_si128(word, visible)) << at;
    masks.ideograph |=
        bits(in_range(v, static_cast<char>(0xE5), static_cast<char>(0xE9)))
        << at;
  }
#endif
  for (; at < size; ++at) {
    const std::uint64_t bit = std::uint64_t{1} << at;
    if (bytes[at] == ' ') masks.space |= bit;
    if (is_visible(bytes[at])) masks.visible |= bit;
    if ((bytes[at] & 0x80) != 0) masks.wide |= bit;
    if (is_ascii_punctuation(bytes[at])) masks.punctuation |= bit;
    if (is_ideograph_lead(bytes[at])) masks.ideograph |= bit;
  }
  return masks;
}

class ChunkCounter final : public SegmentCounter, private UnitSource {
 public:
  ChunkCounter(std::unique_ptr<SegmentCounter> model, ChunkRule rule)
      : model_(std::move(model)), rule_(rule), units_(*this) {}

  std::uint64_t count(std::string_view segment, bool at_start) override {
    // What comes before the first cut may depend on being at the start.
    std::size_t begin = next_cut(segment, 0);
    std::uint64_t total = model_->count(segment.substr(0, begin), at_start);
    while (begin < segment.size()) {
      const char* const chunk = chunk_.take(segment, begin);
      const std::size_t size = chunk_.size();
      const std::size_t left = segment.size() - begin;
      const bool at_end = left == size;
      find_cuts(std::string_view(chunk, std::min(left, size + kUnitPadBytes)),
                size);
      if (at_end) ends_.append(size);
      if (ends_.size > 0) {
        total += units_.count_all(chunk, ends_);
        begin += ends_.ends[ends_.size - 1];
        continue;
      }
      const std::size_t end = next_cut(segment, begin + size - 1);
      total += units_.count(segment.substr(begin, end - begin));
      begin = end;
    }
    return total;
  }

  void encode(std::string_view segment, bool at_start,
              std::vector<std::uint32_t>& ids) override {
    model_->encode(segment, at_start, ids);
  }

 private:
  // A unit begins with the space that it was cut at.
  std::uint64_t count_unit(std::string_view unit) override {
    if (unit.size() > 1 && unit[0] == ' ' &&
        (is_visible(unit[1]) || stands_apart(code_point_at(unit, 1)))) {
      unit.remove_prefix(1);
    }
    return model_->count(unit, false);
  }

  // Offset of the first cut after `from`, or the segment's end.
  [[nodiscard]] std::size_t next_cut(std::string_view segment,
                                     std::size_t from) const {
    for (std::size_t at = from + 1; at < segment.size(); ++at) {
      const char before = segment[at - 1];
      const char here = segment[at];
      if (rule_.at_ideographs &&
          (is_ideograph_lead(here) ||
           (at >= 3 && is_ideograph_lead(segment[at - 3])))) {
        return at;
      }
      if (here == ' ' && is_single_space(segment, at)) return at;
      if (rule_.at_punctuation && is_visible(before) && is_visible(here) &&
          (is_ascii_punctuation(before) || is_ascii_punctuation(here))) {
        return at;
      }
    }
    return segment.size();
  }

  // Puts the cuts of a chunk, which are its first `size` bytes, into ends_: all
  // but those before its first and after its last byte.
  void find_cuts(std::string_view readable, std::size_t size) {
    const char* const chunk = readable.data();
    const bool at_end = readable.size() == size;
    ends_.size = 0;
    BlockMasks before;  // of the block before, for its last byte
    for (std::size_t block = 0; block < size; block += 64) {
      const std::size_t bytes = std::min<std::size_t>(64, size - block);
      const BlockMasks here = masks_of(chunk + block, bytes);
      const bool has_next = block + 64 < size || !at_end;
      const char next = has_next ? chunk[block + bytes] : '\0';
      const std::uint64_t visible_before =
          here.visible << 1 | before.visible >> 63;
      const std::uint64_t visible_after =
          here.visible >> 1 | std::uint64_t{is_visible(next)} << (bytes - 1);
      std::uint64_t cuts = here.space & visible_before & visible_after;
      // Beside characters beyond ASCII, one by one.
      const std::uint64_t wide_before = here.wide << 1 | before.wide >> 63;
      const std::uint64_t wide_after =
          here.wide >> 1 |
          std::uint64_t{(static_cast<unsigned char>(next) >> 7) & 1U}
              << (bytes - 1);
      for (std::uint64_t spaces = here.space & (wide_before | wide_after);
           spaces != 0; spaces &= spaces - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(spaces));
        cuts |= std::uint64_t{is_single_space(readable, block + bit)} << bit;
      }
      if (rule_.at_punctuation) {
        const std::uint64_t punctuation_before =
            here.punctuation << 1 | before.punctuation >> 63;
        cuts |= (here.punctuation | punctuation_before) & here.visible &
                visible_before;
      }
      if (rule_.at_ideographs) {
        cuts |= here.ideograph | here.ideograph << 3 | before.ideograph >> 61;
        if (bytes < 64) cuts &= (std::uint64_t{1} << bytes) - 1;
      }
      if (block == 0) cuts &= ~std::uint64_t{1};
      ends_.append_bits(cuts, block);
      before = here;
    }
  }

  std::unique_ptr<SegmentCounter> model_;
  ChunkRule rule_;
  UnitCounter units_;
  PaddedChunk chunk_;
  UnitEnds ends_;
};

class ChunkModel final : public SegmentModel {
 public:
  ChunkModel(SegmentModelPtr model, ChunkRule rule)
      : model_(std::move(model)), rule_(rule) {}
  [[nodiscard]] std::unique_ptr<SegmentCounter> make_counter() const override {
    return std::make_unique<ChunkCounter>(model_->make_counter(), rule_);
  }

 private:
  SegmentModelPtr model_;
  ChunkRule rule_;
};

}  // namespace

SegmentModelPtr make_byte_bpe_segments(std::unique_ptr<ByteBpe> bpe) {
  return std::make_unique<ByteBpeModel>(std::move(bpe));
}
SegmentModelPtr make_normalizing(Normalizer normalizer, SegmentModelPtr model) {
  return std::make_unique<NormalizingModel>(std::move(normalizer),
                                            std::move(model));
}
SegmentModelPtr make_word_by_word(PreTokenizer pre_tokenizer,
                                  SegmentModelPtr model, bool cached) {
  return std::make_unique<WordByWordModel>(std::move(pre_tokenizer),
                                           std::move(model), cached);
}
SegmentModelPtr make_chunked(SegmentModelPtr model, ChunkRule rule) {
  return std::make_unique<ChunkModel>(std::move(model), rule);
}

}  // namespace trainsight::tokenize
