#include "tokenize/added_tokens.h"

#include <algorithm>

#include "tokenize/reference_classes.h"
#include "tokenize/text_cursor.h"

namespace trainsight::tokenize {

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens,
                         const std::vector<std::string>& patterns)
    : tokens_(tokens) {
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string& pattern = patterns[i];
    // The first of equal patterns counts.
    if (pattern.empty() || is_token(pattern)) continue;
    trie_.insert(pattern, static_cast<std::uint32_t>(i));
    const auto first = static_cast<unsigned char>(pattern[0]);
    begins_.add(first);
    auto& seconds = first_two_[first];
    if (pattern.size() == 1) {
      seconds.fill(~std::uint64_t{0});
    } else {
      const auto second = static_cast<unsigned char>(pattern[1]);
      seconds[second / 64] |= std::uint64_t{1} << (second % 64);
    }
  }
}

bool AddedTokens::are_plain() const {
  return std::none_of(tokens_.begin(), tokens_.end(), [](const AddedToken& t) {
    return t.single_word || t.lstrip || t.rstrip;
  });
}

bool AddedTokens::is_token(std::string_view text) const {
  std::uint32_t node = PieceTrie::kRoot;
  for (const char c : text) {
    node = trie_.child(node, static_cast<unsigned char>(c));
    if (node == PieceTrie::kNone) return false;
  }
  return trie_.value(node) != PieceTrie::kNone;
}

std::size_t AddedTokens::next_candidate(std::string_view text,
                                        std::size_t from) const {
  for (;; ++from) {
    from = begins_.find(text, from);
    if (from == text.size()) return from;
    const auto first = static_cast<unsigned char>(text[from]);
    // At the end of the text only a token of one byte may be, which has all
    // bits set.
    const auto second = from + 1 < text.size()
                            ? static_cast<unsigned char>(text[from + 1])
                            : static_cast<unsigned char>(0xFF);
    if ((first_two_[first][second / 64] >> (second % 64) & 1) != 0) return from;
  }
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
      left = std::max(left, done);
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
    // gives both, unless this one takes from the left as well and nothing is
    // left.
    if (left < end) {
      parts.push_back(TextPart{text.substr(left, end - left), token.id});
    }
    done = end;
  }
  if (done < text.size()) parts.push_back(TextPart{text.substr(done)});
}

}  // namespace trainsight::tokenize
