// Elements of a kNumbers value; included by row_view.h.
#ifndef TRAINSIGHT_SCAN_NUMBERS_INL_H_
#define TRAINSIGHT_SCAN_NUMBERS_INL_H_

#include <charconv>
#include <cstring>
#include <limits>
#include <type_traits>

namespace trainsight::scan {

/// `real` towards zero as an int64; a cast alone is undefined out of range.
inline std::int64_t truncated(double real) {
  constexpr double kLimit = 9223372036854775808.0;  // 2^63
  if (real >= kLimit) return std::numeric_limits<std::int64_t>::max();
  if (real < -kLimit) return std::numeric_limits<std::int64_t>::min();
  return real == real ? static_cast<std::int64_t>(real) : 0;
}

template <typename Stored, typename Visit>
void for_each_stored(const Value& numbers, Visit& visit) {
  for (std::uint32_t i = 0; i < numbers.count; ++i) {
    Stored element;
    std::memcpy(&element, numbers.data + i * sizeof(Stored), sizeof(Stored));
    if constexpr (std::is_floating_point_v<Stored>) {
      visit(truncated(static_cast<double>(element)));
    } else {
      visit(static_cast<std::int64_t>(element));
    }
  }
}

template <typename Visit>
void for_each_json_number(const Value& numbers, Visit& visit) {
  const char* at = numbers.data;
  const char* const end = at + numbers.bytes;
  for (std::uint32_t i = 0; i < numbers.count && at < end; ++i) {
    while (at < end && *at != '-' && (*at < '0' || *at > '9')) ++at;
    std::int64_t value = 0;
    const std::from_chars_result whole = std::from_chars(at, end, value);
    at = whole.ptr;
    if (at < end &&
        (*at == '.' || *at == 'e' || *at == 'E' || whole.ec != std::errc())) {
      while (at < end && *at != ',') ++at;  // the rest of a real number
    }
    visit(value);
  }
}

template <typename Visit>
void for_each_integer(const Value& numbers, Visit&& visit) {
  if (numbers.data == nullptr) return;
  switch (numbers.storage) {
    case NumberStorage::kJson:
      return for_each_json_number(numbers, visit);
    case NumberStorage::kInt8:
      return for_each_stored<std::int8_t>(numbers, visit);
    case NumberStorage::kInt16:
      return for_each_stored<std::int16_t>(numbers, visit);
    case NumberStorage::kInt32:
      return for_each_stored<std::int32_t>(numbers, visit);
    case NumberStorage::kInt64:
      return for_each_stored<std::int64_t>(numbers, visit);
    case NumberStorage::kUint8:
      return for_each_stored<std::uint8_t>(numbers, visit);
    case NumberStorage::kUint16:
      return for_each_stored<std::uint16_t>(numbers, visit);
    case NumberStorage::kUint32:
      return for_each_stored<std::uint32_t>(numbers, visit);
    case NumberStorage::kFloat:
      return for_each_stored<float>(numbers, visit);
    case NumberStorage::kDouble:
      return for_each_stored<double>(numbers, visit);
  }
}

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_NUMBERS_INL_H_
