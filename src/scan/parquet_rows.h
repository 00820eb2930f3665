// RowAssembler: rows of a Parquet row group, put together from its columns.
//
// Source: S. Melnik et al., "Dremel: Interactive Analysis of Web-Scale
// Datasets", VLDB 2010, appendix C (record assembly), walked recursively.
#ifndef TRAINSIGHT_SCAN_PARQUET_ROWS_H_
#define TRAINSIGHT_SCAN_PARQUET_ROWS_H_

#include <cstdint>
#include <vector>

#include "scan/parquet_column.h"
#include "scan/parquet_schema.h"
#include "scan/row_builder.h"
#include "trainsight/core/result.h"

namespace trainsight::scan::parquet {

class RowAssembler {
 public:
  /// `cursors`: one a leaf of `schema`, all at the beginning of one row.
  RowAssembler(const Schema& schema, std::vector<ColumnCursor>& cursors,
               const ReadOptions& options)
      : schema_(schema),
        cursors_(cursors),
        max_record_bytes_(options.max_record_bytes) {}

  /// Adds the next row to `builder`, cleared before. Errors: the fault of a
  /// column, or columns that do not belong together.
  Status next(RowBuilder& builder);

 private:
  bool add(const Node& node, std::string_view key, RowBuilder& builder);
  bool add_list(const Node& node, std::string_view key, RowBuilder& builder);
  bool add_numbers(const Node& node, const Node& element, std::string_view key,
                   RowBuilder& builder);
  bool add_value(const Node& node, std::string_view key, RowBuilder& builder);
  bool add_bytes(const Leaf& leaf, const ColumnCursor& cursor,
                 std::string_view key, RowBuilder& builder);
  bool pass(const Node& node);
  void watch_memory(const Node& node, RowBuilder& builder);

  const Schema& schema_;
  std::vector<ColumnCursor>& cursors_;
  std::uint64_t max_record_bytes_;
  std::uint32_t failed_leaf_ = 0;
  std::vector<std::int64_t> integers_;
  std::vector<double> reals_;
};

}  // namespace trainsight::scan::parquet

#endif  // TRAINSIGHT_SCAN_PARQUET_ROWS_H_
