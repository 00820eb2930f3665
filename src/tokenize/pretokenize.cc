#include "tokenize/pretokenize.h"

#include <array>

#include "tokenize/unicode_classes.h"

namespace trainsight::tokenize {
namespace {

struct SourceRow {
  Pattern pattern;
  std::string_view source;
};

// The expressions as they stand in published files. The first row of a
// pattern is the spelling that sources_of_pattern() gives.
constexpr SourceRow kSources[] = {
    {Pattern::kGpt2,
     R"re('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)re"},
    {Pattern::kGpt2,
     R"re('(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)re"},
    {Pattern::kGpt2,
     R"re('(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s)re"},
    {Pattern::kLlama3,
     R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"},
    {Pattern::kQwen2,
     R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"},
    {Pattern::kQwen35,
     R"re((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}| ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"},
    {Pattern::kO200k,
     R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"},
    {Pattern::kTekken,
     R"re([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)re"},
};

constexpr std::string_view kDigit1Gpt2Sources[] = {"\\p{N}",
                                                   kSources[0].source};

constexpr std::string_view kDeepSeekSources[] = {
    "\\p{N}{1,3}",
    "[一-龥\u3040-ゟ゠-ヿ]+",
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|"
    "[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|"
    "\\s*[\r\n]+|\\s+(?!\\S)|\\s+",
};

struct Char {
  char32_t code_point = 0;
  CharClass cls = CharClass::kOther;
  std::size_t next = 0;  // offset of the character after it
};

constexpr std::array<CharClass, 128> kAscii = [] {
  std::array<CharClass, 128> table{};
  for (char32_t c = 0; c < 128; ++c) table[c] = class_of(c);
  return table;
}();

// The text as one pattern's alternatives see it. Its end is where the splits
// before the pattern have cut it: at `is_stop` characters.
class Scanner {
 public:
  explicit Scanner(std::string_view utf8) : text_(utf8) {}

  [[nodiscard]] std::size_t size() const { return text_.size(); }
  [[nodiscard]] char byte(std::size_t at) const { return text_[at]; }

  // REQUIRES: at < size() and well-formed text.
  [[nodiscard]] Char at(std::size_t at) const {
    const auto b = [&](std::size_t i) {
      return static_cast<std::uint32_t>(
          static_cast<unsigned char>(text_[at + i]));
    };
    const std::uint32_t lead = b(0);
    if (lead < 0x80) return {lead, kAscii[lead], at + 1};
    char32_t c = 0;
    std::size_t next = 0;
    if (lead < 0xE0) {
      c = (lead & 0x1F) << 6 | (b(1) & 0x3F);
      next = at + 2;
    } else if (lead < 0xF0) {
      c = (lead & 0x0F) << 12 | (b(1) & 0x3F) << 6 | (b(2) & 0x3F);
      next = at + 3;
    } else {
      c = (lead & 0x07) << 18 | (b(1) & 0x3F) << 12 | (b(2) & 0x3F) << 6 |
          (b(3) & 0x3F);
      next = at + 4;
    }
    return {c, class_of(c), next};
  }

  // The end of the run of characters from `from` on that `is_member` accepts.
  template <typename Member>
  [[nodiscard]] std::size_t run(std::size_t from, Member is_member) const {
    while (from < text_.size()) {
      const Char c = at(from);
      if (!is_member(c)) break;
      from = c.next;
    }
    return from;
  }

  template <typename Member>
  [[nodiscard]] bool has(std::size_t at_offset, Member is_member) const {
    return at_offset < text_.size() && is_member(at(at_offset));
  }

  // Bytes of 's 't 're 've 'm 'll 'd at `from`, or 0. Without regard to case
  // the long s, U+017F, is an s as well.
  template <bool kAnyCase>
  [[nodiscard]] std::size_t contraction(std::size_t from) const {
    const std::size_t left = text_.size() - from;
    if (left < 2 || text_[from] != '\'') return 0;
    const auto fold = [](char c) {
      return kAnyCase && c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    };
    const char first = fold(text_[from + 1]);
    if (first == 's' || first == 't' || first == 'm' || first == 'd') return 2;
    if (left < 3) return 0;
    if (kAnyCase && text_.substr(from + 1, 2) == "\xC5\xBF") return 3;
    const char second = fold(text_[from + 2]);
    const bool known = ((first == 'r' || first == 'v') && second == 'e') ||
                       (first == 'l' && second == 'l');
    return known ? 3 : 0;
  }

  // \s*[\r\n]+ (when kNewlines) | \s+(?!\S) | \s+ at white space. The text
  // ends before a character that `is_stop` accepts.
  template <bool kNewlines, typename Stop>
  [[nodiscard]] std::size_t white_space(std::size_t from, Stop is_stop) const {
    std::size_t end = from;
    std::size_t last = from;           // the last character of the run
    std::size_t after_newline = from;  // past the last CR or LF of the run
    while (end < text_.size()) {
      const Char c = at(end);
      if (!is_space(c.cls)) break;
      last = end;
      end = c.next;
      if (c.cls == CharClass::kNewline) after_newline = end;
    }
    if (kNewlines && after_newline > from) return after_newline;
    if (end == text_.size() || is_stop(at(end))) return end;
    return last > from ? last : end;
  }

 private:
  std::string_view text_;
};

bool never(const Char&) { return false; }
bool is_number(const Char& c) { return c.cls == CharClass::kNumber; }
bool is_newline(const Char& c) { return c.cls == CharClass::kNewline; }
bool is_any_letter(const Char& c) { return is_letter(c.cls); }
bool is_letter_or_mark(const Char& c) {
  return is_letter(c.cls) || c.cls == CharClass::kMark;
}
// [^\s\p{L}\p{N}]
bool is_remainder(const Char& c) {
  return !is_letter(c.cls) && c.cls < CharClass::kSpace && !is_number(c);
}
// [^\r\n\p{L}\p{N}]
bool may_precede_word(const Char& c) {
  return !is_letter(c.cls) && !is_number(c) && !is_newline(c);
}

template <bool kDigitsApart>
std::size_t gpt2_end(const Scanner& text, std::size_t begin) {
  const auto stop = [](const Char& c) { return kDigitsApart && is_number(c); };
  Char c = text.at(begin);
  if (stop(c)) return c.next;
  if (const std::size_t n = text.contraction<false>(begin)) return begin + n;
  std::size_t from = begin;
  if (c.code_point == ' ' && c.next < text.size()) {
    const Char second = text.at(c.next);
    if (!is_space(second.cls) && !stop(second)) {
      from = c.next;
      c = second;
    }
  }
  if (is_letter(c.cls)) return text.run(from, is_any_letter);
  if (is_number(c)) return text.run(from, is_number);
  if (!is_space(c.cls)) return text.run(from, is_remainder);
  return text.white_space<false>(begin, stop);
}

std::size_t digits_end(const Scanner& text, std::size_t begin, int at_most) {
  std::size_t end = begin;
  for (int i = 0; i < at_most && text.has(end, is_number); ++i) {
    end = text.at(end).next;
  }
  return end;
}

template <int kDigits, bool kMarksAreLetters>
std::size_t llama3_end(const Scanner& text, std::size_t begin) {
  const auto letter = [](const Char& c) {
    return is_letter(c.cls) || (kMarksAreLetters && c.cls == CharClass::kMark);
  };
  const auto remainder = [](const Char& c) {
    return is_remainder(c) && !(kMarksAreLetters && c.cls == CharClass::kMark);
  };
  if (const std::size_t n = text.contraction<true>(begin)) return begin + n;
  const Char c = text.at(begin);
  if (may_precede_word(c) && text.has(c.next, letter)) {
    return text.run(c.next, letter);
  }
  if (letter(c)) return text.run(begin, letter);
  if (is_number(c)) return digits_end(text, begin, kDigits);
  const std::size_t from = c.code_point == ' ' ? c.next : begin;
  if (text.has(from, remainder)) {
    return text.run(text.run(from, remainder), is_newline);
  }
  return text.white_space<true>(begin, never);
}

// The letters that may stand in the first and in the second part of a word.
bool is_upper_part(const Char& c) {
  return c.cls == CharClass::kUpper || c.cls == CharClass::kLetter ||
         c.cls == CharClass::kMark;
}
bool is_lower_part(const Char& c) {
  return c.cls == CharClass::kLower || c.cls == CharClass::kLetter ||
         c.cls == CharClass::kMark;
}

// [upper part]*[lower part]+ at `from`: its end, or `from` where none matches.
std::size_t mixed_word_end(const Scanner& text, std::size_t from) {
  std::size_t upper_end = from;
  std::size_t after_caseless = from;  // past the last one that is both
  while (upper_end < text.size()) {
    const Char c = text.at(upper_end);
    if (!is_upper_part(c)) break;
    upper_end = c.next;
    if (c.cls != CharClass::kUpper) after_caseless = upper_end;
  }
  if (text.has(upper_end, is_lower_part)) {
    return text.run(upper_end, is_lower_part);
  }
  // The first part gives characters back until one of them can be the second.
  return after_caseless;
}

template <int kDigits, bool kContractions>
std::size_t o200k_end(const Scanner& text, std::size_t begin) {
  const Char c = text.at(begin);
  const bool prefix = may_precede_word(c) && c.next < text.size();
  std::size_t end = begin;
  if (prefix) {
    end = mixed_word_end(text, c.next);
    if (end == c.next) end = begin;
  }
  if (end == begin) end = mixed_word_end(text, begin);
  if (end == begin && prefix) {
    end = text.run(c.next, is_upper_part);
    if (end == c.next) end = begin;
  }
  if (end == begin) end = text.run(begin, is_upper_part);
  if (end > begin) {
    return kContractions ? end + text.contraction<true>(end) : end;
  }
  if (is_number(c)) return digits_end(text, begin, kDigits);
  const std::size_t from = c.code_point == ' ' ? c.next : begin;
  if (text.has(from, is_remainder)) {
    return text.run(text.run(from, is_remainder), [](const Char& x) {
      return is_newline(x) || x.code_point == '/';
    });
  }
  return text.white_space<true>(begin, never);
}

// [一-龥぀-ゟ゠-ヿ]
bool is_deepseek_cjk(const Char& c) {
  return (c.code_point >= 0x4E00 && c.code_point <= 0x9FA5) ||
         (c.code_point >= 0x3040 && c.code_point <= 0x30FF);
}
bool is_deepseek_stop(const Char& c) {
  return is_number(c) || is_deepseek_cjk(c);
}
bool is_ascii_letter(const Char& c) {
  return (c.code_point | 0x20) >= 'a' && (c.code_point | 0x20) <= 'z';
}
bool is_punct_or_symbol(const Char& c) {
  return c.cls == CharClass::kPunct || c.cls == CharClass::kSymbol;
}

// The third split's expression at `begin`, or `begin` where it does not match;
// the first two end the text at a character for which `stop` holds.
template <typename Stop>
std::size_t deepseek_match_end(const Scanner& text, std::size_t begin,
                               Stop stop) {
  const auto letter = [&](const Char& c) {
    return is_letter_or_mark(c) && !stop(c);
  };
  const Char c = text.at(begin);
  if (c.code_point < 0x80 && is_punct_or_symbol(c) &&
      text.has(c.next, is_ascii_letter)) {
    return text.run(c.next, is_ascii_letter);
  }
  const bool prefix =
      !is_newline(c) && !is_letter(c.cls) && !is_punct_or_symbol(c);
  if (prefix && text.has(c.next, letter)) return text.run(c.next, letter);
  if (letter(c)) return text.run(begin, letter);
  const auto mark = [&](const Char& x) {
    return is_punct_or_symbol(x) && !stop(x);
  };
  const std::size_t from = c.code_point == ' ' ? c.next : begin;
  if (text.has(from, mark)) {
    const std::size_t end = text.run(from, mark);
    return text.run(end,
                    [&](const Char& x) { return is_newline(x) && !stop(x); });
  }
  if (is_space(c.cls)) return text.white_space<true>(begin, stop);
  return begin;
}

// A word within a piece that ends where `stop` holds.
template <typename Stop>
std::size_t deepseek_piece_end(const Scanner& text, std::size_t begin,
                               Stop stop) {
  const std::size_t end = deepseek_match_end(text, begin, stop);
  if (end > begin) return end;
  // What no alternative matches stays together, up to the next match.
  std::size_t gap = text.at(begin).next;
  while (gap < text.size()) {
    const Char next = text.at(gap);
    if (stop(next) || deepseek_match_end(text, gap, stop) > gap) break;
    gap = next.next;
  }
  return gap;
}

std::size_t deepseek_end(const Scanner& text, std::size_t begin) {
  const Char c = text.at(begin);
  if (is_number(c)) return digits_end(text, begin, 3);
  // Kana have punctuation among them, which the third split parts again.
  if (is_deepseek_cjk(c)) {
    return deepseek_piece_end(
        text, begin, [](const Char& x) { return !is_deepseek_cjk(x); });
  }
  return deepseek_piece_end(text, begin, is_deepseek_stop);
}

}  // namespace

std::size_t word_end(Pattern pattern, std::string_view utf8,
                     std::size_t begin) {
  const Scanner text(utf8);
  switch (pattern) {
    case Pattern::kGpt2:
      return gpt2_end<false>(text, begin);
    case Pattern::kDigit1Gpt2:
      return gpt2_end<true>(text, begin);
    case Pattern::kLlama3:
      return llama3_end<3, false>(text, begin);
    case Pattern::kQwen2:
      return llama3_end<1, false>(text, begin);
    case Pattern::kQwen35:
      return llama3_end<1, true>(text, begin);
    case Pattern::kO200k:
      return o200k_end<3, true>(text, begin);
    case Pattern::kTekken:
      return o200k_end<1, false>(text, begin);
    case Pattern::kDeepSeekV3:
      return deepseek_end(text, begin);
    case Pattern::kNone:
    case Pattern::kRegex:
      break;
  }
  return utf8.size();
}

Pattern pattern_of_source(std::string_view regex) {
  for (const SourceRow& row : kSources) {
    if (row.source == regex) return row.pattern;
  }
  return Pattern::kRegex;
}

std::span<const std::string_view> sources_of_pattern(Pattern pattern) {
  if (pattern == Pattern::kDeepSeekV3) return kDeepSeekSources;
  if (pattern == Pattern::kDigit1Gpt2) return kDigit1Gpt2Sources;
  for (const SourceRow& row : kSources) {
    if (row.pattern == pattern) return {&row.source, 1};
  }
  return {};
}

}  // namespace trainsight::tokenize
