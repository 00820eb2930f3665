// JSON Lines: one record a line.
#ifndef TRAINSIGHT_SCAN_JSONL_READER_H_
#define TRAINSIGHT_SCAN_JSONL_READER_H_

#include <memory>

#include "trainsight/io/byte_source.h"
#include "trainsight/scan/format_table.h"
#include "trainsight/scan/reader.h"

namespace trainsight::scan {

/// Lines end in LF or CR LF; in a file that has CR alone (kLoneCr) they end in
/// that. A byte order mark at the start is noted and passed over.
Result<std::unique_ptr<Reader>> open_jsonl(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options);

Likeness sniff_jsonl(const FileHead& head);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSONL_READER_H_
