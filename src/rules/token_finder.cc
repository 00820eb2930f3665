#include "token_finder.h"

#include <algorithm>

#if defined(__SSE2__)
#include <emmintrin.h>
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
  for (const Token& token : tokens_) {
    const unsigned char first = first_byte(token);
    is_first_[first] = 1;
    const std::size_t next = next_index(token.text[1], token.text[2]);
    next_[next / 64] |= std::uint64_t{1} << (next % 64);
    ++begin_[first + 1u];
    only_brackets_ &= first == '<' || first == '[';
  }
  for (std::size_t i = 1; i < begin_.size(); ++i) {
    begin_[i] = static_cast<std::uint16_t>(begin_[i] + begin_[i - 1]);
  }
}

std::size_t TokenFinder::next_candidate(std::string_view bytes,
                                        std::size_t at) const {
#if defined(__SSE2__)
  if (only_brackets_) {
    const __m128i angle = _mm_set1_epi8('<');
    const __m128i square = _mm_set1_epi8('[');
    for (; at + 16 <= bytes.size(); at += 16) {
      __m128i block;
      __builtin_memcpy(&block, bytes.data() + at, 16);
      const int hits = _mm_movemask_epi8(_mm_or_si128(
          _mm_cmpeq_epi8(block, angle), _mm_cmpeq_epi8(block, square)));
      if (hits != 0) {
        return at + static_cast<std::size_t>(
                        __builtin_ctz(static_cast<unsigned>(hits)));
      }
    }
  }
#endif
  while (at < bytes.size() &&
         is_first_[static_cast<unsigned char>(bytes[at])] == 0) {
    ++at;
  }
  return at;
}

int TokenFinder::match(std::string_view bytes, std::size_t at) const {
  const auto first = static_cast<unsigned char>(bytes[at]);
  const std::string_view rest = bytes.substr(at);
  if (rest.size() < 3 || !has_next(rest[1], rest[2])) return -1;
  for (std::size_t i = begin_[first]; i < begin_[first + 1u]; ++i) {
    const std::string& token = tokens_[i].text;
    if (rest.size() >= token.size() &&
        rest.compare(0, token.size(), token) == 0) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

bool TokenFinder::any(text::TextView text) const {
  const std::string_view bytes = text.bytes;
  for (std::size_t at = next_candidate(bytes, 0); at < bytes.size();
       at = next_candidate(bytes, at + 1)) {
    if (match(bytes, at) >= 0) return true;
  }
  if (text.encoding != text::Encoding::kJsonEscaped) return false;
  return bytes.find("\\u003c") != std::string_view::npos ||
         bytes.find("\\u003C") != std::string_view::npos;
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
