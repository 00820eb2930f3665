#include "scan/json_strict.h"

#include <fmt/format.h>

#include "scan/json_number.h"
#include "scan/json_string_inl.h"
#include "scan/utf8_check.h"

namespace trainsight::scan {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

bool StrictJson::parse(std::string_view record, const JsonLimits& limits,
                       JsonTape& tape, JsonFault& fault) {
  begin_ = record.data();
  p_ = begin_;
  end_ = begin_ + record.size();
  const std::size_t invalid = invalid_utf8_at(record);
  not_utf8_ = invalid == std::string_view::npos ? nullptr : begin_ + invalid;
  limits_ = limits;
  tape_ = &tape;
  fault_ = &fault;
  open_.clear();
  in_child_ = false;
  tape.clear();

  skip_space();
  if (!begin_value({})) return false;
  while (!open_.empty()) {
    if (!step()) return false;
  }
  return finish();
}

// One member or element of the innermost container, or its end.
bool StrictJson::step() {
  in_child_ = false;
  const std::uint32_t container = open_.back();
  const bool is_object = (*tape_)[container].kind == ValueKind::kObject;
  const char closing = is_object ? '}' : ']';
  skip_space();
  if (p_ == end_) return fail_at_end();
  if (*p_ == closing) {
    close();
    return true;
  }
  if ((*tape_)[container].count > 0) {
    if (*p_ != ',') {
      if (*p_ == '\0' || p_ == not_utf8_) return fail_at_value();
      return fail(BadRecordKind::kSyntax, p_,
                  fmt::format("a comma or '{}' is missing here", closing));
    }
    ++p_;
    skip_space();
    if (p_ == end_) return fail_at_end();
    if (*p_ == closing) {
      return fail(BadRecordKind::kSyntax, p_,
                  fmt::format("a comma before '{}'", closing));
    }
  }
  std::string_view name;
  if (is_object && !key(name)) return false;
  ++(*tape_)[container].count;
  in_child_ = true;
  return begin_value(name);
}

bool StrictJson::key(std::string_view& name) {
  if (*p_ != '"') {
    if (*p_ == '\0' || p_ == not_utf8_) return fail_at_value();
    return fail(BadRecordKind::kSyntax, p_,
                *p_ == '\'' ? "single quotes: Python writes them, JSON does not"
                            : "a member name in double quotes is missing here");
  }
  std::uint64_t bytes = 0;
  EscapeFacts facts;
  const char* const text = p_ + 1;
  if (!string(bytes, facts)) return false;
  name = std::string_view(text, bytes);
  if (facts.any) name = tape_->unescaped_key(name);
  skip_space();
  if (p_ == end_) return fail_at_end();
  if (*p_ != ':') {
    return fail(BadRecordKind::kSyntax, p_,
                "':' is missing after a member name");
  }
  ++p_;
  skip_space();
  return true;
}

// A scalar as a whole, or the opening of a container.
bool StrictJson::begin_value(std::string_view name) {
  pending_key_ = name;
  if (p_ == end_) return fail_at_end();
  if (tape_->count() >= limits_.max_values) {
    return fail(BadRecordKind::kTooManyValues, p_,
                fmt::format("more than {} values", limits_.max_values));
  }
  switch (*p_) {
    case '"':
      return text_value(name);
    case '{':
      return open(name, ValueKind::kObject);
    case '[': {
      const char* first = p_ + 1;
      while (first < end_ && is_space(*first)) ++first;
      if (first < end_ && (*first == '-' || (*first >= '0' && *first <= '9'))) {
        const NumberRun run = number_run(first, end_);
        if (run.end != nullptr) {
          Value& value = tape_->push(name);
          value.kind = ValueKind::kNumbers;
          value.data = p_ + 1;
          value.bytes = static_cast<std::uint64_t>(run.end - value.data);
          value.count = run.count;
          value.has_reals = run.has_reals;
          p_ = run.end + 1;
          return true;
        }
      }
      return open(name, ValueKind::kArray);
    }
    case 't':
    case 'f':
    case 'n':
      return literal_value(name);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
      return number_value(name);
    default:
      return fail_at_value();
  }
}

// Passes the string at p_ (its quote); `bytes` of it lie between the quotes.
bool StrictJson::string(std::uint64_t& bytes, EscapeFacts& facts) {
  const char* const text = p_ + 1;
  const char* at = text;
  for (;;) {
    at = find_special(at, end_);
    if (at == end_) {
      return fail_in_string(
          BadRecordKind::kTruncated, at,
          fmt::format("the record ends inside the string that begins at byte "
                      "{}",
                      p_ - begin_));
    }
    if (*at == '"') break;
    if (*at != '\\') return fail_at_control(at);
    const char* const after = pass_escape(at, end_, facts);
    if (after == nullptr) return fail_at_escape(at);
    at = after;
  }
  if (not_utf8_ != nullptr && not_utf8_ < at) return fail_at_utf8();
  bytes = static_cast<std::uint64_t>(at - text);
  p_ = at + 1;
  return true;
}

bool StrictJson::text_value(std::string_view name) {
  const char* const text = p_ + 1;
  std::uint64_t bytes = 0;
  EscapeFacts facts;
  if (!string(bytes, facts)) return false;
  Value& value = tape_->push(name);
  value.kind = ValueKind::kText;
  value.data = text;
  value.bytes = bytes;
  value.count = static_cast<std::uint32_t>(facts.saved_bytes);
  value.lone_surrogate = facts.lone_surrogate;
  if (facts.any) value.encoding = text::Encoding::kJsonEscaped;
  return true;
}

bool StrictJson::number_value(std::string_view name) {
  const NumberExtent extent = number_extent(p_, end_);
  if (extent.end == nullptr) return fail_at_number(p_, extent.fault);
  set_number(p_, extent, tape_->push(name));
  p_ = extent.end;
  return true;
}

bool StrictJson::literal_value(std::string_view name) {
  const std::string_view rest(p_, static_cast<std::size_t>(end_ - p_));
  ValueKind kind = ValueKind::kNull;
  std::size_t length = 4;
  bool boolean = false;
  if (rest.substr(0, 4) == "true") {
    kind = ValueKind::kBool;
    boolean = true;
  } else if (rest.substr(0, 5) == "false") {
    kind = ValueKind::kBool;
    length = 5;
  } else if (rest.substr(0, 4) != "null") {
    return fail_at_value();
  }
  Value& value = tape_->push(name);
  value.kind = kind;
  if (kind == ValueKind::kBool) value.boolean = boolean;
  p_ += length;
  return true;
}

bool StrictJson::open(std::string_view name, ValueKind kind) {
  if (open_.size() >= limits_.max_depth) {
    return fail(BadRecordKind::kTooDeep, p_,
                fmt::format("nested deeper than {}", limits_.max_depth));
  }
  open_.push_back(tape_->count());
  Value& value = tape_->push(name);
  value.kind = kind;
  value.data = p_;
  ++p_;
  return true;
}

void StrictJson::close() {
  ++p_;
  Value& value = (*tape_)[open_.back()];
  value.bytes = static_cast<std::uint64_t>(p_ - value.data);
  value.next = tape_->count();
  open_.pop_back();
}

// Only white space may follow the value, and the value must be an object.
bool StrictJson::finish() {
  in_child_ = false;
  skip_space();
  if (p_ != end_) {
    if (*p_ == '\0' || p_ == not_utf8_) return fail_at_value();
    std::string message = "something follows after the value";
    if (*p_ == '{' || *p_ == '[') {
      message = "two values in one record; JSON Lines wants a line for each";
    } else if (*p_ == ',') {
      message = "a comma after the value; JSON Lines has none between records";
    }
    return fail(BadRecordKind::kTrailing, p_, std::move(message));
  }
  const char* found = nullptr;
  switch ((*tape_)[0].kind) {
    case ValueKind::kObject:
      return true;
    case ValueKind::kArray:
    case ValueKind::kNumbers:
      found = "an array";
      break;
    case ValueKind::kText:
      found = "a string";
      break;
    case ValueKind::kInteger:
    case ValueKind::kReal:
      found = "a number";
      break;
    case ValueKind::kBool:
      found = "true or false";
      break;
    case ValueKind::kNull:
      found = "null";
      break;
  }
  p_ = begin_;
  skip_space();
  return fail(BadRecordKind::kNotAnObject, p_,
              fmt::format("{}, not an object", found));
}

void StrictJson::skip_space() {
  while (p_ < end_ && is_space(*p_)) ++p_;
}

// --- faults ------------------------------------------------------------------

bool StrictJson::fail(BadRecordKind kind, const char* at, std::string message) {
  fault_->kind = kind;
  fault_->byte = static_cast<std::uint64_t>(at - begin_);
  fault_->message = std::move(message);
  fault_->pointer = pointer();
  return false;
}

// A byte that is not UTF-8 comes first when it stands before `at`.
bool StrictJson::fail_in_string(BadRecordKind kind, const char* at,
                                std::string message) {
  if (not_utf8_ != nullptr && not_utf8_ <= at) return fail_at_utf8();
  return fail(kind, at, std::move(message));
}

bool StrictJson::fail_at_end() {
  const char* where = "before its value";
  if (!open_.empty()) {
    where = (*tape_)[open_.back()].kind == ValueKind::kObject
                ? "inside an object"
                : "inside an array";
  }
  return fail(BadRecordKind::kTruncated, p_,
              fmt::format("the record ends {}", where));
}

// Where a value should begin and none does.
bool StrictJson::fail_at_value() {
  const std::string_view rest(p_, static_cast<std::size_t>(end_ - p_));
  if (p_ == not_utf8_) return fail_at_utf8();
  if (rest[0] == '\0') return fail_at_control(p_);
  if (rest.substr(0, 3) == kByteOrderMark) {
    return fail(BadRecordKind::kByteOrderMark, p_,
                "a byte order mark inside the file, as joining files leaves");
  }
  for (const std::string_view name :
       {"NaN", "Infinity", "-Infinity", "nan", "inf"}) {
    if (rest.substr(0, name.size()) == name) {
      return fail(
          BadRecordKind::kNotANumber, p_,
          name[0] == 'n' || name[0] == 'i'
              ? fmt::format("{} is not JSON", name)
              : fmt::format("{} is not JSON; Python's json accepts it", name));
    }
  }
  for (const std::string_view name : {"True", "False", "None"}) {
    if (rest.substr(0, name.size()) == name) {
      return fail(BadRecordKind::kSyntax, p_,
                  fmt::format("{} is Python, not JSON", name));
    }
  }
  if (rest[0] == '\'') {
    return fail(BadRecordKind::kSyntax, p_,
                "single quotes: Python writes them, JSON does not");
  }
  if (rest.substr(0, 2) == "//" || rest.substr(0, 2) == "/*") {
    return fail(BadRecordKind::kSyntax, p_, "JSON has no comments");
  }
  return fail(BadRecordKind::kSyntax, p_, "a JSON value is missing here");
}

bool StrictJson::fail_at_control(const char* at) {
  const auto byte = static_cast<unsigned char>(*at);
  if (byte == 0) {
    return fail_in_string(BadRecordKind::kNulByte, at,
                          "a NUL byte: a hole in the file, or text in UTF-16");
  }
  std::string_view escape;
  if (byte == '\t') escape = "; write \\t";
  if (byte == '\n') escape = "; write \\n";
  if (byte == '\r') escape = "; write \\r";
  return fail_in_string(
      BadRecordKind::kControlChar, at,
      fmt::format("a raw control character 0x{:02X} in a string{}", byte,
                  escape));
}

bool StrictJson::fail_at_escape(const char* at) {
  if (end_ - at < 2) {
    return fail_in_string(BadRecordKind::kTruncated, end_,
                          "the record ends inside an escape");
  }
  if (at[1] != 'u') {
    const auto byte = static_cast<unsigned char>(at[1]);
    return fail_in_string(
        BadRecordKind::kBadEscape, at,
        byte > 0x20 && byte < 0x7F
            ? fmt::format("\\{} is no JSON escape", at[1])
            : fmt::format("a backslash before byte 0x{:02X}", byte));
  }
  return fail_in_string(BadRecordKind::kBadEscape, at,
                        "\\u without four hexadecimal digits");
}

bool StrictJson::fail_at_utf8() {
  const auto byte = static_cast<unsigned char>(*not_utf8_);
  const std::size_t left = static_cast<std::size_t>(end_ - not_utf8_);
  const auto next = static_cast<unsigned char>(left > 1 ? not_utf8_[1] : 0);
  std::string_view guess;
  if (byte >= 0x81 && byte <= 0xFE && next >= 0x80) {
    guess = " (perhaps GB18030 or another double-byte encoding)";
  } else if (byte >= 0xA0 || byte == 0x80 || (byte >= 0x91 && byte <= 0x97)) {
    guess = " (looks like Latin-1 or Windows-1252)";
  }
  return fail(BadRecordKind::kNotUtf8, not_utf8_,
              fmt::format("0x{:02X} is not UTF-8{}", byte, guess));
}

bool StrictJson::fail_at_number(const char* begin, const char* at) {
  const std::string_view rest(begin, static_cast<std::size_t>(end_ - begin));
  if (rest.substr(0, 4) == "-Inf") {
    p_ = begin;
    return fail_at_value();
  }
  if (at == end_)
    return fail(BadRecordKind::kTruncated, at,
                "the record ends inside a number");
  if (*at == '0') {
    return fail(BadRecordKind::kSyntax, at, "a number with a leading zero");
  }
  return fail(BadRecordKind::kSyntax, at, "a digit is missing in a number");
}

// The path to the innermost value that the fault is in.
std::string StrictJson::pointer() {
  constexpr std::size_t kMaxKeyBytes = 100;
  std::string out;
  for (std::size_t level = 0; level < open_.size(); ++level) {
    const bool innermost = level + 1 == open_.size();
    if (innermost && !in_child_) break;
    const Value& container = (*tape_)[open_[level]];
    out += '/';
    if (container.kind == ValueKind::kArray) {
      out += fmt::format("{}", container.count - 1);
      continue;
    }
    const std::string_view key =
        innermost ? pending_key_ : (*tape_)[open_[level + 1]].key;
    for (const char c : key.substr(0, kMaxKeyBytes)) {
      if (c == '~') {
        out += "~0";
      } else if (c == '/') {
        out += "~1";
      } else {
        out += c;
      }
    }
  }
  return out;
}

}  // namespace trainsight::scan
