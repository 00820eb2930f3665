#include "io/stream_source.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "io/system_error.h"

namespace trainsight::io {
namespace {

// One read(2) moves at most this much, well below what the kernel allows.
constexpr std::size_t kReadBytes = std::size_t{1} << 30;

class StreamSource final : public ByteSource {
 public:
  StreamSource(FileDescriptor file, std::string name)
      : file_(std::move(file)), name_(std::move(name)) {}

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool is_mapped() const override { return false; }
  [[nodiscard]] std::uint64_t size() const override { return 0; }
  [[nodiscard]] std::string_view view(std::uint64_t,
                                      std::uint64_t) const override {
    return {};
  }
  void release(std::uint64_t, std::uint64_t) const override {}
  [[nodiscard]] Status check() const override { return {}; }

  Result<std::size_t> read(std::span<char> buffer) override {
    for (;;) {
      const ssize_t got = ::read(file_.number(), buffer.data(),
                                 std::min(buffer.size(), kReadBytes));
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) return system_error("read", name_, errno);
    }
  }

 private:
  FileDescriptor file_;
  std::string name_;
};

}  // namespace

std::unique_ptr<ByteSource> stream_file(FileDescriptor file, std::string name) {
  return std::make_unique<StreamSource>(std::move(file), std::move(name));
}

}  // namespace trainsight::io
