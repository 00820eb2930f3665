// Column types over all rows, judged on the rows' skeletons.
//
// A worker looks at the values of a row only when its skeleton is new to the
// batch, and otherwise counts it; the reducer unites batches in input order,
// so that "string in 1,231 rows before" is exact. Internal to rules.
#ifndef TRAINSIGHT_RULES_COLUMNS_H_
#define TRAINSIGHT_RULES_COLUMNS_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trainsight/scan/row_view.h"

namespace trainsight::rules {

/// Types as an Arrow table has them; null fits each.
enum class ColumnType : std::uint8_t {
  kString,
  kNumber,
  kBoolean,
  kList,
  kObject,
};
inline constexpr std::size_t kColumnTypes = 5;
/// "string", "number", "boolean", "list", "object".
std::string_view name_of(ColumnType type);

/// Different paths beyond this many are not told apart.
inline constexpr std::size_t kMostPaths = 8192;

/// The columns of one batch.
class BatchColumns {
 public:
  /// Looks at the next row.
  void add(const scan::RowView& row);

 private:
  friend class SetColumns;

  struct Typed {
    std::uint32_t path = 0;
    ColumnType type = ColumnType::kString;
  };
  // A path with the type that it has somewhere, first met here.
  struct Sighting {
    std::uint32_t path = 0;
    ColumnType type = ColumnType::kString;
    std::uint64_t line = 0;
    std::uint64_t offset = 0;
    std::uint32_t row = 0;
    std::string pointer;
  };
  struct Shape {
    std::uint64_t rows = 0;
    std::vector<Typed> columns;  // each path and type once
  };

  std::uint32_t new_shape(const scan::RowView& row);
  void visit(const scan::RowView& row, const scan::Value& value,
             std::uint32_t path, Shape& shape);
  void see(const scan::RowView& row, const scan::Value& value,
           std::uint32_t path, ColumnType type, Shape& shape);
  std::uint32_t child_path(std::uint32_t parent, std::string_view key);

  std::vector<std::string> paths_;  // "/messages/*/content"
  std::unordered_map<std::string, std::uint32_t> path_of_;
  std::vector<std::uint8_t> seen_;  // by path: types as bits
  // By path and type: the last shape that has it, from 1.
  std::vector<std::array<std::uint32_t, kColumnTypes>> last_shape_;
  std::vector<Sighting> sightings_;
  std::unordered_map<std::uint64_t, std::uint32_t> shape_of_;
  std::vector<Shape> shapes_;
  std::vector<std::uint32_t> row_shapes_;
  std::uint64_t last_skeleton_ = 0;
  bool too_many_paths_ = false;
};

/// The columns of all rows.
class SetColumns {
 public:
  struct TypeUse {
    std::uint64_t rows = 0;
    std::uint32_t file = 0;
    std::uint64_t line = 0;  // first; 0: never
    std::uint64_t offset = 0;
    std::string pointer;
    /// Rows of each type before `line`.
    std::array<std::uint64_t, kColumnTypes> rows_before{};
  };
  using Column = std::array<TypeUse, kColumnTypes>;

  void add(const BatchColumns& batch, std::uint32_t file,
           std::uint64_t line_base);
  /// By path, with "*" for the place in an array.
  [[nodiscard]] const std::map<std::string, Column>& columns() const {
    return columns_;
  }
  [[nodiscard]] bool too_many_paths() const { return too_many_paths_; }

 private:
  std::map<std::string, Column> columns_;
  bool too_many_paths_ = false;
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_COLUMNS_H_
