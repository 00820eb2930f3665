// JSON numbers: their grammar and their value.
//
// Source: RFC 8259, section 6. A number of any size is valid JSON; one that no
// double can hold becomes infinite or zero, as in Python.
#ifndef TRAINSIGHT_SCAN_JSON_NUMBER_H_
#define TRAINSIGHT_SCAN_JSON_NUMBER_H_

#include <cstdint>

#include "trainsight/scan/row_view.h"

namespace trainsight::scan {

/// The grammar alone: where the number that begins at `p` ends, at most `end`.
struct NumberExtent {
  const char* end = nullptr;    ///< nullptr: no number
  bool is_integer = false;      ///< no fraction and no exponent
  const char* fault = nullptr;  ///< where the grammar broke, when it did
};
NumberExtent number_extent(const char* p, const char* end);

/// Sets kind and value from the text [begin, end) of `extent`.
void set_number(const char* begin, const NumberExtent& extent, Value& value);

/// An array that is numbers alone.
struct NumberRun {
  std::uint32_t count = 0;
  bool has_reals = false;     ///< an element is no int64
  const char* end = nullptr;  ///< at the ']' after the last element; nullptr:
                              ///< the array is something else, or broken
};
/// Reads elements from `p` (the first one's first byte) up to a ']'.
NumberRun number_run(const char* p, const char* end);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSON_NUMBER_H_
