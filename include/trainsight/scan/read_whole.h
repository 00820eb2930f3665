// A whole small file, decompressed when it is gzip or zstd: vocabularies and
// templates, which people keep compressed.
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

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_READ_WHOLE_H_
