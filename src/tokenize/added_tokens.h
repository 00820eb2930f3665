// AddedTokens: tokens that are found as whole strings, before anything else.
//
// Chat markers, BOS, runs of spaces and whatever a user added to a vocabulary.
// Of all that match, the leftmost wins, then the longest; matches do not
// overlap. A match may be refused (single_word) or take the white space
// beside it (lstrip, rstrip).
//
// Source of the semantics: huggingface/tokenizers,
// tokenizers/src/tokenizer/added_vocabulary.rs (find_matches), version 0.23.
//
// Cost: a look at each byte (blocks of them where the first bytes are few),
// and a walk of at most the longest token from a byte that may begin one.
// Thread-safety: immutable after build().
#ifndef TRAINSIGHT_TOKENIZE_ADDED_TOKENS_H_
#define TRAINSIGHT_TOKENIZE_ADDED_TOKENS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/byte_set.h"
#include "tokenize/piece_trie.h"

namespace trainsight::tokenize {

/// One added token, as files describe it.
struct AddedToken {
  std::string content;
  std::uint32_t id = 0;
  bool single_word = false;  ///< not next to a word character
  bool lstrip = false;       ///< takes white space on its left
  bool rstrip = false;       ///< takes white space on its right
  bool normalized = true;    ///< searched in the normalized text
  bool special = false;
};

/// A stretch of text: an added token, or what is between two.
struct TextPart {
  std::string_view text;
  std::uint32_t id = kText;  ///< the added token's id, or kText
  static constexpr std::uint32_t kText = 0xFFFFFFFF;
};

/// Finds added tokens in texts; see the top of this file.
class AddedTokens {
 public:
  AddedTokens() = default;

  /// `patterns[i]` is what to look for in place of tokens[i].content (the
  /// normalized content); of equal patterns the first counts, empty ones are
  /// never found. REQUIRES: equal sizes.
  AddedTokens(const std::vector<AddedToken>& tokens,
              const std::vector<std::string>& patterns);

  [[nodiscard]] bool empty() const { return tokens_.empty(); }

  /// Whether each is found wherever it stands, and takes nothing beside it.
  [[nodiscard]] bool are_plain() const;

  /// Whether `text` is one of them.
  [[nodiscard]] bool is_token(std::string_view text) const;

  /// False when `text` surely holds none; linear, no allocation.
  [[nodiscard]] bool may_match(std::string_view text) const {
    return !empty() && next_candidate(text, 0) < text.size();
  }

  /// Cuts `text` into parts, in order, that are put in place of `parts`'
  /// content; empty texts between tokens are left out.
  void split(std::string_view text, std::vector<TextPart>& parts) const;

 private:
  // The next place where a token may begin, by its first two bytes.
  [[nodiscard]] std::size_t next_candidate(std::string_view text,
                                           std::size_t from) const;
  [[nodiscard]] bool is_accepted(const AddedToken& token, std::string_view text,
                                 std::size_t begin, std::size_t end) const;

  std::vector<AddedToken> tokens_;
  PieceTrie trie_;  // value: index into tokens_
  ByteSet begins_;  // some token begins with the byte
  // Bit s of entry f: some token begins with the bytes f and s, or is f alone.
  std::array<std::array<std::uint64_t, 4>, 256> first_two_{};
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_ADDED_TOKENS_H_
