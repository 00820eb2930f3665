// The sequence of numbers, all LEB128, after base64:
//
//   entries
//   entries times:
//     index        the first entry; after an entry that is not "joined" the
//                  distance to the previous index, less 2
//     (count - 1) * 2 + joined     joined: the next index follows at once
//     excess - count               only above 16,384 (see tail_excess_)
//   and if there was an entry above 16,384:
//     sum of squares
//     min - first length of its bucket      only if min is above 16,384
//     max - first length of its bucket
//     centroids, then for each: weight, sum
#include "trainsight/stats/sketch_codec.h"

#include <optional>
#include <utility>
#include <vector>

#include "stats/base64.h"
#include "stats/buckets.h"

namespace trainsight::stats {
namespace {

constexpr std::string_view kVersionPrefix = "1:";
constexpr uint128 kMax128 = ~uint128{0};

class NumberWriter {
 public:
  void put(uint128 value) {
    while (value >= 0x80) {
      bytes_.push_back(static_cast<std::uint8_t>((value & 0x7F) | 0x80));
      value >>= 7;
    }
    bytes_.push_back(static_cast<std::uint8_t>(value));
  }
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const {
    return bytes_;
  }

 private:
  std::vector<std::uint8_t> bytes_;
};

// Numbers off the front; a failure is sticky and gives zeros from then on.
class NumberReader {
 public:
  explicit NumberReader(std::vector<std::uint8_t> bytes)
      : bytes_(std::move(bytes)) {}

  // The next number if it is at most `limit` and in its shortest form.
  uint128 take(uint128 limit) {
    uint128 value = 0;
    for (unsigned shift = 0; shift < 128; shift += 7) {
      if (failed_ || next_ == bytes_.size()) break;
      const std::uint8_t byte = bytes_[next_++];
      const uint128 part = byte & 0x7F;
      if (shift == 126 && part > 3) break;
      value |= part << shift;
      if ((byte & 0x80) != 0) continue;
      if ((byte == 0 && shift > 0) || value > limit) break;
      return value;
    }
    failed_ = true;
    return 0;
  }
  std::uint64_t take64(std::uint64_t limit) {
    // Nearly all numbers are of one byte.
    if (!failed_ && next_ < bytes_.size() && bytes_[next_] < 0x80 &&
        bytes_[next_] <= limit) {
      return bytes_[next_++];
    }
    return static_cast<std::uint64_t>(take(limit));
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] bool at_end() const { return next_ == bytes_.size(); }
  [[nodiscard]] std::size_t left() const { return bytes_.size() - next_; }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t next_ = 0;
  bool failed_ = false;
};

Error corrupt(const char* why) {
  return Error{ErrorKind::kCorrupt,
               std::string("cannot read a length sketch: ") + why, ""};
}

}  // namespace

std::string SketchCodec::to_text(const LengthSketch& sketch) {
  NumberWriter out;
  const std::vector<std::uint64_t>& counts = sketch.counts_;
  std::uint64_t entries = 0;
  for (const std::uint64_t count : counts) entries += count > 0 ? 1 : 0;
  out.put(entries);

  std::optional<std::size_t> previous;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    if (!previous) {
      out.put(i);
    } else if (i - *previous > 1) {
      out.put(i - *previous - 2);
    }
    const bool joined = i + 1 < counts.size() && counts[i + 1] > 0;
    out.put((static_cast<uint128>(counts[i] - 1) << 1) | (joined ? 1U : 0U));
    if (i >= kFirstBucket) {
      out.put(sketch.tail_excess_[i - kFirstBucket] - counts[i]);
    }
    previous = i;
  }

  if (counts.size() > kFirstBucket) {
    out.put(sketch.sum_of_squares_);
    if (sketch.min_ > LengthSketch::kExactLimit) {
      out.put(sketch.min_ - first_of(index_of(sketch.min_)));
    }
    out.put(sketch.max_ - first_of(index_of(sketch.max_)));
    const TDigest digest = sketch.digest();
    out.put(digest.centroids().size());
    for (const TDigest::Centroid& c : digest.centroids()) {
      out.put(static_cast<uint128>(c.weight));
      out.put(static_cast<uint128>(c.sum));
    }
  }
  return std::string(kVersionPrefix) + to_base64(out.bytes());
}

namespace {

// The sketch as it is put together from untrusted numbers.
struct Draft {
  std::vector<std::uint64_t> counts;
  std::vector<uint128> tail_excess;
  std::uint64_t count = 0;
  uint128 sum = 0;
  std::uint64_t min = 0;
  std::uint64_t max = 0;
  // Bounds of the sum of squares, or kMax128 beyond 128 bits.
  uint128 least_squares = 0;
  uint128 most_squares = 0;
};

uint128 plus_squares(uint128 total, std::uint64_t length, std::uint64_t count) {
  uint128 squares = 0;
  if (__builtin_mul_overflow(static_cast<uint128>(length) * length,
                             static_cast<uint128>(count), &squares) ||
      __builtin_add_overflow(total, squares, &total)) {
    return kMax128;
  }
  return total;
}

// The counts; false if they are not those of a sketch.
bool read_counts(NumberReader& in, Draft& draft) {
  const std::uint64_t entries = in.take64(kIndexCount);
  if (in.failed() || entries > in.left()) return false;
  bool joined = false;
  for (std::uint64_t n = 0; n < entries; ++n) {
    std::uint64_t index = draft.counts.size();
    if (!joined) index += in.take64(kIndexCount) + (n > 0 ? 1 : 0);
    if (in.failed() || index >= kIndexCount) return false;
    const std::uint64_t packed = in.take64(2 * SketchCodec::kMaxRecords);
    joined = (packed & 1) != 0;
    if (joined && n + 1 == entries) return false;
    const std::uint64_t count = (packed >> 1) + 1;
    if (count > SketchCodec::kMaxRecords - draft.count) return false;
    draft.count += count;
    draft.counts.resize(index + 1);
    draft.counts[index] = count;
    if (n == 0) draft.min = first_of(index);
    draft.max = last_of(index);
    if (index < kFirstBucket) {
      draft.sum += static_cast<uint128>(index) * count;
      // At most 2^28 * 2^53: no overflow.
      const uint128 squares = static_cast<uint128>(index * index) * count;
      draft.least_squares += squares;
      draft.most_squares += squares;
      continue;
    }
    draft.least_squares =
        plus_squares(draft.least_squares, first_of(index), count);
    draft.most_squares =
        plus_squares(draft.most_squares, last_of(index), count);
    const uint128 most = static_cast<uint128>(count) * (width_of(index) - 1);
    const uint128 excess = in.take(most) + count;
    draft.tail_excess.resize(index - kFirstBucket + 1);
    draft.tail_excess.back() = excess;
    draft.sum += static_cast<uint128>(count) * (first_of(index) - 1) + excess;
  }
  return !in.failed();
}

// Whether the bucket's records can have their sum with `min` and `max` among
// them. REQUIRES: min and max lie in the bucket; at least one record.
bool bucket_allows(const Draft& draft, std::size_t index, bool has_min,
                   bool has_max) {
  const uint128 base = first_of(index) - 1;
  const uint128 low = has_min ? draft.min - base : 1;
  const uint128 high = has_max ? draft.max - base : width_of(index);
  const uint128 count = draft.counts[index];
  const uint128 excess = draft.tail_excess[index - kFirstBucket];
  if (count == 1) {
    return (!has_min || excess == low) && (!has_max || excess == high);
  }
  // Greatest and least sums: all but the stated records at the other end.
  const uint128 most = has_min ? low + (count - 1) * high : count * high;
  const uint128 least = has_max ? high + (count - 1) * low : count * low;
  return low <= high && least <= excess && excess <= most;
}

// min and max of a draft with a tail; false if they contradict the counts.
bool read_extremes(NumberReader& in, Draft& draft) {
  const std::size_t last = draft.counts.size() - 1;
  std::size_t first = 0;
  while (draft.counts[first] == 0) ++first;
  const bool min_in_tail = first >= kFirstBucket;
  if (min_in_tail) draft.min += in.take64(width_of(first) - 1);
  draft.max = first_of(last) + in.take64(width_of(last) - 1);
  if (in.failed()) return false;
  if (min_in_tail && first == last) {
    return bucket_allows(draft, first, true, true);
  }
  return (!min_in_tail || bucket_allows(draft, first, true, false)) &&
         bucket_allows(draft, last, false, true);
}

// The digest of a draft with a tail; nothing if it contradicts the counts.
std::optional<TDigest> read_digest(NumberReader& in, const Draft& draft) {
  const std::uint64_t size = in.take64(TDigest::kMaxCentroids);
  const double lowest = static_cast<double>(draft.min);
  const double highest = static_cast<double>(draft.max);
  // Sums are rounded beyond 2^53, and so are the means made of them.
  constexpr double kRounding = 1e-9;
  std::vector<TDigest::Centroid> centroids;
  double before = lowest;
  std::uint64_t weights = 0;
  for (std::uint64_t i = 0; i < size; ++i) {
    const std::uint64_t weight = in.take64(SketchCodec::kMaxRecords);
    const uint128 whole_sum = in.take(uint128{1} << 117);
    if (in.failed() || weight == 0) return std::nullopt;
    const double sum = static_cast<double>(whole_sum);
    if (static_cast<uint128>(sum) != whole_sum) return std::nullopt;
    const TDigest::Centroid centroid{sum, static_cast<double>(weight)};
    if (centroid.mean() < before * (1.0 - kRounding) ||
        centroid.mean() > highest * (1.0 + kRounding)) {
      return std::nullopt;
    }
    before = centroid.mean();
    weights += weight;
    centroids.push_back(centroid);
  }
  if (in.failed() || weights != draft.count) return std::nullopt;
  return TDigest(std::move(centroids), lowest, highest);
}

}  // namespace

Result<LengthSketch> SketchCodec::parse(std::string_view text) {
  if (text.size() > kMaxTextBytes) {
    return Error{ErrorKind::kLimit,
                 "cannot read a length sketch: longer than 1 MiB", ""};
  }
  if (text.substr(0, kVersionPrefix.size()) != kVersionPrefix) {
    return Error{ErrorKind::kUnsupported,
                 "cannot read a length sketch: not of version 1",
                 "profile the data again with this version of trainsight"};
  }
  auto bytes = parse_base64(text.substr(kVersionPrefix.size()));
  if (!bytes) return corrupt("not base64");
  NumberReader in(std::move(*bytes));
  Draft draft;
  if (!read_counts(in, draft)) return corrupt("impossible counts");

  LengthSketch sketch;
  const bool has_tail = draft.counts.size() > kFirstBucket;
  if (has_tail) {
    sketch.sum_of_squares_ = in.take(kMax128);
    if (in.failed() || sketch.sum_of_squares_ < draft.least_squares ||
        sketch.sum_of_squares_ > draft.most_squares) {
      return corrupt("impossible sum of squares");
    }
    if (!read_extremes(in, draft)) return corrupt("impossible extremes");
    auto digest = read_digest(in, draft);
    if (!digest) return corrupt("impossible digest");
    sketch.digest_ = std::move(*digest);
  } else {
    sketch.sum_of_squares_ = draft.most_squares;
  }
  if (!in.at_end()) return corrupt("bytes after its end");

  if (draft.count > 0) {
    sketch.counts_ = std::move(draft.counts);
    sketch.tail_excess_ = std::move(draft.tail_excess);
    sketch.count_ = draft.count;
    sketch.sum_ = draft.sum;
    sketch.min_ = draft.min;
    sketch.max_ = draft.max;
    // Without a tail all counts are an open batch, and the digest is built
    // when it is asked for.
    if (has_tail) sketch.open_next_batch();
  }
  return sketch;
}

}  // namespace trainsight::stats
