// JSON string text: unescaping what a file holds, escaping what we write.
//
// Source: RFC 8259, section 7. An escaped surrogate without its other half has
// no UTF-8 form: it becomes U+FFFD, as in a reader that replaces.
#ifndef TRAINSIGHT_TEXT_JSON_TEXT_H_
#define TRAINSIGHT_TEXT_JSON_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "trainsight/text/text_view.h"

namespace trainsight::text {

/// Appends the text of `view` as UTF-8 to `out`.
/// REQUIRES for kJsonEscaped: escapes are valid, as a RowView's are; a broken
/// one is copied as it stands and nothing is read past the end.
void append_unescaped(TextView view, std::string& out);

/// The text as UTF-8: `view.bytes` itself when nothing is escaped, otherwise
/// unescaped into `scratch` (which is overwritten).
std::string_view as_utf8(TextView view, std::string& scratch);

/// Decodes the escape at `escaped[at]`, a backslash, into `code_point` and
/// moves `at` past it (and past a second half of a surrogate pair). False, with
/// nothing changed, when no valid escape stands there.
bool decode_json_escape(std::string_view escaped, std::size_t& at,
                        char32_t& code_point);

/// Size of the text in UTF-8 bytes, without writing it anywhere; O(1) when the
/// view knows how much its escapes save.
std::uint64_t utf8_bytes(TextView view);

/// Whether the text is empty or only ASCII white space (space, \t \n \v \f \r).
bool is_blank(TextView view);

/// Appends `utf8` as the inside of a JSON string: quotes, backslashes and
/// control characters escaped, everything else as it is.
void append_json_escaped(std::string_view utf8, std::string& out);

}  // namespace trainsight::text

#endif  // TRAINSIGHT_TEXT_JSON_TEXT_H_
