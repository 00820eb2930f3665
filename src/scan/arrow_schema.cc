#include "scan/arrow_schema.h"

#include <fmt/format.h>

#include <utility>

#include "trainsight/text/utf8.h"

namespace trainsight::scan::arrow {
namespace {

constexpr std::uint32_t kMaxFields = 10'000;

// Of the union Type.
enum TypeId : std::uint8_t {
  kTypeNull = 1,
  kTypeInt = 2,
  kTypeFloatingPoint = 3,
  kTypeBinary = 4,
  kTypeUtf8 = 5,
  kTypeBool = 6,
  kTypeDecimal = 7,
  kTypeDate = 8,
  kTypeTime = 9,
  kTypeTimestamp = 10,
  kTypeInterval = 11,
  kTypeList = 12,
  kTypeStruct = 13,
  kTypeUnion = 14,
  kTypeFixedSizeBinary = 15,
  kTypeFixedSizeList = 16,
  kTypeMap = 17,
  kTypeDuration = 18,
  kTypeLargeBinary = 19,
  kTypeLargeUtf8 = 20,
  kTypeLargeList = 21,
  kTypeRunEndEncoded = 22,
  kTypeBinaryView = 23,
  kTypeUtf8View = 24,
  kTypeListView = 25,
  kTypeLargeListView = 26,
};

Error corrupt(const std::string& what) {
  return Error{ErrorKind::kCorrupt, what, "copy or download the file again"};
}

bool is_byte_width(std::uint32_t width) {
  return width == 1 || width == 2 || width == 4 || width == 8;
}

std::string_view unsupported_name(std::uint8_t id) {
  switch (id) {
    case kTypeUnion:
      return "a union";
    case kTypeRunEndEncoded:
      return "run-end encoded";
    case kTypeListView:
    case kTypeLargeListView:
      return "a list view";
    default:
      return "of an unknown type";
  }
}

class Parser {
 public:
  Result<Field> parse(const FlatTable& table, int depth) {
    if (++fields_ > kMaxFields || depth > kMaxDepth) {
      return Error{ErrorKind::kLimit,
                   fmt::format("its schema has over {} fields or {} levels",
                               kMaxFields, kMaxDepth),
                   ""};
    }
    Field field;
    text::append_repaired_utf8(table.string(0), field.name);
    const auto type_id = table.scalar<std::uint8_t>(2, 0);
    const std::optional<FlatTable> type = table.table(3);
    const Status known = set_type(type_id, type, field);
    if (!known) return known.error();
    const Status dictionary = set_dictionary(table, field);
    if (!dictionary) return dictionary.error();
    const FlatVector children = table.vector(5);
    if (children.size() > kMaxFields) return corrupt("a damaged schema");
    for (std::uint32_t i = 0; i < children.size(); ++i) {
      const std::optional<FlatTable> child = children.table(i);
      if (!child) return corrupt("a damaged schema");
      Result<Field> parsed = parse(*child, depth + 1);
      if (!parsed) return parsed.error();
      field.children.push_back(*std::move(parsed));
    }
    return check_children(std::move(field));
  }

 private:
  static Result<Field> check_children(Field field) {
    const bool is_list =
        field.kind == Kind::kList || field.kind == Kind::kFixedList;
    const bool nested = is_list || field.kind == Kind::kStruct;
    if ((is_list && field.children.size() != 1) ||
        (!nested && !field.children.empty())) {
      return corrupt(fmt::format("field {} has {} children", field.name,
                                 field.children.size()));
    }
    if (is_list) field.children[0].name.clear();
    return field;
  }

  static Status set_dictionary(const FlatTable& table, Field& field) {
    const std::optional<FlatTable> dictionary = table.table(4);
    if (!dictionary) return {};
    field.dictionary = dictionary->scalar<std::int64_t>(0, 0);
    const std::optional<FlatTable> index = dictionary->table(1);
    if (!index) return {};  // int32
    field.index_width =
        static_cast<std::uint32_t>(index->scalar<std::int32_t>(0, 0)) / 8;
    field.index_is_signed = index->boolean(1, false);
    if (!is_byte_width(field.index_width)) return corrupt("a damaged schema");
    return {};
  }

  static Status set_type(std::uint8_t id, const std::optional<FlatTable>& type,
                         Field& field) {
    // A type without parameters may be an empty table, and so all defaults.
    const auto parameter = [&type](int at, std::int32_t otherwise) {
      return type ? type->scalar<std::int32_t>(at, otherwise) : otherwise;
    };
    const auto unit = [&type](int at, std::int16_t otherwise) {
      return type ? type->scalar<std::int16_t>(at, otherwise) : otherwise;
    };
    const auto set = [&field](Kind kind, std::uint32_t width) {
      field.kind = kind;
      field.width = width;
    };
    switch (id) {
      case kTypeNull:
        set(Kind::kNull, 0);
        return {};
      case kTypeInt:
        set(Kind::kInteger, static_cast<std::uint32_t>(parameter(0, 0)) / 8);
        field.is_signed = type && type->boolean(1, false);
        break;
      case kTypeFloatingPoint:
        set(Kind::kReal, 2u << (unit(0, 0) & 3));
        break;
      case kTypeBool:
        set(Kind::kBool, 0);
        return {};
      case kTypeDecimal:
        set(Kind::kDecimal, static_cast<std::uint32_t>(parameter(2, 128)) / 8);
        field.scale = parameter(1, 0);
        if (field.width == 16 || field.width == 32) return {};
        break;
      case kTypeDate:
        set(Kind::kInteger, unit(0, 1) == 0 ? 4 : 8);
        break;
      case kTypeTime:
        set(Kind::kInteger, static_cast<std::uint32_t>(parameter(1, 32)) / 8);
        break;
      case kTypeTimestamp:
      case kTypeDuration:
        set(Kind::kInteger, 8);
        break;
      case kTypeInterval:
        if (unit(0, 0) == 0) {
          set(Kind::kInteger, 4);
        } else {
          set(Kind::kFixedBinary, unit(0, 0) == 1 ? 8 : 16);
          return {};
        }
        break;
      case kTypeBinary:
      case kTypeLargeBinary:
        set(Kind::kBinary, id == kTypeBinary ? 4 : 8);
        break;
      case kTypeUtf8:
      case kTypeLargeUtf8:
        set(Kind::kText, id == kTypeUtf8 ? 4 : 8);
        break;
      case kTypeBinaryView:
      case kTypeUtf8View:
        set(id == kTypeUtf8View ? Kind::kText : Kind::kBinary, 4);
        field.is_view = true;
        break;
      case kTypeFixedSizeBinary:
        set(Kind::kFixedBinary, static_cast<std::uint32_t>(parameter(0, 0)));
        if (parameter(0, 0) > 0) return {};
        break;
      case kTypeList:
      case kTypeMap:
        set(Kind::kList, 4);
        break;
      case kTypeLargeList:
        set(Kind::kList, 8);
        break;
      case kTypeFixedSizeList:
        set(Kind::kFixedList, 0);
        if (parameter(0, 0) < 0) return corrupt("a damaged schema");
        field.list_size = static_cast<std::uint64_t>(parameter(0, 0));
        return {};
      case kTypeStruct:
        set(Kind::kStruct, 0);
        return {};
      default:
        return Error{
            ErrorKind::kUnsupported,
            fmt::format("field {} is {}", field.name, unsupported_name(id)),
            "leave the column out, or store it as another type"};
    }
    if (!is_byte_width(field.width)) return corrupt("a damaged schema");
    return {};
  }

  std::uint32_t fields_ = 0;
};

}  // namespace

Result<std::vector<Field>> parse_schema(const FlatTable& schema) {
  if (schema.scalar<std::int16_t>(0, 0) != 0) {
    return Error{ErrorKind::kUnsupported, "it is big-endian", ""};
  }
  const FlatVector fields = schema.vector(1);
  if (fields.size() > kMaxFields) {
    return Error{ErrorKind::kLimit,
                 fmt::format("its schema has over {} fields", kMaxFields), ""};
  }
  Parser parser;
  std::vector<Field> parsed;
  for (std::uint32_t i = 0; i < fields.size(); ++i) {
    const std::optional<FlatTable> table = fields.table(i);
    if (!table) return corrupt("a damaged schema");
    Result<Field> field = parser.parse(*table, 1);
    if (!field) return field.error();
    parsed.push_back(*std::move(field));
  }
  return parsed;
}

}  // namespace trainsight::scan::arrow
