// PageValues: the values of one Parquet page (nulls left out), a block at a
// time, whatever their type and encoding.
//
// Values come as one of three stored forms: whole numbers, real numbers, bytes.
// Bytes point into the page or the dictionary, or into memory of the block for
// DELTA_BYTE_ARRAY, whose values are put together from prefixes and suffixes.
#ifndef TRAINSIGHT_SCAN_PARQUET_VALUES_H_
#define TRAINSIGHT_SCAN_PARQUET_VALUES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "scan/parquet_encodings.h"
#include "scan/parquet_schema.h"

namespace trainsight::scan::parquet {

enum class Stored : std::uint8_t {
  kIntegers,  ///< booleans, int32, int64, int96 (nanoseconds since 1970)
  kReals,     ///< float, double
  kBytes,     ///< byte arrays of any and of fixed length
};
Stored stored_form_of(PhysicalType type);

/// Values in the stored form of their column; the other vectors are empty.
struct ValueBlock {
  std::vector<std::int64_t> integers;
  std::vector<double> reals;
  std::vector<std::string_view> bytes;
  /// Of bytes that are text by their type or may be: whether they are UTF-8.
  std::vector<std::uint8_t> is_utf8;
};

/// A dictionary page, decoded. Its bytes point into the page.
using Dictionary = ValueBlock;

class PageValues {
 public:
  /// Values to come from `page`, of which there are `count`. `dictionary` may
  /// be null; like the page it must outlive this object. An error message for
  /// an encoding that the type does not have, or a damaged header.
  std::string start(std::string_view page, Encoding encoding, const Leaf& leaf,
                    std::uint64_t count, const Dictionary* dictionary);

  /// Decodes up to `count` values into `block`, which is overwritten; the
  /// number given, 0 when the page is damaged or used up. Fewer than asked for
  /// when the block's own memory would grow beyond 4 MiB.
  std::size_t read(std::size_t count, ValueBlock& block);

  /// Memory that the bytes of the last block point to; null when there is none.
  std::shared_ptr<char[]> take_arena() { return std::move(arena_); }

  /// Decodes a PLAIN dictionary page of `count` values; false when damaged.
  static bool read_dictionary(std::string_view page, const Leaf& leaf,
                              std::uint64_t count, Dictionary& dictionary);

 private:
  std::size_t read_plain(std::size_t count, ValueBlock& block);
  std::size_t read_booleans(std::size_t count, ValueBlock& block);
  std::size_t read_indexes(std::size_t count, ValueBlock& block);
  std::size_t read_delta_lengths(std::size_t count, ValueBlock& block);
  std::size_t read_delta_strings(std::size_t count, ValueBlock& block);
  std::size_t read_split(std::size_t count, ValueBlock& block);
  std::string start_delta_strings(std::string_view page);
  void check_text(std::size_t count, ValueBlock& block) const;

  const Leaf* leaf_ = nullptr;
  const Dictionary* dictionary_ = nullptr;
  Encoding encoding_ = Encoding::kPlain;
  std::string_view page_;
  std::size_t at_ = 0;            // PLAIN: in bytes; booleans: in bits
  std::uint64_t left_ = 0;        // values
  std::size_t split_values_ = 0;  // BYTE_STREAM_SPLIT: in the page
  RleDecoder rle_;
  DeltaDecoder lengths_;  // of suffixes
  DeltaDecoder prefixes_;
  std::string previous_;  // DELTA_BYTE_ARRAY
  std::shared_ptr<char[]> arena_;
  std::vector<std::uint32_t> indexes_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::int64_t> prefix_numbers_;
  std::size_t number_at_ = 0;
};

}  // namespace trainsight::scan::parquet

#endif  // TRAINSIGHT_SCAN_PARQUET_VALUES_H_
