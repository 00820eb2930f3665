// gzip and zstd: another format's file, decompressed on the way.
//
// What is inside is judged by its own content, under the name without .gz or
// .zst. The decompression runs in next(), so that it goes on while workers
// decode. Compressed twice is refused: some files decompress to themselves.
#ifndef TRAINSIGHT_SCAN_COMPRESSED_READER_H_
#define TRAINSIGHT_SCAN_COMPRESSED_READER_H_

#include <memory>

#include "trainsight/scan/format_table.h"

namespace trainsight::scan {

/// kCertain for a gzip signature.
Likeness sniff_gzip(const FileHead& head);
/// kCertain for a zstd signature, also of a skippable frame.
Likeness sniff_zstd(const FileHead& head);

/// format() is the inner format's; notes() are the inner ones and those of the
/// compressed stream (kSecondMember, kTrailingGarbage).
Result<std::unique_ptr<Reader>> open_gzip(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options);
Result<std::unique_ptr<Reader>> open_zstd(
    std::unique_ptr<io::ByteSource> source, const ReadOptions& options);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_COMPRESSED_READER_H_
