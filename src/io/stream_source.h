// A file descriptor that can only be read in order, as a ByteSource.
#ifndef TRAINSIGHT_IO_STREAM_SOURCE_H_
#define TRAINSIGHT_IO_STREAM_SOURCE_H_

#include <memory>
#include <string>

#include "io/file_descriptor.h"
#include "trainsight/io/byte_source.h"

namespace trainsight::io {

/// Reads `file` to its end. Its check() never complains: a stream has no state
/// that could change behind the reader's back.
std::unique_ptr<ByteSource> stream_file(FileDescriptor file, std::string name);

}  // namespace trainsight::io

#endif  // TRAINSIGHT_IO_STREAM_SOURCE_H_
