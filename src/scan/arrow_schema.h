// The schema of an Arrow IPC stream: a tree of fields.
//
// Source: Apache Arrow columnar format 1.5, Schema.fbs and Message.fbs (table
// field numbers are theirs). Thread-safety: plain data.
#ifndef TRAINSIGHT_SCAN_ARROW_SCHEMA_H_
#define TRAINSIGHT_SCAN_ARROW_SCHEMA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scan/flatbuffer_view.h"
#include "trainsight/core/result.h"

namespace trainsight::scan::arrow {

enum class Kind : std::uint8_t {
  kNull,
  kBool,
  kInteger,  ///< also dates, times, timestamps, durations, months
  kReal,     ///< half, float, double by `width`
  kDecimal,  ///< 128 or 256 bits, by `width`
  kText,
  kBinary,
  kFixedBinary,  ///< `width` bytes; also intervals of several parts
  kList,         ///< also a map, as a list of its entries
  kFixedList,    ///< `list_size` elements
  kStruct,
};

struct Field {
  std::string name;
  Kind kind = Kind::kNull;
  bool is_signed = true;    ///< kInteger
  bool is_view = false;     ///< kText, kBinary: 16-byte views
  std::uint32_t width = 0;  ///< bytes of a value; of an offset for kText,
                            ///< kBinary and kList
  std::int32_t scale = 0;   ///< kDecimal
  std::uint64_t list_size = 0;
  std::vector<Field> children;
  /// Values are indexes into this dictionary, of this width and sign; the rest
  /// of the field describes the dictionary's values.
  std::optional<std::int64_t> dictionary;
  std::uint32_t index_width = 4;
  bool index_is_signed = true;
};

/// Deeper nesting is refused.
inline constexpr int kMaxDepth = 64;

/// Errors: kUnsupported for types that rows cannot hold (unions, run-end
/// encoding, list views) and big-endian files; kCorrupt; kLimit.
Result<std::vector<Field>> parse_schema(const FlatTable& schema);

}  // namespace trainsight::scan::arrow

#endif  // TRAINSIGHT_SCAN_ARROW_SCHEMA_H_
