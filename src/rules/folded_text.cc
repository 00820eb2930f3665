#include "folded_text.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "trainsight/text/json_text.h"
#include "trainsight/text/utf8.h"

#if defined(__SSE2__)
#include <immintrin.h>
#if defined(__GNUC__) && defined(__x86_64__)
#define TRAINSIGHT_HAS_AVX512_KERNEL
#endif
#endif

namespace trainsight::rules {
namespace {

constexpr std::size_t kBlock = 16;
constexpr std::size_t kWideBlock = 64;

bool is_space(char32_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// How far a text is folded.
struct Folding {
  char* to = nullptr;  // one past what was written
  std::size_t at = 0;  // one past what was read
  bool after_space = true;
};

// What stands where in a block, a bit a byte.
struct BlockMasks {
  std::uint32_t spaces = 0;
  std::uint32_t backslashes = 0;
};

#if defined(__SSE2__)
__m128i between(__m128i block, char low, char high) {
  return _mm_and_si128(
      _mm_cmpgt_epi8(block, _mm_set1_epi8(static_cast<char>(low - 1))),
      _mm_cmplt_epi8(block, _mm_set1_epi8(static_cast<char>(high + 1))));
}

// Lower case and single spaces of 16 bytes at `from`, into `to`.
BlockMasks fold_block(const char* from, char* to) {
  __m128i block;
  std::memcpy(&block, from, kBlock);
  const __m128i blank = _mm_set1_epi8(' ');
  const __m128i space =
      _mm_or_si128(_mm_cmpeq_epi8(block, blank), between(block, '\t', '\r'));
  const __m128i upper = between(block, 'A', 'Z');
  const __m128i lowered = _mm_or_si128(block, _mm_and_si128(upper, blank));
  const __m128i folded = _mm_or_si128(_mm_andnot_si128(space, lowered),
                                      _mm_and_si128(space, blank));
  std::memcpy(to, &folded, kBlock);
  return {static_cast<std::uint32_t>(_mm_movemask_epi8(space)),
          static_cast<std::uint32_t>(
              _mm_movemask_epi8(_mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))))};
}
#else
BlockMasks fold_block(const char* from, char* to) {
  BlockMasks masks;
  for (std::size_t i = 0; i < kBlock; ++i) {
    const char c = from[i];
    const bool space = is_space(static_cast<unsigned char>(c));
    masks.spaces |= std::uint32_t{space} << i;
    masks.backslashes |= std::uint32_t{c == '\\'} << i;
    to[i] = space                  ? ' '
            : c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A'))
                                   : c;
  }
  return masks;
}
#endif

// Folds up to a block, or up to and with what needs more than a copy: an
// escape, or spaces after a space.
void fold_step(std::string_view bytes, bool escaped, Folding& state) {
  const std::size_t size = std::min(kBlock, bytes.size() - state.at);
  char last[kBlock] = {};
  const char* from = bytes.data() + state.at;
  if (size < kBlock) {
    std::memcpy(last, from, size);
    from = last;
  }
  const BlockMasks masks = fold_block(from, state.to);
  const std::uint32_t after =
      masks.spaces << 1 | std::uint32_t{state.after_space};
  const std::uint32_t stops =
      (masks.spaces & after) | (escaped ? masks.backslashes : 0);
  // The usual case, apart so that nothing waits for where `stops` stops.
  if (stops == 0 && size == kBlock) {
    state.after_space = (masks.spaces >> (kBlock - 1)) != 0;
    state.to += kBlock;
    state.at += kBlock;
    return;
  }
  const auto run =
      static_cast<unsigned>(std::countr_zero(stops | std::uint32_t{1} << size));
  if (run > 0) state.after_space = (masks.spaces >> (run - 1) & 1) != 0;
  state.to += run;
  state.at += run;
  if (run == size) return;
  if ((masks.spaces >> run & 1) != 0) {
    state.at += static_cast<unsigned>(std::countr_one(masks.spaces >> run));
    return;
  }
  char32_t c = '\\';
  if (!text::decode_json_escape(bytes, state.at, c)) ++state.at;
  if (is_space(c)) {
    if (!state.after_space) *state.to++ = ' ';
    state.after_space = true;
    return;
  }
  state.after_space = false;
  if (c < 0x80) {
    *state.to++ = static_cast<char>(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
  } else {
    state.to += text::write_utf8(state.to, c);
  }
}

#if defined(TRAINSIGHT_HAS_AVX512_KERNEL)
#define TRAINSIGHT_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi,bmi2,popcnt")))

TRAINSIGHT_AVX512 std::uint64_t equal(__m512i block, char c) {
  return _mm512_cmpeq_epi8_mask(block, _mm512_set1_epi8(c));
}

TRAINSIGHT_AVX512 std::uint64_t within(__m512i block, char low, char high) {
  return _mm512_cmple_epu8_mask(
      _mm512_sub_epi8(block, _mm512_set1_epi8(low)),
      _mm512_set1_epi8(static_cast<char>(high - low)));
}

std::uint64_t low_bits(std::size_t n) {
  return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

// Folds 64 bytes at a time without a branch on each of their escapes and
// spaces: what falls away (backslashes, spaces after a space) is squeezed out
// of the register. Stops before an escape other than \n \t \r \f \" \/.
TRAINSIGHT_AVX512 void fold_wide(std::string_view bytes, bool escaped,
                                 Folding& state) {
  const __m512i blank = _mm512_set1_epi8(' ');
  while (state.at < bytes.size()) {
    std::size_t size = std::min(kWideBlock, bytes.size() - state.at);
    const __m512i block =
        _mm512_maskz_loadu_epi8(low_bits(size), bytes.data() + state.at);
    std::uint64_t spaces = equal(block, ' ') | within(block, '\t', '\r');
    const std::uint64_t backslashes = escaped ? equal(block, '\\') : 0;
    const std::uint64_t letters = backslashes << 1;
    if (backslashes != 0) {
      const std::uint64_t breaks = equal(block, 'n') | equal(block, 't') |
                                   equal(block, 'r') | equal(block, 'f');
      const std::uint64_t known =
          breaks | equal(block, '"') | equal(block, '/');
      // The first backslash without a known letter behind it (or cut off).
      const std::uint64_t others = backslashes & ~(known >> 1);
      if (others != 0)
        size = static_cast<std::size_t>(std::countr_zero(others));
      if (size == 0) return;
      spaces |= letters & breaks;
    }
    const std::uint64_t kept = ~backslashes & low_bits(size);
    __m512i folded =
        _mm512_mask_add_epi8(block, within(block, 'A', 'Z'), block, blank);
    folded = _mm512_mask_mov_epi8(folded, spaces, blank);
    folded = _mm512_maskz_compress_epi8(kept, folded);
    spaces = _pext_u64(spaces, kept);
    const auto left = static_cast<std::size_t>(std::popcount(kept));
    const std::uint64_t after = spaces << 1 | std::uint64_t{state.after_space};
    const std::uint64_t firsts = ~(spaces & after) & low_bits(left);
    folded = _mm512_maskz_compress_epi8(firsts, folded);
    std::memcpy(state.to, &folded, kWideBlock);
    if (left > 0) state.after_space = (spaces >> (left - 1) & 1) != 0;
    state.to += std::popcount(firsts);
    state.at += size;
  }
}

bool has_wide_kernel() {
  return __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 &&
         __builtin_cpu_supports("avx512vbmi2") != 0 &&
         __builtin_cpu_supports("bmi2") != 0;
}
#endif

}  // namespace

FoldedText::FoldedText() {
#if defined(TRAINSIGHT_HAS_AVX512_KERNEL)
  is_wide_ = has_wide_kernel();
#endif
}

char* FoldedText::room_for(std::size_t bytes) {
  const std::size_t needed = size_ + bytes + kWideBlock;
  if (bytes_.size() < needed) {
    bytes_.resize(std::max(needed, 2 * bytes_.size()));
  }
  return bytes_.data() + size_;
}

void FoldedText::append(text::TextView text) {
  const std::string_view bytes = text.bytes;
  // No escape is longer in UTF-8 than as it is written.
  Folding state;
  state.to = room_for(bytes.size());
  state.after_space = size_ == 0 || state.to[-1] == ' ';
  const bool escaped = text.encoding == text::Encoding::kJsonEscaped;
  while (state.at < bytes.size()) {
#if defined(TRAINSIGHT_HAS_AVX512_KERNEL)
    if (is_wide_) {
      fold_wide(bytes, escaped, state);
      if (state.at == bytes.size()) break;
    }
#endif
    fold_step(bytes, escaped, state);
  }
  size_ = static_cast<std::size_t>(state.to - bytes_.data());
}

void FoldedText::end_piece(char mark) {
  char* to = room_for(2);
  if (size_ > 0 && to[-1] == ' ') {
    --to;
    --size_;
  }
  to[0] = mark;
  to[1] = ' ';
  size_ += 2;
}

}  // namespace trainsight::rules
