// NormalForm: NFC, NFD, NFKC and NFKD as tokenizers apply them.
//
// The work is utf8proc's. The reference library's tables are of Unicode 9.0
// and stay there, so that code points which were given decompositions or
// combining classes later are passed through as they are.
//
// Most text needs nothing: a look at each code point's class finds that out
// (UAX #15, section 9, "quick check"), sixteen bytes at once where it can.
// Thread-safety: immutable.
#ifndef TRAINSIGHT_TOKENIZE_NORMAL_FORM_H_
#define TRAINSIGHT_TOKENIZE_NORMAL_FORM_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/byte_set.h"

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
  void append(std::string_view utf8, std::string& out) const;

  Kind kind_;
  std::vector<std::uint8_t> plane0_;  // class_of() of the first 65,536
  // Bytes that begin a character of a class other than 0. Continuation bytes
  // are not among them: they belong to a first byte that was seen before.
  ByteSet unplain_leads_;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_NORMAL_FORM_H_
