#include "chat/jinja/text_methods.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "chat/jinja/case_text.h"
#include "chat/jinja/python_text.h"
#include "trainsight/text/utf8.h"

namespace trainsight::chat::jinja {
namespace {

using Bound = const Val* const*;
constexpr std::size_t kNotFound = std::string_view::npos;

Val list_of(Evaluator& e, const std::vector<Val>& items, SeqType type) {
  Val* const copy = e.make<Val>(items.size());
  if (copy == nullptr) return {};
  std::copy(items.begin(), items.end(), copy);
  return e.make_seq(type, copy, static_cast<std::uint32_t>(items.size()));
}

template <bool kLeft, bool kRight>
Val strip_method(Evaluator& e, const Val& self, Bound a) {
  return strip(e, self, a[0], kLeft, kRight);
}

template <CaseChange kChange>
Val case_method(Evaluator& e, const Val& self, Bound) {
  return change_case(e, self, kChange);
}

// An optional count: -1 when absent. False (failed) when it is no integer.
bool count_argument(Evaluator& e, const Val* value, std::int64_t& count) {
  count = -1;
  if (value == nullptr) return true;
  if (!value->is(Kind::kInt)) {
    e.refuse("a count must be an integer");
    return false;
  }
  count = value->integer;
  return true;
}

std::vector<Val> split_space(Evaluator& e, const Val& self,
                             std::string_view text, std::int64_t most) {
  std::vector<Val> parts;
  std::size_t at = stripped(text, true, false).first;
  while (at < text.size() && e.charge(1)) {
    if (most >= 0 && static_cast<std::int64_t>(parts.size()) >= most) {
      parts.push_back(e.substring(self, at, text.size()));
      break;
    }
    std::size_t end = at;
    std::size_t next = at;
    while (next < text.size() &&
           !is_python_space(text::decode_utf8(text, next))) {
      end = next;
    }
    parts.push_back(e.substring(self, at, end));
    at = end + stripped(text.substr(end), true, false).first;
  }
  return parts;
}

// rsplit with white space: as split_space, from the end.
std::vector<Val> rsplit_space(Evaluator& e, const Val& self,
                              std::string_view text, std::int64_t most) {
  std::vector<Val> parts;
  std::size_t end = stripped(text, false, true).second;
  while (end > 0 && e.charge(1)) {
    std::size_t begin = 0;
    if (most >= 0 && static_cast<std::int64_t>(parts.size()) >= most) {
      parts.push_back(e.substring(self, 0, end));
      break;
    }
    for (std::size_t at = 0; at < end;) {
      if (is_python_space(text::decode_utf8(text, at))) begin = at;
    }
    if (!e.charge(end / 64)) break;
    parts.push_back(e.substring(self, begin, end));
    end = stripped(text.substr(0, begin), false, true).second;
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

template <bool kFromRight>
Val split_method(Evaluator& e, const Val& self, Bound a) {
  std::int64_t most = -1;
  if (!count_argument(e, a[1], most)) return {};
  const std::string_view text = e.flat(self);
  if (e.failed() || !e.charge(text.size() / 64)) return {};
  if (a[0] == nullptr || a[0]->is(Kind::kNone)) {
    const std::vector<Val> parts = kFromRight && most >= 0
                                       ? rsplit_space(e, self, text, most)
                                       : split_space(e, self, text, most);
    return e.failed() ? Val() : list_of(e, parts, SeqType::kList);
  }
  std::string_view separator;
  if (!e.text_argument(*a[0], "a separator", separator)) return {};
  if (separator.empty()) return e.refuse("empty separator");
  std::vector<Val> parts;
  if (!kFromRight) {
    std::size_t at = 0;
    while (e.charge(1)) {
      const bool full =
          most >= 0 && static_cast<std::int64_t>(parts.size()) >= most;
      const std::size_t next = full ? kNotFound : text.find(separator, at);
      parts.push_back(
          e.substring(self, at, next == kNotFound ? text.size() : next));
      if (next == kNotFound) break;
      at = next + separator.size();
    }
  } else {
    std::size_t end = text.size();
    while (e.charge(1)) {
      const bool full =
          most >= 0 && static_cast<std::int64_t>(parts.size()) >= most;
      const std::size_t at =
          full ? kNotFound : text.substr(0, end).rfind(separator);
      const std::size_t begin = at == kNotFound ? 0 : at + separator.size();
      parts.push_back(e.substring(self, begin, end));
      if (at == kNotFound) break;
      end = at;
    }
    std::reverse(parts.begin(), parts.end());
  }
  return e.failed() ? Val() : list_of(e, parts, SeqType::kList);
}

Val splitlines_method(Evaluator& e, const Val& self, Bound a) {
  return split_lines(e, self, a[0] != nullptr && e.truth(*a[0]));
}

// startswith and endswith: a text, or a tuple of texts.
template <bool kStart>
Val affix_method(Evaluator& e, const Val& self, Bound a) {
  if (a[1] != nullptr) {
    return e.fail(ErrorKind::kUnsupported, "a position in startswith/endswith");
  }
  const std::string_view text = e.flat(self);
  std::span<const Val> affixes(a[0], 1);
  if (a[0]->is(Kind::kSeq) && a[0]->seq->type == SeqType::kTuple &&
      !e.iterate(*a[0], affixes)) {
    return {};
  }
  for (const Val& value : affixes) {
    std::string_view affix;
    if (!e.text_argument(value, "a prefix or suffix", affix)) return {};
    if (affix.size() > text.size()) continue;
    const std::string_view part = kStart
                                      ? text.substr(0, affix.size())
                                      : text.substr(text.size() - affix.size());
    if (part == affix) return Val::of(true);
  }
  return Val::of(false);
}

Val replace_method(Evaluator& e, const Val& self, Bound a) {
  std::string_view from;
  std::string_view to;
  if (!e.text_argument(*a[0], "the text to replace", from) ||
      !e.text_argument(*a[1], "the replacement", to)) {
    return {};
  }
  return replace(e, self, from, to, a[2]);
}

template <bool kLast, bool kMustExist>
Val find_method(Evaluator& e, const Val& self, Bound a) {
  if (a[1] != nullptr) {
    return e.fail(ErrorKind::kUnsupported, "a position in find/index");
  }
  const std::string_view text = e.flat(self);
  std::string_view sought;
  if (!e.text_argument(*a[0], "what is sought", sought) ||
      !e.charge(text.size() / 64)) {
    return {};
  }
  const std::size_t at = kLast ? text.rfind(sought) : text.find(sought);
  if (at == kNotFound) {
    if (kMustExist) return e.refuse("substring not found");
    return Val::of(std::int64_t{-1});
  }
  return Val::of(
      static_cast<std::int64_t>(text::count_code_points(text.substr(0, at))));
}

Val count_method(Evaluator& e, const Val& self, Bound a) {
  if (a[1] != nullptr) {
    return e.fail(ErrorKind::kUnsupported, "a position in count");
  }
  const std::string_view text = e.flat(self);
  std::string_view sought;
  if (!e.text_argument(*a[0], "what is counted", sought) ||
      !e.charge(text.size() / 16)) {
    return {};
  }
  if (sought.empty()) {
    return Val::of(static_cast<std::int64_t>(e.length(self) + 1));
  }
  std::int64_t count = 0;
  for (std::size_t at = text.find(sought); at != kNotFound;
       at = text.find(sought, at + sought.size())) {
    ++count;
  }
  return Val::of(count);
}

Val join_method(Evaluator& e, const Val& self, Bound a) {
  std::span<const Val> items;
  if (!e.take_all(*a[0], items)) return {};
  return join(e, self, items, /*only_texts=*/true);
}

template <bool kPrefix>
Val remove_method(Evaluator& e, const Val& self, Bound a) {
  const std::string_view text = e.flat(self);
  std::string_view affix;
  if (!e.text_argument(*a[0], "a prefix or suffix", affix)) return {};
  if (affix.empty() || affix.size() > text.size()) return self;
  if (kPrefix) {
    return text.substr(0, affix.size()) == affix
               ? e.substring(self, affix.size(), text.size())
               : self;
  }
  return text.substr(text.size() - affix.size()) == affix
             ? e.substring(self, 0, text.size() - affix.size())
             : self;
}

template <bool kFirst>
Val partition_method(Evaluator& e, const Val& self, Bound a) {
  const std::string_view text = e.flat(self);
  std::string_view separator;
  if (!e.text_argument(*a[0], "a separator", separator)) return {};
  if (separator.empty()) return e.refuse("empty separator");
  const std::size_t at = kFirst ? text.find(separator) : text.rfind(separator);
  std::vector<Val> parts(3, Val::text({}));
  if (at == kNotFound) {
    parts[kFirst ? 0 : 2] = self;
  } else {
    parts[0] = e.substring(self, 0, at);
    parts[1] = e.substring(self, at, at + separator.size());
    parts[2] = e.substring(self, at + separator.size(), text.size());
  }
  return list_of(e, parts, SeqType::kTuple);
}

// Classes of ASCII characters; other text is refused.
enum class Class : std::uint8_t { kAlpha, kDigit, kAlnum, kUpper, kLower };

template <Class kClass>
Val class_method(Evaluator& e, const Val& self, Bound) {
  const std::string_view text = e.flat(self);
  if (!e.charge(text.size() / 16)) return {};
  if (!is_ascii(text)) {
    return e.fail(ErrorKind::kUnsupported, "classes of text that is not ASCII");
  }
  bool all = !text.empty();
  bool cased = false;
  for (const char c : text) {
    const bool lower = c >= 'a' && c <= 'z';
    const bool upper = c >= 'A' && c <= 'Z';
    const bool digit = c >= '0' && c <= '9';
    switch (kClass) {
      case Class::kAlpha:
        all = all && (lower || upper);
        break;
      case Class::kDigit:
        all = all && digit;
        break;
      case Class::kAlnum:
        all = all && (lower || upper || digit);
        break;
      case Class::kUpper:
        all = all && !lower;
        cased = cased || upper;
        break;
      case Class::kLower:
        all = all && !upper;
        cased = cased || lower;
        break;
    }
  }
  const bool needs_case = kClass == Class::kUpper || kClass == Class::kLower;
  return Val::of(all && (cased || !needs_case));
}

Val isspace_method(Evaluator& e, const Val& self, Bound) {
  const std::string_view text = e.flat(self);
  return Val::of(!text.empty() &&
                 stripped(text, true, false).first == text.size());
}

Val isascii_method(Evaluator& e, const Val& self, Bound) {
  return Val::of(is_ascii(e.flat(self)));
}

// Width and fill of ljust and its like; false (failed) when they are none.
bool padding(Evaluator& e, const Val& self, Bound a, std::uint64_t& missing,
             char& fill) {
  fill = ' ';
  if (!a[0]->is(Kind::kInt)) {
    e.refuse("a width must be an integer");
    return false;
  }
  if (a[1] != nullptr) {
    std::string_view text;
    if (!e.text_argument(*a[1], "a fill character", text)) return false;
    if (text.size() != 1) {
      e.fail(ErrorKind::kUnsupported, "a fill that is no ASCII character");
      return false;
    }
    fill = text[0];
  }
  const auto width = static_cast<std::int64_t>(e.length(self));
  missing = a[0]->integer > width
                ? static_cast<std::uint64_t>(a[0]->integer - width)
                : 0;
  return !e.failed();
}

Val filling(Evaluator& e, char fill, std::uint64_t count) {
  const Val unit = e.copy_text({&fill, 1}, kLiteral);
  return e.failed() ? Val() : e.repeat(unit, static_cast<std::int64_t>(count));
}

template <bool kTextFirst>
Val justify_method(Evaluator& e, const Val& self, Bound a) {
  std::uint64_t missing = 0;
  char fill = ' ';
  if (!padding(e, self, a, missing, fill)) return {};
  const Val space = filling(e, fill, missing);
  if (e.failed()) return {};
  return kTextFirst ? e.concat(self, space) : e.concat(space, self);
}

Val center_method(Evaluator& e, const Val& self, Bound a) {
  std::uint64_t missing = 0;
  char fill = ' ';
  if (!padding(e, self, a, missing, fill)) return {};
  return center(e, self, a[0]->integer, fill);
}

Val zfill_method(Evaluator& e, const Val& self, Bound a) {
  std::uint64_t missing = 0;
  char fill = ' ';
  const Val* arguments[kMaxParameters] = {a[0]};
  if (!padding(e, self, arguments, missing, fill)) return {};
  const std::string_view text = e.flat(self);
  const std::size_t sign =
      !text.empty() && (text[0] == '-' || text[0] == '+') ? 1 : 0;
  const Val zeros = filling(e, '0', missing);
  if (e.failed()) return {};
  const Val head = e.concat(e.substring(self, 0, sign), zeros);
  if (e.failed()) return {};
  return e.concat(head, e.substring(self, sign, text.size()));
}

constexpr Builtin kTextMethods[] = {
    {"strip", strip_method<true, true>, "chars"},
    {"lstrip", strip_method<true, false>, "chars"},
    {"rstrip", strip_method<false, true>, "chars"},
    {"split", split_method<false>, "sep,maxsplit"},
    {"rsplit", split_method<true>, "sep,maxsplit"},
    {"splitlines", splitlines_method, "keepends"},
    {"startswith", affix_method<true>, "prefix,start,end", 1},
    {"endswith", affix_method<false>, "suffix,start,end", 1},
    {"upper", case_method<CaseChange::kUpper>},
    {"lower", case_method<CaseChange::kLower>},
    {"title", case_method<CaseChange::kTitle>},
    {"capitalize", case_method<CaseChange::kCapitalize>},
    {"swapcase", case_method<CaseChange::kSwap>},
    {"replace", replace_method, "old,new,count", 2},
    {"find", find_method<false, false>, "sub,start,end", 1},
    {"rfind", find_method<true, false>, "sub,start,end", 1},
    {"index", find_method<false, true>, "sub,start,end", 1},
    {"rindex", find_method<true, true>, "sub,start,end", 1},
    {"count", count_method, "sub,start,end", 1},
    {"join", join_method, "iterable", 1},
    {"removeprefix", remove_method<true>, "prefix", 1},
    {"removesuffix", remove_method<false>, "suffix", 1},
    {"partition", partition_method<true>, "sep", 1},
    {"rpartition", partition_method<false>, "sep", 1},
    {"isalpha", class_method<Class::kAlpha>},
    {"isdigit", class_method<Class::kDigit>},
    {"isdecimal", class_method<Class::kDigit>},
    {"isnumeric", class_method<Class::kDigit>},
    {"isalnum", class_method<Class::kAlnum>},
    {"isupper", class_method<Class::kUpper>},
    {"islower", class_method<Class::kLower>},
    {"isspace", isspace_method},
    {"isascii", isascii_method},
    {"ljust", justify_method<true>, "width,fillchar", 1},
    {"rjust", justify_method<false>, "width,fillchar", 1},
    {"center", center_method, "width,fillchar", 1},
    {"zfill", zfill_method, "width", 1},
    {"casefold"},
    {"encode"},
    {"expandtabs"},
    {"format"},
    {"format_map"},
    {"isidentifier"},
    {"isprintable"},
    {"istitle"},
    {"maketrans"},
    {"translate"},
};

}  // namespace

std::span<const Builtin> text_methods() { return kTextMethods; }

Val strip(Evaluator& e, const Val& text, const Val* characters, bool left,
          bool right) {
  const std::string_view bytes = e.flat(text);
  std::pair<std::size_t, std::size_t> kept;
  if (characters == nullptr || characters->is(Kind::kNone)) {
    kept = stripped(bytes, left, right);
  } else {
    std::string_view set;
    if (!e.text_argument(*characters, "characters to strip", set)) return {};
    kept = stripped_of(bytes, set, left, right);
    e.charge((kept.first + bytes.size() - kept.second) * set.size() / 8);
  }
  e.charge((kept.first + bytes.size() - kept.second) / 8);
  return e.failed() ? Val() : e.substring(text, kept.first, kept.second);
}

Val replace(Evaluator& e, const Val& text, std::string_view from,
            std::string_view to, const Val* count) {
  std::int64_t most = -1;
  if (count != nullptr && !count->is(Kind::kNone) &&
      !count_argument(e, count, most)) {
    return {};
  }
  const std::string_view bytes = e.flat(text);
  if (e.failed() || !e.charge(bytes.size() / 16)) return {};
  std::string out;
  std::size_t at = 0;
  std::int64_t done = 0;
  // An empty `from` stands before every character and at the end.
  while (most < 0 || done < most) {
    std::size_t next = from.empty() ? at : bytes.find(from, at);
    if (next == kNotFound) break;
    out += bytes.substr(at, next - at);
    out += to;
    ++done;
    if (!e.charge(1 + to.size() / 64)) return {};
    at = next + from.size();
    if (from.empty()) {
      if (at >= bytes.size()) break;
      text::decode_utf8(bytes, next);
      out += bytes.substr(at, next - at);
      at = next;
    }
  }
  if (done == 0) return text;
  if (at < bytes.size()) out += bytes.substr(at);
  return e.copy_text(out, e.origin_of(text));
}

Val join(Evaluator& e, const Val& separator, std::span<const Val> items,
         bool only_texts) {
  Val text = Val::text({});
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (!e.charge(1)) return {};
    if (only_texts && !items[i].is_text()) {
      return e.refuse("join() of what is no text");
    }
    if (i > 0) text = e.concat(text, separator);
    const Val part = e.to_text(items[i]);
    if (e.failed()) return {};
    text = e.concat(text, part);
    if (e.failed()) return {};
  }
  return text;
}

Val split_lines(Evaluator& e, const Val& text, bool keep_ends) {
  const std::string_view bytes = e.flat(text);
  if (e.failed() || !e.charge(bytes.size() / 16)) return {};
  std::vector<Val> lines;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t size = line_break_at(bytes, at);
    if (size == 0) {
      ++at;
      continue;
    }
    if (!e.charge(1)) return {};
    lines.push_back(e.substring(text, begin, keep_ends ? at + size : at));
    at += size;
    begin = at;
  }
  if (begin < bytes.size()) {
    lines.push_back(e.substring(text, begin, bytes.size()));
  }
  return e.failed() ? Val() : list_of(e, lines, SeqType::kList);
}

Val center(Evaluator& e, const Val& text, std::int64_t width, char fill) {
  const auto length = static_cast<std::int64_t>(e.length(text));
  if (e.failed() || width <= length) return text;
  const std::int64_t missing = width - length;
  // CPython puts the odd character left when the width is odd.
  const std::int64_t left = missing / 2 + (missing & width & 1);
  const Val before = filling(e, fill, static_cast<std::uint64_t>(left));
  const Val after =
      filling(e, fill, static_cast<std::uint64_t>(missing - left));
  if (e.failed()) return {};
  const Val head = e.concat(before, text);
  return e.failed() ? Val() : e.concat(head, after);
}

}  // namespace trainsight::chat::jinja
