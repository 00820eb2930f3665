#include "scan/number_formats.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace trainsight::scan {

double half_to_double(std::string_view bytes) {
  std::uint16_t half = 0;
  std::memcpy(&half, bytes.data(), 2);
  const int exponent = (half >> 10) & 0x1F;
  const int fraction = half & 0x3FF;
  const double sign = (half & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == 31) {
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  }
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(fraction + 1024, exponent - 25);
}

double scaled(double unscaled, std::int32_t scale) {
  return scale == 0 ? unscaled : unscaled / std::pow(10.0, scale);
}

double decimal_to_double(std::string_view big_endian, std::int32_t scale) {
  // As magnitude and sign: digits of mixed sign would cancel.
  const bool negative =
      !big_endian.empty() && static_cast<std::int8_t>(big_endian[0]) < 0;
  double value = 0;
  for (const char c : big_endian) {
    const auto byte = static_cast<std::uint8_t>(c);
    value = value * 256 + (negative ? 255 - byte : byte);
  }
  if (negative) value = -(value + 1);
  return scaled(value, scale);
}

}  // namespace trainsight::scan
