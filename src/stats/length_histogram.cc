#include "trainsight/stats/length_histogram.h"

#include <algorithm>
#include <bit>

namespace trainsight::stats {
namespace {

// A share of records in one row of equal width that hides the shape.
constexpr double kCrowdedShare = 0.70;

// Row j holds (j * step, (j + 1) * step]; row 0 holds 0 as well.
std::uint64_t equal_row_of(std::uint64_t length, std::uint64_t step) {
  return length == 0 ? 0 : (length - 1) / step;
}

std::uint64_t round_step(std::uint64_t low, std::uint64_t high,
                         std::size_t max_rows) {
  std::uint64_t power = 1;
  while (true) {
    for (const std::uint64_t factor : {1, 2, 5}) {
      const std::uint64_t step = factor * power;
      if (equal_row_of(high, step) - equal_row_of(low, step) < max_rows) {
        return step;
      }
    }
    power *= 10;
  }
}

LengthHistogram equal_rows(std::uint64_t low, std::uint64_t high,
                           std::size_t max_rows) {
  const std::uint64_t step = round_step(low, high, max_rows);
  LengthHistogram histogram;
  for (std::uint64_t j = equal_row_of(low, step); j <= equal_row_of(high, step);
       ++j) {
    histogram.rows.push_back({j == 0 ? 0 : j * step + 1, (j + 1) * step, 0});
  }
  return histogram;
}

// Row k holds (2^((k-1) s), 2^(k s)], row 0 holds 0 and 1.
unsigned log_row_of(std::uint64_t length, unsigned s) {
  if (length <= 1) return 0;
  const unsigned bits = static_cast<unsigned>(std::bit_width(length - 1));
  return (bits + s - 1) / s;
}

LengthHistogram log_rows(std::uint64_t low, std::uint64_t high,
                         std::size_t max_rows) {
  unsigned s = 1;
  while (log_row_of(high, s) - log_row_of(low, s) >= max_rows) ++s;
  LengthHistogram histogram;
  histogram.logarithmic = true;
  for (unsigned k = log_row_of(low, s); k <= log_row_of(high, s); ++k) {
    // 2^63 is the longest length; a wide last row may reach beyond it.
    const unsigned before = std::min((k == 0 ? 0 : k - 1) * s, 63U);
    const unsigned bits = std::min(k * s, 63U);
    const std::uint64_t first = k == 0 ? 0 : (std::uint64_t{1} << before) + 1;
    histogram.rows.push_back({first, std::uint64_t{1} << bits, 0});
  }
  return histogram;
}

void fill(LengthHistogram& histogram, const std::vector<LengthBin>& bins) {
  std::size_t row = 0;
  for (const LengthBin& bin : bins) {
    while (row + 1 < histogram.rows.size() &&
           bin.mean > static_cast<double>(histogram.rows[row].last)) {
      ++row;
    }
    histogram.rows[row].count += bin.count;
  }
}

}  // namespace

LengthHistogram make_histogram(const LengthSketch& sketch,
                               std::size_t max_rows) {
  if (sketch.count() == 0) return {};
  max_rows = std::max<std::size_t>(max_rows, 2);
  const std::vector<LengthBin> bins = sketch.bins();
  LengthHistogram equal = equal_rows(sketch.min(), sketch.max(), max_rows);
  fill(equal, bins);
  std::uint64_t fullest = 0;
  for (const HistogramRow& row : equal.rows) {
    fullest = std::max(fullest, row.count);
  }
  const bool crowded = static_cast<double>(fullest) >
                       kCrowdedShare * static_cast<double>(sketch.count());
  if (equal.rows.size() < 3 || !crowded) return equal;
  LengthHistogram logarithmic = log_rows(sketch.min(), sketch.max(), max_rows);
  fill(logarithmic, bins);
  return logarithmic;
}

}  // namespace trainsight::stats
