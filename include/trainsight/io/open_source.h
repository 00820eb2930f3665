// Opening what the user named: a file, a pipe or standard input.
#ifndef TRAINSIGHT_IO_OPEN_SOURCE_H_
#define TRAINSIGHT_IO_OPEN_SOURCE_H_

#include <memory>
#include <string>

#include "trainsight/core/result.h"
#include "trainsight/io/byte_source.h"

namespace trainsight::io {

/// Opens `path` literally; "-" is standard input.
///
/// A regular file is mapped. Everything that only can be read in order is a
/// stream: pipes, FIFOs, character devices, and files that report no size but
/// hold bytes, as those of /proc do. Standard input that is a regular file
/// (`< file`) is mapped as well, from where it stands at the start.
///
/// Errors: kNotFound; kUnreadable (permission, I/O, a directory, a socket).
Result<std::unique_ptr<ByteSource>> open_source(const std::string& path);

}  // namespace trainsight::io

#endif  // TRAINSIGHT_IO_OPEN_SOURCE_H_
