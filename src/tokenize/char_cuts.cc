#include "tokenize/char_cuts.h"

#include <algorithm>

namespace trainsight::tokenize {
namespace {

// More than the largest vocabularies have between characters beyond ASCII.
constexpr std::size_t kExpectedPairs = std::size_t{1} << 15;

bool is_wide(char byte) { return (byte & 0x80) != 0; }
bool is_continuation(char byte) { return (byte & 0xC0) == 0x80; }

std::size_t size_of_lead(char byte) {
  const auto lead = static_cast<unsigned char>(byte);
  return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

// REQUIRES: a whole character at `at`.
char32_t character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[at + i]));
  };
  switch (size_of_lead(text[at])) {
    case 1:
      return byte(0);
    case 2:
      return (byte(0) & 0x1F) << 6 | (byte(1) & 0x3F);
    case 3:
      return (byte(0) & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    default:
      return (byte(0) & 0x07) << 18 | (byte(1) & 0x3F) << 12 |
             (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
  }
}

}  // namespace

CharCuts::CharCuts(const TokenBytes& tokens) : bigrams_(kExpectedPairs) {
  for (std::uint32_t id = 0; id < tokens.size(); ++id) {
    const std::string_view token = tokens[id];
    // Only bytes beyond ASCII side by side matter.
    if (std::any_of(token.begin(), token.end(), is_wide)) add_token(token);
  }
}

void CharCuts::add_token(std::string_view token) {
  // Characters of the token in order; those at its ends may be in part.
  struct Piece {
    std::size_t begin = 0;
    std::size_t size = 0;
    bool whole = false;
  };
  Piece before;
  for (std::size_t at = 0; at < token.size();) {
    Piece piece{at, 0, false};
    const std::size_t wanted =
        is_continuation(token[at]) ? 0 : size_of_lead(token[at]);
    do {
      ++piece.size;
    } while (at + piece.size < token.size() &&
             is_continuation(token[at + piece.size]));
    piece.whole = piece.size == wanted;
    if (at > 0) {
      const char32_t left =
          before.whole ? character_at(token, before.begin) : kAny;
      const char32_t right = piece.whole ? character_at(token, at) : kAny;
      if (left == kAny && right == kAny) {
        const auto bit = static_cast<std::size_t>(
            static_cast<unsigned char>(token[at - 1]) << 8 |
            static_cast<unsigned char>(token[at]));
        byte_pairs_[bit / 64] |= std::uint64_t{1} << (bit % 64);
      } else if (right == kAny) {
        if (left >= 0x80) add(joined_right_, left);
      } else if (left == kAny) {
        if (right >= 0x80) add(joined_left_, right);
      } else {
        bigrams_.join(left, right);
      }
    }
    before = piece;
    at += piece.size;
  }
}

std::size_t CharCuts::part_end(std::string_view word, std::size_t begin) const {
  std::size_t at = begin + size_of_lead(word[begin]);
  char32_t left = character_at(word, begin);
  while (at < word.size()) {
    const char32_t right = character_at(word, at);
    if (is_cut(left, right) && !is_byte_pair(word[at - 1], word[at])) {
      return at;
    }
    left = right;
    at += size_of_lead(word[at]);
  }
  return at;
}

std::size_t CharCuts::part_ends(std::string_view word, std::size_t begin,
                                Ends& ends) const {
  std::array<char32_t, kBatch> characters;
  std::array<std::size_t, kBatch> begins;
  std::size_t size = 0;
  std::size_t at = begin;
  for (; size < kBatch && at < word.size(); ++size) {
    begins[size] = at;
    characters[size] = character_at(word, at);
    at += size_of_lead(word[at]);
  }
  std::size_t count = 0;
  for (std::size_t i = 1; i < size; ++i) {
    const char32_t left = characters[i - 1];
    const char32_t right = characters[i];
    const unsigned wide = static_cast<unsigned>(left >= 0x80) &
                          static_cast<unsigned>(right >= 0x80);
    const unsigned joined =
        static_cast<unsigned>(!bigrams_.is_cut(left, right)) |
        static_cast<unsigned>(holds(joined_right_, left)) |
        static_cast<unsigned>(holds(joined_left_, right)) |
        static_cast<unsigned>(
            is_byte_pair(word[begins[i] - 1], word[begins[i]]));
    ends[count] = begins[i];
    count += wide & ~joined;
  }
  if (at == word.size()) {
    ends[count++] = at;
  } else if (count == 0) {
    ends[count++] = part_end(word, begin);
  }
  return count;
}

}  // namespace trainsight::tokenize
