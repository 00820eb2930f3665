#include "scan/head_source.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "trainsight/scan/format_table.h"

namespace trainsight::scan {
namespace {

// A stream with its beginning put back.
class HeadSource final : public io::ByteSource {
 public:
  HeadSource(std::vector<char> head, std::optional<Error> error,
             std::unique_ptr<io::ByteSource> rest)
      : head_(std::move(head)),
        error_(std::move(error)),
        rest_(std::move(rest)) {}

  [[nodiscard]] const std::string& name() const override {
    return rest_->name();
  }
  [[nodiscard]] bool is_mapped() const override { return false; }
  [[nodiscard]] std::uint64_t size() const override { return 0; }
  [[nodiscard]] std::string_view view(std::uint64_t,
                                      std::uint64_t) const override {
    return {};
  }
  void release(std::uint64_t, std::uint64_t) const override {}
  [[nodiscard]] Status check() const override { return rest_->check(); }

  Result<std::size_t> read(std::span<char> buffer) override {
    if (used_ < head_.size()) {
      const std::size_t bytes = std::min(buffer.size(), head_.size() - used_);
      std::memcpy(buffer.data(), head_.data() + used_, bytes);
      used_ += bytes;
      return bytes;
    }
    if (error_.has_value()) return *error_;
    return rest_->read(buffer);
  }

 private:
  std::vector<char> head_;
  std::size_t used_ = 0;
  std::optional<Error> error_;  // met while the head was read
  std::unique_ptr<io::ByteSource> rest_;
};

}  // namespace

Result<HeadAndSource> read_head(std::unique_ptr<io::ByteSource> source) {
  HeadAndSource result;
  if (source->is_mapped()) {
    result.head = source->view(0, kHeadBytes);
    result.is_whole = source->size() <= kHeadBytes;
    result.source = std::move(source);
    return result;
  }
  std::vector<char> head(kHeadBytes);
  std::optional<Error> error;
  std::size_t filled = 0;
  while (filled < head.size() && !result.is_whole) {
    const Result<std::size_t> got =
        source->read({head.data() + filled, head.size() - filled});
    if (!got) {
      // Rows before a fault are still given: the error comes in its place.
      if (filled == 0) return got.error();
      error = got.error();
      break;
    }
    result.is_whole = *got == 0;
    filled += *got;
  }
  head.resize(filled);
  head.shrink_to_fit();
  result.head = {head.data(), head.size()};
  result.source = std::make_unique<HeadSource>(
      std::move(head), std::move(error), std::move(source));
  return result;
}

}  // namespace trainsight::scan
