// Validity of UTF-8 at the speed of simdjson.
#ifndef TRAINSIGHT_SCAN_UTF8_CHECK_H_
#define TRAINSIGHT_SCAN_UTF8_CHECK_H_

#include <cstddef>
#include <string_view>

namespace trainsight::scan {

/// Offset of the first byte that is not UTF-8; npos when all is.
std::size_t invalid_utf8_at(std::string_view bytes);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_UTF8_CHECK_H_
