#include "repair.h"

#include <algorithm>

#include "trainsight/scan/json_document.h"
#include "trainsight/text/json_text.h"

namespace trainsight::cli {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_object(std::string_view json) {
  return scan::JsonDocument::parse(json, "record").has_value();
}

// Whether `text` is one JSON array and nothing else. A list that only closes
// what stands around it ("[1],\"x\":[2]") has more than one member then.
bool is_list(std::string_view text) {
  if (text.empty() || text.front() != '[') return false;
  const std::string json = "{\"list\":" + std::string(text) + "}";
  const auto document = scan::JsonDocument::parse(json, "record");
  if (!document) return false;
  const scan::RowView& view = document->view();
  return view.root().count == 1 && !view.root().duplicate_keys;
}

// The end of the object that begins at `begin`; npos when it is not closed.
std::size_t object_end(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') {
        ++at;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ']') {
      if (--depth == 0) return at + 1;
    }
  }
  return std::string_view::npos;
}

// Where the bytes of the text between its quotes stand in the record.
std::optional<std::size_t> place_in(std::string_view record,
                                    const scan::Value& value) {
  if (value.data < record.data() + 1 ||
      value.data + value.bytes + 1 > record.data() + record.size()) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(value.data - record.data());
}

// The list that the text holds; empty when it holds none.
std::string list_in(const scan::Value& value) {
  if (!value.is(scan::ValueKind::kText) || value.lone_surrogate) return {};
  std::string text;
  text::append_unescaped(value.text(), text);
  const std::string_view list = trimmed(text);
  return is_list(list) ? on_one_line(list) : std::string();
}

}  // namespace

std::string on_one_line(std::string_view record) {
  std::string line(trimmed(record));
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; },
      ' ');
  return line;
}

std::optional<LineParts> parts_of_line(std::string_view line) {
  LineParts parts;
  bool in_list = false;
  bool wants_object = true;  // at the beginning, after a comma or a bracket
  std::size_t at = 0;
  while (at < line.size()) {
    const char c = line[at];
    if (is_space(c)) {
      ++at;
    } else if (line.substr(at, kMark.size()) == kMark && !in_list) {
      parts.had_mark = true;
      at += kMark.size();
    } else if (c == '{' && (wants_object || !in_list)) {
      const std::size_t end = object_end(line, at);
      if (end == std::string_view::npos) return std::nullopt;
      parts.objects.push_back(line.substr(at, end - at));
      if (!is_object(parts.objects.back())) return std::nullopt;
      at = end;
      wants_object = false;
    } else if (c == ',' && !wants_object) {
      parts.had_comma |= !in_list;
      wants_object = true;
      ++at;
    } else if (c == '[' && !in_list) {
      parts.had_list = in_list = wants_object = true;
      ++at;
    } else if (c == ']' && in_list && !wants_object) {
      in_list = false;
      ++at;
    } else {
      return std::nullopt;
    }
  }
  if (in_list) return std::nullopt;
  // A line of a mark alone holds no record; one of an empty array does.
  const bool is_mark = parts.had_mark && !parts.had_list;
  if (parts.objects.empty() && !is_mark) return std::nullopt;
  return parts;
}

std::optional<std::string> decode_messages(const scan::RowView& row) {
  const std::string_view record = row.root().raw();
  // Those of the two members that hold a list, in their order in the record.
  const scan::Value* found[2] = {nullptr, nullptr};
  std::string lists[2];
  std::size_t count = 0;
  for (const std::string_view name : {"messages", "conversations"}) {
    const scan::Value* value = row.member(row.root(), name);
    if (value == nullptr) continue;
    std::string list = list_in(*value);
    if (list.empty() || !place_in(record, *value).has_value()) continue;
    found[count] = value;
    lists[count++] = std::move(list);
  }
  if (count == 0) return std::nullopt;
  if (count == 2 && found[1]->data < found[0]->data) {
    std::swap(found[0], found[1]);
    std::swap(lists[0], lists[1]);
  }
  std::string decoded;
  std::size_t done = 0;
  for (std::size_t i = 0; i < count; ++i) {
    // The string stands between two quotes.
    const std::size_t begin = *place_in(record, *found[i]);
    decoded += record.substr(done, begin - 1 - done);
    decoded += lists[i];
    done = begin + found[i]->bytes + 1;
  }
  decoded += record.substr(done);
  return on_one_line(decoded);
}

}  // namespace trainsight::cli
