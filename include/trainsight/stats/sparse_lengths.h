// SparseLengths: lengths of a group of records in as little memory as they
// need, for breakdowns that hold hundreds of groups at a time.
//
// The same buckets as a LengthSketch, of which only those that hold a record
// are stored: 16 bytes for each different length, at most 16,384 of them and
// 256 for each octave above (sum, longest and count are exact). sketch() gives
// the LengthSketch of the same counts, whose quantiles are exact up to 16,384
// and within 1/256 above.
//
// Memory: 16 bytes a different length and a buffer of 1,024 lengths; at most
// (16,384 + 49 · 256) · 16 bytes = 452 KiB, of lengths below 2^32 333 KiB.
// Unit: whatever is counted. Not thread-safe.
#ifndef TRAINSIGHT_STATS_SPARSE_LENGTHS_H_
#define TRAINSIGHT_STATS_SPARSE_LENGTHS_H_

#include <cstdint>
#include <vector>

#include "trainsight/stats/length_sketch.h"

namespace trainsight::stats {

class SparseLengths {
 public:
  /// Constant time, amortised over a sort of the buffer.
  void add(std::uint64_t length);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Saturates at 2^64 - 1.
  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  [[nodiscard]] std::uint64_t max() const { return max_; }
  /// sum / count; 0 when empty.
  [[nodiscard]] double mean() const;

  /// The counts as a sketch; lengths above 16,384 stand at the end of their
  /// bucket there, but for the longest.
  [[nodiscard]] LengthSketch sketch() const;
  /// Adds all records of `other`.
  void merge(const SparseLengths& other);

 private:
  struct Bin {
    std::uint64_t length = 0;
    std::uint64_t count = 0;
  };
  // Moves what waits into the bins; both together are the value.
  void gather();

  std::vector<Bin> bins_;               // ascending
  std::vector<std::uint64_t> waiting_;  // ends of buckets
  std::uint64_t count_ = 0;
  std::uint64_t sum_ = 0;
  std::uint64_t max_ = 0;
};

}  // namespace trainsight::stats

#endif  // TRAINSIGHT_STATS_SPARSE_LENGTHS_H_
