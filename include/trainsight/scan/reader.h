// Reader: a file format as a sequence of batches of rows.
//
// The scheduler calls next() from one thread at a time, in input order; each
// batch is then decoded by any worker. A batch is cut by bytes (or row groups),
// never by the number of threads, so that results do not depend on it.
//
// Line numbers inside a batch start at 1; the reducer, which takes batches in
// input order, adds the `lines` of the batches before. Line 0 is the line that
// an earlier batch ended in (rows of one long JSON line).
//
// Adding a format: one file with a Reader and one row in format_table.h.
#ifndef TRAINSIGHT_SCAN_READER_H_
#define TRAINSIGHT_SCAN_READER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/scan/row_view.h"

namespace trainsight::scan {

/// Why a record could not be read, and where.
enum class BadRecordKind : std::uint8_t {
  kNotUtf8,        ///< a byte that is not UTF-8
  kBadEscape,      ///< an unknown or cut escape in a string
  kControlChar,    ///< a raw control character in a string
  kNotANumber,     ///< NaN, Infinity, -Infinity: Python's json takes them
  kSyntax,         ///< any other fault of JSON's grammar
  kTrailing,       ///< something after the value: two objects on a line
  kTruncated,      ///< the value is not closed at the end of the record
  kNotAnObject,    ///< JSON, but no object
  kTooLong,        ///< over the byte limit of a record; measured in bytes only
  kTooDeep,        ///< nested over the limit
  kTooManyValues,  ///< over the limit of values a record
  kFieldCount,     ///< CSV, TSV: more or fewer fields than the header
  kQuote,          ///< CSV: a quote that is not closed, or stray
  kNulByte,        ///< NUL bytes: UTF-16 text or a hole in the file
  kByteOrderMark,  ///< a BOM inside the file: joined files
  kEncoding,       ///< columnar: text that is not UTF-8
};

struct BadRecord {
  BadRecordKind kind = BadRecordKind::kSyntax;
  std::uint64_t line = 0;    ///< of its begin, relative to the batch, from 1
  std::uint64_t offset = 0;  ///< of the record in the file
  std::uint64_t bytes = 0;   ///< of the record
  std::uint64_t byte = 0;    ///< of the fault in the record, from 0
  std::string pointer;       ///< JSON Pointer of the fault, where known
  std::string message;       ///< "0xE9 is not UTF-8 (looks like Latin-1)"
  /// Its bytes, during the call that gives it; empty: not at hand.
  std::string_view raw = {};
};

/// Facts about the lines or layout of a batch, added up over a file.
struct BatchFacts {
  std::uint64_t lines = 0;        ///< physical lines that begin in the batch
  std::uint64_t crlf_lines = 0;   ///< of them ended by CR LF
  std::uint64_t blank_lines = 0;  ///< of white space only
  std::vector<std::uint64_t> first_blank_lines;  ///< at most 8, relative
  /// Blank lines after the batch's last record: harmless at the end of a file.
  std::uint64_t trailing_blank_lines = 0;
  bool ends_with_newline = true;
  std::uint64_t bytes = 0;  ///< of the (decompressed) file in the batch
};

/// Takes the rows of a batch. Views are valid during the call only.
class RowVisitor {
 public:
  virtual ~RowVisitor() = default;
  virtual void row(const RowView& row) = 0;
  virtual void bad_record(const BadRecord& bad) = 0;
};

/// Memory that one worker reuses from batch to batch: parsers, tapes, buffers.
/// Made by make_scratch(); each reader kind keeps its own part in it.
class DecodeScratch;
/// One per worker, reusable from file to file.
using ScratchPointer = std::unique_ptr<DecodeScratch, void (*)(DecodeScratch*)>;
ScratchPointer make_scratch();

/// A self-contained piece of work. decode() may run on any thread, once; a
/// batch must not outlive its Reader.
class RowBatch {
 public:
  virtual ~RowBatch() = default;
  /// Gives every row and every bad record, in order, to `visitor`.
  /// An error is one of the file as a whole (a cut page, kChanged): the rest of
  /// the file cannot be read.
  virtual Result<BatchFacts> decode(DecodeScratch& scratch,
                                    RowVisitor& visitor) = 0;
};

/// A fault of the file as a whole that does not keep it from being read.
struct FileNote {
  enum class Kind : std::uint8_t {
    kBom,              ///< a UTF-8 byte order mark at `offset`
    kArrayInJsonl,     ///< one JSON array under a name of JSON Lines
    kSingleObject,     ///< one pretty-printed object
    kObjectMap,        ///< one object whose members are the rows
    kConcatenated,     ///< objects one after the other, not one a line
    kSecondMember,     ///< gzip or zstd with several members
    kTrailingGarbage,  ///< bytes after the end of a compressed stream
    kLoneCr,           ///< lines ended by CR alone
    kNameMismatch,     ///< the content is another format than the name says
    kLargeDocument,    ///< one JSON document that loaders must read whole
    kNoHeader,         ///< CSV, TSV without a header row
  };
  Kind kind = Kind::kBom;
  std::uint64_t line = 0;  ///< in the file, from 1; 0 the file as a whole
  std::uint64_t offset = 0;
  std::string message;
};

/// A file being read. Not thread-safe: one caller at a time.
class Reader {
 public:
  virtual ~Reader() = default;
  /// The next batch in input order; nullptr at the end.
  virtual Result<std::unique_ptr<RowBatch>> next() = 0;
  /// Notes so far; complete once next() gave nullptr.
  [[nodiscard]] virtual const std::vector<FileNote>& notes() const = 0;
  /// The format's name, as in the format table: "jsonl", "parquet".
  [[nodiscard]] virtual std::string_view format() const = 0;
  /// Bytes of the stored file handed out so far, for progress.
  [[nodiscard]] virtual std::uint64_t bytes_read() const = 0;
};

/// Limits and choices of reading. The defaults are the documented behaviour.
struct ReadOptions {
  std::uint64_t chunk_bytes = 8u << 20;        ///< target size of a batch
  std::uint64_t max_record_bytes = 64u << 20;  ///< beyond: kTooLong
  std::uint32_t max_depth = 128;               ///< nesting of a record
  std::uint32_t max_values = 400'000;          ///< values a record
  /// What a file may grow to when it is decompressed or its columns are
  /// decoded: this many bytes whatever its size, and beyond them this many
  /// times its stored size. More is a bomb, an error of kind kLimit.
  std::uint64_t expansion_floor_bytes = 64u << 20;
  std::uint64_t max_expansion_ratio = 1'000;
  /// One JSON document over this size is noted (kLargeDocument): 32-bit offsets
  /// of loaders that read it whole overflow.
  std::uint64_t large_document_bytes = 2'147'483'647;
  /// Plain text: the whole file is one row, not every line of it.
  bool text_is_one_document = false;
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_READER_H_
