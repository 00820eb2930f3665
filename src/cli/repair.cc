#include "repair.h"

#include <algorithm>

#include "trainsight/scan/json_document.h"
#include "trainsight/text/json_text.h"

namespace trainsight::cli {
namespace {

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_object(std::string_view json) {
  return scan::JsonDocument::parse(json, "record").has_value();
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

}  // namespace

std::string on_one_line(std::string_view record) {
  std::string line(record);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; },
      ' ');
  while (!line.empty() && is_space(line.back())) line.pop_back();
  return line;
}

std::optional<std::vector<std::string_view>> split_objects(
    std::string_view line) {
  std::vector<std::string_view> objects;
  std::size_t at = 0;
  while (true) {
    while (at < line.size() && (is_space(line[at]) || line[at] == ',')) ++at;
    if (at == line.size()) break;
    if (line[at] != '{') return std::nullopt;
    const std::size_t end = object_end(line, at);
    if (end == std::string_view::npos) return std::nullopt;
    objects.push_back(line.substr(at, end - at));
    if (!is_object(objects.back())) return std::nullopt;
    at = end;
  }
  if (objects.size() < 2) return std::nullopt;
  return objects;
}

std::optional<std::string> decode_messages(const scan::RowView& row) {
  for (const std::string_view name : {"messages", "conversations"}) {
    const scan::Value* value = row.member(row.root(), name);
    if (value == nullptr || !value->is(scan::ValueKind::kText)) continue;
    std::string list;
    text::append_unescaped(value->text(), list);
    const std::size_t first = list.find_first_not_of(" \t\r\n");
    if (first == std::string::npos || list[first] != '[' ||
        !is_object("{\"list\":" + list + "}")) {
      continue;
    }
    // The string stands between two quotes in the record's own bytes.
    const auto begin = static_cast<std::size_t>(value->data - row.raw.data());
    if (begin == 0 || begin + value->bytes >= row.raw.size()) continue;
    std::string record(row.raw.substr(0, begin - 1));
    record += list;
    record += row.raw.substr(begin + value->bytes + 1);
    return on_one_line(record);
  }
  return std::nullopt;
}

}  // namespace trainsight::cli
