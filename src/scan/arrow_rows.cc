#include "scan/arrow_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "scan/number_formats.h"
#include "scan/utf8_check.h"

namespace trainsight::scan::arrow {
namespace {

bool bit_at(std::string_view bits, std::uint64_t at) {
  return ((static_cast<std::uint8_t>(bits[at / 8]) >> (at % 8)) & 1) != 0;
}

bool is_null(const Array& array, std::uint64_t at) {
  return !array.validity.empty() && !bit_at(array.validity, at);
}

// Little-endian integer `at` of `width` bytes; unsigned ones zero-extended.
std::int64_t integer_at(std::string_view values, std::uint64_t at,
                        std::uint32_t width, bool is_signed) {
  std::uint64_t word = 0;
  std::memcpy(&word, values.data() + at * width, width);
  const int unused = 64 - static_cast<int>(width) * 8;
  if (!is_signed) return static_cast<std::int64_t>(word);
  return static_cast<std::int64_t>(word << unused) >> unused;
}

double real_at(std::string_view values, std::uint64_t at, std::uint32_t width) {
  const char* const from = values.data() + at * width;
  if (width == 2) return half_to_double({from, 2});
  if (width == 4) {
    float value = 0;
    std::memcpy(&value, from, 4);
    return static_cast<double>(value);
  }
  double value = 0;
  std::memcpy(&value, from, 8);
  return value;
}

// A uint64 beyond an int64.
bool is_huge(const Field& field, std::int64_t value) {
  return !field.is_signed && field.width == 8 && value < 0;
}

double decimal_at(const Array& array, std::uint64_t at) {
  const Field& field = *array.field;
  std::array<char, 32> bytes{};
  const std::string_view stored =
      array.values.substr(at * field.width, field.width);
  std::reverse_copy(stored.begin(), stored.end(), bytes.begin());
  return decimal_to_double({bytes.data(), field.width}, field.scale);
}

// Offsets [at] and [at + 1]; nullopt when they are not in order up to `limit`.
struct Slice {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};
std::optional<Slice> slice_at(const Array& array, std::uint64_t at,
                              std::uint64_t limit) {
  const std::uint32_t width = array.field->width;
  const std::int64_t begin = integer_at(array.offsets, at, width, true);
  const std::int64_t end = integer_at(array.offsets, at + 1, width, true);
  if (begin < 0 || end < begin || static_cast<std::uint64_t>(end) > limit) {
    return std::nullopt;
  }
  return Slice{static_cast<std::uint64_t>(begin),
               static_cast<std::uint64_t>(end)};
}

// A view: its length, then 12 bytes of data, or {prefix, buffer, offset}.
std::optional<std::string_view> view_at(const Array& array, std::uint64_t at) {
  const std::string_view view = array.offsets.substr(at * 16, 16);
  const std::int64_t length = integer_at(view, 0, 4, true);
  if (length < 0) return std::nullopt;
  const auto bytes = static_cast<std::uint64_t>(length);
  if (bytes <= 12) return view.substr(4, bytes);
  const std::int64_t buffer = integer_at(view, 2, 4, true);
  const std::int64_t offset = integer_at(view, 3, 4, true);
  if (buffer < 0 || offset < 0 ||
      static_cast<std::uint64_t>(buffer) >= array.more.size()) {
    return std::nullopt;
  }
  const std::string_view data = array.more[static_cast<std::size_t>(buffer)];
  const auto begin = static_cast<std::uint64_t>(offset);
  if (begin > data.size() || data.size() - begin < bytes) return std::nullopt;
  return data.substr(begin, bytes);
}

// How a list of these numbers is stored as one value.
std::optional<NumberStorage> storage_of(const Field& field) {
  if (field.dictionary) return std::nullopt;
  if (field.kind == Kind::kReal) {
    if (field.width == 4) return NumberStorage::kFloat;
    if (field.width == 8) return NumberStorage::kDouble;
    return std::nullopt;
  }
  if (field.kind != Kind::kInteger) return std::nullopt;
  switch (field.width) {
    case 1:
      return field.is_signed ? NumberStorage::kInt8 : NumberStorage::kUint8;
    case 2:
      return field.is_signed ? NumberStorage::kInt16 : NumberStorage::kUint16;
    case 4:
      return field.is_signed ? NumberStorage::kInt32 : NumberStorage::kUint32;
    default:
      return field.is_signed ? std::optional(NumberStorage::kInt64)
                             : std::nullopt;
  }
}

bool has_null(const Array& array, std::uint64_t begin, std::uint64_t end) {
  if (array.validity.empty()) return false;
  for (std::uint64_t i = begin; i < end; ++i) {
    if (!bit_at(array.validity, i)) return true;
  }
  return false;
}

}  // namespace

Status RowReader::add_row(std::uint64_t row, RowBuilder& builder) {
  const std::uint32_t at = builder.begin("", ValueKind::kObject);
  for (const Array& column : arrays_.columns) {
    if (!add(column, row, column.field->name, 0, builder)) {
      return Error{ErrorKind::kCorrupt,
                   fmt::format("field {}: offsets or indexes outside of their "
                               "data",
                               failed_),
                   "copy or download the file again"};
    }
  }
  builder.end(at, static_cast<std::uint32_t>(arrays_.columns.size()));
  return {};
}

bool RowReader::fail(const Array& array) {
  failed_ = array.field->name;
  return false;
}

bool RowReader::add(const Array& array, std::uint64_t at, std::string_view key,
                    int depth, RowBuilder& builder) {
  const Field& field = *array.field;
  // Dictionaries can refer to each other in a circle.
  if (depth > kMaxDepth || at >= array.length) return fail(array);
  if (is_null(array, at)) {
    builder.null(key);
    return true;
  }
  if (array.is_index) return add_indexed(array, at, key, depth, builder);
  switch (field.kind) {
    case Kind::kNull:
      builder.null(key);
      return true;
    case Kind::kBool:
      builder.boolean(key, bit_at(array.values, at));
      return true;
    case Kind::kInteger: {
      const std::int64_t value =
          integer_at(array.values, at, field.width, field.is_signed);
      if (is_huge(field, value)) {
        builder.real(key,
                     static_cast<double>(static_cast<std::uint64_t>(value)));
      } else {
        builder.integer(key, value);
      }
      return true;
    }
    case Kind::kReal:
      builder.real(key, real_at(array.values, at, field.width));
      return true;
    case Kind::kDecimal:
      builder.real(key, decimal_at(array, at));
      return true;
    case Kind::kText:
    case Kind::kBinary:
    case Kind::kFixedBinary:
      return add_bytes(array, at, key, builder);
    case Kind::kList:
    case Kind::kFixedList:
      return add_list(array, at, key, depth, builder);
    case Kind::kStruct: {
      const std::uint32_t object = builder.begin(key, ValueKind::kObject);
      for (const Array& child : array.children) {
        if (!add(child, at, child.field->name, depth + 1, builder)) {
          return false;
        }
      }
      builder.end(object, static_cast<std::uint32_t>(array.children.size()));
      return true;
    }
  }
  return fail(array);
}

bool RowReader::add_indexed(const Array& array, std::uint64_t at,
                            std::string_view key, int depth,
                            RowBuilder& builder) {
  const Field& field = *array.field;
  const auto dictionary = dictionaries_.find(*field.dictionary);
  if (dictionary == dictionaries_.end()) return fail(array);
  const std::int64_t stored =
      integer_at(array.values, at, field.index_width, field.index_is_signed);
  if (stored < 0) return fail(array);
  const auto index = static_cast<std::uint64_t>(stored);
  const std::vector<DictionaryPart>& parts = dictionary->second;
  // The last part that begins at or before the index.
  auto part =
      std::upper_bound(parts.begin(), parts.end(), index,
                       [](std::uint64_t value, const DictionaryPart& p) {
                         return value < p.begin;
                       });
  if (part == parts.begin()) return fail(array);
  --part;
  return add(part->arrays->columns[0], index - part->begin, key, depth + 1,
             builder);
}

bool RowReader::add_bytes(const Array& array, std::uint64_t at,
                          std::string_view key, RowBuilder& builder) {
  const Field& field = *array.field;
  std::string_view bytes;
  if (field.kind == Kind::kFixedBinary) {
    bytes = array.values.substr(at * field.width, field.width);
  } else if (field.is_view) {
    const std::optional<std::string_view> view = view_at(array, at);
    if (!view) return fail(array);
    bytes = *view;
  } else {
    const std::optional<Slice> slice = slice_at(array, at, array.values.size());
    if (!slice) return fail(array);
    bytes = array.values.substr(slice->begin, slice->end - slice->begin);
  }
  if (field.kind != Kind::kText) {
    builder.binary(key, bytes);
  } else if (invalid_utf8_at(bytes) == std::string_view::npos) {
    builder.text(key, bytes);
  } else {
    builder.bad_text(key, bytes);
  }
  return true;
}

bool RowReader::add_list(const Array& array, std::uint64_t at,
                         std::string_view key, int depth, RowBuilder& builder) {
  const Field& field = *array.field;
  const Array& values = array.children[0];
  Slice slice{at * field.list_size, (at + 1) * field.list_size};
  if (field.kind == Kind::kList) {
    const std::optional<Slice> found = slice_at(array, at, values.length);
    if (!found) return fail(array);
    slice = *found;
  }
  if (add_numbers(values, slice.begin, slice.end, key, builder)) return true;
  const std::uint32_t list = builder.begin(key, ValueKind::kArray);
  for (std::uint64_t i = slice.begin; i < slice.end; ++i) {
    if (builder.over_limit()) return true;
    if (!add(values, i, "", depth + 1, builder)) return false;
  }
  builder.end(list, static_cast<std::uint32_t>(slice.end - slice.begin));
  return true;
}

// True when the elements are numbers without a null among them, and so were
// added as one value.
bool RowReader::add_numbers(const Array& values, std::uint64_t begin,
                            std::uint64_t end, std::string_view key,
                            RowBuilder& builder) {
  const std::optional<NumberStorage> storage = storage_of(*values.field);
  if (!storage || has_null(values, begin, end)) return false;
  const std::uint64_t width = values.field->width;
  builder.numbers(key, *storage, values.values.data() + begin * width,
                  (end - begin) * width, end - begin);
  return true;
}

}  // namespace trainsight::scan::arrow
