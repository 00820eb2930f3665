// The bucket scheme of LengthSketch: lengths to indices and back.
//
// Index i <= 16,384 is the length i itself. Above, with y = length - 1, the
// octave e = floor(log2 y) >= 14 and the next eight bits of y give the bucket.
#ifndef TRAINSIGHT_STATS_BUCKETS_H_
#define TRAINSIGHT_STATS_BUCKETS_H_

#include <bit>
#include <cstddef>
#include <cstdint>

#include "trainsight/stats/length_sketch.h"

namespace trainsight::stats {

inline constexpr unsigned kFirstOctave = 14;  // 2^14 = kExactLimit
inline constexpr unsigned kBucketBits = 8;    // 256 buckets an octave
inline constexpr std::size_t kFirstBucket = LengthSketch::kExactLimit + 1;
inline constexpr std::size_t kIndexCount =
    kFirstBucket + ((63 - kFirstOctave) << kBucketBits);

static_assert(LengthSketch::kExactLimit == std::uint64_t{1} << kFirstOctave);

/// REQUIRES: length <= LengthSketch::kMaxLength.
inline std::size_t index_of(std::uint64_t length) {
  if (length <= LengthSketch::kExactLimit) return length;
  const std::uint64_t y = length - 1;
  const unsigned octave = static_cast<unsigned>(std::bit_width(y)) - 1;
  const std::uint64_t within = (y >> (octave - kBucketBits)) & 0xFF;
  return kFirstBucket + ((octave - kFirstOctave) << kBucketBits) + within;
}

/// The width of a bucket; 1 in the exact range. REQUIRES: index < kIndexCount.
inline std::uint64_t width_of(std::size_t index) {
  if (index < kFirstBucket) return 1;
  const std::size_t octave =
      kFirstOctave + ((index - kFirstBucket) >> kBucketBits);
  return std::uint64_t{1} << (octave - kBucketBits);
}

/// The greatest length of a bucket. REQUIRES: index < kIndexCount.
inline std::uint64_t last_of(std::size_t index) {
  if (index < kFirstBucket) return index;
  const std::uint64_t within = (index - kFirstBucket) & 0xFF;
  return (256 + within + 1) * width_of(index);
}

/// The smallest length of a bucket. REQUIRES: index < kIndexCount.
inline std::uint64_t first_of(std::size_t index) {
  return last_of(index) - (width_of(index) - 1);
}

}  // namespace trainsight::stats

#endif  // TRAINSIGHT_STATS_BUCKETS_H_
