#include "chat/jinja/date_format.h"

#include <fmt/format.h>

#include <cstddef>

namespace trainsight::chat::jinja {
namespace {

constexpr std::string_view kMonths[] = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::string_view kDays[] = {"Sunday",    "Monday",   "Tuesday",
                                      "Wednesday", "Thursday", "Friday",
                                      "Saturday"};

bool is_leap(std::int32_t year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

// From 1.
std::int32_t day_of_year(const TemplateVariables::Date& date) {
  static constexpr std::int32_t kBefore[] = {0,   31,  59,  90,  120, 151,
                                             181, 212, 243, 273, 304, 334};
  const auto month = static_cast<std::size_t>(date.month - 1) % 12;
  return kBefore[month] + date.day +
         (date.month > 2 && is_leap(date.year) ? 1 : 0);
}

// 0 is Sunday. Source: Gauss's rule for the weekday of 1 January.
std::size_t weekday(const TemplateVariables::Date& date) {
  const std::int32_t y = date.year - 1;
  const std::int32_t first =
      (1 + 5 * (y % 4) + 4 * (y % 100) + 6 * (y % 400)) % 7;
  return static_cast<std::size_t>((first + day_of_year(date) - 1) % 7);
}

}  // namespace

char append_date(const TemplateVariables::Date& date, std::string_view format,
                 std::string& out) {
  const std::string_view month =
      kMonths[static_cast<std::size_t>(date.month - 1) % 12];
  const std::string_view day = kDays[weekday(date)];
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%' || i + 1 == format.size()) {
      out += format[i];
      continue;
    }
    bool padded = true;
    if (format[i + 1] == '-' && i + 2 < format.size()) {  // glibc's %-d
      padded = false;
      ++i;
    }
    const auto number = [&](std::int32_t value, int width) {
      out += fmt::format("{:0{}}", value, padded ? width : 1);
    };
    const std::int32_t hour12 = (date.hour + 11) % 12 + 1;
    switch (format[++i]) {
      case 'Y':
        number(date.year, 4);
        break;
      case 'y':
        number(date.year % 100, 2);
        break;
      case 'm':
        number(date.month, 2);
        break;
      case 'd':
        number(date.day, 2);
        break;
      case 'j':
        number(day_of_year(date), 3);
        break;
      case 'H':
        number(date.hour, 2);
        break;
      case 'I':
        number(hour12, 2);
        break;
      case 'M':
        number(date.minute, 2);
        break;
      case 'S':
        number(date.second, 2);
        break;
      case 'B':
        out += month;
        break;
      case 'b':
        out += month.substr(0, 3);
        break;
      case 'A':
        out += day;
        break;
      case 'a':
        out += day.substr(0, 3);
        break;
      case 'p':
        out += date.hour < 12 ? "AM" : "PM";
        break;
      case '%':
        out += '%';
        break;
      default:
        return format[i];
    }
  }
  return '\0';
}

}  // namespace trainsight::chat::jinja
