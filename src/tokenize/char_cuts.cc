#include "tokenize/char_cuts.h"

#include <algorithm>

#include "tokenize/text_cursor.h"

namespace trainsight::tokenize {
namespace {

// More than the largest vocabularies have between characters beyond ASCII.
constexpr std::size_t kExpectedPairs = std::size_t{1} << 15;

bool is_wide(char byte) { return (byte & 0x80) != 0; }

}  // namespace

CharCuts::CharCuts(const TokenBytes& tokens) : bigrams_(kExpectedPairs) {
  for (char32_t c = 0; c < 0x80; ++c) {
    add(kJoinedRight, c);
    add(kJoinedLeft, c);
  }
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
        is_continuation(token[at]) ? 0 : code_point_bytes(token[at]);
    do {
      ++piece.size;
    } while (at + piece.size < token.size() &&
             is_continuation(token[at + piece.size]));
    piece.whole = piece.size == wanted;
    if (at > 0) {
      const char32_t left =
          before.whole ? code_point_at(token, before.begin) : kAny;
      const char32_t right = piece.whole ? code_point_at(token, at) : kAny;
      if (left == kAny && right == kAny) {
        byte_pairs_[token[at - 1] & 0x3F] |=
            static_cast<std::uint16_t>(1U << (token[at] & 0x0F));
      } else if (right == kAny) {
        if (left >= 0x80) add(kJoinedRight, left);
      } else if (left == kAny) {
        if (right >= 0x80) add(kJoinedLeft, right);
      } else {
        bigrams_.join(left, right);
      }
    }
    before = piece;
    at += piece.size;
  }
}

}  // namespace trainsight::tokenize
