#include "trainsight/text/json_text.h"

#include <array>
#include <bit>
#include <cstring>

#include "trainsight/text/utf8.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace trainsight::text {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The 16 bits of "\uXXXX" at `at`, or -1.
int unicode_escape(std::string_view text, std::size_t at) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') {
    return -1;
  }
  int value = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const int digit = hex_digit(text[at + i]);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

// The escapes of one letter: what each stands for; 0 for what is none.
constexpr std::array<char, 256> kShortEscapes = [] {
  std::array<char, 256> table{};
  table['"'] = '"';
  table['\\'] = '\\';
  table['/'] = '/';
  table['b'] = '\b';
  table['f'] = '\f';
  table['n'] = '\n';
  table['r'] = '\r';
  table['t'] = '\t';
  return table;
}();

std::size_t utf8_length(char32_t code_point) {
  if (code_point < 0x80) return 1;
  if (code_point < 0x800) return 2;
  return code_point < 0x10000 ? 3 : 4;
}

// Calls plain(run) for text without escapes and decoded(code_point) for each
// escape, in order.
template <typename Plain, typename Decoded>
void walk_escaped(std::string_view text, Plain&& plain, Decoded&& decoded) {
  std::size_t at = 0;
  std::size_t run = 0;
  while (at < text.size()) {
    const void* found = std::memchr(text.data() + at, '\\', text.size() - at);
    if (found == nullptr) break;
    at =
        static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    const std::size_t backslash = at;
    char32_t code_point = 0;
    if (!decode_json_escape(text, at, code_point)) {
      ++at;
      continue;
    }
    plain(text.substr(run, backslash - run));
    decoded(code_point);
    run = at;
  }
  plain(text.substr(run));
}

// Copies `text` up to its first backslash to `to`, where all of it has room;
// the number of bytes. What is behind them in `to` may be overwritten.
std::size_t copy_to_backslash(std::string_view text, char* to) {
  std::size_t at = 0;
#if defined(__SSE2__)
  const __m128i backslash = _mm_set1_epi8('\\');
  for (; at + 16 <= text.size(); at += 16) {
    __m128i block;
    std::memcpy(&block, text.data() + at, sizeof block);
    std::memcpy(to + at, &block, sizeof block);
    const int found = _mm_movemask_epi8(_mm_cmpeq_epi8(block, backslash));
    if (found != 0) {
      return at + static_cast<std::size_t>(
                      std::countr_zero(static_cast<unsigned>(found)));
    }
  }
#endif
  for (; at < text.size() && text[at] != '\\'; ++at) to[at] = text[at];
  return at;
}

bool is_ascii_space(char32_t c) { return c == ' ' || (c >= 9 && c <= 13); }

}  // namespace

bool decode_json_escape(std::string_view escaped, std::size_t& at,
                        char32_t& code_point) {
  if (at + 1 >= escaped.size()) return false;
  const char letter =
      kShortEscapes[static_cast<unsigned char>(escaped[at + 1])];
  if (letter != 0) {
    code_point = static_cast<unsigned char>(letter);
    at += 2;
    return true;
  }
  const int first = unicode_escape(escaped, at);
  if (first < 0) return false;
  at += 6;
  code_point = static_cast<char32_t>(first);
  if (first < 0xD800 || first > 0xDFFF) return true;
  code_point = 0xFFFD;
  if (first > 0xDBFF) return true;
  const int second = unicode_escape(escaped, at);
  if (second < 0xDC00 || second > 0xDFFF) return true;
  at += 6;
  code_point = 0x10000 + (static_cast<char32_t>(first - 0xD800) << 10) +
               static_cast<char32_t>(second - 0xDC00);
  return true;
}

void append_unescaped(TextView view, std::string& out) {
  if (view.encoding == Encoding::kUtf8) {
    out.append(view.bytes);
    return;
  }
  // No escape is longer in UTF-8 than as it is written: as many bytes as are
  // left to read can be written.
  const std::size_t start = out.size();
  const std::string_view text = view.bytes;
  out.resize(start + text.size());
  char* to = out.data() + start;
  std::size_t at = 0;
  while (true) {
    const std::size_t plain = copy_to_backslash(text.substr(at), to);
    at += plain;
    to += plain;
    if (at == text.size()) break;
    char32_t code_point = 0;
    if (!decode_json_escape(text, at, code_point)) {
      *to++ = text[at++];
    } else if (code_point < 0x80) {
      *to++ = static_cast<char>(code_point);
    } else {
      to += write_utf8(to, code_point);
    }
  }
  out.resize(static_cast<std::size_t>(to - out.data()));
}

std::string_view as_utf8(TextView view, std::string& scratch) {
  if (view.encoding == Encoding::kUtf8) return view.bytes;
  scratch.clear();
  append_unescaped(view, scratch);
  return scratch;
}

std::uint64_t utf8_bytes(TextView view) {
  if (view.encoding == Encoding::kUtf8) return view.bytes.size();
  if (view.saved != 0) return view.bytes.size() - view.saved;
  std::uint64_t bytes = 0;
  walk_escaped(
      view.bytes, [&bytes](std::string_view run) { bytes += run.size(); },
      [&bytes](char32_t code_point) { bytes += utf8_length(code_point); });
  return bytes;
}

bool is_blank(TextView view) {
  const std::string_view text = view.bytes;
  for (std::size_t at = 0; at < text.size();) {
    char32_t c = static_cast<unsigned char>(text[at]);
    if (view.encoding == Encoding::kJsonEscaped && c == '\\') {
      if (!decode_json_escape(text, at, c)) return false;
    } else {
      ++at;
    }
    if (!is_ascii_space(c)) return false;
  }
  return true;
}

void append_json_escaped(std::string_view utf8, std::string& out) {
  constexpr char kHex[] = "0123456789abcdef";
  for (const char c : utf8) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default: {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20) {
          out += "\\u00";
          out += kHex[byte >> 4];
          out += kHex[byte & 0xF];
        } else {
          out += c;
        }
      }
    }
  }
}

}  // namespace trainsight::text
