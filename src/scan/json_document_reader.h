// JSON documents: rows inside one array, one object, or objects that follow
// each other over any number of lines.
//
// The document is cut into rows by brackets and quotes (json_extent.h) on the
// reading thread; workers parse the rows. Memory depends on the chunk and on
// the longest row, never on the document. A fault spoils the row that it is in;
// reading goes on behind the row's end, as far as the brackets still tell.
#ifndef TRAINSIGHT_SCAN_JSON_DOCUMENT_READER_H_
#define TRAINSIGHT_SCAN_JSON_DOCUMENT_READER_H_

#include <memory>

#include "trainsight/io/byte_source.h"
#include "trainsight/scan/format_table.h"
#include "trainsight/scan/reader.h"

namespace trainsight::scan {

/// Rows by json_layout() (json_sniff.h). Offsets and lines are those of the
/// row's first byte. Notes: kBom, kArrayInJsonl, kSingleObject, kObjectMap,
/// kConcatenated, kLargeDocument.
Result<std::unique_ptr<Reader>> open_json_document(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options);

Likeness sniff_json_document(const FileHead& head);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSON_DOCUMENT_READER_H_
