// ProtobufReader: the fields of a protocol buffers message, one by one.
//
// Enough to read SentencePiece's model files; every length is checked.
// Source: Protocol Buffers documentation, "Encoding".
// Thread-safety: a plain value over bytes that it does not own.
#ifndef TRAINSIGHT_TOKENIZE_PROTOBUF_READER_H_
#define TRAINSIGHT_TOKENIZE_PROTOBUF_READER_H_

#include <cstdint>
#include <cstring>
#include <string_view>

namespace trainsight::tokenize {

/// One field: its number, and its value by wire type.
struct ProtobufField {
  std::uint32_t number = 0;
  std::uint64_t varint = 0;  ///< wire type 0, and bits of types 1 and 5
  std::string_view bytes;    ///< wire type 2

  /// Of a field of wire type 5.
  [[nodiscard]] float as_float() const {
    const auto bits = static_cast<std::uint32_t>(varint);
    float value = 0.0F;
    std::memcpy(&value, &bits, sizeof value);
    return value;
  }
};

class ProtobufReader {
 public:
  explicit ProtobufReader(std::string_view message) : left_(message) {}

  /// The next field, or false at the end and where the message is broken.
  bool next(ProtobufField& field) {
    std::uint64_t key = 0;
    if (left_.empty() || broken_ || !read_varint(key)) return false;
    field = ProtobufField{};
    field.number = static_cast<std::uint32_t>(key >> 3);
    switch (key & 7) {
      case 0:
        return read_varint(field.varint);
      case 1:
        return read_fixed(8, field.varint);
      case 2: {
        std::uint64_t size = 0;
        if (!read_varint(size)) return false;
        if (size > left_.size()) return fail();
        field.bytes = left_.substr(0, size);
        left_.remove_prefix(size);
        return true;
      }
      case 5:
        return read_fixed(4, field.varint);
      default:
        return fail();
    }
  }
  /// Whether next() ended because the message is not well-formed.
  [[nodiscard]] bool is_broken() const { return broken_; }

 private:
  bool fail() {
    broken_ = true;
    return false;
  }
  bool read_varint(std::uint64_t& value) {
    value = 0;
    for (int shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<unsigned char>(left_[0]);
      left_.remove_prefix(1);
      value |= std::uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) return true;
    }
    return fail();
  }
  bool read_fixed(std::size_t size, std::uint64_t& value) {
    if (left_.size() < size) return fail();
    value = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const auto byte = static_cast<unsigned char>(left_[i]);
      value |= std::uint64_t{byte} << (8 * i);
    }
    left_.remove_prefix(size);
    return true;
  }

  std::string_view left_;
  bool broken_ = false;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_PROTOBUF_READER_H_
