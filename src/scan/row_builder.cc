#include "scan/row_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "scan/text_fault.h"
#include "scan/utf8_check.h"

namespace trainsight::scan {

void RowBuilder::clear() {
  tape_.clear();
  rooms_.clear();
  bytes_ = 0;
  too_many_ = false;
  too_long_ = false;
  bad_at_ = 0;
}

// A value on the tape, or nullptr when the row is over its limits.
Value* RowBuilder::add(std::string_view key, ValueKind kind,
                       std::uint64_t bytes) {
  if (tape_.size() >= max_values_) too_many_ = true;
  bytes_ += bytes;
  if (bytes_ > max_bytes_) too_long_ = true;
  if (over_limit()) return nullptr;
  Value& value = tape_.emplace_back();
  value.key = key;
  value.kind = kind;
  value.next = static_cast<std::uint32_t>(tape_.size());
  return &value;
}

std::uint32_t RowBuilder::begin(std::string_view key, ValueKind kind) {
  add(key, kind, 0);
  return static_cast<std::uint32_t>(tape_.size() - 1);
}

void RowBuilder::end(std::uint32_t at, std::uint32_t count) {
  if (over_limit()) return;
  tape_[at].count = count;
  tape_[at].next = static_cast<std::uint32_t>(tape_.size());
}

void RowBuilder::null(std::string_view key) { add(key, ValueKind::kNull, 0); }

void RowBuilder::boolean(std::string_view key, bool boolean) {
  if (Value* value = add(key, ValueKind::kBool, 0)) value->boolean = boolean;
}

void RowBuilder::integer(std::string_view key, std::int64_t integer) {
  if (Value* value = add(key, ValueKind::kInteger, 0)) value->integer = integer;
}

void RowBuilder::real(std::string_view key, double real) {
  if (Value* value = add(key, ValueKind::kReal, 0)) value->real = real;
}

void RowBuilder::text(std::string_view key, std::string_view utf8) {
  if (Value* value = add(key, ValueKind::kText, utf8.size())) {
    value->data = utf8.data();
    value->bytes = utf8.size();
  }
}

void RowBuilder::copied_text(std::string_view key, std::string_view utf8) {
  char* const room = number_room(utf8.size());
  if (room == nullptr) return;
  if (!utf8.empty()) std::memcpy(room, utf8.data(), utf8.size());
  text(key, {room, utf8.size()});
}

void RowBuilder::bad_text(std::string_view key, std::string_view bytes) {
  text(key, bytes);
  if (bad_at_ != 0 || over_limit()) return;
  bad_at_ = static_cast<std::uint32_t>(tape_.size() - 1);
  bad_bytes_ = bytes;
}

void RowBuilder::numbers(std::string_view key, NumberStorage storage,
                         const char* data, std::uint64_t bytes,
                         std::uint64_t count) {
  if (count > std::numeric_limits<std::uint32_t>::max()) too_long_ = true;
  const bool empty = count == 0;
  Value* const value =
      add(key, empty ? ValueKind::kArray : ValueKind::kNumbers, bytes);
  if (value == nullptr || empty) return;
  value->data = data;
  value->bytes = bytes;
  value->count = static_cast<std::uint32_t>(count);
  value->storage = storage;
  value->has_reals =
      storage == NumberStorage::kFloat || storage == NumberStorage::kDouble;
}

void RowBuilder::binary(std::string_view key, std::string_view bytes) {
  numbers(key, NumberStorage::kUint8, bytes.data(), bytes.size(), bytes.size());
}

char* RowBuilder::number_room(std::uint64_t bytes) {
  if (bytes > max_bytes_ - std::min(max_bytes_, bytes_)) too_long_ = true;
  if (over_limit()) return nullptr;
  rooms_.emplace_back(bytes + 1);
  return rooms_.back().data();
}

// The JSON Pointer (RFC 6901) of the value at `at`.
std::string RowBuilder::pointer_to(std::uint32_t at) const {
  std::string pointer;
  std::uint32_t parent = 0;
  while (parent != at) {
    std::uint32_t child = parent + 1;
    std::size_t index = 0;
    while (tape_[child].next <= at) {
      child = tape_[child].next;
      ++index;
    }
    pointer += '/';
    if (tape_[parent].kind == ValueKind::kArray) {
      pointer += std::to_string(index);
    } else {
      for (const char c : tape_[child].key) {
        if (c == '~') {
          pointer += "~0";
        } else if (c == '/') {
          pointer += "~1";
        } else {
          pointer += c;
        }
      }
    }
    parent = child;
  }
  return pointer;
}

void RowBuilder::give(std::uint64_t row, std::uint64_t offset,
                      RowVisitor& visitor) {
  if (over_limit() || bad_at_ != 0) {
    BadRecord bad;
    bad.line = row + 1;
    bad.offset = offset;
    bad.bytes = bytes_;
    if (too_long_) {
      bad.kind = BadRecordKind::kTooLong;
      bad.message = fmt::format("over the limit of {} bytes", max_bytes_);
    } else if (too_many_) {
      bad.kind = BadRecordKind::kTooManyValues;
      bad.message = fmt::format("over the limit of {} values", max_values_);
    } else {
      bad.kind = BadRecordKind::kEncoding;
      bad.pointer = pointer_to(bad_at_);
      bad.byte = invalid_utf8_at(bad_bytes_);
      bad.message = not_utf8_message(bad_bytes_, bad.byte);
    }
    visitor.bad_record(bad);
    return;
  }
  RowView view;
  view.skeleton = finish_tape(tape_, scratch_);
  view.values = tape_;
  view.line = row + 1;
  view.row = row;
  view.offset = offset;
  visitor.row(view);
}

}  // namespace trainsight::scan
