#include "object_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trainsight/manifest/read.h"

namespace trainsight::manifest {
namespace {

using scan::Value;
using scan::ValueKind;

std::string_view kind_name_of(const Value& value) {
  switch (value.kind) {
    case ValueKind::kNull:
      return "null";
    case ValueKind::kBool:
      return "true or false";
    case ValueKind::kInteger:
    case ValueKind::kReal:
      return "a number";
    case ValueKind::kText:
      return "text";
    case ValueKind::kNumbers:
    case ValueKind::kArray:
      return "a list";
    case ValueKind::kObject:
      return "an object";
  }
  return "a value";
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string_view nearest_name(std::string_view name,
                              const std::vector<std::string_view>& known) {
  constexpr std::size_t kLongestName = 64;
  std::string_view nearest;
  if (name.size() > kLongestName) return nearest;
  std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string_view candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

ObjectReader::ObjectReader(const scan::JsonDocument& document,
                           const Value* object, std::string name,
                           std::string where)
    : document_(document),
      object_(object),
      name_(std::move(name)),
      where_(std::move(where)) {}

void ObjectReader::fail(ErrorKind kind, const Value* at,
                        std::string_view member, const std::string& message) {
  if (error_.has_value()) return;
  const std::string place = at == nullptr ? "1:1" : document_.place_of(*at);
  std::string path = where_;
  if (!path.empty() && !member.empty()) path += '.';
  path += member;
  if (path.empty()) path = "the document";
  error_ = Error{kind,
                 fmt::format("{}:{}: {}: {}", name_, place, path, message), ""};
}

const Value* ObjectReader::any(std::string_view member) {
  known_.push_back(member);
  if (object_ == nullptr) return nullptr;
  const Value* value = document_.view().member(*object_, member);
  return value == nullptr || value->is(ValueKind::kNull) ? nullptr : value;
}

const Value* ObjectReader::find(std::string_view member, ValueKind kind,
                                std::string_view kind_name) {
  const Value* value = any(member);
  if (value == nullptr || value->is(kind)) return value;
  fail(ErrorKind::kUsage, value, member,
       fmt::format("{} where {} belongs", kind_name_of(*value), kind_name));
  return nullptr;
}

std::optional<std::string> ObjectReader::text(std::string_view member) {
  const Value* value = find(member, ValueKind::kText, "text");
  if (value == nullptr) return std::nullopt;
  return scan::text_of(value);
}

std::optional<std::uint64_t> ObjectReader::unsigned_integer(
    std::string_view member) {
  const Value* value = find(member, ValueKind::kInteger, "a whole number");
  if (value == nullptr) return std::nullopt;
  if (value->integer < 0) {
    fail(ErrorKind::kUsage, value, member, "a negative number");
    return std::nullopt;
  }
  return static_cast<std::uint64_t>(value->integer);
}

std::optional<double> ObjectReader::number(std::string_view member) {
  const Value* value = any(member);
  if (value == nullptr) return std::nullopt;
  if (value->is(ValueKind::kInteger)) {
    return static_cast<double>(value->integer);
  }
  if (value->is(ValueKind::kReal) && std::isfinite(value->real)) {
    return value->real;
  }
  if (value->is(ValueKind::kReal)) {
    fail(ErrorKind::kUsage, value, member, "too large a number");
    return std::nullopt;
  }
  fail(ErrorKind::kUsage, value, member,
       fmt::format("{} where a number belongs", kind_name_of(*value)));
  return std::nullopt;
}

std::optional<bool> ObjectReader::boolean(std::string_view member) {
  const Value* value = find(member, ValueKind::kBool, "true or false");
  if (value == nullptr) return std::nullopt;
  return value->boolean;
}

const Value* ObjectReader::object(std::string_view member) {
  return find(member, ValueKind::kObject, "an object");
}

const Value* ObjectReader::array(std::string_view member) {
  const Value* value = any(member);
  if (value == nullptr || value->is(ValueKind::kArray) ||
      value->is(ValueKind::kNumbers)) {
    return value;
  }
  fail(ErrorKind::kUsage, value, member,
       fmt::format("{} where a list belongs", kind_name_of(*value)));
  return nullptr;
}

Status ObjectReader::finish(bool lenient) {
  if (error_.has_value()) return *error_;
  if (lenient || object_ == nullptr) return {};
  if (object_->duplicate_keys) {
    fail(ErrorKind::kUsage, object_, "", "a member stands twice");
    return *error_;
  }
  const scan::RowView& view = document_.view();
  for (const Value* v = view.first_child(*object_); v != nullptr;
       v = view.next_child(*object_, *v)) {
    if (v->key.substr(0, 2) == "x-") continue;
    if (std::find(known_.begin(), known_.end(), v->key) != known_.end()) {
      continue;
    }
    fail(ErrorKind::kUsage, v, v->key, "not a known member");
    const std::string_view nearest = nearest_name(v->key, known_);
    if (!nearest.empty()) {
      error_->hint = fmt::format("did you mean \"{}\"?", nearest);
    }
    return *error_;
  }
  return {};
}

}  // namespace trainsight::manifest
