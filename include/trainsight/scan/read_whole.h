// A file decompressed when it is gzip or zstd: whole, for small ones
// (vocabularies and templates, which people keep compressed), or in order.
#ifndef TRAINSIGHT_SCAN_READ_WHOLE_H_
#define TRAINSIGHT_SCAN_READ_WHOLE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "trainsight/core/result.h"
#include "trainsight/io/byte_source.h"

namespace trainsight::scan {

/// All bytes of `source` after decompression, at most `max_bytes` (kLimit).
/// By magic, never by name. Errors: the source's and the stream's own.
Result<std::string> read_whole(std::unique_ptr<io::ByteSource> source,
                               std::uint64_t max_bytes);

/// The decompressed bytes of `source`, which is only read in order then; or
/// `source` itself, when it is not compressed. A bomb is an error of read().
Result<std::unique_ptr<io::ByteSource>> decompressed(
    std::unique_ptr<io::ByteSource> source);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_READ_WHOLE_H_
