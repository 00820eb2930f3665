// ColumnCursor: one column chunk of a Parquet file, entry by entry.
//
// An entry is a repetition level, a definition level and, when the definition
// level is the column's highest, a value. Pages are read, decompressed and
// decoded as they are reached, a block of 1024 entries at a time: memory is one
// page, its dictionary and one block. Bytes of values stay valid until
// row_done(), also when a row goes over several pages.
//
// Source: parquet-format README.md, "Column chunks", "Data Pages";
// parquet.thrift DataPageHeader, DataPageHeaderV2, DictionaryPageHeader. Not
// thread-safe; cursors do not share anything.
#ifndef TRAINSIGHT_SCAN_PARQUET_COLUMN_H_
#define TRAINSIGHT_SCAN_PARQUET_COLUMN_H_

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scan/page_codec.h"
#include "scan/parquet_metadata.h"
#include "scan/parquet_schema.h"
#include "scan/parquet_values.h"
#include "trainsight/core/result.h"
#include "trainsight/io/byte_source.h"
#include "trainsight/scan/reader.h"

namespace trainsight::scan::parquet {

/// A page to begin at, from a walk over the page headers.
struct PageStart {
  std::uint64_t offset = 0;       ///< in the file
  std::uint64_t first_row = 0;    ///< of the row group
  std::uint64_t first_entry = 0;  ///< of the column chunk
};

/// A page's header and stored bytes.
struct StoredPage {
  PageHeader header;
  std::string_view body;     ///< as stored
  std::uint64_t offset = 0;  ///< of the header in the file
  std::uint64_t next = 0;    ///< of the page behind
};

/// A page's levels, and where its values are.
struct PageParts {
  std::string_view repetition;  ///< RLE, without its length
  std::string_view definition;
  std::string_view values;
};

/// What the decompressed pages of several columns hold at a time, so that a
/// file of many columns cannot claim the limit of one for each of them.
struct PageBudget {
  std::uint64_t inflated_bytes = 0;
  std::uint64_t stored_bytes = 0;  ///< that they came from
};

/// Reads the pages of one column chunk, one after the other.
class PageReader {
 public:
  /// `budget` is shared with the other columns read in step, on one thread.
  PageReader(const io::ByteSource& source, const Leaf& leaf,
             const ColumnChunk& chunk, const ReadOptions& options,
             PageBudget& budget);

  /// Continues at `offset` instead of the chunk's first page.
  void seek(std::uint64_t offset) { at_ = offset; }
  [[nodiscard]] std::uint64_t begin() const;
  /// The next page of the chunk, of any kind.
  Result<StoredPage> next();
  /// Decompresses a data page and finds its parts, which point into `memory`,
  /// or into the file for an uncompressed one.
  Result<PageParts> open(const StoredPage& page,
                         std::shared_ptr<char[]>& memory);
  /// Decompresses a dictionary page.
  Result<std::string_view> open_dictionary(const StoredPage& page,
                                           std::shared_ptr<char[]>& memory);
  [[nodiscard]] Error corrupt(const std::string& what) const;
  /// Where the page after the last one begins.
  [[nodiscard]] std::uint64_t position() const { return at_; }

 private:
  Result<std::string_view> inflate(std::string_view stored, std::size_t bytes,
                                   std::shared_ptr<char[]>& memory);
  Status charge(std::uint64_t inflated, std::uint64_t stored);
  Result<PageParts> open_v1(const StoredPage& page,
                            std::shared_ptr<char[]>& memory);
  Result<PageParts> open_v2(const StoredPage& page,
                            std::shared_ptr<char[]>& memory);

  const io::ByteSource* source_;
  const Leaf* leaf_;
  ColumnChunk chunk_;
  std::uint64_t at_;
  std::uint64_t end_;
  std::uint64_t max_expansion_ratio_;
  std::uint64_t expansion_floor_bytes_;
  PageBudget* budget_;
  PageBudget charged_;  // for the current page
  BlockDecompressor decompressor_;
};

class ColumnCursor {
 public:
  /// At the first entry of `chunk`, or of the page `start`.
  ColumnCursor(const io::ByteSource& source, const Leaf& leaf,
               const ColumnChunk& chunk, const ReadOptions& options,
               PageBudget& budget, const PageStart* start);

  /// Whether there is a current entry; false at the end of the chunk and after
  /// a fault.
  bool prepare() { return entry_at_ < entry_count_ || next_block(); }
  /// REQUIRES for all below: prepare().
  [[nodiscard]] std::uint8_t repetition() const {
    return repetition_[entry_at_];
  }
  [[nodiscard]] std::uint8_t definition() const {
    return definition_[entry_at_];
  }
  [[nodiscard]] bool has_value() const {
    return definition() == leaf_->max_definition;
  }
  /// Makes the value of the current entry readable; false for a damaged page.
  /// REQUIRES: has_value().
  bool load_value() { return value_at_ < block_values_ || next_values(); }
  /// REQUIRES: load_value(), and the column's stored form.
  [[nodiscard]] std::int64_t integer() const {
    return values_.integers[value_at_];
  }
  [[nodiscard]] double real() const { return values_.reals[value_at_]; }
  [[nodiscard]] std::string_view bytes() const {
    return values_.bytes[value_at_];
  }
  /// Whether the bytes are UTF-8; false for columns that cannot be text.
  [[nodiscard]] bool is_utf8() const {
    return value_at_ < values_.is_utf8.size() &&
           values_.is_utf8[value_at_] != 0;
  }
  /// Moves to the next entry. REQUIRES: load_value() if has_value().
  void advance() {
    if (has_value()) ++value_at_;
    ++entry_at_;
  }
  /// Passes over `rows` whole rows; false when there are fewer.
  bool skip_rows(std::uint64_t rows);
  /// Bytes given since the last call need not stay.
  void row_done() {
    if (!kept_.empty()) drop_kept();
  }
  /// The part of the file that was read through and is not needed any more by
  /// this cursor: up to the beginning of the current page.
  struct ReadPart {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] ReadPart read_part() const {
    return {first_offset_, std::max(first_offset_, page_offset_)};
  }
  /// Bytes of pages that are kept for the current row only.
  [[nodiscard]] std::uint64_t kept_bytes() const { return kept_bytes_; }

  /// The fault that ended the cursor before its end.
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }
  [[nodiscard]] const Leaf& leaf() const { return *leaf_; }

 private:
  bool next_block();
  bool next_values();
  bool next_page();
  bool start_page(const StoredPage& page);
  bool start_dictionary(const StoredPage& page);
  bool fail(Error error);
  bool corrupt(const std::string& what);
  void keep(std::shared_ptr<char[]> memory, std::uint64_t bytes);
  void drop_kept();
  bool read_levels(RleDecoder& decoder, std::uint8_t max, std::size_t count,
                   std::vector<std::uint8_t>& levels);

  const Leaf* leaf_;
  PageReader pages_;
  std::uint64_t num_values_;
  std::uint64_t entries_seen_ = 0;          // of the chunk, in pages so far
  std::optional<std::uint64_t> resume_at_;  // behind the first page

  Dictionary dictionary_;
  std::shared_ptr<char[]> dictionary_memory_;
  bool has_dictionary_ = false;

  std::uint64_t first_offset_ = 0;
  std::uint64_t page_offset_ = 0;
  std::shared_ptr<char[]> page_memory_;
  std::uint64_t page_bytes_ = 0;
  std::uint64_t page_entries_ = 0;  // not yet in a block
  RleDecoder repetition_decoder_;
  RleDecoder definition_decoder_;
  PageValues page_values_;

  std::vector<std::uint8_t> repetition_;
  std::vector<std::uint8_t> definition_;
  std::vector<std::uint32_t> levels_;
  std::size_t entry_at_ = 0;
  std::size_t entry_count_ = 0;
  ValueBlock values_;
  std::shared_ptr<char[]> values_memory_;
  std::size_t value_at_ = 0;
  std::size_t block_values_ = 0;

  std::vector<std::shared_ptr<char[]>> kept_;
  std::uint64_t kept_bytes_ = 0;
  std::optional<Error> fault_;
};

}  // namespace trainsight::scan::parquet

#endif  // TRAINSIGHT_SCAN_PARQUET_COLUMN_H_
