// AtomicFile: a file that is there complete, or as it was before.
//
// Bytes go to a temporary file in the same folder; commit() syncs it and moves
// it over the target. Without commit() the target is untouched and the
// temporary file goes away. Not thread-safe.
#ifndef TRAINSIGHT_IO_ATOMIC_FILE_H_
#define TRAINSIGHT_IO_ATOMIC_FILE_H_

#include <memory>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"

namespace trainsight::io {

class AtomicFile {
 public:
  /// Opens a temporary file beside `path`. A symbolic link is followed, an
  /// existing file's permissions are kept, and what is no regular file
  /// (/dev/stdout, a FIFO) is written to directly.
  static Result<AtomicFile> open(const std::string& path);

  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();

  /// Appends; gathers small writes.
  Status write(std::string_view bytes);
  /// Puts the file in place. Call once, last.
  Status commit();

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace trainsight::io

#endif  // TRAINSIGHT_IO_ATOMIC_FILE_H_
