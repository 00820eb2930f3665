// FlatTable: tables of a FlatBuffers message, read in place with every offset
// checked.
//
// Arrow's metadata are written as flatbuffers. A field that is absent, or whose
// offset leads outside of the buffer, reads as its default: callers check what
// must be there. Nothing is allocated.
//
// Source: FlatBuffers internals (google.github.io/flatbuffers, "FlatBuffer
// Internals"): a table begins with the signed distance back to its vtable; the
// vtable is {its bytes, the table's bytes, an offset a field, 0 for absent}.
// Thread-safety: plain values.
#ifndef TRAINSIGHT_SCAN_FLATBUFFER_VIEW_H_
#define TRAINSIGHT_SCAN_FLATBUFFER_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace trainsight::scan {

class FlatTable;

/// A vector of scalars, structs or tables.
class FlatVector {
 public:
  FlatVector() = default;
  FlatVector(std::string_view buffer, std::size_t at, std::uint32_t size)
      : buffer_(buffer), at_(at), size_(size) {}
  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// The bytes of element `i` of `bytes` bytes; empty when it does not fit.
  [[nodiscard]] std::string_view element(std::uint32_t i,
                                         std::size_t bytes) const {
    const std::uint64_t begin = at_ + std::uint64_t{i} * bytes;
    if (i >= size_ || begin > buffer_.size() ||
        buffer_.size() - begin < bytes) {
      return {};
    }
    return buffer_.substr(begin, bytes);
  }
  /// Whether all elements of `bytes` bytes lie in the buffer.
  [[nodiscard]] bool fits(std::size_t bytes) const {
    return size_ == 0 || !element(size_ - 1, bytes).empty();
  }
  /// Element `i` of a vector of tables.
  [[nodiscard]] std::optional<FlatTable> table(std::uint32_t i) const;

 private:
  std::string_view buffer_;
  std::size_t at_ = 0;
  std::uint32_t size_ = 0;
};

class FlatTable {
 public:
  /// The root table of `buffer`.
  static std::optional<FlatTable> root(std::string_view buffer) {
    return at_offset(buffer, 0);
  }
  /// The table that the offset stored at `at` leads to.
  static std::optional<FlatTable> at_offset(std::string_view buffer,
                                            std::size_t at);

  template <typename T>
  [[nodiscard]] T scalar(int field, T otherwise) const {
    const std::size_t at = position(field);
    T value = otherwise;
    if (at != 0 && buffer_.size() - at >= sizeof(T)) {
      std::memcpy(&value, buffer_.data() + at, sizeof(T));
    }
    return value;
  }
  [[nodiscard]] bool boolean(int field, bool otherwise) const {
    return scalar<std::uint8_t>(field, otherwise ? 1 : 0) != 0;
  }
  [[nodiscard]] std::optional<FlatTable> table(int field) const;
  [[nodiscard]] std::string_view string(int field) const;
  /// Empty when absent.
  [[nodiscard]] FlatVector vector(int field) const;

 private:
  FlatTable(std::string_view buffer, std::size_t at, std::size_t vtable,
            std::size_t vtable_bytes)
      : buffer_(buffer),
        at_(at),
        vtable_(vtable),
        vtable_bytes_(vtable_bytes) {}
  // Of the field in the buffer; 0 when absent or outside.
  [[nodiscard]] std::size_t position(int field) const;

  std::string_view buffer_;
  std::size_t at_;
  std::size_t vtable_;
  std::size_t vtable_bytes_;
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_FLATBUFFER_VIEW_H_
