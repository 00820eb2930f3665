#include "chat/jinja/lexer.h"

#include <fmt/format.h>

#include <algorithm>

#include "chat/jinja/python_text.h"
#include "trainsight/text/utf8.h"

namespace trainsight::chat::jinja {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_char(char c) { return is_name_start(c) || is_digit(c); }

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 99;
}

// Every line break as "\n", and one at the very end dropped.
std::string normalised(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n') ++i;
    } else {
      out += source[i];
    }
  }
  if (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

class Lexer {
 public:
  Lexer(std::string_view source, std::deque<std::string>& texts)
      : source_(source), texts_(texts) {}

  Result<std::vector<Token>> run() {
    while (!failed_ && at_ < source_.size()) lex_outside();
    if (failed_) return error_;
    add(TokenType::kEnd, {});
    return std::move(tokens_);
  }

 private:
  void fail(std::string message) {
    if (failed_) return;
    failed_ = true;
    error_ = Error{ErrorKind::kCorrupt,
                   fmt::format("line {}: {}", line_, message), ""};
    at_ = source_.size();
  }

  void add(TokenType type, std::string_view text) {
    tokens_.push_back(Token{type, line_, text});
  }

  [[nodiscard]] bool starts(std::string_view what) const {
    return source_.substr(at_, what.size()) == what;
  }

  void advance_to(std::size_t to) {
    line_ += static_cast<std::uint32_t>(
        std::count(source_.begin() + static_cast<std::ptrdiff_t>(at_),
                   source_.begin() + static_cast<std::ptrdiff_t>(to), '\n'));
    line_starting_ = to > at_ && source_[to - 1] == '\n';
    at_ = to;
  }

  [[nodiscard]] std::size_t after_space(std::size_t at) const {
    const std::string_view rest = source_.substr(at);
    return at + stripped(rest, true, false).first;
  }

  // The text up to the tag at `tag`, cut as the tag's sign and kind ask.
  void add_text_before(std::size_t tag, char sign, bool variable) {
    std::string_view text = source_.substr(at_, tag - at_);
    if (sign == '-') {
      text = text.substr(0, stripped(text, false, true).second);
    } else if (sign != '+' && !variable) {
      const std::size_t newline = text.rfind('\n');
      const std::size_t begin =
          newline == std::string_view::npos ? 0 : newline + 1;
      if (begin > 0 || line_starting_) {
        const std::string_view lead = text.substr(begin);
        if (stripped(lead, true, false).first == lead.size()) {
          text = text.substr(0, begin);
        }
      }
    }
    if (!text.empty()) add(TokenType::kData, text);
  }

  void lex_outside() {
    std::size_t tag = at_;
    while (true) {
      tag = source_.find('{', tag);
      if (tag == std::string_view::npos || tag + 1 >= source_.size()) {
        add(TokenType::kData, source_.substr(at_));
        advance_to(source_.size());
        return;
      }
      const char kind = source_[tag + 1];
      if (kind == '%' || kind == '{' || kind == '#') break;
      ++tag;
    }
    const char kind = source_[tag + 1];
    const char next = tag + 2 < source_.size() ? source_[tag + 2] : '\0';
    const char sign = next == '-' || next == '+' ? next : '\0';
    add_text_before(tag, sign, kind == '{');
    advance_to(tag + (sign == '\0' ? 2 : 3));
    if (kind == '#') {
      lex_comment();
    } else if (kind == '%') {
      if (!lex_raw()) {
        add(TokenType::kBlockBegin, {});
        lex_inside(/*variable=*/false);
      }
    } else {
      add(TokenType::kVariableBegin, {});
      lex_inside(/*variable=*/true);
    }
  }

  // Where a tag's end at `at`, written `close` ("%}" or "#}"), leads to; npos
  // when there is none.
  [[nodiscard]] std::size_t after_close(std::size_t at,
                                        std::string_view close) const {
    const std::string_view rest = source_.substr(at);
    if (rest.substr(0, 2) == close) {
      const bool newline = close != "}}" && rest.size() > 2 && rest[2] == '\n';
      return at + (newline ? 3 : 2);
    }
    if (rest.size() > 2 && rest.substr(1, 2) == close) {
      if (rest[0] == '-') return after_space(at + 3);
      if (rest[0] == '+' && close != "}}") return at + 3;
    }
    return std::string_view::npos;
  }

  void lex_comment() {
    if (at_ == source_.size()) return;  // as jinja2: nothing is missed
    const std::size_t at = source_.find("#}", at_);
    if (at == std::string_view::npos) return fail("comment without an end");
    const char sign = at > at_ ? source_[at - 1] : '\0';
    const std::size_t begin = sign == '-' || sign == '+' ? at - 1 : at;
    advance_to(after_close(begin, "#}"));
  }

  // `raw %}` at at_: the text up to endraw as data. False when it is no raw.
  bool lex_raw() {
    std::size_t at = after_space(at_);
    if (source_.substr(at, 3) != "raw") return false;
    at = after_space(at + 3);
    if (source_.substr(at, 2) == "%}") {
      at += 2;
    } else if (source_.substr(at, 3) == "-%}") {
      at = after_space(at + 3);
    } else {
      return false;
    }
    advance_to(at);
    if (at_ == source_.size()) return true;  // as jinja2: nothing is missed
    for (std::size_t tag = at_; true; ++tag) {
      tag = source_.find("{%", tag);
      if (tag == std::string_view::npos) {
        fail("raw block without endraw");
        return true;
      }
      std::size_t inside = tag + 2;
      const char next = inside < source_.size() ? source_[inside] : '\0';
      const char sign = next == '-' || next == '+' ? next : '\0';
      if (sign != '\0') ++inside;
      inside = after_space(inside);
      if (source_.substr(inside, 6) != "endraw") continue;
      const std::size_t end = after_close(after_space(inside + 6), "%}");
      if (end == std::string_view::npos) continue;
      add_text_before(tag, sign, false);
      advance_to(end);
      return true;
    }
  }

  void lex_inside(bool variable) {
    const std::string_view close = variable ? "}}" : "%}";
    std::string brackets;
    while (!failed_) {
      if (at_ >= source_.size()) return fail("tag without an end");
      if (brackets.empty()) {
        const std::size_t end = after_close(at_, close);
        if (end != std::string_view::npos) {
          add(variable ? TokenType::kVariableEnd : TokenType::kBlockEnd, {});
          return advance_to(end);
        }
      }
      const std::size_t space = after_space(at_);
      if (space > at_) {
        advance_to(space);
        continue;
      }
      const char c = source_[at_];
      if (is_digit(c)) {
        lex_number();
      } else if (is_name_start(c)) {
        std::size_t end = at_;
        while (end < source_.size() && is_name_char(source_[end])) ++end;
        add(TokenType::kName, source_.substr(at_, end - at_));
        advance_to(end);
      } else if (c == '\'' || c == '"') {
        lex_string(c);
      } else {
        lex_operator(brackets);
      }
    }
  }

  // Digits with single underscores between them, from `at`.
  [[nodiscard]] std::size_t digits_end(std::size_t at) const {
    while (at < source_.size() &&
           (is_digit(source_[at]) ||
            (source_[at] == '_' && at + 1 < source_.size() &&
             is_digit(source_[at + 1]) && is_digit(source_[at - 1])))) {
      ++at;
    }
    return at;
  }

  void lex_number() {
    std::string digits;
    const char next = at_ + 1 < source_.size() ? source_[at_ + 1] : '\0';
    const int base = next == 'x' || next == 'X'   ? 16
                     : next == 'o' || next == 'O' ? 8
                     : next == 'b' || next == 'B' ? 2
                                                  : 10;
    if (source_[at_] == '0' && base != 10) {
      return lex_based_integer(static_cast<unsigned>(base));
    }
    std::size_t end = digits_end(at_);
    bool real = false;
    // `a.0.1` is two indexes, not the number 0.1.
    const bool may_be_real = at_ == 0 || source_[at_ - 1] != '.';
    if (may_be_real && end + 1 < source_.size() && source_[end] == '.' &&
        is_digit(source_[end + 1])) {
      end = digits_end(end + 1);
      real = true;
    }
    if (may_be_real && end < source_.size() &&
        (source_[end] == 'e' || source_[end] == 'E')) {
      std::size_t exponent = end + 1;
      if (exponent < source_.size() &&
          (source_[exponent] == '+' || source_[exponent] == '-')) {
        ++exponent;
      }
      if (exponent < source_.size() && is_digit(source_[exponent])) {
        end = digits_end(exponent);
        real = true;
      }
    }
    for (const char c : source_.substr(at_, end - at_)) {
      if (c != '_') digits += c;
    }
    if (!real && digits[0] == '0' &&
        digits.find_first_not_of('0') != std::string::npos) {
      return fail("a number begins with 0");
    }
    texts_.push_back(std::move(digits));
    add(real ? TokenType::kFloat : TokenType::kInteger, texts_.back());
    advance_to(end);
  }

  void lex_based_integer(unsigned base) {
    std::uint64_t value = 0;
    std::size_t at = at_ + 2;
    std::size_t digit_count = 0;
    for (; at < source_.size(); ++at) {
      if (source_[at] == '_') continue;
      const auto digit = static_cast<unsigned>(digit_value(source_[at]));
      if (digit >= base) break;
      ++digit_count;
      if (value >> 58 != 0) return fail("integer over 64 bits");
      value = value * base + digit;
    }
    if (digit_count == 0) return fail("number without digits");
    texts_.push_back(std::to_string(value));
    add(TokenType::kInteger, texts_.back());
    advance_to(at);
  }

  void lex_string(char quote) {
    std::size_t at = at_ + 1;
    bool escaped = false;
    while (at < source_.size() && source_[at] != quote) {
      if (source_[at] == '\\') {
        escaped = true;
        ++at;
      }
      ++at;
    }
    if (at >= source_.size()) return fail("string without an end");
    const std::string_view raw = source_.substr(at_ + 1, at - at_ - 1);
    if (!escaped) {
      add(TokenType::kString, raw);
    } else {
      std::string text;
      if (!unescape(raw, text)) return;
      texts_.push_back(std::move(text));
      add(TokenType::kString, texts_.back());
    }
    advance_to(at + 1);
  }

  // Python's string escapes. False, with the failure set, on a broken one.
  bool unescape(std::string_view raw, std::string& out) {
    for (std::size_t i = 0; i < raw.size(); ++i) {
      if (raw[i] != '\\') {
        out += raw[i];
        continue;
      }
      const char c = raw[++i];
      static constexpr std::string_view kNames = "\\'\"abfnrtv";
      static constexpr std::string_view kBytes = "\\'\"\a\b\f\n\r\t\v";
      const std::size_t simple = kNames.find(c);
      if (simple != std::string_view::npos) {
        out += kBytes[simple];
      } else if (c == '\n') {
        // A line that continues.
      } else if (c >= '0' && c <= '7') {
        std::uint32_t value = 0;
        std::size_t n = 0;
        for (; n < 3 && i < raw.size() && raw[i] >= '0' && raw[i] <= '7'; ++n) {
          value = value * 8 + static_cast<std::uint32_t>(raw[i++] - '0');
        }
        --i;
        text::append_utf8(out, value);
      } else if (c == 'x' || c == 'u' || c == 'U') {
        const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : 8;
        std::uint32_t value = 0;
        for (std::size_t n = 0; n < digits; ++n) {
          const int digit = i + 1 < raw.size() ? digit_value(raw[i + 1]) : 99;
          if (digit > 15 || value > 0x10FFFF) {
            fail(fmt::format("broken escape \\{} in a string", c));
            return false;
          }
          value = value * 16 + static_cast<std::uint32_t>(digit);
          ++i;
        }
        if (value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) {
          fail(fmt::format("escape \\{} is no character", c));
          return false;
        }
        text::append_utf8(out, value);
      } else if (c == 'N') {
        fail("escape \\N (a character by name) is not supported");
        error_.kind = ErrorKind::kUnsupported;
        return false;
      } else {
        out += '\\';
        out += c;
      }
    }
    return true;
  }

  void lex_operator(std::string& brackets) {
    static constexpr std::string_view kDouble[] = {
        "==", "!=", ">=", "<=", "//", "**"};
    for (const std::string_view two : kDouble) {
      if (starts(two)) {
        add(TokenType::kOperator, two);
        return advance_to(at_ + 2);
      }
    }
    const char c = source_[at_];
    static constexpr std::string_view kSingle = "+-/*%~[](){}><=.:|,;";
    if (kSingle.find(c) == std::string_view::npos) {
      return fail(fmt::format("unexpected byte 0x{:02x} in a tag",
                              static_cast<unsigned char>(c)));
    }
    if (c == '(' || c == '[' || c == '{') {
      brackets += c == '(' ? ')' : c == '[' ? ']' : '}';
    } else if (c == ')' || c == ']' || c == '}') {
      if (brackets.empty() || brackets.back() != c) {
        return fail(fmt::format("unexpected '{}'", c));
      }
      brackets.pop_back();
    }
    add(TokenType::kOperator, source_.substr(at_, 1));
    advance_to(at_ + 1);
  }

  std::string_view source_;
  std::deque<std::string>& texts_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  bool line_starting_ = true;
  bool failed_ = false;
  Error error_;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view source,
                                    std::deque<std::string>& texts) {
  texts.push_back(normalised(source));
  return Lexer(texts.back(), texts).run();
}

}  // namespace trainsight::chat::jinja
