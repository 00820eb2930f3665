#include "trainsight/io/files.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <memory>
#include <vector>

#include "io/system_error.h"
#include "trainsight/io/atomic_file.h"
#include "trainsight/io/open_source.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::io {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
// Most files that are read whole are small: no megabyte is touched for them.
constexpr std::size_t kFirstPieceBytes = std::size_t{1} << 14;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

}  // namespace

Result<FileInfo> file_info(const std::string& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0) {
    return system_error("read", path, errno);
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{ErrorKind::kUnreadable,
                 fmt::format("cannot read {}: no regular file", path), ""};
  }
  FileInfo info;
  info.bytes = static_cast<std::uint64_t>(status.st_size);
  // Times beyond the years 1678 to 2261 do not fit; they are no real ones.
  constexpr std::int64_t kMaxSeconds = INT64_MAX / kNsPerSecond - 1;
  const std::int64_t seconds = status.st_mtim.tv_sec;
  if (seconds > -kMaxSeconds && seconds < kMaxSeconds) {
    info.modified_ns = seconds * kNsPerSecond + status.st_mtim.tv_nsec;
  }
  return info;
}

Result<std::uint64_t> hash_file(const std::string& path) {
  Result<FileInfo> info = file_info(path);
  if (!info) return info.error();
  Result<std::unique_ptr<ByteSource>> source = open_source(path);
  if (!source) return source.error();
  text::Xxh64Stream hash;
  std::vector<char> buffer(kFirstPieceBytes);
  std::uint64_t offset = 0;
  for (;;) {
    const Result<std::size_t> got = (*source)->read(buffer);
    if (!got) return got.error();
    if (*got == 0) break;
    hash.update({buffer.data(), *got});
    (*source)->release(offset, offset + *got);
    offset += *got;
  }
  const Status same = (*source)->check();
  if (!same) return same.error();
  return hash.digest();
}

Result<std::string> read_file(const std::string& path,
                              std::uint64_t max_bytes) {
  Result<std::unique_ptr<ByteSource>> source = open_source(path);
  if (!source) return source.error();
  std::string bytes;
  std::vector<char> buffer(kFirstPieceBytes);
  for (;;) {
    const Result<std::size_t> got = (*source)->read(buffer);
    if (!got) return got.error();
    if (*got == 0) break;
    if (*got > max_bytes - bytes.size()) {
      return Error{ErrorKind::kLimit,
                   fmt::format("cannot read {}: longer than {} bytes",
                               (*source)->name(), max_bytes),
                   ""};
    }
    bytes.append(buffer.data(), *got);
    if (*got == buffer.size()) buffer.resize(kPieceBytes);  // a large file
  }
  const Status same = (*source)->check();
  if (!same) return same.error();
  return bytes;
}

Status write_file_atomically(const std::string& path, std::string_view bytes) {
  Result<AtomicFile> file = AtomicFile::open(path);
  if (!file) return file.error();
  if (Status status = file->write(bytes); !status) return status;
  return file->commit();
}

}  // namespace trainsight::io
