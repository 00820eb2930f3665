// tojson and JSON text as values.
//
// Source of the form: Python's json.dumps; RFC 8259 for what is read.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "chat/jinja/evaluator.h"
#include "chat/jinja/python_text.h"
#include "trainsight/text/json_text.h"
#include "trainsight/text/utf8.h"

namespace trainsight::chat::jinja {
namespace {

void append_unicode_escape(std::uint32_t unit, std::string& out) {
  out += fmt::format("\\u{:04x}", unit);
}

void append_json_text(std::string_view text, bool ensure_ascii,
                      std::string& out) {
  out += '"';
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (static_cast<unsigned char>(c) >= 0x80) {
      const std::size_t begin = at;
      const char32_t code = text::decode_utf8(text, at);
      if (!ensure_ascii) {
        out += text.substr(begin, at - begin);
      } else if (code < 0x10000) {
        append_unicode_escape(code, out);
      } else {
        append_unicode_escape(0xD7C0 + (code >> 10), out);
        append_unicode_escape(0xDC00 + (code & 0x3FF), out);
      }
      continue;
    }
    ++at;
    static constexpr std::string_view kEscaped = "\"\\\n\r\t\f\b";
    static constexpr std::string_view kNames = "\"\\nrtfb";
    const std::size_t named = kEscaped.find(c);
    if (named != std::string_view::npos) {
      out += '\\';
      out += kNames[named];
    } else if (static_cast<unsigned char>(c) < 0x20 ||
               (ensure_ascii && c == 0x7F)) {
      append_unicode_escape(static_cast<unsigned char>(c), out);
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_json_real(double value, std::string& out) {
  if (std::isnan(value)) {
    out += "NaN";
  } else if (std::isinf(value)) {
    out += value < 0 ? "-Infinity" : "Infinity";
  } else {
    append_float(value, out);
  }
}

}  // namespace

Val Evaluator::to_json(const Val& value, const JsonStyle& style) {
  std::string out;
  if (!json_value(value, style, 0, out)) return {};
  return copy_text(out, origin_of(value));
}

bool Evaluator::json_value(const Val& value, const JsonStyle& style,
                           std::uint32_t level, std::string& out) {
  if (!charge(1)) return false;
  if (out.size() > limits_.output_bytes) {
    fail(ErrorKind::kLimit,
         fmt::format("text over {} bytes", limits_.output_bytes));
    return false;
  }
  switch (value.kind) {
    case Kind::kNone:
      out += "null";
      return true;
    case Kind::kBool:
      out += value.boolean ? "true" : "false";
      return true;
    case Kind::kInt:
      out += fmt::format("{}", value.integer);
      return true;
    case Kind::kFloat:
      append_json_real(value.real, out);
      return true;
    case Kind::kText:
    case Kind::kRope: {
      const std::string_view text = flat(value);
      if (!charge(text.size() / 64)) return false;
      append_json_text(text, style.ensure_ascii, out);
      return true;
    }
    case Kind::kSeq:
      if (value.seq->type != SeqType::kList &&
          value.seq->type != SeqType::kTuple) {
        break;
      }
      expand(*value.seq);
      return !failed_ && json_members(value, style, level, out);
    case Kind::kDict:
      expand(*value.dict);
      return !failed_ && json_members(value, style, level, out);
    default:
      break;
  }
  refuse("a value that tojson cannot write");
  return false;
}

bool Evaluator::json_members(const Val& value, const JsonStyle& style,
                             std::uint32_t level, std::string& out) {
  const bool is_dict = value.is(Kind::kDict);
  const std::uint32_t count = is_dict ? value.dict->count : value.seq->count;
  if (count == 0) {
    out += is_dict ? "{}" : "[]";
    return true;
  }
  if (!enter()) return false;
  const auto break_line = [&](std::uint32_t depth) {
    if (!style.indented) return;
    out += '\n';
    for (std::uint32_t i = 0; i < depth; ++i) out += style.indent;
  };
  std::vector<const DictEntry*> entries;
  for (std::uint32_t i = 0; is_dict && i < count; ++i) {
    entries.push_back(&value.dict->entries[i]);
  }
  if (style.sort_keys) {
    const bool texts =
        std::all_of(entries.begin(), entries.end(),
                    [](const DictEntry* e) { return e->key.is(Kind::kText); });
    if (!texts) {
      fail(ErrorKind::kUnsupported, "sorting keys that are no texts");
      return false;
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const DictEntry* a, const DictEntry* b) {
                       return a->key.view() < b->key.view();
                     });
  }
  out += is_dict ? '{' : '[';
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i > 0) out += style.item_separator;
    break_line(level + 1);
    if (!is_dict) {
      if (!json_value(value.seq->items[i], style, level + 1, out)) return false;
      continue;
    }
    const Val& key = entries[i]->key;
    if (key.is(Kind::kText)) {
      append_json_text(key.view(), style.ensure_ascii, out);
    } else if (key.is_number() || key.is(Kind::kNone)) {
      out += '"';
      if (!json_value(key, style, level, out)) return false;
      out += '"';
    } else {
      refuse("a key that tojson cannot write");
      return false;
    }
    out += style.key_separator;
    if (!json_value(entries[i]->value, style, level + 1, out)) return false;
  }
  break_line(level);
  out += is_dict ? '}' : ']';
  leave();
  return true;
}

namespace {

// A reader of JSON into values, with Python's NaN and Infinity left out.
class JsonReader {
 public:
  JsonReader(Evaluator& evaluator, std::string_view json, std::int32_t origin)
      : evaluator_(evaluator), json_(json), origin_(origin) {}

  Val read(bool& valid) {
    const Val value = read_value();
    skip_space();
    valid = valid_ && at_ == json_.size();
    return value;
  }

 private:
  Val broken() {
    valid_ = false;
    return {};
  }

  void skip_space() {
    while (at_ < json_.size() && (json_[at_] == ' ' || json_[at_] == '\n' ||
                                  json_[at_] == '\r' || json_[at_] == '\t')) {
      ++at_;
    }
  }

  bool skip(char c) {
    skip_space();
    if (at_ >= json_.size() || json_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool skip_word(std::string_view word) {
    if (json_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  Val read_value() {
    skip_space();
    if (at_ >= json_.size() || !evaluator_.charge(1)) return broken();
    switch (json_[at_]) {
      case '"':
        return read_text();
      case '[':
      case '{': {
        if (!evaluator_.enter()) return broken();
        const Val value = json_[at_] == '[' ? read_array() : read_object();
        evaluator_.leave();
        return value;
      }
      case 't':
        return skip_word("true") ? with_origin(Val::of(true)) : broken();
      case 'f':
        return skip_word("false") ? with_origin(Val::of(false)) : broken();
      case 'n':
        return skip_word("null") ? with_origin(Val::none()) : broken();
      default:
        return read_number();
    }
  }

  [[nodiscard]] Val with_origin(Val value) const {
    value.origin = origin_;
    return value;
  }

  Val read_number() {
    const std::size_t end =
        std::min(json_.find_first_not_of("+-.0123456789eE", at_), json_.size());
    const std::string_view number = json_.substr(at_, end - at_);
    if (number.empty() || number[0] == '+') return broken();
    at_ = end;
    const char* const stop = number.data() + number.size();
    if (number.find_first_of(".eE") == std::string_view::npos) {
      std::int64_t integer = 0;
      const auto read = std::from_chars(number.data(), stop, integer);
      if (read.ptr != stop) return broken();
      if (read.ec == std::errc()) return with_origin(Val::of(integer));
      evaluator_.fail(ErrorKind::kUnsupported, "integer over 64 bits");
      return broken();
    }
    double real = 0;
    const auto read = std::from_chars(number.data(), stop, real);
    if (read.ec != std::errc() || read.ptr != stop) return broken();
    return with_origin(Val::of(real));
  }

  Val read_text() {
    const std::size_t begin = ++at_;
    bool escaped = false;
    while (at_ < json_.size() && json_[at_] != '"') {
      if (static_cast<unsigned char>(json_[at_]) < 0x20) return broken();
      if (json_[at_] == '\\') {
        escaped = true;
        ++at_;
      }
      ++at_;
    }
    if (at_ >= json_.size()) return broken();
    const std::string_view raw = json_.substr(begin, at_ - begin);
    ++at_;
    std::string& scratch = evaluator_.scratch();
    scratch.clear();
    text::append_unescaped(
        {raw, escaped ? text::Encoding::kJsonEscaped : text::Encoding::kUtf8},
        scratch);
    return evaluator_.copy_text(scratch, origin_);
  }

  Val read_array() {
    ++at_;
    std::vector<Val> items;
    if (!skip(']')) {
      do {
        items.push_back(read_value());
        if (!valid_ || evaluator_.failed()) return broken();
      } while (skip(','));
      if (!skip(']')) return broken();
    }
    Val* const copy = evaluator_.make<Val>(items.size());
    if (copy == nullptr) return broken();
    std::copy(items.begin(), items.end(), copy);
    Val value = evaluator_.make_seq(SeqType::kList, copy,
                                    static_cast<std::uint32_t>(items.size()));
    if (evaluator_.failed()) return broken();
    value.seq->origin = origin_;
    return value;
  }

  Val read_object() {
    ++at_;
    Dict* const dict = evaluator_.make_dict(4);
    if (dict == nullptr) return broken();
    dict->origin = origin_;
    if (!skip('}')) {
      do {
        skip_space();
        if (at_ >= json_.size() || json_[at_] != '"') return broken();
        const Val key = read_text();
        if (!valid_ || !skip(':')) return broken();
        const Val member = read_value();
        if (!valid_ || evaluator_.failed()) return broken();
        evaluator_.set_member(*dict, key, member);
      } while (skip(','));
      if (!skip('}')) return broken();
    }
    return Val::of(dict);
  }

  Evaluator& evaluator_;
  std::string_view json_;
  std::int32_t origin_;
  std::size_t at_ = 0;
  bool valid_ = true;
};

}  // namespace

Val Evaluator::parse_json(std::string_view json, std::int32_t origin,
                          bool& valid) {
  const Val value = JsonReader(*this, json, origin).read(valid);
  return valid && !failed_ ? value : Val();
}

}  // namespace trainsight::chat::jinja
