// UTF-8: validity, code points, and replacement of what is ill-formed.
//
// Source: The Unicode Standard 16.0, section 3.9, tables 3-6 and 3-7; the
// replacement of maximal subparts is its recommended practice (and what
// Python's errors="replace" and the WHATWG decoder do).
#ifndef TRAINSIGHT_TEXT_UTF8_H_
#define TRAINSIGHT_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace trainsight::text {

/// Offset of the first ill-formed byte, or npos when all is valid.
std::size_t find_invalid_utf8(std::string_view bytes);

/// Number of code points of valid UTF-8 (bytes that are no continuation).
std::uint64_t count_code_points(std::string_view utf8);

/// Writes `code_point` as UTF-8 to `to`, which has room for 4 bytes, and
/// returns how many they are. REQUIRES: a scalar value.
std::size_t write_utf8(char* to, char32_t code_point);

/// Appends `code_point` as UTF-8. REQUIRES: a scalar value.
void append_utf8(std::string& out, char32_t code_point);

/// Appends `bytes` to `out`, each maximal ill-formed subpart as U+FFFD.
void append_repaired_utf8(std::string_view bytes, std::string& out);

/// Decodes one code point at `bytes[at]` and moves `at` past it. An ill-formed
/// subpart gives U+FFFD and is passed as a whole. REQUIRES: at < bytes.size().
char32_t decode_utf8(std::string_view bytes, std::size_t& at);

}  // namespace trainsight::text

#endif  // TRAINSIGHT_TEXT_UTF8_H_
