#include "trainsight/records/group_path.h"

#include <array>
#include <charconv>

#include "trainsight/text/json_text.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::records {
namespace {

using scan::RowView;
using scan::Value;
using scan::ValueKind;

constexpr std::array<std::string_view, 7> kKindNames = {
    "string", "number", "boolean", "null", "missing", "array", "object"};

// Deeper than any row: readers refuse rows nested further.
constexpr std::size_t kMostSteps = 128;

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u;
}

// "~1" is "/", "~0" is "~" (RFC 6901, section 4).
bool unescape(std::string_view token, std::string& step) {
  for (std::size_t i = 0; i < token.size(); ++i) {
    if (token[i] != '~') {
      step += token[i];
      continue;
    }
    if (++i == token.size() || (token[i] != '0' && token[i] != '1')) {
      return false;
    }
    step += token[i] == '0' ? '~' : '/';
  }
  return true;
}

const Value* element(const RowView& row, const Value& list,
                     std::string_view step) {
  std::uint32_t index = 0;
  const std::from_chars_result read =
      std::from_chars(step.data(), step.data() + step.size(), index);
  if (read.ec != std::errc() || read.ptr != step.data() + step.size() ||
      index >= list.count) {
    return nullptr;
  }
  const Value* v = row.first_child(list);
  for (; v != nullptr && index > 0; --index) v = row.next_child(list, *v);
  return v;
}

void set_text(std::string_view utf8, GroupKey& key) {
  if (utf8.size() <= GroupKey::kMostBytes) {
    key.text = utf8;
    return;
  }
  std::size_t end = GroupKey::kMostBytes;
  while (end > 0 && is_continuation(utf8[end])) --end;
  key.text = utf8.substr(0, end);
  key.hash = text::xxh64(utf8);
}

template <typename Number>
void set_number(Number number, GroupKey& key) {
  std::array<char, 32> digits{};
  const std::to_chars_result end =
      std::to_chars(digits.data(), digits.data() + digits.size(), number);
  key.text.assign(digits.data(), end.ptr);
}

}  // namespace

std::string_view name_of(GroupKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

GroupKind group_kind_named(std::string_view name) {
  for (std::size_t i = 0; i < kKindNames.size(); ++i) {
    if (kKindNames[i] == name) return static_cast<GroupKind>(i);
  }
  return GroupKind::kMissing;
}

Result<GroupPath> GroupPath::parse(std::string_view spec) {
  const Error fault{ErrorKind::kUsage,
                    "\"" + std::string(spec) + "\" names no field",
                    "write source, meta.source, or a JSON Pointer: "
                    "/meta/source"};
  GroupPath path;
  path.name_ = spec;
  path.is_pointer_ = !spec.empty() && spec.front() == '/';
  const char separator = path.is_pointer_ ? '/' : '.';
  if (path.is_pointer_) spec.remove_prefix(1);
  while (true) {
    const std::string_view token = spec.substr(0, spec.find(separator));
    std::string step;
    if (path.is_pointer_) {
      if (!unescape(token, step)) return fault;
    } else {
      step = token;
    }
    if (step.empty() || path.steps_.size() == kMostSteps) return fault;
    path.steps_.push_back(std::move(step));
    if (token.size() == spec.size()) return path;
    spec.remove_prefix(token.size() + 1);
  }
}

const Value* GroupPath::find(const RowView& row) const {
  const Value* value = &row.root();
  if (!is_pointer_ && steps_.size() > 1) {
    const Value* whole = row.member(*value, name_);
    if (whole != nullptr) return whole;
  }
  for (const std::string& step : steps_) {
    value = value->is(ValueKind::kArray) ? element(row, *value, step)
                                         : row.member(*value, step);
    if (value == nullptr) return nullptr;
  }
  return value;
}

void GroupPath::read(const RowView& row, GroupKey& key) const {
  key.text.clear();
  key.hash = 0;
  const Value* value = find(row);
  if (value == nullptr) {
    key.kind = GroupKind::kMissing;
    return;
  }
  switch (value->kind) {
    case ValueKind::kNull:
      key.kind = GroupKind::kNull;
      return;
    case ValueKind::kBool:
      key.kind = GroupKind::kBool;
      key.text = value->boolean ? "true" : "false";
      return;
    case ValueKind::kInteger:
      key.kind = GroupKind::kNumber;
      set_number(value->integer, key);
      return;
    case ValueKind::kReal:
      key.kind = GroupKind::kNumber;
      set_number(value->real, key);
      return;
    case ValueKind::kText: {
      key.kind = GroupKind::kText;
      std::string scratch;
      set_text(text::as_utf8(value->text(), scratch), key);
      return;
    }
    case ValueKind::kNumbers:
    case ValueKind::kArray:
      key.kind = GroupKind::kList;
      return;
    case ValueKind::kObject:
      key.kind = GroupKind::kObject;
      return;
  }
}

}  // namespace trainsight::records
