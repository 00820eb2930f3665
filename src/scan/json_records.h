// Records of JSON text as rows: parse, finish, hand over.
#ifndef TRAINSIGHT_SCAN_JSON_RECORDS_H_
#define TRAINSIGHT_SCAN_JSON_RECORDS_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "scan/json_block.h"
#include "scan/json_strict.h"
#include "scan/json_tape.h"
#include "scan/scratch.h"
#include "scan/tape_finish.h"
#include "trainsight/scan/reader.h"

namespace trainsight::scan {

/// The JSON readers' part of a worker's scratch.
struct JsonScratch final : ScratchPart {
  JsonBlock block;
  StrictJson strict;
  JsonTape tape;
  JsonFault fault;
  FinishScratch finish;
};

/// Where a record stands.
struct RecordPlace {
  std::uint64_t line = 0;    ///< in the batch
  std::uint64_t offset = 0;  ///< in the file
};

/// Gives the rows of one batch to a visitor, one record at a time.
class JsonRecords {
 public:
  JsonRecords(const ReadOptions& options, JsonScratch& scratch,
              RowVisitor& visitor)
      : limits_{options.max_depth, options.max_values},
        max_bytes_(std::min(options.max_record_bytes, kMaxRecordBytes)),
        scratch_(scratch),
        visitor_(visitor) {}

  /// All lines of `chunk`, which begins at a line's begin.
  /// REQUIRES: 64 readable bytes after the chunk.
  BatchFacts lines(std::string_view chunk, std::uint64_t offset, char line_end);

  /// One record on its own, of any length: fast where it can be.
  /// REQUIRES: 64 readable bytes after it.
  void record(std::string_view record, const RecordPlace& place);

  /// A record that was not looked into: over the limit of bytes.
  void too_long(std::uint64_t bytes, const RecordPlace& place);

 private:
  void block_of_lines(std::string_view block, std::uint64_t offset,
                      char line_end, BatchFacts& facts);
  void indexed_record(std::string_view record, std::size_t begin,
                      const RecordPlace& place);
  void strict_record(std::string_view record, const RecordPlace& place);
  void give_row(std::string_view record, const RecordPlace& place);

  // Counts on the tape have 32 bits, whatever the options allow.
  static constexpr std::uint64_t kMaxRecordBytes = UINT32_MAX;

  JsonLimits limits_;
  std::uint64_t max_bytes_;
  JsonScratch& scratch_;
  RowVisitor& visitor_;
  std::uint64_t row_count_ = 0;
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSON_RECORDS_H_
