#include "trainsight/io/open_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

#include "io/file_descriptor.h"
#include "io/mapped_source.h"
#include "io/stream_source.h"
#include "io/system_error.h"

namespace trainsight::io {
namespace {

int open_retrying(const char* path) {
  for (;;) {
    const int number = ::open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (number >= 0 || errno != EINTR) return number;
  }
}

// Standard input under a descriptor of our own, so that closing the source
// leaves descriptor 0 alone. Bytes that were consumed before stay consumed: a
// file that does not stand at its beginning is streamed, not mapped.
Result<std::unique_ptr<ByteSource>> open_stdin() {
  const std::string name = "<stdin>";
  FileDescriptor file(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
  if (!file.is_open()) return system_error("read", name, errno);
  struct stat status = {};
  if (::fstat(file.number(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return system_error("read", name, EISDIR);
    if (S_ISREG(status.st_mode) && ::lseek(file.number(), 0, SEEK_CUR) == 0) {
      std::unique_ptr<ByteSource> mapped = map_file(file, name, "");
      if (mapped != nullptr) return mapped;
    }
  }
  return stream_file(std::move(file), name);
}

}  // namespace

Result<std::unique_ptr<ByteSource>> open_source(const std::string& path) {
  if (path == "-") return open_stdin();
  // Looked at before opening: opening a socket or a device has effects.
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    return system_error("read", path, errno);
  }
  if (S_ISDIR(status.st_mode)) {
    return Error{ErrorKind::kUnreadable,
                 fmt::format("cannot read {}: is a directory", path),
                 "name the files in it, or give the directory to a command "
                 "that takes data sets"};
  }
  FileDescriptor file(open_retrying(path.c_str()));
  if (!file.is_open()) return system_error("read", path, errno);
  // Decided on what was opened, not on what stood there a moment before.
  if (::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode) &&
      status.st_size > 0) {
    std::unique_ptr<ByteSource> mapped = map_file(file, path, path);
    if (mapped != nullptr) return mapped;
  }
  return stream_file(std::move(file), path);
}

}  // namespace trainsight::io
