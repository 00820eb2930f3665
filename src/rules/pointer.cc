#include "pointer.h"

#include <fmt/format.h>

namespace trainsight::rules {

using scan::RowView;
using scan::Value;
using scan::ValueKind;

void append_token(std::string_view key, std::string& pointer) {
  pointer += '/';
  for (const char c : key) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

std::string pointer_of(const RowView& row, const Value& value) {
  std::string pointer;
  const std::uint32_t target = row.index_of(value);
  const Value* parent = &row.root();
  while (row.index_of(*parent) != target) {
    const Value* child = row.first_child(*parent);
    std::size_t index = 0;
    while (child != nullptr && child->next <= target) {
      child = row.next_child(*parent, *child);
      ++index;
    }
    if (child == nullptr) return pointer;
    if (parent->is(ValueKind::kArray)) {
      fmt::format_to(std::back_inserter(pointer), "/{}", index);
    } else {
      append_token(child->key, pointer);
    }
    parent = child;
  }
  return pointer;
}

std::string pointer_of_text(const RowView& row, const char* data) {
  for (const Value& value : row.values) {
    if (value.is(ValueKind::kText) && value.data == data) {
      return pointer_of(row, value);
    }
  }
  return {};
}

}  // namespace trainsight::rules
