#include "tokenize/added_tokens.h"

#include <algorithm>

#include "tokenize/reference_classes.h"
#include "tokenize/text_cursor.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trainsight::tokenize {
namespace {

// Above this many first bytes a table look-up a byte is faster.
constexpr std::size_t kMostComparedBytes = 8;

}  // namespace

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens,
                         const std::vector<std::string>& patterns)
    : tokens_(tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& pattern = patterns[i];
    if (pattern.empty()) continue;
    std::uint32_t node = PieceTrie::kRoot;
    for (const char c : pattern) {
      node = trie_.child(node, static_cast<unsigned char>(c));
      if (node == PieceTrie::kNone) break;
    }
    if (node != PieceTrie::kNone && trie_.value(node) != PieceTrie::kNone) {
      continue;  // the first of equal patterns counts
    }
    trie_.insert(pattern, static_cast<std::uint32_t>(i));
    begins_[static_cast<unsigned char>(pattern[0])] = true;
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    if (begins_[byte]) {
      first_bytes_.push_back(static_cast<unsigned char>(byte));
    }
  }
}

std::size_t AddedTokens::next_candidate(std::string_view text,
                                        std::size_t from) const {
  std::size_t at = from;
#if defined(__SSE2__)
  if (first_bytes_.size() <= kMostComparedBytes) {
    for (; at + 16 <= text.size(); at += 16) {
      __m128i block;
      __builtin_memcpy(&block, text.data() + at, 16);
      __m128i found = _mm_setzero_si128();
      for (const unsigned char byte : first_bytes_) {
        const __m128i wanted = _mm_set1_epi8(static_cast<char>(byte));
        found = _mm_or_si128(found, _mm_cmpeq_epi8(block, wanted));
      }
      const auto mask = static_cast<unsigned>(_mm_movemask_epi8(found));
      if (mask != 0) {
        return at + static_cast<std::size_t>(__builtin_ctz(mask));
      }
    }
  }
#endif
  while (at < text.size() && !begins_[static_cast<unsigned char>(text[at])]) {
    ++at;
  }
  return at;
}

bool AddedTokens::is_accepted(const AddedToken& token, std::string_view text,
                              std::size_t begin, std::size_t end) const {
  if (!token.single_word) return true;
  const bool word_before = begin > 0 && is_word(code_point_before(text, begin));
  const bool word_after =
      end < text.size() && is_word(code_point_at(text, end));
  return !word_before && !word_after;
}

void AddedTokens::split(std::string_view text,
                        std::vector<TextPart>& parts) const {
  parts.clear();
  std::size_t done = 0;  // end of the last part
  std::size_t from = 0;  // where the search goes on
  while (!empty() && from < text.size()) {
    from = next_candidate(text, from);
    std::size_t end = 0;
    std::uint32_t best = PieceTrie::kNone;
    std::uint32_t node = PieceTrie::kRoot;
    for (std::size_t at = from; at < text.size(); ++at) {
      node = trie_.child(node, static_cast<unsigned char>(text[at]));
      if (node == PieceTrie::kNone) break;
      if (trie_.value(node) != PieceTrie::kNone) {
        best = trie_.value(node);
        end = at + 1;
      }
    }
    if (best == PieceTrie::kNone) {
      ++from;
      continue;
    }
    const AddedToken& token = tokens_[best];
    const std::size_t begin = from;
    from = end;
    if (!is_accepted(token, text, begin, end)) continue;
    std::size_t left = begin;
    if (token.lstrip) {
      while (left > done && is_space(code_point_before(text, left))) {
        left = previous_code_point(text, left);
      }
    }
    if (token.rstrip) {
      while (end < text.size() && is_space(code_point_at(text, end))) {
        end = next_code_point(text, end);
      }
    }
    if (done < left) {
      parts.push_back(TextPart{text.substr(done, left - done)});
    }
    // White space that an earlier token took may hold this one: the reference
    // gives both.
    parts.push_back(TextPart{text.substr(left, end - left), token.id});
    done = end;
  }
  if (done < text.size()) parts.push_back(TextPart{text.substr(done)});
}

}  // namespace trainsight::tokenize
