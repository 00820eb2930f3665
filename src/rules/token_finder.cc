#include "token_finder.h"

#include <algorithm>
#include <bit>
#include <cstring>

#if defined(__SSSE3__)
#include <immintrin.h>
#if defined(__GNUC__)
#define TRAINSIGHT_HAS_AVX2_KERNEL
#endif
#endif

namespace trainsight::rules {
namespace {

using Kind = TokenFinder::Kind;

struct BuiltIn {
  std::string_view text;
  Kind kind;
};

// Control tokens of the chat and completion formats in use: ChatML, Llama 2 and
// 3, Gemma, Phi, Mistral, DeepSeek, GPT-2, Harmony, T5, BERT's sentinels left
// out ("[MASK]" is a word of many texts).
constexpr BuiltIn kBuiltIn[] = {
    {"<|endoftext|>", Kind::kSpecial},
    {"<|endofprompt|>", Kind::kSpecial},
    {"<|end_of_text|>", Kind::kSpecial},
    {"<|begin_of_text|>", Kind::kSpecial},
    {"<|startoftext|>", Kind::kSpecial},
    {"<|fim_prefix|>", Kind::kSpecial},
    {"<|fim_middle|>", Kind::kSpecial},
    {"<|fim_suffix|>", Kind::kSpecial},
    {"<s>", Kind::kSpecial},
    {"</s>", Kind::kSpecial},
    {"<bos>", Kind::kSpecial},
    {"<eos>", Kind::kSpecial},
    {"<pad>", Kind::kSpecial},
    {"<unk>", Kind::kSpecial},
    {"<｜begin▁of▁sentence｜>", Kind::kSpecial},
    {"<｜end▁of▁sentence｜>", Kind::kSpecial},
    {"<|im_start|>", Kind::kRole},
    {"<|im_end|>", Kind::kRole},
    {"<|im_sep|>", Kind::kRole},
    {"<|start_header_id|>", Kind::kRole},
    {"<|end_header_id|>", Kind::kRole},
    {"<|eot_id|>", Kind::kRole},
    {"<|eom_id|>", Kind::kRole},
    {"<|start|>", Kind::kRole},
    {"<|end|>", Kind::kRole},
    {"<|message|>", Kind::kRole},
    {"<|channel|>", Kind::kRole},
    {"<|user|>", Kind::kRole},
    {"<|assistant|>", Kind::kRole},
    {"<|system|>", Kind::kRole},
    {"<start_of_turn>", Kind::kRole},
    {"<end_of_turn>", Kind::kRole},
    {"[INST]", Kind::kRole},
    {"[/INST]", Kind::kRole},
    {"<<SYS>>", Kind::kRole},
    {"<</SYS>>", Kind::kRole},
    {"<｜User｜>", Kind::kRole},
    {"<｜Assistant｜>", Kind::kRole},
    {kImagePlaceholder, Kind::kPlaceholder},
};

constexpr std::size_t kLongestToken = 128;
constexpr std::size_t kBlock = 16;  // places that are looked at together
#if defined(TRAINSIGHT_HAS_AVX2_KERNEL)
constexpr std::size_t kWideBlock = 32;
#endif

// "\u003c" at `at`: a '<' that json.dumps or a browser's escaper hid.
bool is_escaped_bracket(std::string_view bytes, std::size_t at) {
  const std::string_view here = bytes.substr(at, 6);
  return here == "\\u003c" || here == "\\u003C";
}

unsigned char first_byte(const TokenFinder::Token& token) {
  return static_cast<unsigned char>(token.text.front());
}

}  // namespace

void TokenFinder::add(std::string_view text, Kind kind) {
  // One character is punctuation in somebody's text, not a control token.
  if (text.size() < 3 || text.size() > kLongestToken) return;
  for (const Token& token : tokens_) {
    if (token.text == text) return;
  }
  tokens_.push_back(Token{std::string(text), kind});
}

TokenFinder::TokenFinder(std::span<const std::string> special_tokens) {
  for (const BuiltIn& token : kBuiltIn) add(token.text, token.kind);
  constexpr std::size_t kMostTokens = 4096;
  for (const std::string& token : special_tokens) {
    if (tokens_.size() >= kMostTokens) break;
    add(token, Kind::kSpecial);
  }
  std::sort(tokens_.begin(), tokens_.end(), [](const Token& a, const Token& b) {
    if (first_byte(a) != first_byte(b)) {
      return first_byte(a) < first_byte(b);
    }
    if (a.text.size() != b.text.size()) {
      return a.text.size() > b.text.size();
    }
    return a.text < b.text;
  });
  // Tokens that begin alike share a group; the last one is of escapes alone.
  constexpr unsigned kGroups = 7;
  unsigned group = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const std::string& text = tokens_[i].text;
    if (i > 0 && text.compare(0, 2, tokens_[i - 1].text, 0, 2) != 0) {
      group = (group + 1) % kGroups;
    }
    add_to_filters(text, group);
    ++begin_[first_byte(tokens_[i]) + 1u];
  }
  add_to_filters("\\u0", kGroups);
#if defined(TRAINSIGHT_HAS_AVX2_KERNEL)
  is_wide_ = __builtin_cpu_supports("avx2") != 0;
#endif
  for (std::size_t i = 1; i < begin_.size(); ++i) {
    begin_[i] = static_cast<std::uint16_t>(begin_[i] + begin_[i - 1]);
  }
}

void TokenFinder::add_to_filters(std::string_view text, unsigned group) {
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto bit = static_cast<std::uint8_t>(1u << group);
    filters_[i].low[byte & 0xF] |= bit;
    filters_[i].high[byte >> 4] |= bit;
  }
}

std::uint32_t TokenFinder::candidates(const char* at) const {
#if defined(__SSSE3__)
  const auto load = [](const void* from) {
    __m128i block;
    std::memcpy(&block, from, sizeof(block));
    return block;
  };
  const __m128i half = _mm_set1_epi8(0x0F);
  __m128i groups = _mm_set1_epi8(-1);
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    const __m128i block = load(at + i);
    const __m128i low = _mm_and_si128(block, half);
    const __m128i high = _mm_and_si128(_mm_srli_epi16(block, 4), half);
    groups = _mm_and_si128(
        groups,
        _mm_and_si128(_mm_shuffle_epi8(load(filters_[i].low.data()), low),
                      _mm_shuffle_epi8(load(filters_[i].high.data()), high)));
  }
  const __m128i none = _mm_cmpeq_epi8(groups, _mm_setzero_si128());
  return ~static_cast<std::uint32_t>(_mm_movemask_epi8(none)) & 0xFFFF;
#else
  std::uint32_t bits = 0;
  for (std::size_t place = 0; place < kBlock; ++place) {
    unsigned groups = 0xFF;
    for (std::size_t i = 0; i < filters_.size(); ++i) {
      const auto byte = static_cast<unsigned char>(at[place + i]);
      groups &= filters_[i].low[byte & 0xF] & filters_[i].high[byte >> 4];
    }
    bits |= std::uint32_t{groups != 0} << place;
  }
  return bits;
#endif
}

#if defined(TRAINSIGHT_HAS_AVX2_KERNEL)
__attribute__((target("avx2"))) std::size_t TokenFinder::next_candidate_wide(
    std::string_view bytes, std::size_t at) const {
  const __m256i half = _mm256_set1_epi8(0x0F);
  __m256i low_groups[3];
  __m256i high_groups[3];
  for (std::size_t i = 0; i < 3; ++i) {  // the same table in both lanes
    __m128i lane;
    std::memcpy(&lane, filters_[i].low.data(), sizeof(lane));
    low_groups[i] = _mm256_broadcastsi128_si256(lane);
    std::memcpy(&lane, filters_[i].high.data(), sizeof(lane));
    high_groups[i] = _mm256_broadcastsi128_si256(lane);
  }
  // The last block overlaps the one before it: texts have no tail then.
  const std::size_t last = bytes.size() - (kWideBlock + 2);
  while (at < bytes.size()) {
    const std::size_t here = std::min(at, last);
    __m256i groups = _mm256_set1_epi8(-1);
    for (std::size_t i = 0; i < 3; ++i) {
      __m256i block;
      std::memcpy(&block, bytes.data() + here + i, sizeof(block));
      const __m256i low = _mm256_and_si256(block, half);
      const __m256i high = _mm256_and_si256(_mm256_srli_epi16(block, 4), half);
      groups = _mm256_and_si256(
          groups, _mm256_and_si256(_mm256_shuffle_epi8(low_groups[i], low),
                                   _mm256_shuffle_epi8(high_groups[i], high)));
    }
    if (_mm256_testz_si256(groups, groups) == 0) {
      // Those before `at` were refused before; the others are looked at again.
      const auto found = ~static_cast<std::uint32_t>(_mm256_movemask_epi8(
          _mm256_cmpeq_epi8(groups, _mm256_setzero_si256())));
      const std::uint32_t fresh = found >> (at - here);
      if (fresh != 0) {
        return at + static_cast<std::size_t>(std::countr_zero(fresh));
      }
    }
    at = here == last ? bytes.size() : here + kWideBlock;
  }
  return at;
}
#endif

std::size_t TokenFinder::next_candidate(std::string_view bytes,
                                        std::size_t at) const {
  constexpr std::size_t kRead = kBlock + 2;
#if defined(TRAINSIGHT_HAS_AVX2_KERNEL)
  if (is_wide_ && bytes.size() >= kWideBlock + 2 &&
      at + kWideBlock <= bytes.size()) {
    return next_candidate_wide(bytes, at);
  }
#endif
  for (; at + kRead <= bytes.size(); at += kBlock) {
    const std::uint32_t found = candidates(bytes.data() + at);
    if (found != 0) {
      return at + static_cast<std::size_t>(std::countr_zero(found));
    }
  }
  if (at >= bytes.size()) return bytes.size();
  char last[kRead] = {};
  std::memcpy(last, bytes.data() + at, bytes.size() - at);
  const std::uint32_t found = candidates(last);
  if (found == 0) return bytes.size();
  // Zeros behind the end may be part of what was found.
  return std::min(at + static_cast<std::size_t>(std::countr_zero(found)),
                  bytes.size());
}

int TokenFinder::match(std::string_view bytes, std::size_t at) const {
  const auto first = static_cast<unsigned char>(bytes[at]);
  const std::string_view rest = bytes.substr(at);
  for (std::size_t i = begin_[first]; i < begin_[first + 1u]; ++i) {
    if (rest.starts_with(tokens_[i].text)) return static_cast<int>(i);
  }
  return -1;
}

bool TokenFinder::any(text::TextView text) const {
  const std::string_view bytes = text.bytes;
  const bool escaped = text.encoding == text::Encoding::kJsonEscaped;
  for (std::size_t at = next_candidate(bytes, 0); at < bytes.size();
       at = next_candidate(bytes, at + 1)) {
    if (match(bytes, at) >= 0) return true;
    if (escaped && is_escaped_bracket(bytes, at)) return true;
  }
  return false;
}

void TokenFinder::count(std::string_view utf8, Counts& counts) const {
  counts.assign(tokens_.size(), 0);
  std::size_t at = next_candidate(utf8, 0);
  while (at < utf8.size()) {
    const int token = match(utf8, at);
    if (token >= 0) {
      ++counts[static_cast<std::size_t>(token)];
      at += tokens_[static_cast<std::size_t>(token)].text.size();
    } else {
      ++at;
    }
    at = next_candidate(utf8, at);
  }
}

}  // namespace trainsight::rules
