// Number formats of columnar files that C++ has no type for.
#ifndef TRAINSIGHT_SCAN_NUMBER_FORMATS_H_
#define TRAINSIGHT_SCAN_NUMBER_FORMATS_H_

#include <cstdint>
#include <string_view>

namespace trainsight::scan {

/// IEEE 754 binary16, exactly. REQUIRES: 2 bytes, little-endian.
double half_to_double(std::string_view bytes);

/// A two's complement number of any length, most significant byte first, times
/// 10^-scale: within 2^-52 of it, relatively.
double decimal_to_double(std::string_view big_endian, std::int32_t scale);

/// `unscaled` times 10^-scale, rounded once or twice.
double scaled(double unscaled, std::int32_t scale);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_NUMBER_FORMATS_H_
