#include "trainsight/io/spool.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "io/file_descriptor.h"
#include "io/mapped_source.h"
#include "io/stream_source.h"
#include "io/system_error.h"

namespace trainsight::io {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

FileDescriptor nameless_file(const std::string& folder) {
  FileDescriptor file(
      ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.is_open()) return file;
  // Some file systems have no files without a name.
  std::string name = folder + "/.trainsight.XXXXXX";
  FileDescriptor named(::mkostemp(name.data(), O_CLOEXEC));
  if (named.is_open()) ::unlink(name.c_str());
  return named;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(file, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<ByteSource>> spool(ByteSource& source,
                                          const std::string& folder) {
  FileDescriptor file = nameless_file(folder);
  if (!file.is_open()) {
    return system_error("write a temporary file in", folder, errno);
  }
  std::vector<char> block(kBlockBytes);
  std::uint64_t total = 0;
  for (;;) {
    auto read = source.read(block);
    if (!read) return read.error();
    if (*read == 0) break;
    if (!write_all(file.number(), {block.data(), *read})) {
      return system_error("write a temporary file in", folder, errno);
    }
    total += *read;
  }
  if (total > 0) {
    std::unique_ptr<ByteSource> mapped = map_file(file, source.name(), "");
    if (mapped != nullptr) return mapped;
    return Error{ErrorKind::kUnreadable,
                 "cannot map a temporary file in " + folder, ""};
  }
  return stream_file(std::move(file), source.name());
}

}  // namespace trainsight::io
