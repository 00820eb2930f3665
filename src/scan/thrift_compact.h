// ThriftReader: values in Thrift's compact protocol, read in place.
//
// Parquet's footer and page headers are written in it. A bounds-checked cursor:
// after a fault every read gives 0 and ok() is false, so callers check once at
// the end. Nothing is allocated, and nothing is read outside `bytes`.
//
// Source: Apache Thrift, "Thrift Compact protocol encoding"
// (doc/specs/thrift-compact-protocol.md): varints, zigzag, field headers with
// id deltas, lists with short and long sizes. Thread-safety: plain value.
#ifndef TRAINSIGHT_SCAN_THRIFT_COMPACT_H_
#define TRAINSIGHT_SCAN_THRIFT_COMPACT_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trainsight::scan {

enum class ThriftType : std::uint8_t {
  kStop = 0,
  kTrue = 1,  // in a field header the value itself; in a list, "a bool"
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
};

class ThriftReader {
 public:
  explicit ThriftReader(std::string_view bytes) : bytes_(bytes) {}

  struct Field {
    std::int16_t id = 0;
    ThriftType type = ThriftType::kStop;
  };
  struct List {
    ThriftType type = ThriftType::kStop;
    std::uint32_t size = 0;  ///< at most the bytes left
  };

  /// The next field of a struct; kStop at its end, or after a fault.
  /// `previous_id` is 0 at its beginning, then the id before.
  Field field(std::int16_t previous_id);
  /// An i16, i32 or i64; a byte as well.
  std::int64_t integer(ThriftType type);
  /// An integer that must fit an int32.
  std::int32_t int32(ThriftType type);
  std::string_view binary(ThriftType type);
  List list(ThriftType type);
  /// Whether `type` may stand here; a fault otherwise.
  bool expect(ThriftType type, ThriftType wanted);
  /// Passes over a value of any type, to a depth of 32.
  void skip(ThriftType type, int depth = 0);

  [[nodiscard]] bool ok() const { return ok_; }
  /// Bytes read so far.
  [[nodiscard]] std::size_t offset() const { return at_; }
  void fail() { ok_ = false; }

 private:
  std::uint64_t varint();
  std::uint8_t byte();

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool ok_ = true;
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_THRIFT_COMPACT_H_
