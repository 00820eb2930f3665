// LengthSketch: everything that is asked later about a set of lengths, in a
// size that does not depend on the number of records.
//
// Held are: count, sum, sum of squares, least and greatest, all exact; the
// count of every length up to 16,384; above, counts and sums in log-linear
// buckets up to 2^63; and a t-digest. Merging in any order gives the same
// counts and moments; only the digest depends on the order, so feed it in
// input order. Lengths are kept untruncated, so that a stored sketch can be
// judged again at any limit.
//
// Buckets: above 16,384 each octave (2^e, 2^(e+1)] is cut into 256 buckets of
// equal width 2^(e-8). A bucket holds first..last with last a multiple of its
// width: the lengths *up to* a power of two, or up to 20,480, 49,152 and so on,
// are counted exactly. A bucket's width is less than 1/256 of its lengths.
//
// The digest takes batches of 65,536 records, in input order. A batch is the
// difference of the counts since the last one, so that adding a record costs
// the digest nothing and needs no sort.
//
// Memory: 16 bytes for each length up to the longest seen: at most 256 KiB for
// the exact range, 0.6 MiB with a tail up to 2^63, and 16 bytes for each record
// of a batch above 16,384 (1 MiB). Only the reducer holds sketches, one for
// each quantity.
//
// Unit: whatever is counted, tokens as a rule. Not thread-safe; const members
// may run side by side.
#ifndef TRAINSIGHT_STATS_LENGTH_SKETCH_H_
#define TRAINSIGHT_STATS_LENGTH_SKETCH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "trainsight/stats/tdigest.h"

namespace trainsight::stats {

// In pedantic ISO C++ a 128-bit integer is an extension of gcc and clang.
__extension__ typedef unsigned __int128 uint128;

/// A run of neighbouring lengths and how many records have one of them.
struct LengthBin {
  std::uint64_t first = 0;  ///< smallest length of the bin
  std::uint64_t last = 0;   ///< greatest; first == last up to 16,384
  std::uint64_t count = 0;  ///< records, at least 1
  double mean = 0;          ///< their mean length, exact
};

/// What a limit on the length does to the records over it.
struct CutAt {
  std::uint64_t records_over = 0;  ///< records longer than the limit
  std::uint64_t tokens_over = 0;   ///< all tokens of those records
  std::uint64_t tokens_lost = 0;   ///< their tokens beyond the limit
  /// 0 when the three are exact: a limit up to 16,384 or at a bucket's edge.
  /// Otherwise the records of the bucket that the limit cuts, taken as spread
  /// evenly over it: records_over is off by at most this number, tokens_lost
  /// by at most this number times 1/256 of the limit.
  std::uint64_t records_uncertain = 0;
};

class LengthSketch {
 public:
  /// The longest length with a count of its own.
  static constexpr std::uint64_t kExactLimit = 16384;
  /// The longest length at all; longer ones are taken as this one.
  static constexpr std::uint64_t kMaxLength = std::uint64_t{1} << 63;
  /// Records of a batch for the digest.
  static constexpr std::uint64_t kBatchRecords = 65536;

  /// Adds `weight` records of one length. Constant time, amortised.
  void add(std::uint64_t length, std::uint64_t weight = 1) {
    if (weight != 1 || length > kExactLimit || length >= counts_.size()) {
      add_slow(length, weight);
      return;
    }
    ++counts_[length];
    ++count_;
    sum_ += length;
    add_squares(length * length);
    if (length < min_) min_ = length;
    if (length > max_) max_ = length;
    if (count_ >= next_batch_) end_batch();
  }

  /// Adds all records of `other`.
  void merge(const LengthSketch& other);

  [[nodiscard]] std::uint64_t count() const { return count_; }
  /// Saturates at 2^64 - 1.
  [[nodiscard]] std::uint64_t sum() const;
  /// 0 in an empty sketch, as are all of the following.
  [[nodiscard]] std::uint64_t min() const { return count_ > 0 ? min_ : 0; }
  [[nodiscard]] std::uint64_t max() const { return max_; }
  [[nodiscard]] double mean() const;
  /// Population standard deviation: sqrt(sum x^2 / n - mean^2), computed from
  /// whole numbers, hence without cancellation. (The sum of squares saturates
  /// at 2^128 - 1: 2^48 records of 2^40 tokens.)
  [[nodiscard]] double stddev() const;
  /// stddev / mean; 0 when the mean is 0.
  [[nodiscard]] double cv() const;

  /// The nearest-rank quantile: the k-th smallest length, k = ceil(p n), at
  /// least 1. p in 0..1, with up to four decimals exact for n < 10^11.
  ///
  /// Exact up to 16,384, where the counts tell it. Above, the counts tell the
  /// bucket and the digest's estimate is held within it: the error is below
  /// 1/256 (0.4 %) of the length, whatever the distribution, which the digest
  /// alone cannot promise.
  [[nodiscard]] std::uint64_t quantile(double p) const;
  /// The bin that holds the nearest-rank quantile, cut to min()..max().
  [[nodiscard]] LengthBin quantile_bin(double p) const;
  /// The t-digest of all records, and its own answer to quantile(p), which
  /// tests hold against the counts'. Cost: a merge of the open batch.
  [[nodiscard]] TDigest digest() const;
  [[nodiscard]] double digest_quantile(double p) const;

  /// Records longer than `limit` and what cutting there costs. Linear in the
  /// longest length up to 16,384.
  [[nodiscard]] CutAt cut_at(std::uint64_t limit) const;
  /// records_over / count; 0 when empty.
  [[nodiscard]] double share_above(std::uint64_t limit) const;

  /// All bins with records, ascending. Linear in the longest length.
  [[nodiscard]] std::vector<LengthBin> bins() const;

  /// Equal counts and moments; the digests, which depend on order, may differ.
  [[nodiscard]] bool same_counts(const LengthSketch& other) const;

 private:
  friend class SketchCodec;

  void add_slow(std::uint64_t length, std::uint64_t weight);
  // What was added since the last batch, ascending.
  [[nodiscard]] std::vector<TDigest::Centroid> open_batch() const;
  // Gives the open batch to the digest.
  void end_batch();
  // Notes that the digest holds all of counts_.
  void open_next_batch();

  void add_squares(uint128 squares) {
    if (__builtin_add_overflow(sum_of_squares_, squares, &sum_of_squares_)) {
      sum_of_squares_ = ~uint128{0};
    }
  }

  [[nodiscard]] std::uint64_t rank_of(double p) const;
  [[nodiscard]] LengthBin bin_at(std::size_t index) const;
  [[nodiscard]] uint128 tokens_at(std::size_t index) const;

  // counts_[i]: records of length i up to 16,384, then one entry a bucket.
  // Ends at the longest length seen.
  std::vector<std::uint64_t> counts_;
  // tail_excess_[i]: sum of (length - first + 1) over bucket i above 16,384.
  std::vector<uint128> tail_excess_;
  std::uint64_t count_ = 0;
  uint128 sum_ = 0;
  uint128 sum_of_squares_ = 0;
  std::uint64_t min_ = ~std::uint64_t{0};
  std::uint64_t max_ = 0;
  TDigest digest_;
  // Of the open batch: the exact counts before it (maybe shorter than
  // counts_), its records above 16,384, and the count at which it ends.
  std::vector<std::uint64_t> counts_before_batch_;
  std::vector<TDigest::Centroid> tail_batch_;
  std::uint64_t next_batch_ = kBatchRecords;
};

}  // namespace trainsight::stats

#endif  // TRAINSIGHT_STATS_LENGTH_SKETCH_H_
