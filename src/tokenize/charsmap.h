// Charsmap: SentencePiece's precompiled rules from characters to strings.
//
// The bytes are those of a model file's precompiled_charsmap: the size of a
// double-array trie (4 bytes, little-endian), the trie, then the replacements,
// each ended by a zero byte; a trie value is an offset into these.
//
// Source of the format: S. Yata, darts-clone (Darts::DoubleArray units: leaf
// flag in bit 8, label in bits 0-7 and 31, offset in bits 10-30 scaled by bit
// 9); google/sentencepiece, src/normalizer.cc (DecodePrecompiledCharsMap).
// Every offset is checked: a damaged trie finds nothing rather than reading
// outside. Thread-safety: immutable.
#ifndef TRAINSIGHT_TOKENIZE_CHARSMAP_H_
#define TRAINSIGHT_TOKENIZE_CHARSMAP_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// Rules from prefixes of a text to replacements.
class Charsmap {
 public:
  /// No rules.
  Charsmap() = default;

  /// Copies the rules out of `blob`. Errors: kCorrupt. An empty blob is no
  /// rules.
  static Result<Charsmap> parse(std::string_view blob);

  [[nodiscard]] bool empty() const { return units_.empty(); }

  /// A rule that applies at the beginning of a text.
  struct Match {
    std::size_t bytes;             ///< of the text, at least 1
    std::string_view replacement;  ///< may be empty; valid as long as *this
  };
  /// The rule for the shortest prefix of `text`.
  [[nodiscard]] std::optional<Match> shortest(std::string_view text) const;
  /// The rule for the longest prefix of `text`.
  [[nodiscard]] std::optional<Match> longest(std::string_view text) const;

  /// True when no rule begins with this ASCII character, or with it and
  /// another ASCII character: among ASCII it stands for itself.
  [[nodiscard]] bool is_plain_ascii(unsigned char c) const {
    return units_.empty() || plain_[c & 0x7F];
  }

  /// Whether some key begins with `bytes`.
  [[nodiscard]] bool begins_key(std::string_view bytes) const;

 private:
  template <typename Stop>
  std::optional<Match> search(std::string_view text, Stop stop) const;
  [[nodiscard]] std::string_view replacement(std::uint32_t offset) const;

  std::vector<std::uint32_t> units_;
  std::string replacements_;
  std::array<bool, 128> plain_{};
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_CHARSMAP_H_
