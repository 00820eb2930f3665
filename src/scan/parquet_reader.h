// Parquet: every row of every row group, columns read in step.
//
// A batch is a row group, or, of a large one, a range of its rows: ranges are
// cut by the sizes that the footer states, never by threads, and begin at a
// page of each column that a walk over the page headers finds. A batch that is
// decoded holds one page, one dictionary and one block of values a column, and
// never a whole row group.
//
// Read: all encodings but the retired bit-packed levels; uncompressed, snappy,
// gzip, zstd and lz4_raw pages, versions 1 and 2; any nesting of groups, lists
// and maps. Refused by name: encryption, brotli, lzo, the old lz4. Dates, times
// and timestamps are their stored integers (int96: nanoseconds since 1970);
// decimals are real numbers. Bytes without a type are text where they are UTF-8
// and otherwise an array of uint8. `line` of a row is its number from 1.
//
// Source: Apache Parquet format 2.10.
#ifndef TRAINSIGHT_SCAN_PARQUET_READER_H_
#define TRAINSIGHT_SCAN_PARQUET_READER_H_

#include <memory>

#include "trainsight/scan/format_table.h"

namespace trainsight::scan {

/// kCertain for the signature "PAR1", and "PARE" (encrypted: refused on open).
Likeness sniff_parquet(const FileHead& head);

/// Errors: kUnsupported for a source that is not mapped (the directory is at
/// the end of the file) and for encrypted files; kCorrupt; kLimit.
Result<std::unique_ptr<Reader>> open_parquet(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_PARQUET_READER_H_
