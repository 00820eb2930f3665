#include "columns.h"

#include <algorithm>

#include "pointer.h"

namespace trainsight::rules {
namespace {

using scan::RowView;
using scan::Value;
using scan::ValueKind;

constexpr std::uint32_t kNoPath = ~std::uint32_t{0};

}  // namespace

std::string_view name_of(ColumnType type) {
  constexpr std::string_view kNames[kColumnTypes] = {
      "string", "number", "boolean", "list", "object"};
  return kNames[static_cast<std::size_t>(type)];
}

std::uint32_t BatchColumns::child_path(std::uint32_t parent,
                                       std::string_view key) {
  std::string path = paths_[parent];
  append_token(key, path);
  const auto found = path_of_.find(path);
  if (found != path_of_.end()) return found->second;
  if (paths_.size() >= kMostPaths) {
    too_many_paths_ = true;
    return kNoPath;
  }
  const auto id = static_cast<std::uint32_t>(paths_.size());
  path_of_.emplace(path, id);
  paths_.push_back(std::move(path));
  seen_.push_back(0);
  last_shape_.emplace_back();
  return id;
}

void BatchColumns::see(const RowView& row, const Value& value,
                       std::uint32_t path, ColumnType type, Shape& shape) {
  std::uint32_t& last = last_shape_[path][static_cast<std::size_t>(type)];
  const auto current = static_cast<std::uint32_t>(shapes_.size());
  if (last != current) shape.columns.push_back(Typed{path, type});
  last = current;
  const auto bit = static_cast<std::uint8_t>(1u << static_cast<unsigned>(type));
  if ((seen_[path] & bit) != 0) return;
  seen_[path] = static_cast<std::uint8_t>(seen_[path] | bit);
  sightings_.push_back(Sighting{path, type, row.line, row.offset,
                                static_cast<std::uint32_t>(row_shapes_.size()),
                                pointer_of(row, value)});
}

void BatchColumns::visit(const RowView& row, const Value& value,
                         std::uint32_t path, Shape& shape) {
  if (path == kNoPath) return;
  switch (value.kind) {
    case ValueKind::kNull:
      return;
    case ValueKind::kBool:
      return see(row, value, path, ColumnType::kBoolean, shape);
    case ValueKind::kInteger:
    case ValueKind::kReal:
      return see(row, value, path, ColumnType::kNumber, shape);
    case ValueKind::kText:
      return see(row, value, path, ColumnType::kString, shape);
    case ValueKind::kNumbers: {
      see(row, value, path, ColumnType::kList, shape);
      const std::uint32_t element = child_path(path, "*");
      if (element != kNoPath) {
        see(row, value, element, ColumnType::kNumber, shape);
      }
      return;
    }
    case ValueKind::kArray:
    case ValueKind::kObject:
      break;
  }
  const bool is_array = value.is(ValueKind::kArray);
  if (row.index_of(value) != 0) {
    see(row, value, path, is_array ? ColumnType::kList : ColumnType::kObject,
        shape);
  }
  const std::uint32_t element =
      is_array && value.count > 0 ? child_path(path, "*") : kNoPath;
  // The depth is bounded by the reader's max_depth.
  for (const Value* v = row.first_child(value); v != nullptr;
       v = row.next_child(value, *v)) {
    visit(row, *v, is_array ? element : child_path(path, v->key), shape);
  }
}

std::uint32_t BatchColumns::new_shape(const RowView& row) {
  if (paths_.empty()) {
    paths_.emplace_back();
    seen_.push_back(0);
    last_shape_.emplace_back();
  }
  const auto id = static_cast<std::uint32_t>(shapes_.size());
  shape_of_.emplace(row.skeleton, id);
  visit(row, row.root(), 0, shapes_.emplace_back());
  return id;
}

void BatchColumns::add(const RowView& row) {
  std::uint32_t shape = 0;
  if (!row_shapes_.empty() && row.skeleton == last_skeleton_) {
    shape = row_shapes_.back();
  } else {
    const auto found = shape_of_.find(row.skeleton);
    shape = found != shape_of_.end() ? found->second : new_shape(row);
    last_skeleton_ = row.skeleton;
  }
  ++shapes_[shape].rows;
  row_shapes_.push_back(shape);
}

void SetColumns::add(const BatchColumns& batch, std::uint32_t file,
                     std::uint64_t line_base) {
  too_many_paths_ |= batch.too_many_paths_;
  // Of a path and type new to the set, the rows before are those of earlier
  // batches and those of this one up to the row.
  for (const BatchColumns::Sighting& sighting : batch.sightings_) {
    const std::string& path = batch.paths_[sighting.path];
    if (columns_.size() >= kMostPaths && columns_.count(path) == 0) {
      too_many_paths_ = true;
      continue;
    }
    Column& column = columns_[path];
    TypeUse& use = column[static_cast<std::size_t>(sighting.type)];
    if (use.line != 0) continue;
    use.file = file;
    use.line = sighting.line + line_base;
    use.offset = sighting.offset;
    use.pointer = sighting.pointer;
    const bool first_of_column = std::all_of(
        column.begin(), column.end(),
        [&use](const TypeUse& u) { return u.line == 0 || &u == &use; });
    if (first_of_column) continue;
    for (std::size_t t = 0; t < kColumnTypes; ++t) {
      use.rows_before[t] = column[t].rows;
    }
    for (std::uint32_t r = 0; r < sighting.row; ++r) {
      for (const auto& typed : batch.shapes_[batch.row_shapes_[r]].columns) {
        if (typed.path == sighting.path) {
          ++use.rows_before[static_cast<std::size_t>(typed.type)];
        }
      }
    }
  }
  for (const BatchColumns::Shape& shape : batch.shapes_) {
    for (const auto& typed : shape.columns) {
      const auto found = columns_.find(batch.paths_[typed.path]);
      if (found == columns_.end()) continue;
      found->second[static_cast<std::size_t>(typed.type)].rows += shape.rows;
    }
  }
}

}  // namespace trainsight::rules
