// LengthHistogram: the shape of a distribution in a dozen rows of text.
//
// A histogram for reading, not for computing. Rows are of equal width when
// that shows the shape, with a round step (1, 2 or 5 times a power of ten);
// when more than 70 % of the records would fall into one row, as a long tail
// makes them, each row is twice (or 4, 8, ... times) as wide as the one
// before, with powers of two as edges. Pure.
#ifndef TRAINSIGHT_STATS_LENGTH_HISTOGRAM_H_
#define TRAINSIGHT_STATS_LENGTH_HISTOGRAM_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainsight/stats/length_sketch.h"

namespace trainsight::stats {

/// Records of `first` to `last` tokens, both included.
struct HistogramRow {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t count = 0;

  friend bool operator==(const HistogramRow&, const HistogramRow&) = default;
};

struct LengthHistogram {
  std::vector<HistogramRow> rows;  ///< ascending, without gaps; sum = records
  bool logarithmic = false;        ///< rows widen by a factor
};

/// At most `max_rows` rows (at least 2 are allowed) from the row of min() to
/// that of max(); none for an empty sketch. Above 16,384 a bucket's records
/// count in the row of their mean.
LengthHistogram make_histogram(const LengthSketch& sketch,
                               std::size_t max_rows = 12);

}  // namespace trainsight::stats

#endif  // TRAINSIGHT_STATS_LENGTH_HISTOGRAM_H_
