#include <fmt/format.h>

#include <chrono>

#include "trainsight/io/files.h"

namespace trainsight::io {
namespace {

using std::chrono::days;
using std::chrono::nanoseconds;
using std::chrono::sys_days;
using std::chrono::sys_time;
using std::chrono::year_month_day;

// `count` digits at the front of `text`, which are taken off; -1 when they are
// none.
int take_digits(std::string_view& text, std::size_t count) {
  if (text.size() < count) return -1;
  int value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text[0]) == std::string_view::npos) {
    return false;
  }
  text.remove_prefix(1);
  return true;
}

// ".5" is half a second; at most nine digits.
bool take_fraction(std::string_view& text, std::int64_t& ns) {
  ns = 0;
  if (!take(text, ".")) return true;
  std::int64_t unit = 100'000'000;
  std::size_t digits = 0;
  for (; !text.empty() && text[0] >= '0' && text[0] <= '9'; ++digits) {
    ns += (text[0] - '0') * unit;
    unit /= 10;
    text.remove_prefix(1);
  }
  return digits >= 1 && digits <= 9;
}

bool take_offset(std::string_view& text, std::int64_t& minutes) {
  minutes = 0;
  if (take(text, "Zz")) return true;
  const bool west = !text.empty() && text[0] == '-';
  if (!take(text, "+-")) return false;
  const int hour = take_digits(text, 2);
  if (!take(text, ":")) return false;
  const int minute = take_digits(text, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59) return false;
  minutes = (west ? -1 : 1) * (hour * 60 + minute);
  return true;
}

Error not_a_time(std::string_view text) {
  return Error{ErrorKind::kCorrupt,
               fmt::format("not an RFC 3339 time: {}", text), ""};
}

}  // namespace

std::string rfc3339_from_ns(std::int64_t ns_since_epoch) {
  const sys_time<nanoseconds> time{nanoseconds(ns_since_epoch)};
  const sys_days day = std::chrono::floor<days>(time);
  const year_month_day date(day);
  const std::int64_t ns = (time - day).count();
  const std::int64_t seconds = ns / 1'000'000'000;
  std::string out = fmt::format(
      "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
      static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
      seconds / 3600, seconds / 60 % 60, seconds % 60);
  if (ns % 1'000'000'000 != 0) {
    out += fmt::format(".{:09}", ns % 1'000'000'000);
    while (out.back() == '0') out.pop_back();
  }
  out += 'Z';
  return out;
}

Result<std::int64_t> ns_from_rfc3339(std::string_view text) {
  std::string_view rest = text;
  const int year = take_digits(rest, 4);
  if (!take(rest, "-")) return not_a_time(text);
  const int month = take_digits(rest, 2);
  if (!take(rest, "-")) return not_a_time(text);
  const int day = take_digits(rest, 2);
  if (!take(rest, "Tt ")) return not_a_time(text);
  const int hour = take_digits(rest, 2);
  if (!take(rest, ":")) return not_a_time(text);
  const int minute = take_digits(rest, 2);
  if (!take(rest, ":")) return not_a_time(text);
  const int second = take_digits(rest, 2);
  std::int64_t ns = 0;
  std::int64_t offset_minutes = 0;
  const bool shaped = take_fraction(rest, ns) &&
                      take_offset(rest, offset_minutes) && rest.empty();
  // An int64 of nanoseconds ends in 2262.
  const bool in_range = year >= 1678 && year <= 2261 && month >= 1 &&
                        day >= 1 && hour >= 0 && hour <= 23 && minute >= 0 &&
                        minute <= 59 && second >= 0 && second <= 60;
  if (!shaped || !in_range) return not_a_time(text);
  const year_month_day date{std::chrono::year(year),
                            std::chrono::month(static_cast<unsigned>(month)),
                            std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return not_a_time(text);
  const std::int64_t day_count = sys_days(date).time_since_epoch().count();
  const std::int64_t seconds =
      ((day_count * 24 + hour) * 60 + minute - offset_minutes) * 60 + second;
  return seconds * 1'000'000'000 + ns;
}

}  // namespace trainsight::io
