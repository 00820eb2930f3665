#include "scan/json_number.h"

#include <charconv>
#include <limits>

namespace trainsight::scan {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

const char* pass_digits(const char* p, const char* end) {
  while (p < end && is_digit(*p)) ++p;
  return p;
}

const char* pass_space(const char* p, const char* end) {
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) ++p;
  return p;
}

// Whether a number out of the range of double is too large, not too small:
// decided by the decimal exponent of its first significant digit.
bool is_huge(const char* p, const char* end) {
  std::int64_t magnitude = 0;
  bool significant = false;
  bool after_point = false;
  for (; p < end && *p != 'e' && *p != 'E'; ++p) {
    if (*p == '.') {
      after_point = true;
    } else if (is_digit(*p)) {
      significant |= *p != '0';
      if (after_point && !significant) --magnitude;
      if (!after_point && significant) ++magnitude;
    }
  }
  if (p == end) return magnitude > 0;
  ++p;
  const bool negative = *p == '-';
  if (*p == '+' || *p == '-') ++p;
  std::int64_t exponent = 0;
  for (; p < end && exponent < 1'000'000'000'000; ++p) {
    exponent = exponent * 10 + (*p - '0');
  }
  return magnitude + (negative ? -exponent : exponent) > 0;
}

}  // namespace

NumberExtent number_extent(const char* p, const char* end) {
  NumberExtent extent;
  if (p < end && *p == '-') ++p;
  const char* const whole = p;
  p = pass_digits(p, end);
  if (p == whole || (*whole == '0' && p - whole > 1)) {
    extent.fault = whole;
    return extent;
  }
  extent.is_integer = true;
  if (p < end && *p == '.') {
    extent.is_integer = false;
    const char* const fraction = p + 1;
    p = pass_digits(fraction, end);
    if (p == fraction) {
      extent.fault = p;
      return extent;
    }
  }
  if (p < end && (*p == 'e' || *p == 'E')) {
    extent.is_integer = false;
    ++p;
    if (p < end && (*p == '+' || *p == '-')) ++p;
    const char* const exponent = p;
    p = pass_digits(exponent, end);
    if (p == exponent) {
      extent.fault = p;
      return extent;
    }
  }
  extent.end = p;
  return extent;
}

void set_number(const char* begin, const NumberExtent& extent, Value& value) {
  if (extent.is_integer) {
    std::int64_t integer = 0;
    if (std::from_chars(begin, extent.end, integer).ec == std::errc()) {
      value.kind = ValueKind::kInteger;
      value.integer = integer;
      return;
    }
  }
  value.kind = ValueKind::kReal;
  double real = 0;
  if (std::from_chars(begin, extent.end, real).ec ==
      std::errc::result_out_of_range) {
    real = is_huge(begin, extent.end) ? std::numeric_limits<double>::infinity()
                                      : 0.0;
    if (*begin == '-') real = -real;
  }
  value.real = real;
}

NumberRun number_run(const char* p, const char* end) {
  NumberRun run;
  for (;;) {
    const NumberExtent extent = number_extent(p, end);
    if (extent.end == nullptr) return run;
    // Eighteen digits always fit; beyond, the value decides.
    if (!extent.is_integer) {
      run.has_reals = true;
    } else if (extent.end - p > 18) {
      std::int64_t integer = 0;
      run.has_reals |=
          std::from_chars(p, extent.end, integer).ec != std::errc();
    }
    ++run.count;
    p = pass_space(extent.end, end);
    if (p >= end) return run;
    if (*p == ']') {
      run.end = p;
      return run;
    }
    if (*p != ',') return run;
    p = pass_space(p + 1, end);
  }
}

}  // namespace trainsight::scan
