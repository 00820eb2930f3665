#include "scan/thrift_compact.h"

#include <limits>

namespace trainsight::scan {
namespace {

constexpr int kMaxDepth = 32;

std::int64_t zigzag(std::uint64_t value) {
  return static_cast<std::int64_t>((value >> 1) ^ (~(value & 1) + 1));
}

}  // namespace

std::uint8_t ThriftReader::byte() {
  if (!ok_ || at_ >= bytes_.size()) {
    ok_ = false;
    return 0;
  }
  return static_cast<std::uint8_t>(bytes_[at_++]);
}

std::uint64_t ThriftReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint8_t next = byte();
    value |= static_cast<std::uint64_t>(next & 0x7F) << shift;
    if ((next & 0x80) == 0) return ok_ ? value : 0;
  }
  ok_ = false;
  return 0;
}

bool ThriftReader::expect(ThriftType type, ThriftType wanted) {
  if (type != wanted) ok_ = false;
  return ok_;
}

ThriftReader::Field ThriftReader::field(std::int16_t previous_id) {
  const std::uint8_t header = byte();
  const auto type = static_cast<ThriftType>(header & 0x0F);
  if (!ok_ || type == ThriftType::kStop) return {};
  if (type > ThriftType::kStruct) {
    ok_ = false;
    return {};
  }
  const int delta = header >> 4;
  const std::int64_t id = delta != 0 ? previous_id + delta : zigzag(varint());
  if (!ok_ || id < std::numeric_limits<std::int16_t>::min() ||
      id > std::numeric_limits<std::int16_t>::max()) {
    ok_ = false;
    return {};
  }
  return {static_cast<std::int16_t>(id), type};
}

std::int64_t ThriftReader::integer(ThriftType type) {
  switch (type) {
    case ThriftType::kByte:
      return static_cast<std::int8_t>(byte());
    case ThriftType::kI16:
    case ThriftType::kI32:
    case ThriftType::kI64:
      return zigzag(varint());
    default:
      ok_ = false;
      return 0;
  }
}

std::int32_t ThriftReader::int32(ThriftType type) {
  const std::int64_t value = integer(type);
  if (value < std::numeric_limits<std::int32_t>::min() ||
      value > std::numeric_limits<std::int32_t>::max()) {
    ok_ = false;
    return 0;
  }
  return static_cast<std::int32_t>(value);
}

std::string_view ThriftReader::binary(ThriftType type) {
  if (!expect(type, ThriftType::kBinary)) return {};
  const std::uint64_t size = varint();
  if (!ok_ || size > bytes_.size() - at_) {
    ok_ = false;
    return {};
  }
  const std::string_view value = bytes_.substr(at_, size);
  at_ += size;
  return value;
}

ThriftReader::List ThriftReader::list(ThriftType type) {
  if (type != ThriftType::kSet && !expect(type, ThriftType::kList)) return {};
  const std::uint8_t header = byte();
  std::uint64_t size = header >> 4;
  if (size == 15) size = varint();
  const auto element = static_cast<ThriftType>(header & 0x0F);
  // Every element takes a byte, so a longer list is a lie.
  if (!ok_ || size > bytes_.size() - at_ || element > ThriftType::kStruct ||
      (element == ThriftType::kStop && size > 0)) {
    ok_ = false;
    return {};
  }
  return {element, static_cast<std::uint32_t>(size)};
}

void ThriftReader::skip(ThriftType type, int depth) {
  if (depth > kMaxDepth) ok_ = false;
  if (!ok_) return;
  switch (type) {
    case ThriftType::kStop:
      ok_ = false;
      return;
    case ThriftType::kTrue:
    case ThriftType::kFalse:
      return;  // of a field; elements of lists take a byte, see below
    case ThriftType::kByte:
      byte();
      return;
    case ThriftType::kI16:
    case ThriftType::kI32:
    case ThriftType::kI64:
      varint();
      return;
    case ThriftType::kDouble:
      for (int i = 0; i < 8; ++i) byte();
      return;
    case ThriftType::kBinary:
      binary(type);
      return;
    case ThriftType::kList:
    case ThriftType::kSet: {
      const List elements = list(type);
      for (std::uint32_t i = 0; i < elements.size && ok_; ++i) {
        const bool is_bool = elements.type <= ThriftType::kFalse;
        skip(is_bool ? ThriftType::kByte : elements.type, depth + 1);
      }
      return;
    }
    case ThriftType::kMap: {
      const std::uint64_t size = varint();
      if (!ok_ || size > bytes_.size() - at_) {
        ok_ = false;
        return;
      }
      if (size == 0) return;
      const std::uint8_t types = byte();
      for (std::uint64_t i = 0; i < size && ok_; ++i) {
        for (const int part : {types >> 4, types & 0x0F}) {
          const auto element = static_cast<ThriftType>(part);
          skip(element == ThriftType::kTrue || element == ThriftType::kFalse
                   ? ThriftType::kByte
                   : element,
               depth + 1);
        }
      }
      return;
    }
    case ThriftType::kStruct: {
      std::int16_t id = 0;
      while (ok_) {
        const Field next = field(id);
        if (next.type == ThriftType::kStop) return;
        id = next.id;
        skip(next.type, depth + 1);
      }
      return;
    }
  }
  ok_ = false;
}

}  // namespace trainsight::scan
