// MappedSource: a regular file as memory.
#ifndef TRAINSIGHT_IO_MAPPED_SOURCE_H_
#define TRAINSIGHT_IO_MAPPED_SOURCE_H_

#include <memory>
#include <string>

#include "io/file_descriptor.h"
#include "trainsight/core/result.h"
#include "trainsight/io/byte_source.h"

namespace trainsight::io {

/// Maps the file behind `file`. `path` is where it can be looked up again, to
/// see whether it was replaced; empty when it has no name of its own (stdin).
/// nullptr when it cannot be mapped (a file system without mappings, no free
/// guard): the caller then streams it.
/// REQUIRES: a regular file of at least 1 byte.
std::unique_ptr<ByteSource> map_file(FileDescriptor& file,
                                     const std::string& name,
                                     const std::string& path);

}  // namespace trainsight::io

#endif  // TRAINSIGHT_IO_MAPPED_SOURCE_H_
