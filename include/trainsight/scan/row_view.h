// RowView: one row of a data set, whatever file it came from.
//
// A row is a flat array of Values in depth-first order ("tape"): an object or
// array is followed by its children, and `next` jumps over a whole subtree.
// JSON, CSV, Parquet and Arrow readers all fill the same tape, so nothing above
// this layer knows the format, and columnar rows never become JSON. JSON text
// is not unescaped until something needs it: a text points at the bytes between
// its quotes and says so in `encoding`.
//
// All pointers look into memory that the reader owns and are valid only inside
// the visitor call that received the row. Thread-safety: plain data.
#ifndef TRAINSIGHT_SCAN_ROW_VIEW_H_
#define TRAINSIGHT_SCAN_ROW_VIEW_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "trainsight/text/text_view.h"

namespace trainsight::scan {

enum class ValueKind : std::uint8_t {
  kNull,
  kBool,
  kInteger,  ///< fits an int64
  kReal,     ///< any other number
  kText,
  kNumbers,  ///< an array of numbers alone, stored as one value (not kArray)
  kArray,
  kObject,
};

/// How the elements of a kNumbers value are stored.
enum class NumberStorage : std::uint8_t {
  kJson,  ///< JSON text between the brackets: "1, 2,3"
  kInt8,
  kInt16,
  kInt32,
  kInt64,
  kUint8,
  kUint16,
  kUint32,
  kFloat,
  kDouble,
};

/// One value of the tape. 48 bytes.
struct Value {
  /// Member name in UTF-8, unescaped; empty for array elements and the root.
  std::string_view key;
  /// kText: its bytes. kNumbers: its elements, or nullptr when only their
  /// number is known (a Megatron index without its .bin). kArray, kObject: the
  /// JSON text of the whole value, or nullptr where there is none (columnar
  /// formats).
  const char* data = nullptr;
  union {
    bool boolean;             ///< kBool
    std::int64_t integer;     ///< kInteger
    double real;              ///< kReal
    std::uint64_t bytes = 0;  ///< kText, kNumbers, kArray, kObject: of `data`
  };
  /// kArray, kObject: number of children. kNumbers: number of elements. kText:
  /// how many bytes shorter its UTF-8 is than `bytes` (0 when not escaped).
  std::uint32_t count = 0;
  /// Index in the tape one past this value's subtree.
  std::uint32_t next = 0;
  ValueKind kind = ValueKind::kNull;
  text::Encoding encoding = text::Encoding::kUtf8;  ///< of a kText
  NumberStorage storage = NumberStorage::kJson;     ///< of a kNumbers
  /// kText: holds an escaped surrogate without its other half.
  bool lone_surrogate = false;
  /// kObject: a member name stands twice (the last one counts).
  bool duplicate_keys = false;
  /// kNumbers: an element is no kInteger.
  bool has_reals = false;

  [[nodiscard]] bool is(ValueKind k) const { return kind == k; }
  /// REQUIRES: kText.
  [[nodiscard]] text::TextView text() const {
    return {std::string_view(data, bytes), encoding, count};
  }
  /// Size of the text in UTF-8, unescaped; O(1), no look at the bytes. Of a
  /// mapped file these can change under our hands: never size a buffer by it.
  /// REQUIRES: kText.
  [[nodiscard]] std::uint64_t utf8_bytes() const { return bytes - count; }
  /// The JSON text of an array or object; empty in columnar formats.
  [[nodiscard]] std::string_view raw() const {
    return data == nullptr ? std::string_view() : std::string_view(data, bytes);
  }
};

/// One row. `values[0]` is the row itself: an object in all formats but plain
/// text, whose rows are an object with the one member "text" as well.
struct RowView {
  std::span<const Value> values;
  std::string_view raw;      ///< the record's own bytes; empty when columnar
  std::uint64_t line = 0;    ///< from 1, relative to the batch (see reader.h)
  std::uint64_t offset = 0;  ///< byte offset of the record in its file
  std::uint64_t row = 0;     ///< from 0, relative to the batch
  /// Hash of the keys and kinds of the row, array elements folded together:
  /// rows with equal skeletons have the same shape (up to 2^-64).
  std::uint64_t skeleton = 0;

  [[nodiscard]] const Value& root() const { return values[0]; }
  [[nodiscard]] std::uint32_t index_of(const Value& v) const {
    return static_cast<std::uint32_t>(&v - values.data());
  }
  /// The first child of an array or object; nullptr when it has none.
  [[nodiscard]] const Value* first_child(const Value& v) const {
    return v.count == 0 || v.kind < ValueKind::kArray ? nullptr : &v + 1;
  }
  /// The next child of `parent` after `child`, or nullptr.
  [[nodiscard]] const Value* next_child(const Value& parent,
                                        const Value& child) const {
    return child.next == parent.next ? nullptr : &values[child.next];
  }
  /// The member `name` of an object (the last one of that name, as in Python),
  /// or nullptr; also nullptr when `object` is no object.
  [[nodiscard]] const Value* member(const Value& object,
                                    std::string_view name) const {
    const Value* found = nullptr;
    if (object.kind != ValueKind::kObject) return nullptr;
    for (const Value* v = first_child(object); v != nullptr;
         v = next_child(object, *v)) {
      if (v->key == name) found = v;
    }
    return found;
  }
};

/// Calls `visit(std::int64_t)` for each element of a kNumbers value; a real
/// number that is no integer is given as its truncation (beyond an int64, the
/// nearest one; NaN as 0). Nothing when only the number of elements is known.
template <typename Visit>
void for_each_integer(const Value& numbers, Visit&& visit);

}  // namespace trainsight::scan

#include "trainsight/scan/numbers_inl.h"

#endif  // TRAINSIGHT_SCAN_ROW_VIEW_H_
