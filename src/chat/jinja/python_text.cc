#include "chat/jinja/python_text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <charconv>
#include <cmath>

#include "trainsight/text/utf8.h"

namespace trainsight::chat::jinja {
namespace {

// Whether repr() shows the code point as it is (str.isprintable).
bool is_printable(char32_t c) {
  if (c < 0x7F) return c >= 0x20;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(c))) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
    case UTF8PROC_CATEGORY_ZS:
      return false;
    default:
      return true;
  }
}

// Offset of the code point that ends before `end`.
std::size_t step_back(std::string_view text, std::size_t end) {
  std::size_t at = end - 1;
  while (at > 0 && end - at < 4 &&
         (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
    --at;
  }
  return at;
}

template <typename Drop>
std::pair<std::size_t, std::size_t> strip_if(std::string_view text, bool left,
                                             bool right, Drop drop) {
  std::size_t begin = 0;
  std::size_t end = text.size();
  while (left && begin < end) {
    std::size_t next = begin;
    if (!drop(text::decode_utf8(text.substr(0, end), next))) break;
    begin = next;
  }
  while (right && end > begin) {
    const std::size_t last = step_back(text, end);
    if (last < begin) break;
    std::size_t next = last;
    if (!drop(text::decode_utf8(text.substr(0, end), next))) break;
    end = last;
  }
  return {begin, end};
}

}  // namespace

bool is_python_space(char32_t c) {
  if (c < 0x80) return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20);
  return c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
         c == 0x202F || c == 0x205F || c == 0x3000;
}

std::pair<std::size_t, std::size_t> stripped(std::string_view text, bool left,
                                             bool right) {
  return strip_if(text, left, right, is_python_space);
}

std::pair<std::size_t, std::size_t> stripped_of(std::string_view text,
                                                std::string_view characters,
                                                bool left, bool right) {
  return strip_if(text, left, right, [characters](char32_t c) {
    for (std::size_t at = 0; at < characters.size();) {
      if (text::decode_utf8(characters, at) == c) return true;
    }
    return false;
  });
}

std::size_t line_break_at(std::string_view text, std::size_t at) {
  const auto byte = static_cast<unsigned char>(text[at]);
  if (byte == '\r') {
    return at + 1 < text.size() && text[at + 1] == '\n' ? 2 : 1;
  }
  if ((byte >= 0x0A && byte <= 0x0C) || (byte >= 0x1C && byte <= 0x1E)) {
    return 1;
  }
  if (byte != 0xC2 && byte != 0xE2) return 0;
  std::size_t next = at;
  const char32_t c = text::decode_utf8(text, next);
  return c == 0x85 || c == 0x2028 || c == 0x2029 ? next - at : 0;
}

bool is_ascii(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) >= 0x80) return false;
  }
  return true;
}

std::size_t offset_of_code_point(std::string_view text, std::uint64_t index) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if ((static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) continue;
    if (index-- == 0) return at;
  }
  return at;
}

void append_float(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "nan";
    return;
  }
  if (std::isinf(value)) {
    out += value < 0 ? "-inf" : "inf";
    return;
  }
  // "d.ddde±xx": digits and exponent of the shortest form.
  char buffer[40];
  const std::to_chars_result written =
      std::to_chars(buffer, buffer + sizeof(buffer), std::fabs(value),
                    std::chars_format::scientific);
  const std::string_view form(buffer,
                              static_cast<std::size_t>(written.ptr - buffer));
  const std::size_t e = form.find('e');
  std::string digits(1, form[0]);
  if (e > 2) digits += form.substr(2, e - 2);
  int exponent = 0;
  const char* const begin = form.data() + e + (form[e + 1] == '+' ? 2 : 1);
  std::from_chars(begin, form.data() + form.size(), exponent);

  if (std::signbit(value)) out += '-';
  const int count = static_cast<int>(digits.size());
  if (exponent < -4 || exponent >= 16) {
    out += digits[0];
    if (count > 1) out.append(".").append(digits, 1, std::string::npos);
    out += fmt::format("e{}{:02}", exponent < 0 ? '-' : '+',
                       exponent < 0 ? -exponent : exponent);
  } else if (exponent < 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-exponent - 1), '0');
    out += digits;
  } else if (count <= exponent + 1) {
    out += digits;
    out.append(static_cast<std::size_t>(exponent + 1 - count), '0');
    out += ".0";
  } else {
    const auto whole = static_cast<std::size_t>(exponent + 1);
    out.append(digits, 0, whole)
        .append(".")
        .append(digits, whole, std::string::npos);
  }
}

void append_repr(std::string_view text, std::string& out) {
  const bool single = text.find('\'') == std::string_view::npos ||
                      text.find('"') != std::string_view::npos;
  const char quote = single ? '\'' : '"';
  out += quote;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    const char32_t c = text::decode_utf8(text, at);
    if (c == static_cast<char32_t>(quote) || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (is_printable(c)) {
      out += text.substr(begin, at - begin);
    } else if (c < 0x100) {
      out += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c));
    } else if (c < 0x10000) {
      out += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(c));
    } else {
      out += fmt::format("\\U{:08x}", static_cast<std::uint32_t>(c));
    }
  }
  out += quote;
}

}  // namespace trainsight::chat::jinja
