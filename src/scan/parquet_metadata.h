// The metadata of a Parquet file: footer, row groups, page headers.
//
// Only what reading needs is kept. Row groups are parsed one at a time, when
// they are reached: a footer of any size costs no more memory than its longest
// row group's columns.
//
// Source: Apache Parquet format 2.10, parquet.thrift (field numbers and
// enumerations below are its own) and README.md, "File format".
// Thread-safety: plain values.
#ifndef TRAINSIGHT_SCAN_PARQUET_METADATA_H_
#define TRAINSIGHT_SCAN_PARQUET_METADATA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scan/thrift_compact.h"
#include "trainsight/core/result.h"

namespace trainsight::scan::parquet {

enum class PhysicalType : std::int32_t {
  kBoolean = 0,
  kInt32 = 1,
  kInt64 = 2,
  kInt96 = 3,  // nanoseconds of the day (8 bytes), Julian day (4 bytes)
  kFloat = 4,
  kDouble = 5,
  kByteArray = 6,
  kFixedLenByteArray = 7,
};

enum class Repetition : std::int32_t {
  kRequired = 0,
  kOptional = 1,
  kRepeated = 2,
};

enum class Encoding : std::int32_t {
  kPlain = 0,
  kPlainDictionary = 2,
  kRle = 3,
  kBitPacked = 4,
  kDeltaBinaryPacked = 5,
  kDeltaLengthByteArray = 6,
  kDeltaByteArray = 7,
  kRleDictionary = 8,
  kByteStreamSplit = 9,
};

enum class Codec : std::int32_t {
  kUncompressed = 0,
  kSnappy = 1,
  kGzip = 2,
  kLzo = 3,
  kBrotli = 4,
  kLz4 = 5,
  kZstd = 6,
  kLz4Raw = 7,
};

/// What the bytes of a column mean, from logical and converted types.
enum class Meaning : std::uint8_t {
  kNone,
  kText,     ///< STRING, ENUM, JSON
  kDecimal,  ///< unscaled integer of 10^-scale
  kUnsigned,
  kFloat16,
  kUuid,
  kList,
  kMap,
  kBinary,  ///< BSON, and geometry types
};

struct SchemaElement {
  std::optional<PhysicalType> type;  ///< nullopt: a group
  std::int32_t type_length = 0;
  Repetition repetition = Repetition::kRequired;
  std::string name;
  std::int32_t num_children = 0;
  std::int32_t scale = 0;
  Meaning meaning = Meaning::kNone;
};

struct ColumnChunk {
  PhysicalType type = PhysicalType::kBoolean;
  Codec codec = Codec::kUncompressed;
  std::int64_t num_values = 0;  ///< with nulls
  std::int64_t uncompressed_bytes = 0;
  std::int64_t compressed_bytes = 0;
  std::int64_t data_page_offset = 0;
  std::int64_t dictionary_page_offset = 0;  ///< 0: none
};

struct RowGroup {
  std::vector<ColumnChunk> columns;
  std::int64_t num_rows = 0;
};

/// A file's footer, its row groups not yet parsed.
class FileMetadata {
 public:
  /// `footer`: the serialised FileMetaData, which must outlive this object.
  /// Errors without the file's name: kCorrupt, kLimit, kUnsupported
  /// (encrypted).
  static Result<FileMetadata> parse(std::string_view footer);

  /// The schema's elements in depth-first order, the root first.
  [[nodiscard]] const std::vector<SchemaElement>& schema() const {
    return schema_;
  }
  [[nodiscard]] std::int64_t num_rows() const { return num_rows_; }
  [[nodiscard]] std::uint32_t num_row_groups() const { return num_groups_; }

  /// The next row group, in file order, with `columns` columns each; nullopt
  /// at the end.
  Result<std::optional<RowGroup>> next_row_group(std::size_t columns);

 private:
  FileMetadata() : groups_(std::string_view()) {}
  std::vector<SchemaElement> schema_;
  std::int64_t num_rows_ = 0;
  ThriftReader groups_;  // at the next row group
  std::uint32_t num_groups_ = 0;
  std::uint32_t next_group_ = 0;
};

enum class PageKind : std::int32_t {
  kData = 0,
  kIndex = 1,
  kDictionary = 2,
  kDataV2 = 3,
};

struct PageHeader {
  PageKind kind = PageKind::kData;
  std::int32_t uncompressed_bytes = 0;
  std::int32_t compressed_bytes = 0;
  std::int32_t num_values = 0;  ///< with nulls
  Encoding encoding = Encoding::kPlain;
  Encoding definition_encoding = Encoding::kRle;  ///< version 1
  Encoding repetition_encoding = Encoding::kRle;  ///< version 1
  std::int32_t num_rows = 0;                      ///< version 2
  std::int32_t definition_bytes = 0;              ///< version 2
  std::int32_t repetition_bytes = 0;              ///< version 2
  bool values_compressed = true;                  ///< version 2
  std::uint32_t header_bytes = 0;                 ///< of the header itself
};

/// The page header at the beginning of `bytes`; nullopt when it is cut or
/// damaged. No number in it is negative.
std::optional<PageHeader> parse_page_header(std::string_view bytes);

/// "brotli", for messages.
std::string_view codec_name(Codec codec);

}  // namespace trainsight::scan::parquet

#endif  // TRAINSIGHT_SCAN_PARQUET_METADATA_H_
