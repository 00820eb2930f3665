// A stream as a file of its own, so that any part of it can be looked at again.
#ifndef TRAINSIGHT_IO_SPOOL_H_
#define TRAINSIGHT_IO_SPOOL_H_

#include <memory>
#include <string>

#include "trainsight/core/result.h"
#include "trainsight/io/byte_source.h"

namespace trainsight::io {

/// All bytes that `source` still gives, in a temporary file in `folder` that
/// has no name: it goes away with the result, whatever happens. The result is
/// mapped, unless there is no byte at all, and keeps the source's name.
/// Errors: those of reading; kUnreadable when the folder cannot hold the file.
Result<std::unique_ptr<ByteSource>> spool(ByteSource& source,
                                          const std::string& folder);

}  // namespace trainsight::io

#endif  // TRAINSIGHT_IO_SPOOL_H_
