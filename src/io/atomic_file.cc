#include "trainsight/io/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "io/file_descriptor.h"
#include "io/system_error.h"

namespace trainsight::io {
namespace {

constexpr std::size_t kGatheredBytes = std::size_t{1} << 20;

// The file that a chain of links ends at, so that rename() replaces that file
// and not the link.
std::string resolve_links(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> real(
      ::realpath(path.c_str(), nullptr), std::free);
  return real == nullptr ? path : std::string(real.get());
}

// The new name survives a power cut once its folder is on disk as well; a file
// system that cannot sync folders does not make the write a failure.
void sync_folder_of(const std::string& target) {
  const std::size_t slash = target.rfind('/');
  const std::string folder =
      slash == std::string::npos ? "." : target.substr(0, slash + 1);
  const FileDescriptor opened(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.is_open()) ::fsync(opened.number());
}

}  // namespace

struct AtomicFile::State {
  std::string path;       // as given, for messages
  std::string target;     // after links
  std::string temporary;  // empty: written directly, or committed
  mode_t mode = 0644;
  FileDescriptor file{-1};
  std::string gathered;

  ~State() {
    if (!temporary.empty()) ::unlink(temporary.c_str());
  }

  Status flush() {
    std::string_view bytes = gathered;
    while (!bytes.empty()) {
      const ssize_t n = ::write(file.number(), bytes.data(), bytes.size());
      if (n < 0) {
        if (errno == EINTR) continue;
        return system_error("write", path, errno);
      }
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    gathered.clear();
    return {};
  }
};

AtomicFile::AtomicFile(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;
AtomicFile::~AtomicFile() = default;

Result<AtomicFile> AtomicFile::open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->target = resolve_links(path);
  struct stat status = {};
  if (::stat(state->target.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) return system_error("write", path, EISDIR);
    if (!S_ISREG(status.st_mode)) {
      state->file = FileDescriptor(
          ::open(state->target.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY));
      if (!state->file.is_open()) return system_error("write", path, errno);
      return AtomicFile(std::move(state));
    }
    state->mode = status.st_mode & 07777;
  }
  std::string temporary = state->target + ".XXXXXX";
  state->file = FileDescriptor(::mkostemp(temporary.data(), O_CLOEXEC));
  if (!state->file.is_open()) return system_error("write", path, errno);
  state->temporary = std::move(temporary);
  return AtomicFile(std::move(state));
}

Status AtomicFile::write(std::string_view bytes) {
  state_->gathered.append(bytes);
  if (state_->gathered.size() < kGatheredBytes) return {};
  return state_->flush();
}

Status AtomicFile::commit() {
  if (Status status = state_->flush(); !status) return status;
  if (state_->temporary.empty()) return {};
  const int number = state_->file.number();
  if (::fchmod(number, state_->mode) != 0 || ::fsync(number) != 0 ||
      ::rename(state_->temporary.c_str(), state_->target.c_str()) != 0) {
    return system_error("write", state_->path, errno);
  }
  state_->temporary.clear();
  sync_folder_of(state_->target);
  return {};
}

}  // namespace trainsight::io
