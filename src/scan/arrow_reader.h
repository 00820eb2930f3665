// Arrow IPC, file and stream: every row of every record batch.
//
// A file is a stream between two signatures, and is read as one; its directory
// at the end is not needed. (Dictionaries may stand behind the record batches
// of a mapped file; they are collected first.) A stream can come from a pipe.
// A record batch without compression is cut into ranges of rows by bytes, one
// with compression is decompressed as a whole when it is decoded.
//
// Dates, times, timestamps and durations are their stored integers, decimals
// are real numbers, binary values arrays of uint8, a map a list of its entries,
// dictionary-encoded values what they stand for. Refused by name: unions,
// run-end encoding, list views, big-endian files.
//
// Source: Apache Arrow columnar format 1.5, "Serialization and Interprocess
// Communication (IPC)".
#ifndef TRAINSIGHT_SCAN_ARROW_READER_H_
#define TRAINSIGHT_SCAN_ARROW_READER_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/scan/format_table.h"

namespace trainsight::scan {

/// kCertain for the signature "ARROW1" and for a stream's first message.
Likeness sniff_arrow(const FileHead& head);

/// Nothing is read yet; faults of the file are errors of next().
Result<std::unique_ptr<Reader>> open_arrow(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_ARROW_READER_H_
