// Looking at a file's beginning without using it up.
#ifndef TRAINSIGHT_SCAN_HEAD_SOURCE_H_
#define TRAINSIGHT_SCAN_HEAD_SOURCE_H_

#include <memory>
#include <string_view>

#include "trainsight/core/result.h"
#include "trainsight/io/byte_source.h"

namespace trainsight::scan {

struct HeadAndSource {
  /// The first kHeadBytes, or all of a shorter file; lives as long as `source`.
  std::string_view head;
  bool is_whole = false;  ///< `head` is the complete file
  /// Reads as the one given did, from its beginning.
  std::unique_ptr<io::ByteSource> source;
};

/// Reads the head of `source`, mapped or streamed.
Result<HeadAndSource> read_head(std::unique_ptr<io::ByteSource> source);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_HEAD_SOURCE_H_
