// Arrays of an Arrow record batch: views of its buffers, checked once so that
// values can be read without further thought.
//
// After make_arrays() every buffer is long enough for its array's length, and
// children are long enough for their parents; offsets are checked when they are
// used, since they are data.
//
// Source: Apache Arrow columnar format 1.5, "Physical Memory Layout" and
// "Serialization and Interprocess Communication (IPC)"; Message.fbs.
// Thread-safety: plain data.
#ifndef TRAINSIGHT_SCAN_ARROW_ARRAY_H_
#define TRAINSIGHT_SCAN_ARROW_ARRAY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "scan/arrow_schema.h"
#include "scan/flatbuffer_view.h"
#include "scan/page_codec.h"
#include "trainsight/core/result.h"
#include "trainsight/scan/reader.h"

namespace trainsight::scan::arrow {

struct Array {
  const Field* field = nullptr;
  /// The values are indexes into field->dictionary.
  bool is_index = false;
  std::uint64_t length = 0;
  std::string_view validity;  ///< empty: no nulls
  std::string_view offsets;   ///< kText, kBinary, kList; views of view types
  std::string_view values;    ///< of fixed width, bits of kBool, bytes
  std::vector<std::string_view> more;  ///< data buffers of view types
  std::vector<Array> children;
};

/// The arrays of one record batch and the memory that they point to, where it
/// is not the file's own.
struct Arrays {
  std::vector<Array> columns;
  std::uint64_t length = 0;  ///< rows
  std::vector<std::shared_ptr<char[]>> memory;
  std::uint64_t inflated_bytes = 0;  ///< of buffers that were compressed
};

/// A part of a dictionary: values [begin, begin + length of its one column).
struct DictionaryPart {
  std::uint64_t begin = 0;
  std::shared_ptr<const Arrays> arrays;
};
/// Dictionaries by id; in several parts, in order, after deltas.
using Dictionaries = std::map<std::int64_t, std::vector<DictionaryPart>>;

/// The arrays that `batch`, a RecordBatch table, describes in `body`.
/// `fields`: the types of its columns, which must outlive the result. With
/// `as_values` the dictionaries' value types are meant, not their indexes.
/// Errors: kCorrupt, kLimit (a bomb), kUnsupported (an unknown compression).
Result<Arrays> make_arrays(const FlatTable& batch, std::string_view body,
                           std::vector<const Field*> fields, bool as_values,
                           const ReadOptions& options,
                           BlockDecompressor& decompressor);

}  // namespace trainsight::scan::arrow

#endif  // TRAINSIGHT_SCAN_ARROW_ARRAY_H_
