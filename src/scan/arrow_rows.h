// Rows of Arrow record batches as tapes.
//
// Lists of numbers without nulls are given where they lie in the file. A value
// whose offsets contradict its buffers ends the file: an Arrow file is written
// by a library, so a wrong offset means damage, not bad data.
#ifndef TRAINSIGHT_SCAN_ARROW_ROWS_H_
#define TRAINSIGHT_SCAN_ARROW_ROWS_H_

#include <cstdint>
#include <string>

#include "scan/arrow_array.h"
#include "scan/row_builder.h"

namespace trainsight::scan::arrow {

class RowReader {
 public:
  RowReader(const Arrays& arrays, const Dictionaries& dictionaries)
      : arrays_(arrays), dictionaries_(dictionaries) {}

  /// Adds row `row` to `builder`, cleared before. Errors: kCorrupt.
  Status add_row(std::uint64_t row, RowBuilder& builder);

 private:
  bool add(const Array& array, std::uint64_t at, std::string_view key,
           int depth, RowBuilder& builder);
  bool add_indexed(const Array& array, std::uint64_t at, std::string_view key,
                   int depth, RowBuilder& builder);
  bool add_bytes(const Array& array, std::uint64_t at, std::string_view key,
                 RowBuilder& builder);
  bool add_list(const Array& array, std::uint64_t at, std::string_view key,
                int depth, RowBuilder& builder);
  bool add_numbers(const Array& values, std::uint64_t begin, std::uint64_t end,
                   std::string_view key, RowBuilder& builder);
  bool fail(const Array& array);

  const Arrays& arrays_;
  const Dictionaries& dictionaries_;
  std::string failed_;
};

}  // namespace trainsight::scan::arrow

#endif  // TRAINSIGHT_SCAN_ARROW_ROWS_H_
