// Cutting a Parquet row group into ranges of rows that are read on their own.
#ifndef TRAINSIGHT_SCAN_PARQUET_RANGES_H_
#define TRAINSIGHT_SCAN_PARQUET_RANGES_H_

#include <cstdint>
#include <vector>

#include "scan/parquet_column.h"
#include "scan/parquet_metadata.h"
#include "scan/parquet_schema.h"
#include "trainsight/core/result.h"

namespace trainsight::scan::parquet {

/// Rows [begin, end) of a row group.
struct RowRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  /// For each column the last page that begins with a row at or before
  /// `begin`; empty for a whole row group.
  std::vector<PageStart> starts;
};

/// Ranges of about `options.chunk_bytes` of decoded data each, in order. Rows
/// of columns with lists are counted by their repetition levels, for which a
/// version 1 page has to be decompressed.
Result<std::vector<RowRange>> cut_row_group(const io::ByteSource& source,
                                            const Schema& schema,
                                            const RowGroup& group,
                                            const ReadOptions& options);

}  // namespace trainsight::scan::parquet

#endif  // TRAINSIGHT_SCAN_PARQUET_RANGES_H_
