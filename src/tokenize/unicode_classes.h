// Classes of characters as the reference tokenizers' patterns see them.
//
// The tables are Unicode 16.0, which Rust's regex (tiktoken) and Oniguruma
// (Hugging Face) both use; libraries of the operating system are older. They
// are generated: tests/unit/tokenize/generate_unicode_classes.py.
// Source: The Unicode Standard 16.0, UnicodeData.txt, general categories.
// Thread-safety: constant data.
#ifndef TRAINSIGHT_TOKENIZE_UNICODE_CLASSES_H_
#define TRAINSIGHT_TOKENIZE_UNICODE_CLASSES_H_

#include <cstdint>

namespace trainsight::tokenize {

/// Each code point is in exactly one; values are those of the generated table.
enum class CharClass : std::uint8_t {
  kOther = 0,    ///< controls, format, private use, unassigned
  kUpper = 1,    ///< \p{Lu} \p{Lt}
  kLower = 2,    ///< \p{Ll}
  kLetter = 3,   ///< \p{Lm} \p{Lo}: letters without case
  kMark = 4,     ///< \p{M}
  kNumber = 5,   ///< \p{N}
  kPunct = 6,    ///< \p{P}
  kSymbol = 7,   ///< \p{S}
  kSpace = 8,    ///< \s without CR and LF
  kNewline = 9,  ///< CR and LF
};

namespace unicode_tables {
#include "tokenize/unicode_classes.inc"
}  // namespace unicode_tables

/// The class of any value; those that are no code points are kOther.
constexpr CharClass class_of(char32_t code_point) {
  using namespace unicode_tables;
  if (code_point >= kTableEnd) {
    return code_point >= 0xE0100 && code_point <= 0xE01EF ? CharClass::kMark
                                                          : CharClass::kOther;
  }
  const std::uint64_t word =
      kBlocks[kBlockOf[code_point >> 6]][(code_point >> 4) & 3];
  return static_cast<CharClass>((word >> ((code_point & 15) * 4)) & 15);
}

/// \p{L}
constexpr bool is_letter(CharClass c) {
  return c >= CharClass::kUpper && c <= CharClass::kLetter;
}

/// \s
constexpr bool is_space(CharClass c) { return c >= CharClass::kSpace; }

/// Letters and numbers beyond ASCII that are graphemes by themselves (UAX #29)
/// beside a space or one another, and that no normal form gives a space at an
/// end. Presentation forms, from U+F900 on, are left out, with the letters
/// U+037A, U+0D4E, U+0E33, U+0EB3 and Hangul's parts, which do one of the two.
constexpr bool stands_apart(char32_t c) {
  const CharClass cls = class_of(c);
  return c >= 0x80 && c < 0xF900 &&
         (is_letter(cls) || cls == CharClass::kNumber) && c != 0x37A &&
         c != 0xD4E && c != 0xE33 && c != 0xEB3 &&
         !(c >= 0x1100 && c <= 0x11FF) && !(c >= 0xA960 && c <= 0xA97F) &&
         !(c >= 0xD7B0 && c <= 0xD7FF);
}

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_UNICODE_CLASSES_H_
