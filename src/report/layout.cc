#include "layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "trainsight/text/utf8.h"

namespace trainsight::report {
namespace {

// Bytes of the first `columns` code points of valid UTF-8.
std::size_t bytes_of_columns(std::string_view utf8, std::size_t columns) {
  std::size_t at = 0;
  while (columns-- > 0 && at < utf8.size()) text::decode_utf8(utf8, at);
  return at;
}

// Whether a terminal would act on it or turn the text around: C0 and C1
// controls, line separators, and the bidirectional controls of Unicode 16.0,
// section 23.2.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x061C || c == 0x200E ||
         c == 0x200F || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

// Puts "?" for each control in valid UTF-8.
void hide_controls(std::string& utf8) {
  std::string shown;
  shown.reserve(utf8.size());
  for (std::size_t at = 0; at < utf8.size();) {
    const std::size_t begin = at;
    if (is_control(text::decode_utf8(utf8, at))) {
      shown += '?';
    } else {
      shown.append(utf8, begin, at - begin);
    }
  }
  utf8 = std::move(shown);
}

}  // namespace

std::string grouped(std::uint64_t n) {
  std::string digits = std::to_string(n);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string percent(double ratio) {
  const double pct = 100.0 * ratio;
  if (pct > 0 && pct < 0.05) return "< 0.1 %";
  if (pct < 100 && pct > 99.95) return "> 99.9 %";
  return fmt::format("{:.1f} %", pct);
}

std::string size_of(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.1f} {}", value, kUnits[unit]);
}

std::string rounded(double value) {
  if (value >= 1000) {
    return grouped(static_cast<std::uint64_t>(std::llround(value)));
  }
  return value >= 100 ? fmt::format("{:.1f}", value)
                      : fmt::format("{:.2f}", value);
}

std::string counted(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(n), noun, n == 1 ? "" : "s");
}

std::string short_count(std::uint64_t n) {
  constexpr const char* kUnits[] = {"k", "M", "G", "T", "P", "E"};
  if (n < 100'000) return grouped(n);
  auto value = static_cast<double>(n) / 1000;
  std::size_t unit = 0;
  while (value >= 999.5) {
    value /= 1000;
    ++unit;
  }
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, kUnits[unit]);
}

std::size_t columns_of(std::string_view utf8) {
  return static_cast<std::size_t>(text::count_code_points(utf8));
}

std::string padded_right(std::string_view text, std::size_t width) {
  std::string out(text);
  const std::size_t columns = columns_of(text);
  if (columns < width) out.append(width - columns, ' ');
  return out;
}

std::string padded_left(std::string_view text, std::size_t width) {
  const std::size_t columns = columns_of(text);
  std::string out(columns < width ? width - columns : 0, ' ');
  return out.append(text);
}

std::string column(std::string_view text, std::size_t width) {
  return " " + padded_left(text, width - 1);
}

std::string shortened(std::string_view text, std::size_t width) {
  std::string clean;
  text::append_repaired_utf8(text, clean);
  hide_controls(clean);
  const std::size_t columns = columns_of(clean);
  if (columns <= width || width < 8) return clean;
  // Begin and end of each code point, to cut between them.
  std::vector<std::size_t> begins;
  for (std::size_t at = 0; at < clean.size();) {
    begins.push_back(at);
    text::decode_utf8(clean, at);
  }
  const std::size_t front = (width - 1) / 3;
  const std::size_t back = width - 1 - front;
  return clean.substr(0, begins[front]) + "…" +
         clean.substr(begins[columns - back]);
}

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  const auto new_line = [&out, &column, indent] {
    out += '\n';
    out.append(indent, ' ');
    column = indent;
  };
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    std::size_t columns = columns_of(word);
    if (column > indent && column + 1 + columns > kColumns) {
      new_line();
    } else if (column > indent) {
      out += ' ';
      ++column;
    }
    while (column + columns > kColumns) {  // a word that no line holds
      const std::size_t part = bytes_of_columns(word, kColumns - column);
      out += word.substr(0, part);
      word.remove_prefix(part);
      columns -= kColumns - column;
      new_line();
    }
    out += word;
    column += columns;
  }
  return out;
}

std::string bar(double share, std::size_t width) {
  constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clamped = std::clamp(share, 0.0, 1.0);
  auto eighths = static_cast<std::size_t>(
      std::lround(clamped * 8 * static_cast<double>(width)));
  // What is there is seen.
  if (share > 0 && eighths == 0) eighths = 1;
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  return out + kEighths[eighths % 8];
}

std::string Style::wrap(std::string_view code, std::string_view text) const {
  if (!color_) return std::string(text);
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}
std::string Style::bold(std::string_view text) const { return wrap("1", text); }
std::string Style::dim(std::string_view text) const { return wrap("2", text); }
std::string Style::red(std::string_view text) const { return wrap("31", text); }
std::string Style::yellow(std::string_view text) const {
  return wrap("33", text);
}
std::string Style::green(std::string_view text) const {
  return wrap("32", text);
}

}  // namespace trainsight::report
