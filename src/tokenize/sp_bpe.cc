#include "tokenize/sp_bpe.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "tokenize/sp_bpe_tables.h"
#include "tokenize/unit_counter.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trainsight::tokenize {
namespace {

constexpr std::uint32_t kNone = Vocabulary::kNone;

// SentencePiece's unknown characters before merging: one symbol for all that
// are in no piece, since none of them merges.
constexpr std::uint32_t kUnknownSymbol = 0xFFFFFFFE;

}  // namespace

class SpBpe::Counter final : public SegmentCounter, private UnitSource {
 private:
  struct Span {
    std::size_t begin, end;
  };

 public:
  Counter(const Tables& tables, PrependMark prepend)
      : tables_(tables),
        spec_(tables.spec()),
        prepend_(prepend),
        units_(*this) {}

  std::uint64_t count(std::string_view segment, bool at_start) override {
    if (segment.empty()) return 0;
    const bool prepended = is_prepended(segment, at_start);
    if (!tables_.has_cuts()) {
      return units_.count(prefixed(segment, prepended));
    }
    std::uint64_t total = 0;
    std::size_t begin = 0;
    if (prepended) {
      // The first unit, with the mark before it.
      begin = 1;
      while (begin < segment.size() &&
             (is_continuation(segment[begin]) || !cut_at(segment, begin))) {
        ++begin;
      }
      total = units_.count(prefixed(segment.substr(0, begin), true));
    }
    return total + count_units(segment.substr(begin));
  }

  bool parts_at(std::string_view segment, std::size_t at) override {
    return at == 0 || at == segment.size() ||
           (tables_.has_cuts() && cut_at(segment, at));
  }

  // A token is a unit of its own, which no stretch of text between tokens
  // equals: it would have been found as the token.
  bool take_tokens(const AddedTokens& tokens) override {
    if (!tables_.has_cuts() || prepend_ != PrependMark::kNever ||
        !tokens.are_plain()) {
      return false;
    }
    tokens_ = &tokens;
    return true;
  }

  std::uint64_t count_parts(std::string_view text,
                            const std::vector<TextPart>& parts) override {
    spans_.clear();
    for (const TextPart& part : parts) {
      if (part.id == TextPart::kText) continue;
      const auto begin =
          static_cast<std::size_t>(part.text.data() - text.data());
      spans_.push_back(Span{begin, begin + part.text.size()});
    }
    const std::uint64_t total = count_units(text);
    spans_.clear();
    return total;
  }

  void encode(std::string_view segment, bool at_start,
              std::vector<std::uint32_t>& ids) override {
    if (segment.empty()) return;
    merge_unit(prefixed(segment, is_prepended(segment, at_start)));
    for (const std::uint32_t symbol : symbols_) ids.push_back(symbol);
  }

 private:
  [[nodiscard]] bool is_prepended(std::string_view segment,
                                  bool at_start) const {
    const bool has_mark =
        segment.substr(0, kSpaceMarkBytes.size()) == kSpaceMarkBytes ||
        (spec_.space_is_mark && segment[0] == ' ');
    switch (prepend_) {
      case PrependMark::kNever:
        return false;
      case PrependMark::kAlways:
        return true;
      case PrependMark::kAtStart:
        return at_start;
      case PrependMark::kAtStartUnlessMark:
        return at_start && !has_mark;
      case PrependMark::kUnlessMark:
        return !has_mark;
    }
    return false;
  }

  std::string_view prefixed(std::string_view text, bool prepended) {
    with_mark_.clear();
    if (prepended) {
      if (spec_.space_is_mark) {
        with_mark_ += ' ';
      } else {
        with_mark_ += kSpaceMarkBytes;
      }
    }
    with_mark_ += text;
    return with_mark_;
  }

  [[nodiscard]] bool cut_at(std::string_view text, std::size_t at) const {
    const std::uint32_t left = packed_at(text, previous_code_point(text, at));
    const std::uint32_t right = packed_at(text, at);
    return (tables_.joins_unknown() ? tables_.cut_bit<true>(left, right)
                                    : tables_.cut_bit<false>(left, right)) != 0;
  }

  // The character at `at`, which may be the last.
  static std::uint32_t packed_at(std::string_view text, std::size_t at) {
    std::array<char, 4> bytes{};
    std::memcpy(bytes.data(), text.data() + at,
                std::min(bytes.size(), text.size() - at));
    return packed_character(bytes.data());
  }

  std::uint64_t count_unit(std::string_view unit) override {
    if (tokens_ != nullptr && tokens_->is_token(unit)) return 1;
    return merge_unit(unit);
  }

  // A text, or a segment; spans_ are the tokens in it.
  std::uint64_t count_units(std::string_view text) {
    std::uint64_t total = 0;
    auto span = spans_.begin();
    for (std::size_t begin = 0; begin < text.size();) {
      const char* const chunk = chunk_.take(text, begin);
      const std::size_t size = chunk_.size();
      const std::size_t left = text.size() - begin;
      const std::string_view readable(chunk,
                                      std::min(left, size + kUnitPadBytes));
      for (std::size_t block = 0; block < size; block += 64) {
        cuts_[block / 64] =
            cuts_of_block(readable, block, std::min(size, block + 64));
      }
      while (span != spans_.end() && span->end <= begin) ++span;
      for (auto s = span; s != spans_.end() && s->begin < begin + size; ++s) {
        cut_around(*s, begin, size);
      }
      ends_.size = 0;
      for (std::size_t block = 0; block < size; block += 64) {
        ends_.append_bits(cuts_[block / 64], block);
      }
      if (left == size) {
        ends_.append(size);
      }
      if (ends_.size > 0) {
        total += units_.count_all(chunk, ends_);
        begin += ends_.ends[ends_.size - 1];
        continue;
      }
      // A unit longer than a chunk.
      std::size_t end = begin + size;
      if (span != spans_.end() && span->begin <= begin) {
        end = span->end;
      } else {
        const std::size_t limit =
            span != spans_.end() ? span->begin : text.size();
        while (end < limit &&
               (is_continuation(text[end]) || !cut_at(text, end))) {
          ++end;
        }
      }
      total += units_.count(text.substr(begin, end - begin));
      begin = end;
    }
    return total;
  }

  // Makes a unit of what of a span is in the chunk [begin, begin + size).
  void cut_around(const Span& span, std::size_t begin, std::size_t size) {
    const std::size_t from = std::max(span.begin, begin) - begin;
    const std::size_t to = std::min(span.end, begin + size) - begin;
    for (std::size_t at = from; at < to;) {
      const std::size_t bit = at % 64;
      const std::size_t bits = std::min<std::size_t>(64 - bit, to - at);
      const std::uint64_t ones =
          bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
      cuts_[at / 64] &= ~(ones << bit);
      at += bits;
    }
    // Not before the first byte of a chunk, where a unit begins anyway.
    if (from > 0) cuts_[from / 64] |= std::uint64_t{1} << (from % 64);
    if (to < size) cuts_[to / 64] |= std::uint64_t{1} << (to % 64);
  }

  // Bit i is set where a chunk may be cut before its byte begin + i, which is
  // before `end`. REQUIRES: end - begin <= 64; what follows `end` is readable.
  [[nodiscard]] std::uint64_t cuts_of_block(std::string_view chunk,
                                            std::size_t begin,
                                            std::size_t end) const {
    // No cut before the first byte of a chunk, where a unit begins.
    const std::size_t first = std::max<std::size_t>(begin, 1);
    if (first >= end) return 0;
    if (is_ascii(chunk.substr(first - 1, end - first + 1))) {
      return tables_.cuts().ascii_cuts(chunk.data() + first, end - first)
             << (first - begin);
    }
    return tables_.joins_unknown() ? wide_cuts<true>(chunk, begin, first, end)
                                   : wide_cuts<false>(chunk, begin, first, end);
  }

  template <bool kJoinsUnknown>
  [[nodiscard]] std::uint64_t wide_cuts(std::string_view chunk,
                                        std::size_t begin, std::size_t first,
                                        std::size_t end) const {
    std::uint64_t characters = character_starts(chunk.data() + begin) &
                               (~std::uint64_t{0} << (first - begin));
    if (end - begin < 64) {
      characters &= (std::uint64_t{1} << (end - begin)) - 1;
    }
    if (characters == 0) return 0;
    const auto position_of_first = [&] {
      return begin + static_cast<std::size_t>(std::countr_zero(characters));
    };
    std::uint64_t cuts = 0;
    std::uint32_t left = packed_character(
        chunk.data() + previous_code_point(chunk, position_of_first()));
    for (; characters != 0; characters &= characters - 1) {
      const std::uint32_t right =
          packed_character(chunk.data() + position_of_first());
      cuts |= tables_.cut_bit<kJoinsUnknown>(left, right) *
              (characters & (0 - characters));
      left = right;
    }
    return cuts;
  }

  // Of 64 bytes, which begin a character.
  static std::uint64_t character_starts(const char* bytes) {
    std::uint64_t starts = 0;
#if defined(__SSE2__)
    for (std::size_t at = 0; at < 64; at += 16) {
      __m128i block;
      std::memcpy(&block, bytes + at, sizeof block);
      // As signed numbers continuation bytes are the lowest.
      const __m128i is_start =
          _mm_cmpgt_epi8(block, _mm_set1_epi8(static_cast<char>(0xBF)));
      starts |=
          std::uint64_t{static_cast<unsigned>(_mm_movemask_epi8(is_start))}
          << at;
    }
#else
    for (std::size_t at = 0; at < 64; ++at) {
      starts |= std::uint64_t{!is_continuation(bytes[at])} << at;
    }
#endif
    return starts;
  }

  // Fills symbols_ with the ids of `unit`; their number.
  std::uint64_t merge_unit(std::string_view unit) {
    symbols_.clear();
    if (spec_.ignore_merges) {
      whole_ = unit;
      if (spec_.space_is_mark) {
        whole_.clear();
        for (const char c : unit) {
          if (c == ' ') {
            whole_ += kSpaceMarkBytes;
          } else {
            whole_ += c;
          }
        }
      }
      const std::uint32_t id = spec_.pieces.find(whole_);
      if (id != kNone) {
        symbols_.push_back(id);
        return 1;
      }
    }
    make_symbols(unit);
    tables_.merger().merge(symbols_, scratch_);
    if (spec_.unknown_after_merges) replace_unknown(unit);
    return symbols_.size();
  }

  void make_symbols(std::string_view unit) {
    bool unknown_waits = false;
    const auto flush = [&] {
      if (unknown_waits) symbols_.push_back(spec_.unk_id);
      unknown_waits = false;
    };
    for (std::size_t at = 0; at < unit.size();) {
      const std::size_t next = next_code_point(unit, at);
      std::string_view bytes = unit.substr(at, next - at);
      char32_t c = code_point_at(unit, at);
      if (c == ' ' && spec_.space_is_mark) {
        c = kSpaceMark;
        bytes = kSpaceMarkBytes;
      }
      const bool first = at == 0;
      at = next;
      std::uint32_t symbol = kNone;
      const bool decorated = (!first && !spec_.continuing_prefix.empty()) ||
                             (at == unit.size() && !spec_.end_suffix.empty());
      if (decorated) {
        decorated_.clear();
        if (!first) decorated_ += spec_.continuing_prefix;
        decorated_ += bytes;
        if (at == unit.size()) decorated_ += spec_.end_suffix;
        bytes = decorated_;
        symbol = spec_.pieces.find(bytes);
      } else {
        symbol = tables_.symbol_of(c, bytes);
      }
      if (spec_.unknown_after_merges) {
        symbols_.push_back(symbol != kNone ? symbol : extra_symbol(c));
      } else if (symbol != kNone) {
        flush();
        symbols_.push_back(symbol);
      } else if (spec_.byte_fallback && has_bytes(bytes)) {
        push_bytes(bytes, symbols_);
      } else if (spec_.unk_id != kNone) {
        if (unknown_waits && !spec_.fuse_unk) flush();
        unknown_waits = true;
      }
    }
    flush();
  }

  [[nodiscard]] std::uint32_t extra_symbol(char32_t c) const {
    const auto found = std::lower_bound(spec_.extra_characters.begin(),
                                        spec_.extra_characters.end(), c);
    if (found == spec_.extra_characters.end() || *found != c) {
      return kUnknownSymbol;
    }
    return spec_.first_extra +
           static_cast<std::uint32_t>(found - spec_.extra_characters.begin());
  }

  [[nodiscard]] bool has_bytes(std::string_view bytes) const {
    return std::all_of(bytes.begin(), bytes.end(), [&](char c) {
      return spec_.byte_ids[static_cast<unsigned char>(c)] != kNone;
    });
  }
  void push_bytes(std::string_view bytes,
                  std::vector<std::uint32_t>& ids) const {
    for (const char c : bytes) {
      ids.push_back(spec_.byte_ids[static_cast<unsigned char>(c)]);
    }
  }

  // SentencePiece: symbols that are no pieces become bytes or one unknown.
  // Each of them is a single character, since merges make pieces only.
  void replace_unknown(std::string_view unit) {
    const auto is_piece = [&](std::uint32_t symbol) {
      return symbol < spec_.first_extra;
    };
    if (std::all_of(symbols_.begin(), symbols_.end(), is_piece)) return;
    symbols_.swap(merged_);
    symbols_.clear();
    // Character by character, the merged pieces tell how many each covers.
    std::size_t at = 0;
    bool after_unknown = false;
    for (const std::uint32_t symbol : merged_) {
      if (is_piece(symbol)) {
        at = skip(unit, at, characters_of(symbol));
        symbols_.push_back(symbol);
        after_unknown = false;
        continue;
      }
      const std::size_t next = next_code_point(unit, at);
      std::string_view bytes = unit.substr(at, next - at);
      if (bytes == " " && spec_.space_is_mark) bytes = kSpaceMarkBytes;
      at = next;
      if (spec_.byte_fallback) {
        push_bytes(bytes, symbols_);
      } else if (!after_unknown) {
        symbols_.push_back(spec_.unk_id);
        after_unknown = true;
      }
    }
  }

  [[nodiscard]] std::size_t characters_of(std::uint32_t piece) const {
    return tables_.spec().piece_characters[piece];
  }
  static std::size_t skip(std::string_view text, std::size_t at,
                          std::size_t characters) {
    for (; characters > 0 && at < text.size(); --characters) {
      at = next_code_point(text, at);
    }
    return at;
  }

  const Tables& tables_;
  const SpBpeSpec& spec_;
  PrependMark prepend_;
  UnitCounter units_;
  PaddedChunk chunk_;
  UnitEnds ends_;
  std::array<std::uint64_t, kUnitChunkBytes / 64> cuts_{};
  const AddedTokens* tokens_ = nullptr;
  std::vector<Span> spans_;  // of the tokens in the text that is counted
  SymbolMerger::Scratch scratch_;
  std::vector<std::uint32_t> symbols_, merged_;
  std::string with_mark_, decorated_, whole_;
};

SpBpe::SpBpe(std::shared_ptr<const Tables> tables, PrependMark prepend)
    : tables_(std::move(tables)), prepend_(prepend) {}
SpBpe::~SpBpe() = default;

Result<std::unique_ptr<SpBpe>> SpBpe::make(SpBpeSpec spec) {
  const PrependMark prepend = spec.prepend;
  auto tables = std::make_shared<Tables>(std::move(spec));
  if (const Status built = tables->build(); !built) return built.error();
  return std::unique_ptr<SpBpe>(new SpBpe(std::move(tables), prepend));
}

std::unique_ptr<SpBpe> SpBpe::with_prepend(PrependMark prepend) const {
  return std::unique_ptr<SpBpe>(new SpBpe(tables_, prepend));
}

std::unique_ptr<SegmentCounter> SpBpe::make_counter() const {
  return std::make_unique<Counter>(*tables_, prepend_);
}

}  // namespace trainsight::tokenize
