// Layout: numbers and columns for people, in at most 80 columns.
#ifndef TRAINSIGHT_REPORT_LAYOUT_H_
#define TRAINSIGHT_REPORT_LAYOUT_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace trainsight::report {

inline constexpr std::size_t kColumns = 80;

/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t n);
/// A share of 0…1 as "37.3 %"; shares that are not 0 never show as "0.0 %".
std::string percent(double ratio);
/// Bytes as "4.0 MiB".
std::string size_of(std::uint64_t bytes);
/// A mean with four significant digits and thousands grouped: "1,628", "156.6".
std::string rounded(double value);
/// "1 record", "2 records".
std::string counted(std::uint64_t n, std::string_view noun);

/// At most seven columns: "12,345", "1.23 M", "45.6 G".
std::string short_count(std::uint64_t n);

/// Columns that `utf8` takes: its code points (the report itself uses no wide
/// characters; paths may).
std::size_t columns_of(std::string_view utf8);
/// Padded with spaces to `width` columns, on the right or on the left.
std::string padded_right(std::string_view text, std::size_t width);
std::string padded_left(std::string_view text, std::size_t width);
/// A column of a table: padded on the left, after one space at least.
std::string column(std::string_view text, std::size_t width);
/// Cut to `width` columns with "…" in the middle, so that a path keeps its
/// name. Control characters, and those that turn text around, become "?".
std::string shortened(std::string_view text, std::size_t width);
/// Words wrapped at 80 columns; every line after the first is indented, and
/// the first one is taken to begin there too. A word that is longer than a
/// line is broken. REQUIRES: indent < kColumns.
std::string wrapped(std::string_view text, std::size_t indent);
/// A bar of eighth blocks: `share` of `width` columns.
std::string bar(double share, std::size_t width);

/// Colour codes, or nothing.
class Style {
 public:
  explicit Style(bool color) : color_(color) {}
  [[nodiscard]] std::string bold(std::string_view text) const;
  [[nodiscard]] std::string dim(std::string_view text) const;
  [[nodiscard]] std::string red(std::string_view text) const;
  [[nodiscard]] std::string yellow(std::string_view text) const;
  [[nodiscard]] std::string green(std::string_view text) const;

 private:
  [[nodiscard]] std::string wrap(std::string_view code,
                                 std::string_view text) const;
  bool color_;
};

}  // namespace trainsight::report

#endif  // TRAINSIGHT_REPORT_LAYOUT_H_
