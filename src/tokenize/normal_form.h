// NormalForm: NFC, NFD, NFKC and NFKD as tokenizers apply them.
//
// The work is utf8proc's. The reference library's tables are of Unicode 9.0
// and stay there, so that code points which were given decompositions or
// combining classes later are passed through as they are.
//
// Most text needs nothing: a look at each code point's class finds that out
// (UAX #15, section 9, "quick check"), ASCII in blocks of eight bytes.
// Thread-safety: immutable.
#ifndef TRAINSIGHT_TOKENIZE_NORMAL_FORM_H_
#define TRAINSIGHT_TOKENIZE_NORMAL_FORM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace trainsight::tokenize {

/// One of the four forms, ready to be applied.
class NormalForm {
 public:
  enum class Kind : std::uint8_t { kNfc, kNfd, kNfkc, kNfkd };

  explicit NormalForm(Kind kind);

  /// Puts the normalized text into `out` (replacing it) and returns true; or
  /// returns false and leaves `out` alone when `utf8` is unchanged.
  /// REQUIRES: well-formed UTF-8.
  bool apply(std::string_view utf8, std::string& out) const;

 private:
  // What a code point does to the form: 0 nothing at all; 1..254 its combining
  // class, otherwise nothing; 255 it may change.
  [[nodiscard]] std::uint8_t class_of(char32_t c) const;
  // Where the first character of `utf8` from `at` on begins that may be of a
  // class other than 0, or its end.
  [[nodiscard]] std::size_t skip_plain(std::string_view utf8,
                                       std::size_t at) const;
  void append(std::string_view utf8, std::string& out) const;

  Kind kind_;
  std::vector<std::uint8_t> plane0_;  // class_of() of the first 65,536
  // Whether a byte begins no character of a class other than 0. Continuation
  // bytes do not: they belong to a first byte that was seen before.
  [[nodiscard]] bool is_plain(char c) const {
    const auto byte = static_cast<std::uint8_t>(c);
    return (unplain_leads_[byte & 0x0F] & kHighBits[byte >> 4]) == 0;
  }

  // By a byte's high four bits, and by its low four bits: where both have a bit
  // in common, it begins a character of a class other than 0.
  static constexpr std::array<std::uint8_t, 16> kHighBits = {
      0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8};
  std::array<std::uint8_t, 16> unplain_leads_{};
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_NORMAL_FORM_H_
