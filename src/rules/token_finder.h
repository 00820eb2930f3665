// TokenFinder: control tokens written out in texts, at the speed of reading.
//
// The first three bytes of a token single it out in nearly all texts, so texts
// are filtered by those, 16 places at a time: for each of the three a look-up
// by low and by high half of the byte gives the groups of tokens that have it
// there (the method is Hyperscan's "Teddy"), and only where all six agree on a
// group are tokens compared. Immutable once made; threads may share it.
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

  /// Whether `text` may hold a token: of an escaped text that writes '<' as
  /// "\u003c" somewhere it says yes; count() of the unescaped text knows.
  [[nodiscard]] bool any(text::TextView text) const;
  /// Adds up the occurrences, longest match first, into `counts` (resized).
  void count(std::string_view utf8, Counts& counts) const;
  [[nodiscard]] const std::vector<Token>& tokens() const { return tokens_; }

 private:
  void add(std::string_view text, Kind kind);
  // The token at `at`, or -1. REQUIRES: at < bytes.size().
  [[nodiscard]] int match(std::string_view bytes, std::size_t at) const;
  // The first place from `at` on where a token or "\u0" may stand, or the end.
  [[nodiscard]] std::size_t next_candidate(std::string_view bytes,
                                           std::size_t at) const;

  // Which groups have a byte at the first, second and third place, a bit each.
  struct Filter {
    std::array<std::uint8_t, 16> low{};   // by the byte's low half
    std::array<std::uint8_t, 16> high{};  // by its high half
  };
  void add_to_filters(std::string_view text, unsigned group);
  // A bit for each of the 16 places from `at` on where a token may begin; reads
  // two bytes more.
  [[nodiscard]] std::uint32_t candidates(const char* at) const;
  // next_candidate() by 32 places at a time. REQUIRES: AVX2, 34 bytes at
  // least, 32 of them from `at` on.
  [[nodiscard]] std::size_t next_candidate_wide(std::string_view bytes,
                                                std::size_t at) const;

  std::vector<Token> tokens_;  // by first byte, longest first
  std::array<Filter, 3> filters_;
  bool is_wide_ = false;                    // this processor has AVX2
  std::array<std::uint16_t, 257> begin_{};  // of tokens_ by first byte
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_TOKEN_FINDER_H_
