// RowBuilder: a row of a columnar format, value by value, onto a tape.
//
// Values are added in depth-first order; begin() opens an object or array and
// end() closes it. A row that has more values or more bytes than the limits is
// marked and keeps no more memory. Texts point to memory of the caller, numbers
// of lists are copied together into memory of the builder.
//
// Not thread-safe; reused from row to row.
#ifndef TRAINSIGHT_SCAN_ROW_BUILDER_H_
#define TRAINSIGHT_SCAN_ROW_BUILDER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scan/tape_finish.h"
#include "trainsight/scan/reader.h"
#include "trainsight/scan/row_view.h"

namespace trainsight::scan {

class RowBuilder {
 public:
  explicit RowBuilder(const ReadOptions& options)
      : max_values_(options.max_values), max_bytes_(options.max_record_bytes) {}

  /// Begins a row: nothing is on the tape.
  void clear();

  std::uint32_t begin(std::string_view key, ValueKind kind);
  /// Closes what begin() gave `at` for; it has `count` children.
  void end(std::uint32_t at, std::uint32_t count);
  void null(std::string_view key);
  void boolean(std::string_view key, bool value);
  void integer(std::string_view key, std::int64_t value);
  void real(std::string_view key, double value);
  void text(std::string_view key, std::string_view utf8);
  /// Text whose bytes are copied.
  void copied_text(std::string_view key, std::string_view utf8);
  /// Text that is not UTF-8: the row is a bad record.
  void bad_text(std::string_view key, std::string_view bytes);
  /// An array of `count` numbers at `data`, which stay where they are; an
  /// empty one is an array without children, as in JSON.
  void numbers(std::string_view key, NumberStorage storage, const char* data,
               std::uint64_t bytes, std::uint64_t count);
  /// Bytes that are no text: an array of uint8.
  void binary(std::string_view key, std::string_view bytes);

  /// Room for `bytes` of numbers, valid until the row is given; nullptr when
  /// the row is over its limit.
  char* number_room(std::uint64_t bytes);

  /// Whether the row was over a limit, and so is incomplete.
  [[nodiscard]] bool over_limit() const { return too_many_ || too_long_; }
  void mark_too_long() { too_long_ = true; }
  /// Bytes of texts and numbers in the row.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Values on the tape.
  [[nodiscard]] std::uint64_t values() const { return tape_.size(); }

  /// Gives the row, or the bad record that it is, to `visitor`.
  void give(std::uint64_t row, std::uint64_t offset, RowVisitor& visitor);

 private:
  Value* add(std::string_view key, ValueKind kind, std::uint64_t bytes);
  [[nodiscard]] std::string pointer_to(std::uint32_t at) const;

  std::uint32_t max_values_;
  std::uint64_t max_bytes_;
  std::vector<Value> tape_;
  FinishScratch scratch_;
  std::vector<std::vector<char>> rooms_;  // their addresses do not move
  std::uint64_t bytes_ = 0;
  bool too_many_ = false;
  bool too_long_ = false;
  std::uint32_t bad_at_ = 0;  // on the tape; 0: none
  std::string_view bad_bytes_;
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_ROW_BUILDER_H_
