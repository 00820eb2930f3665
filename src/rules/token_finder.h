// TokenFinder: control tokens written out in texts, at the speed of reading.
//
// Nearly all of them begin with '<' or '[': texts are searched for first bytes
// 16 at a time, and only there are tokens compared. Immutable once made;
// threads may share it.
#ifndef TRAINSIGHT_RULES_TOKEN_FINDER_H_
#define TRAINSIGHT_RULES_TOKEN_FINDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/text/text_view.h"

namespace trainsight::rules {

/// Placeholders that stand for an image in texts.
inline constexpr std::string_view kImagePlaceholder = "<image>";

class TokenFinder {
 public:
  /// What a match is.
  enum class Kind : std::uint8_t {
    kSpecial,      ///< ends or separates texts
    kRole,         ///< opens or closes a turn
    kPlaceholder,  ///< stands for an image: no fault
  };
  struct Token {
    std::string text;
    Kind kind = Kind::kSpecial;
  };
  /// Occurrences by token index.
  using Counts = std::vector<std::uint32_t>;

  /// The built-in list and the vocabulary's own control tokens.
  explicit TokenFinder(std::span<const std::string> special_tokens);

  /// Whether `text` holds a token. Escaped texts are searched as they stand,
  /// with "\u003c" for '<' seen too.
  [[nodiscard]] bool any(text::TextView text) const;
  /// Adds up the occurrences, longest match first, into `counts` (resized).
  void count(std::string_view utf8, Counts& counts) const;
  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }

 private:
  void add(std::string_view text, Kind kind);
  // The token at `at`, or -1.
  [[nodiscard]] int match(std::string_view bytes, std::size_t at) const;
  [[nodiscard]] std::size_t next_candidate(std::string_view bytes,
                                           std::size_t at) const;

  std::vector<Token> tokens_;  // by first byte, longest first
  static std::size_t next_index(char second, char third) {
    return std::size_t{static_cast<unsigned char>(second)} * 256 +
           static_cast<unsigned char>(third);
  }
  // Whether a token goes on with these two bytes: '<' alone is everywhere in
  // code and markup.
  [[nodiscard]] bool has_next(char second, char third) const {
    const std::size_t next = next_index(second, third);
    return (next_[next / 64] >> (next % 64) & 1) != 0;
  }

  std::array<std::uint8_t, 256> is_first_{};
  std::array<std::uint64_t, 1024> next_{};  // a bit for second and third byte
  std::array<std::uint16_t, 257> begin_{};  // of tokens_ by first byte
  bool only_brackets_ = true;               // all begin with '<' or '['
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_TOKEN_FINDER_H_
