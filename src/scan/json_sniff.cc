#include "scan/json_sniff.h"

#include <algorithm>
#include <array>
#include <string>

#include "scan/json_extent.h"

namespace trainsight::scan {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kBlank = " \t\r\n";

// Names of fields at the top of a training record: an object with one of them
// is a record, whatever its values are.
constexpr std::array<std::string_view, 38> kFieldNames = {
    "answer",   "attention_mask", "chosen",       "completion",
    "content",  "context",        "conversation", "conversations",
    "data",     "dialog",         "dialogue",     "id",
    "images",   "input",          "input_ids",    "instruction",
    "label",    "labels",         "messages",     "meta",
    "metadata", "output",         "preferred",    "problem",
    "prompt",   "query",          "question",     "reference",
    "rejected", "response",       "reward_model", "solution",
    "source",   "system",         "target",       "text",
    "tokens",   "tools"};

// Names of members that hold all rows, in exports and API answers.
constexpr std::array<std::string_view, 9> kRowsNames = {
    "data",  "dataset", "entries", "examples", "instances",
    "items", "records", "rows",    "samples"};

bool is_rows_name(std::string_view name) {
  return std::binary_search(kRowsNames.begin(), kRowsNames.end(), name);
}

// Endings of the other formats' names.
constexpr std::array<std::string_view, 10> kOtherNames = {
    ".csv",   ".tsv",     ".tab",    ".txt",     ".text",
    ".arrow", ".parquet", ".arrows", ".feather", ".idx"};

bool is_field_name(std::string_view name) {
  return std::binary_search(kFieldNames.begin(), kFieldNames.end(), name);
}

std::string_view without_mark(std::string_view text) {
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) {
    text.remove_prefix(kByteOrderMark.size());
  }
  return text;
}

// Where the value that begins text[at] ends; npos when it does not.
std::size_t end_of_value(std::string_view text, std::size_t at) {
  JsonExtent extent;
  for (;;) {
    const JsonExtent::Stop stop = extent.scan(text, at);
    if (stop == JsonExtent::Stop::kValue) return at;
    if (stop == JsonExtent::Stop::kEnd) return std::string_view::npos;
  }
}

// Whether an object holds articles with paragraphs, as those of SQuAD do.
bool is_nested_set(std::string_view object) {
  const std::size_t end = end_of_value(object, 0);
  return object.substr(0, end).find("\"paragraphs\"") != std::string_view::npos;
}

JsonShape shape_of_array(const FileHead& head, std::string_view text,
                         std::size_t begin) {
  // "[" may begin a line of prose: what follows it decides.
  const std::size_t inside = text.find_first_not_of(kBlank, begin + 1);
  if (inside == std::string_view::npos ||
      std::string_view("{[]").find(text[inside]) == std::string_view::npos) {
    return has_extension(head.name, ".json") ? JsonShape::kDocument
                                             : JsonShape::kNone;
  }
  const std::size_t end = end_of_value(text, begin);
  if (end == std::string_view::npos) return JsonShape::kDocument;
  const std::size_t line_end = text.find('\n', begin);
  const std::size_t next = text.find_first_not_of(kBlank, end);
  const bool more_lines = line_end != std::string_view::npos &&
                          line_end >= end && next != std::string_view::npos &&
                          next > line_end;
  return more_lines ? JsonShape::kLines : JsonShape::kDocument;
}

JsonShape shape_of_object(const FileHead& head, std::string_view text,
                          std::size_t begin) {
  const bool is_json_name = has_extension(head.name, ".json");
  const std::size_t line_end = text.find('\n', begin);
  const std::size_t end = end_of_value(text.substr(0, line_end), begin);
  if (end != std::string_view::npos) {
    const bool is_all = head.is_whole && text.find_first_not_of(kBlank, end) ==
                                             std::string_view::npos;
    return is_all && is_json_name ? JsonShape::kDocument : JsonShape::kLines;
  }
  if (line_end == std::string_view::npos) {
    return is_json_name ? JsonShape::kDocument : JsonShape::kLines;
  }
  // The first line does not hold a whole object. Tokens go on after a line end
  // between values; a '{' there is only right after ':', '[' or ','.
  const std::size_t next = text.find_first_not_of(kBlank, line_end);
  const std::size_t before = text.find_last_not_of(kBlank, line_end);
  if (next != std::string_view::npos && text[next] == '{' &&
      std::string_view(":[,").find(text[before]) == std::string_view::npos) {
    return JsonShape::kLines;
  }
  return JsonShape::kDocument;
}

// The members at the top of an object, of which only the beginning may be
// there.
class MemberWalk {
 public:
  struct Member {
    std::string_view key;   // as written
    std::size_t value = 0;  // where its value begins
  };
  // `at` is the place behind the object's brace.
  MemberWalk(std::string_view head, std::size_t at) : head_(head), at_(at) {}

  // The next one; nothing at the end, or where what follows is no member or is
  // cut off before its value.
  std::optional<Member> next() {
    if (!has_next_) return std::nullopt;
    has_next_ = false;
    const std::size_t quote = head_.find_first_not_of(kBlank, at_);
    if (quote == std::string_view::npos || head_[quote] != '"') {
      return std::nullopt;
    }
    std::size_t key_end = quote + 1;
    while (key_end < head_.size() && head_[key_end] != '"') {
      key_end += head_[key_end] == '\\' ? 2 : 1;
    }
    if (key_end >= head_.size()) return std::nullopt;
    const std::size_t colon = head_.find_first_not_of(kBlank, key_end + 1);
    if (colon == std::string_view::npos || head_[colon] != ':') {
      return std::nullopt;
    }
    const std::size_t value = head_.find_first_not_of(kBlank, colon + 1);
    if (value == std::string_view::npos) return std::nullopt;
    return Member{head_.substr(quote + 1, key_end - quote - 1), value};
  }

  // Passes the value of a member that next() gave.
  void pass(const Member& member) {
    at_ = member.value;
    JsonExtent extent;
    JsonExtent::Stop stop = JsonExtent::Stop::kValue;
    while (stop == JsonExtent::Stop::kValue) stop = extent.scan(head_, at_);
    has_next_ = stop == JsonExtent::Stop::kComma;
  }

 private:
  std::string_view head_;
  std::size_t at_;
  bool has_next_ = true;
};

}  // namespace

JsonShape json_shape(const FileHead& head) {
  const std::string_view text = without_mark(head.bytes);
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return JsonShape::kNone;
  if (text[begin] == '[') return shape_of_array(head, text, begin);
  if (text[begin] != '{') return JsonShape::kNone;
  const std::size_t inside = text.find_first_not_of(kBlank, begin + 1);
  if (inside != std::string_view::npos && text[inside] != '"' &&
      text[inside] != '}') {
    return JsonShape::kNone;
  }
  return has_lone_cr(text) ? JsonShape::kLines
                           : shape_of_object(head, text, begin);
}

bool has_lone_cr(std::string_view head) {
  if (head.find('\n') != std::string_view::npos) return false;
  for (std::size_t at = head.find('\r'); at != std::string_view::npos;
       at = head.find('\r', at + 1)) {
    const std::size_t before = head.find_last_not_of(kBlank, at);
    const std::size_t after = head.find_first_not_of(kBlank, at);
    if (before != std::string_view::npos && head[before] == '}' &&
        (after == std::string_view::npos || head[after] == '{')) {
      return true;
    }
  }
  return false;
}

std::optional<FileNote> json_name_note(std::string_view name) {
  for (const std::string_view other : kOtherNames) {
    if (!has_extension(name, other)) continue;
    FileNote note;
    note.kind = FileNote::Kind::kNameMismatch;
    note.line = 1;
    note.message = "JSON rows under a name that ends in " + std::string(other) +
                   ": loaders go by the name";
    return note;
  }
  return std::nullopt;
}

std::optional<RowsMember> rows_in_member(std::string_view head) {
  std::optional<RowsMember> found;
  const std::size_t at = head.find_first_not_of(kBlank);
  if (at == std::string_view::npos || head[at] != '{') return std::nullopt;
  MemberWalk walk(head, at + 1);
  while (const auto member = walk.next()) {
    const bool is_rows = is_rows_name(member->key);
    if (!is_rows && is_field_name(member->key)) return std::nullopt;
    const std::size_t first =
        head[member->value] == '['
            ? head.find_first_not_of(kBlank, member->value + 1)
            : std::string_view::npos;
    if (is_rows && first != std::string_view::npos && head[first] == '{') {
      if (found.has_value() || is_nested_set(head.substr(first))) {
        return std::nullopt;
      }
      found = RowsMember{member->key, member->value + 1};
    }
    walk.pass(*member);
  }
  return found;
}

JsonLayout json_layout(std::string_view head) {
  if (rows_in_member(head).has_value()) return JsonLayout::kMember;
  const std::size_t at = head.find_first_not_of(kBlank);
  if (at == std::string_view::npos) return JsonLayout::kSequence;
  if (head[at] == '[') return JsonLayout::kArray;
  if (head[at] != '{') return JsonLayout::kSequence;
  std::size_t rows = 0;
  MemberWalk walk(head, at + 1);
  while (const auto member = walk.next()) {
    if (head[member->value] != '{' || is_field_name(member->key)) {
      return JsonLayout::kSequence;
    }
    ++rows;
    walk.pass(*member);
  }
  return rows >= 2 ? JsonLayout::kObjectMap : JsonLayout::kSequence;
}

}  // namespace trainsight::scan
