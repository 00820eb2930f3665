#include "trainsight/io/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <memory>
#include <vector>

#include "io/file_descriptor.h"
#include "io/system_error.h"
#include "trainsight/io/open_source.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::io {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::int64_t kNsPerSecond = 1'000'000'000;

Status write_all(const FileDescriptor& file, std::string_view bytes,
                 const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file.number(), bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return system_error("write", path, errno);
    }
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return {};
}

// The file that a chain of links ends at, so that rename() replaces that file
// and not the link.
std::string resolve_links(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(
      ::realpath(path.c_str(), nullptr), std::free);
  return real == nullptr ? path : std::string(real.get());
}

Status replace_file(const std::string& target, mode_t mode,
                    std::string_view bytes, const std::string& path) {
  std::string temporary = target + ".XXXXXX";
  const FileDescriptor file(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!file.is_open()) return system_error("write", path, errno);
  Status done = write_all(file, bytes, path);
  if (done &&
      (::fchmod(file.number(), mode) != 0 || ::fsync(file.number()) != 0 ||
       ::rename(temporary.c_str(), target.c_str()) != 0)) {
    done = system_error("write", path, errno);
  }
  if (!done) {
    ::unlink(temporary.c_str());
    return done;
  }
  // The new name survives a power cut once its folder is on disk as well; a
  // file system that cannot sync folders does not make the write a failure.
  const std::size_t slash = target.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "." : target.substr(0, slash + 1);
  const FileDescriptor opened(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) ::fsync(opened.number());
  return {};
}

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
  std::vector<char> buffer(kPieceBytes);
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
  std::vector<char> buffer(kPieceBytes);
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
  }
  const Status same = (*source)->check();
  if (!same) return same.error();
  return bytes;
}

Status write_file_atomically(const std::string& path, std::string_view bytes) {
  const std::string target = resolve_links(path);
  struct stat status = {};
  mode_t mode = 0644;
  if (::stat(target.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return system_error("write", path, EISDIR);
    if (!S_ISREG(status.st_mode)) {
      const FileDescriptor file(
          ::open(target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
      if (!file.is_open()) return system_error("write", path, errno);
      return write_all(file, bytes, path);
    }
    mode = status.st_mode & 07777;
  }
  return replace_file(target, mode, bytes, path);
}

}  // namespace trainsight::io
