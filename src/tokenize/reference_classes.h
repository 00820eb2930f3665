// Classes of characters as the reference implementation's parts see them.
//
// Hugging Face's normalizers and pre-tokenizers take their classes from
// several Rust crates, each at a Unicode version of its own (BertNormalizer's
// are from Unicode 8, char's from the compiler's). The tables here are what
// the library itself answers for each code point; the patterns' classes, at
// Unicode 16, are in unicode_classes.h.
//
// Source: PyPI tokenizers 0.23.3, asked for all scalar values by
// tests/property/reference_classes.py, which prints the tables again.
// Thread-safety: pure functions. Cost: a binary search beyond ASCII.
#ifndef TRAINSIGHT_TOKENIZE_REFERENCE_CLASSES_H_
#define TRAINSIGHT_TOKENIZE_REFERENCE_CLASSES_H_

#include <cstddef>
#include <cstdint>

namespace trainsight::tokenize {

/// char::is_whitespace and \s: 25 code points.
bool is_space(char32_t c);
/// \w of Rust's regular expressions.
bool is_word(char32_t c);
/// char::is_numeric.
bool is_numeric(char32_t c);
/// Punctuation as BertPreTokenizer and Punctuation take it (all of ASCII's
/// symbols too).
bool is_punctuation(char32_t c);
/// What BertNormalizer's clean_text takes out: controls, formats, private use,
/// U+FFFD; not tab, line feed and carriage return.
bool is_removed_by_bert(char32_t c);
/// What BertNormalizer's strip_accents takes out after decomposing.
bool is_nonspacing_mark(char32_t c);
/// What StripAccents takes out.
bool is_combining_mark(char32_t c);
/// What BertNormalizer's handle_chinese_chars puts spaces around.
bool is_cjk_ideograph(char32_t c);

/// One or two code points; `second` is 0 when there is one.
struct LowerCase {
  char32_t first, second;
};
/// char::to_lowercase, without regard to what is around.
LowerCase to_lower(char32_t c);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_REFERENCE_CLASSES_H_
