// ByteSet: a set of bytes, and where the next of them stands in a text.
//
// A byte is looked up by its low and by its high four bits at once: every high
// half that members have is a bit of its own, which the entry of a member's low
// half has, too. Sixteen bytes are looked at together. With members of more
// than eight high halves (no set here has them) it goes byte by byte.
// Thread-safety: const after the last add().
#ifndef TRAINSIGHT_TOKENIZE_BYTE_SET_H_
#define TRAINSIGHT_TOKENIZE_BYTE_SET_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#if defined(__SSSE3__)
#include <tmmintrin.h>
#endif

namespace trainsight::tokenize {

class ByteSet {
 public:
  void add(unsigned char byte) {
    contains_[byte] = true;
    std::uint8_t& high = high_[byte >> 4];
    if (high == 0) {
      high = next_bit_;
      next_bit_ = static_cast<std::uint8_t>(next_bit_ << 1);
      is_small_ = is_small_ && high != 0;
    }
    low_[byte & 15] |= high;
  }

  [[nodiscard]] bool contains(char byte) const {
    return contains_[static_cast<unsigned char>(byte)];
  }

  /// Where the first member from `at` on stands in `text`, or its end.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t at) const {
#if defined(__SSSE3__)
    if (is_small_) {
      const __m128i low_table = load(low_.data());
      const __m128i high_table = load(high_.data());
      const __m128i four_bits = _mm_set1_epi8(0x0F);
      for (; at + 16 <= text.size(); at += 16) {
        const __m128i block = load(text.data() + at);
        const __m128i low =
            _mm_shuffle_epi8(low_table, _mm_and_si128(block, four_bits));
        const __m128i high = _mm_shuffle_epi8(
            high_table, _mm_and_si128(_mm_srli_epi16(block, 4), four_bits));
        const auto others = static_cast<unsigned>(_mm_movemask_epi8(
            _mm_cmpeq_epi8(_mm_and_si128(low, high), _mm_setzero_si128())));
        if (others != 0xFFFF) {
          return at + static_cast<std::size_t>(std::countr_one(others));
        }
      }
    }
#endif
    while (at < text.size() && !contains(text[at])) ++at;
    return at;
  }

 private:
#if defined(__SSSE3__)
  static __m128i load(const void* bytes) {
    __m128i block;
    std::memcpy(&block, bytes, sizeof block);
    return block;
  }
#endif

  std::array<bool, 256> contains_{};
  std::array<std::uint8_t, 16> low_{}, high_{};
  std::uint8_t next_bit_ = 1;  // 0 when all are given away
  bool is_small_ = true;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_BYTE_SET_H_
