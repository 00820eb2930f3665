// What Python's str knows about text, on UTF-8 bytes: white space, code
// points, repr() and the printed form of numbers.
//
// Source: Python 3.11 Library Reference, "Text Sequence Type", and the
// language's repr of float (shortest digits that read back the same).
#ifndef TRAINSIGHT_CHAT_JINJA_PYTHON_TEXT_H_
#define TRAINSIGHT_CHAT_JINJA_PYTHON_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace trainsight::chat::jinja {

/// str.isspace of one code point.
bool is_python_space(char32_t c);

/// [begin, end) of `text` without white space on the sides asked for.
std::pair<std::size_t, std::size_t> stripped(std::string_view text, bool left,
                                             bool right);
/// The same for the code points of `characters` instead of white space.
std::pair<std::size_t, std::size_t> stripped_of(std::string_view text,
                                                std::string_view characters,
                                                bool left, bool right);

/// Size of the line break of str.splitlines at text[at]; 0 for none.
std::size_t line_break_at(std::string_view text, std::size_t at);

bool is_ascii(std::string_view text);

/// Byte offset of code point `index`; text.size() when there are fewer.
std::size_t offset_of_code_point(std::string_view text, std::uint64_t index);

/// repr(float): "1.0", "1e+16", "nan".
void append_float(double value, std::string& out);

/// repr(str): quotes chosen and characters escaped as Python does.
void append_repr(std::string_view text, std::string& out);

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_PYTHON_TEXT_H_
