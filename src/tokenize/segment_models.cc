#include "tokenize/segment_models.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <utility>

#include "tokenize/unit_cache.h"

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

class WordByWordCounter final : public SegmentCounter {
 public:
  WordByWordCounter(const PreTokenizer& pre_tokenizer,
                    std::unique_ptr<SegmentCounter> model, bool cached)
      : words_(pre_tokenizer), model_(std::move(model)) {
    if (cached) cache_ = std::make_unique<UnitCache>();
  }
  std::uint64_t count(std::string_view segment, bool at_start) override {
    std::uint64_t total = 0;
    for (const Word& word : words_.split(segment, at_start)) {
      const auto ask = [&] { return model_->count(word.text, word.at_start); };
      total += cache_ != nullptr ? cache_->count(word.text, ask) : ask();
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
  PreTokenizer::Worker words_;
  std::unique_ptr<SegmentCounter> model_;
  std::unique_ptr<UnitCache> cache_;
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

// Of 64 bytes, which are spaces, visible ASCII and ASCII punctuation.
struct BlockMasks {
  std::uint64_t space = 0, visible = 0, punctuation = 0;
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
    masks.punctuation |= bits(_mm_andnot_si128(word, visible)) << at;
  }
#endif
  for (; at < size; ++at) {
    const std::uint64_t bit = std::uint64_t{1} << at;
    if (bytes[at] == ' ') masks.space |= bit;
    if (is_visible(bytes[at])) masks.visible |= bit;
    if (is_ascii_punctuation(bytes[at])) masks.punctuation |= bit;
  }
  return masks;
}

class ChunkCounter final : public SegmentCounter {
 public:
  ChunkCounter(std::unique_ptr<SegmentCounter> model, ChunkRule rule)
      : model_(std::move(model)), rule_(rule) {}

  std::uint64_t count(std::string_view segment, bool at_start) override {
    std::uint64_t total = 0;
    std::size_t begin = 0;
    BlockMasks before;  // of the block before, for its last byte
    for (std::size_t block = 0; block < segment.size(); block += 64) {
      const std::size_t size =
          std::min<std::size_t>(64, segment.size() - block);
      const BlockMasks here = masks_of(segment.data() + block, size);
      const char next =
          block + 64 < segment.size() ? segment[block + 64] : '\0';
      const std::uint64_t visible_before =
          here.visible << 1 | before.visible >> 63;
      const std::uint64_t visible_after =
          here.visible >> 1 | std::uint64_t{is_visible(next)} << 63;
      std::uint64_t cuts = here.space & visible_before & visible_after;
      if (rule_.at_punctuation) {
        const std::uint64_t punctuation_before =
            here.punctuation << 1 | before.punctuation >> 63;
        cuts |= (here.punctuation | punctuation_before) & here.visible &
                visible_before;
      }
      while (cuts != 0) {
        const std::size_t end =
            block + static_cast<std::size_t>(__builtin_ctzll(cuts));
        cuts &= cuts - 1;
        total += count_chunk(segment, begin, end, at_start);
        begin = end;
      }
      before = here;
    }
    return total + count_chunk(segment, begin, segment.size(), at_start);
  }

  void encode(std::string_view segment, bool at_start,
              std::vector<std::uint32_t>& ids) override {
    model_->encode(segment, at_start, ids);
  }

 private:
  std::uint64_t count_chunk(std::string_view segment, std::size_t begin,
                            std::size_t end, bool at_start) {
    if (begin == 0) {
      return model_->count(segment.substr(0, end), at_start);
    }
    // The space that a chunk was cut at.
    if (segment[begin] == ' ') ++begin;
    if (begin == end) return 0;
    const std::string_view chunk = segment.substr(begin, end - begin);
    const auto ask = [&] { return model_->count(chunk, false); };
    if (chunk.size() > ShortKey::kMaxBytes || begin + 16 > segment.size()) {
      return cache_.count(chunk, ask);
    }
    const ShortKey key = ShortKey::of_padded(chunk.data(), chunk.size());
    const std::uint32_t known = cache_.find_short(key);
    if (known != UnitCache::kMiss) return known;
    const std::uint64_t count = ask();
    cache_.add_short(key, count);
    return count;
  }

  std::unique_ptr<SegmentCounter> model_;
  ChunkRule rule_;
  UnitCache cache_;
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
