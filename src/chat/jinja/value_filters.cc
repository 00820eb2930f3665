// Filters of single values: text, numbers, tojson.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "chat/jinja/case_text.h"
#include "chat/jinja/evaluator.h"
#include "chat/jinja/filters.h"
#include "chat/jinja/python_text.h"
#include "chat/jinja/text_methods.h"

namespace trainsight::chat::jinja {
namespace {

using Bound = const Val* const*;

Val default_filter(Evaluator& e, const Val& self, Bound a) {
  const bool also_false = a[1] != nullptr && e.truth(*a[1]);
  if (self.is(Kind::kUndefined) || (also_false && !e.truth(self))) {
    return a[0] != nullptr ? *a[0] : Val::text({});
  }
  return self;
}

Val trim_filter(Evaluator& e, const Val& self, Bound a) {
  const Val text = e.to_text(self);
  return e.failed() ? Val() : strip(e, text, a[0], true, true);
}

template <CaseChange kChange>
Val case_filter(Evaluator& e, const Val& self, Bound) {
  const Val text = e.to_text(self);
  return e.failed() ? Val() : change_case(e, text, kChange);
}

Val string_filter(Evaluator& e, const Val& self, Bound) {
  return e.to_text(self);
}

Val replace_filter(Evaluator& e, const Val& self, Bound a) {
  const Val text = e.to_text(self);
  const Val from = e.failed() ? Val() : e.to_text(*a[0]);
  const Val to = e.failed() ? Val() : e.to_text(*a[1]);
  if (e.failed()) return {};
  return replace(e, text, e.flat(from), e.flat(to), a[2]);
}

Val indent_filter(Evaluator& e, const Val& self, Bound a) {
  if (!self.is_text()) return e.refuse("indent of what is no text");
  Val indention;
  if (a[0] != nullptr && a[0]->is_text()) {
    indention = *a[0];
  } else if (a[0] == nullptr || a[0]->is(Kind::kInt)) {
    indention = e.repeat(Val::text(" "), a[0] == nullptr ? 4 : a[0]->integer);
  } else {
    return e.refuse("indent needs a width or a text");
  }
  const bool first = a[1] != nullptr && e.truth(*a[1]);
  const bool blank = a[2] != nullptr && e.truth(*a[2]);
  // The extra line break lets a text that ends with one keep it.
  const Val text = e.concat(self, Val::text("\n"));
  if (e.failed()) return {};
  const Val lines = split_lines(e, text, false);
  if (e.failed()) return {};
  Val out = Val::text({});
  for (std::uint32_t i = 0; i < lines.seq->count && !e.failed(); ++i) {
    const Val& line = lines.seq->items[i];
    if (i > 0) out = e.concat(out, Val::text("\n"));
    if (i > 0 && (blank || line.size > 0) && !e.failed()) {
      out = e.concat(out, indention);
    }
    if (!e.failed()) out = e.concat(out, line);
  }
  if (first && !e.failed()) out = e.concat(indention, out);
  return out;
}

Val center_filter(Evaluator& e, const Val& self, Bound a) {
  const Val text = e.to_text(self);
  if (e.failed()) return {};
  if (a[0] != nullptr && !a[0]->is(Kind::kInt)) {
    return e.refuse("a width must be an integer");
  }
  return center(e, text, a[0] == nullptr ? 80 : a[0]->integer, ' ');
}

std::string_view trimmed(std::string_view text) {
  const auto [begin, end] = stripped(text, true, true);
  return text.substr(begin, end - begin);
}

// Python's int(text, base) for ASCII digits; nothing where it raises.
std::optional<std::int64_t> parse_int(std::string_view text, int base) {
  text = trimmed(text);
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  const auto prefix = [&](char letter, int of) {
    if (base != of || text.size() < 3 || text[0] != '0' ||
        (text[1] | 0x20) != letter) {
      return;
    }
    text.remove_prefix(text[2] == '_' ? 3 : 2);
  };
  prefix('x', 16);
  prefix('o', 8);
  prefix('b', 2);
  std::string digits(negative ? "-" : "");
  bool after_digit = false;
  for (const char c : text) {
    if (c == '_' && after_digit) {
      after_digit = false;
      continue;
    }
    digits += c;
    after_digit = c != '_';
  }
  if (!after_digit) return std::nullopt;
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value, base);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return value;
}

// Python's float(text) for numbers; nothing where it raises or is no number.
std::optional<double> parse_float(std::string_view text) {
  text = trimmed(text);
  const bool plus = !text.empty() && text[0] == '+';
  if (plus) text.remove_prefix(1);
  if (text.empty() || (plus && text[0] == '-')) return std::nullopt;
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '_') {
      digits += text[i];
      continue;
    }
    const auto is_digit = [&](std::size_t at) {
      return at < text.size() && text[at] >= '0' && text[at] <= '9';
    };
    if (i == 0 || !is_digit(i - 1) || !is_digit(i + 1)) return std::nullopt;
  }
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, value);
  if (read.ptr != end) return std::nullopt;
  if (read.ec == std::errc()) return value;
  // Out of range: strtod gives Python's infinity or zero.
  if (read.ec == std::errc::result_out_of_range) {
    return std::strtod(digits.c_str(), nullptr);
  }
  return std::nullopt;
}

// int(number), or nothing where Python overflows or raises.
std::optional<std::int64_t> whole(double value) {
  if (!(value > -9223372036854775808.0 && value < 9223372036854775808.0)) {
    return std::nullopt;
  }
  return static_cast<std::int64_t>(value);
}

Val int_filter(Evaluator& e, const Val& self, Bound a) {
  int base = 10;
  if (a[1] != nullptr) {
    if (!a[1]->is(Kind::kInt) || a[1]->integer < 2 || a[1]->integer > 36) {
      return e.fail(ErrorKind::kUnsupported, "int with this base");
    }
    base = static_cast<int>(a[1]->integer);
  }
  const Val otherwise = a[0] != nullptr ? *a[0] : Val::of(std::int64_t{0});
  if (self.is(Kind::kInt)) return self;
  if (self.is(Kind::kBool)) return Val::of(std::int64_t{self.boolean});
  std::optional<double> real;
  if (self.is_text()) {
    const std::string_view text = e.flat(self);
    if (const auto value = parse_int(text, base)) return Val::of(*value);
    real = parse_float(text);
  } else if (self.is(Kind::kFloat)) {
    real = self.real;
  }
  if (!real.has_value() || std::isnan(*real) || std::isinf(*real)) {
    return otherwise;
  }
  if (const auto value = whole(*real)) return Val::of(*value);
  return e.fail(ErrorKind::kUnsupported, "integer over 64 bits");
}

Val float_filter(Evaluator& e, const Val& self, Bound a) {
  if (self.is(Kind::kFloat)) return self;
  if (self.is(Kind::kInt)) return Val::of(static_cast<double>(self.integer));
  if (self.is(Kind::kBool)) return Val::of(self.boolean ? 1.0 : 0.0);
  if (self.is_text()) {
    if (const auto value = parse_float(e.flat(self))) return Val::of(*value);
  }
  return a[0] != nullptr ? *a[0] : Val::of(0.0);
}

Val abs_filter(Evaluator& e, const Val& self, Bound) {
  if (self.is(Kind::kFloat)) return Val::of(std::fabs(self.real));
  if (self.is(Kind::kBool)) return Val::of(std::int64_t{self.boolean});
  if (!self.is(Kind::kInt)) return e.refuse("abs of no number");
  return self.integer < 0 ? e.negate(self) : self;
}

Val round_filter(Evaluator& e, const Val& self, Bound a) {
  std::string_view method = "common";
  std::int64_t precision = 0;
  if (a[0] != nullptr) {
    if (!a[0]->is(Kind::kInt)) return e.refuse("precision is no integer");
    precision = a[0]->integer;
  }
  if (a[1] != nullptr && !e.text_argument(*a[1], "a method", method)) {
    return {};
  }
  if (!self.is_number()) return e.refuse("round of no number");
  if (!self.is(Kind::kFloat)) {
    if (method == "common" && precision >= 0) {
      return self.is(Kind::kBool) ? Val::of(std::int64_t{self.boolean}) : self;
    }
    return e.fail(ErrorKind::kUnsupported, "round of an integer like this");
  }
  if (method == "common" && precision >= 0 && precision <= 300 &&
      std::isfinite(self.real)) {
    // Both round the exact binary value, halves to even.
    const std::string digits = fmt::format("{:.{}f}", self.real, precision);
    return Val::of(std::strtod(digits.c_str(), nullptr));
  }
  if (precision == 0 && (method == "ceil" || method == "floor")) {
    return Val::of(method == "ceil" ? std::ceil(self.real)
                                    : std::floor(self.real));
  }
  return e.fail(ErrorKind::kUnsupported, "round with these arguments");
}

Val tojson_filter(Evaluator& e, const Val& self, Bound a) {
  Evaluator::JsonStyle style;
  style.ensure_ascii = a[0] != nullptr && e.truth(*a[0]);
  style.sort_keys = a[3] != nullptr && e.truth(*a[3]);
  if (a[1] != nullptr && !a[1]->is(Kind::kNone)) {
    style.indented = true;
    style.item_separator = ",";
    if (a[1]->is(Kind::kInt)) {
      if (a[1]->integer > 1000) {
        return e.fail(ErrorKind::kLimit, "indent over 1000");
      }
      style.indent.assign(
          static_cast<std::size_t>(std::max<std::int64_t>(0, a[1]->integer)),
          ' ');
    } else {
      std::string_view indent;
      if (!e.text_argument(*a[1], "indent", indent)) return {};
      style.indent = indent;
    }
  }
  if (a[2] != nullptr && !a[2]->is(Kind::kNone)) {
    std::span<const Val> pair;
    if (!e.take_all(*a[2], pair)) return {};
    std::string_view item;
    std::string_view key;
    if (pair.size() != 2) return e.refuse("separators must be two texts");
    if (!e.text_argument(pair[0], "a separator", item) ||
        !e.text_argument(pair[1], "a separator", key)) {
      return {};
    }
    style.item_separator = item;
    style.key_separator = key;
  }
  return e.to_json(self, style);
}

Val safe_filter(Evaluator& e, const Val& self, Bound) {
  Val text = e.to_text(self);
  text.markup = true;
  return text;
}

Val escape_filter(Evaluator& e, const Val& self, Bound) {
  Val text = e.to_text(self);
  if (text.markup || e.failed()) return text;
  std::string out;
  for (const char c : e.flat(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '\'':
        out += "&#39;";
        break;
      case '"':
        out += "&#34;";
        break;
      default:
        out += c;
    }
  }
  text = e.copy_text(out, e.origin_of(text));
  text.markup = true;
  return text;
}

constexpr Builtin kRows[] = {
    {"default", default_filter, "default_value,boolean"},
    {"d", default_filter, "default_value,boolean"},
    {"trim", trim_filter, "chars"},
    {"upper", case_filter<CaseChange::kUpper>},
    {"lower", case_filter<CaseChange::kLower>},
    {"capitalize", case_filter<CaseChange::kCapitalize>},
    {"title", case_filter<CaseChange::kTitleWords>},
    {"string", string_filter},
    {"replace", replace_filter, "old,new,count", 2},
    {"indent", indent_filter, "width,first,blank"},
    {"center", center_filter, "width"},
    {"int", int_filter, "default,base"},
    {"float", float_filter, "default"},
    {"abs", abs_filter},
    {"round", round_filter, "precision,method"},
    {"tojson", tojson_filter, "ensure_ascii,indent,separators,sort_keys"},
    {"safe", safe_filter},
    {"escape", escape_filter},
    {"e", escape_filter},
    {"attr"},
    {"filesizeformat"},
    {"forceescape"},
    {"format"},
    {"pprint"},
    {"random"},
    {"striptags"},
    {"truncate"},
    {"urlencode"},
    {"urlize"},
    {"wordcount"},
    {"wordwrap"},
    {"xmlattr"},
};

}  // namespace

std::span<const Builtin> value_filters() { return kRows; }

}  // namespace trainsight::chat::jinja
