#include "io/mapped_source.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "io/sigbus_guard.h"
#include "io/system_error.h"

namespace trainsight::io {
namespace {

// What must stay the same while a file is read.
struct Identity {
  dev_t device;
  ino_t inode;
  off_t bytes;
  timespec modified;
};

Identity identity_of(const struct stat& s) {
  return {s.st_dev, s.st_ino, s.st_size, s.st_mtim};
}

class MappedSource final : public ByteSource {
 public:
  MappedSource(FileDescriptor file, std::string name, std::string path,
               const Identity& identity, char* base, std::size_t reserved,
               std::size_t page)
      : file_(std::move(file)),
        name_(std::move(name)),
        path_(std::move(path)),
        opened_as_(identity),
        base_(base),
        size_(static_cast<std::uint64_t>(identity.bytes)),
        reserved_(reserved),
        page_(page),
        guard_(std::make_unique<SigbusGuard>(base, reserved)) {}

  MappedSource(const MappedSource&) = delete;
  MappedSource& operator=(const MappedSource&) = delete;

  ~MappedSource() override {
    guard_.reset();
    ::munmap(base_, reserved_);
  }

  [[nodiscard]] bool is_guarded() const { return guard_->is_active(); }
  // Gives the descriptor back to a caller that cannot use the mapping.
  FileDescriptor take_file() { return std::move(file_); }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool is_mapped() const override { return true; }
  [[nodiscard]] std::uint64_t size() const override { return size_; }

  [[nodiscard]] std::string_view view(std::uint64_t offset,
                                      std::uint64_t length) const override {
    if (offset >= size_) return {base_ + size_, 0};
    return {base_ + offset, std::min(length, size_ - offset)};
  }

  Result<std::size_t> read(std::span<char> buffer) override {
    const std::string_view bytes = view(position_, buffer.size());
    if (!bytes.empty()) std::memcpy(buffer.data(), bytes.data(), bytes.size());
    if (guard_->damaged()) return changed();
    position_ += bytes.size();
    return bytes.size();
  }

  void release(std::uint64_t begin, std::uint64_t end) const override {
    // Whole pages inside the range only: others still read its edges.
    const std::uint64_t first = (begin + page_ - 1) / page_ * page_;
    const std::uint64_t last = std::min(end, size_) / page_ * page_;
    if (first < last) ::madvise(base_ + first, last - first, MADV_DONTNEED);
  }

  [[nodiscard]] Status check() const override {
    struct stat now = {};
    if (guard_->damaged()) return changed();
    if (::fstat(file_.number(), &now) != 0) {
      return system_error("read", name_, errno);
    }
    if (now.st_size != opened_as_.bytes ||
        now.st_mtim.tv_sec != opened_as_.modified.tv_sec ||
        now.st_mtim.tv_nsec != opened_as_.modified.tv_nsec) {
      return changed();
    }
    if (path_.empty()) return {};
    if (::stat(path_.c_str(), &now) != 0 || now.st_dev != opened_as_.device ||
        now.st_ino != opened_as_.inode) {
      return Error{ErrorKind::kChanged,
                   fmt::format("{} was replaced while it was read", name_),
                   "run again when nothing writes to it"};
    }
    return {};
  }

 private:
  [[nodiscard]] Error changed() const {
    return Error{ErrorKind::kChanged,
                 fmt::format("{} changed while it was read", name_),
                 "run again when nothing writes to it"};
  }

  FileDescriptor file_;
  std::string name_;
  std::string path_;
  Identity opened_as_;
  char* base_;
  std::uint64_t size_;
  std::size_t reserved_;
  std::size_t page_;
  std::unique_ptr<SigbusGuard> guard_;
  std::uint64_t position_ = 0;  // of read()
};

}  // namespace

std::unique_ptr<ByteSource> map_file(FileDescriptor& file,
                                     const std::string& name,
                                     const std::string& path) {
  struct stat status = {};
  if (::fstat(file.number(), &status) != 0 || status.st_size <= 0) {
    return nullptr;
  }
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto bytes = static_cast<std::size_t>(status.st_size);
  const std::size_t file_pages = (bytes + page - 1) / page * page;
  // One page of zeros after the file's last one: a view at the very end may be
  // read past, as vector code does.
  const std::size_t reserved = file_pages + page;
  void* const base = ::mmap(nullptr, reserved, PROT_READ,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) return nullptr;
  if (::mmap(base, file_pages, PROT_READ, MAP_PRIVATE | MAP_FIXED,
             file.number(), 0) == MAP_FAILED) {
    ::munmap(base, reserved);
    return nullptr;
  }
  ::madvise(base, file_pages, MADV_SEQUENTIAL);
  auto source = std::make_unique<MappedSource>(
      std::move(file), name, path, identity_of(status),
      static_cast<char*>(base), reserved, page);
  if (source->is_guarded()) return source;
  file = source->take_file();
  return nullptr;
}

}  // namespace trainsight::io
