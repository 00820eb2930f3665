// A ByteSource of bytes in memory, mapped or streamed, for tests and fuzzers.
#ifndef TRAINSIGHT_TESTS_SUPPORT_MEMORY_SOURCE_H_
#define TRAINSIGHT_TESTS_SUPPORT_MEMORY_SOURCE_H_

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trainsight/io/byte_source.h"

namespace trainsight::tests {

class MemorySource final : public io::ByteSource {
 public:
  /// `step`: the most bytes that one read() gives; 0 makes the source mapped.
  explicit MemorySource(std::string_view bytes, std::size_t step = 0,
                        std::string name = "memory")
      : size_(bytes.size()), step_(step), name_(std::move(name)) {
    bytes_.assign(bytes.begin(), bytes.end());
    bytes_.resize(size_ + kPadding, '\0');
  }
  /// The read() that would pass `offset` fails with `error` instead.
  void fail_at(std::uint64_t offset, Error error) {
    fail_at_ = offset;
    error_ = std::move(error);
  }

  [[nodiscard]] const std::string& name() const override { return name_; }
  [[nodiscard]] bool is_mapped() const override { return step_ == 0; }
  [[nodiscard]] std::uint64_t size() const override { return size_; }
  [[nodiscard]] std::string_view view(std::uint64_t offset,
                                      std::uint64_t length) const override {
    if (offset >= size_) return {bytes_.data() + size_, 0};
    return {bytes_.data() + offset,
            static_cast<std::size_t>(std::min(length, size_ - offset))};
  }
  Result<std::size_t> read(std::span<char> buffer) override {
    std::uint64_t end = error_ ? std::min(fail_at_, size_) : size_;
    const std::size_t count = static_cast<std::size_t>(std::min(
        {static_cast<std::uint64_t>(buffer.size()), end - at_,
         static_cast<std::uint64_t>(std::max<std::size_t>(step_, 1))}));
    if (count == 0 && error_ && !buffer.empty()) return *error_;
    if (count > 0) std::memcpy(buffer.data(), bytes_.data() + at_, count);
    at_ += count;
    return count;
  }
  void release(std::uint64_t, std::uint64_t) const override {}
  [[nodiscard]] Status check() const override { return {}; }

 private:
  static constexpr std::size_t kPadding = 64;
  std::vector<char> bytes_;
  std::uint64_t size_;
  std::size_t step_;
  std::string name_;
  std::uint64_t at_ = 0;
  std::uint64_t fail_at_ = 0;
  std::optional<Error> error_;
};

}  // namespace trainsight::tests

#endif  // TRAINSIGHT_TESTS_SUPPORT_MEMORY_SOURCE_H_
