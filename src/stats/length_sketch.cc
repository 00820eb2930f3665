#include "trainsight/stats/length_sketch.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "stats/buckets.h"

namespace trainsight::stats {
namespace {

std::uint64_t saturated(uint128 value) {
  constexpr uint128 kMax = ~std::uint64_t{0};
  return static_cast<std::uint64_t>(std::min(value, kMax));
}

}  // namespace

void LengthSketch::add_slow(std::uint64_t length, std::uint64_t weight) {
  if (weight == 0) return;
  length = std::min(length, kMaxLength);
  const std::size_t index = index_of(length);
  if (index >= counts_.size()) counts_.resize(index + 1);
  counts_[index] += weight;
  if (index >= kFirstBucket) {
    const std::size_t bucket = index - kFirstBucket;
    if (bucket >= tail_excess_.size()) tail_excess_.resize(bucket + 1);
    tail_excess_[bucket] +=
        static_cast<uint128>(length - first_of(index) + 1) * weight;
    const double records = static_cast<double>(weight);
    tail_batch_.push_back({static_cast<double>(length) * records, records});
  }
  count_ += weight;
  sum_ += static_cast<uint128>(length) * weight;
  uint128 squares = 0;
  if (__builtin_mul_overflow(static_cast<uint128>(length) * length,
                             static_cast<uint128>(weight), &squares)) {
    squares = ~uint128{0};
  }
  add_squares(squares);
  min_ = std::min(min_, length);
  max_ = std::max(max_, length);
  if (count_ >= next_batch_) end_batch();
}

std::vector<TDigest::Centroid> LengthSketch::open_batch() const {
  std::vector<TDigest::Centroid> batch;
  const std::size_t exact = std::min(counts_.size(), kFirstBucket);
  for (std::size_t i = 0; i < exact; ++i) {
    const std::uint64_t before =
        i < counts_before_batch_.size() ? counts_before_batch_[i] : 0;
    if (counts_[i] == before) continue;
    const double records = static_cast<double>(counts_[i] - before);
    batch.push_back({static_cast<double>(i) * records, records});
  }
  const auto tail = static_cast<std::ptrdiff_t>(batch.size());
  batch.insert(batch.end(), tail_batch_.begin(), tail_batch_.end());
  std::sort(batch.begin() + tail, batch.end(),
            [](const TDigest::Centroid& a, const TDigest::Centroid& b) {
              return a.mean() < b.mean();
            });
  return batch;
}

void LengthSketch::open_next_batch() {
  const std::size_t exact = std::min(counts_.size(), kFirstBucket);
  counts_before_batch_.assign(
      counts_.begin(), counts_.begin() + static_cast<std::ptrdiff_t>(exact));
  tail_batch_.clear();
  next_batch_ = count_ + kBatchRecords;
}

void LengthSketch::end_batch() {
  digest_.add_sorted(open_batch());
  open_next_batch();
}

TDigest LengthSketch::digest() const {
  TDigest complete = digest_;
  complete.add_sorted(open_batch());
  return complete;
}

void LengthSketch::merge(const LengthSketch& other) {
  if (other.count_ == 0) return;
  end_batch();
  digest_.merge(other.digest());
  counts_.resize(std::max(counts_.size(), other.counts_.size()));
  for (std::size_t i = 0; i < other.counts_.size(); ++i) {
    counts_[i] += other.counts_[i];
  }
  tail_excess_.resize(std::max(tail_excess_.size(), other.tail_excess_.size()));
  for (std::size_t i = 0; i < other.tail_excess_.size(); ++i) {
    tail_excess_[i] += other.tail_excess_[i];
  }
  count_ += other.count_;
  sum_ += other.sum_;
  add_squares(other.sum_of_squares_);
  min_ = std::min(min_, other.min_);
  max_ = std::max(max_, other.max_);
  open_next_batch();
}

std::uint64_t LengthSketch::sum() const { return saturated(sum_); }

double LengthSketch::mean() const {
  if (count_ == 0) return 0;
  return static_cast<double>(static_cast<long double>(sum_) /
                             static_cast<long double>(count_));
}

double LengthSketch::stddev() const {
  if (count_ == 0) return 0;
  const long double n = static_cast<long double>(count_);
  // n^2 times the variance is n * sum x^2 - (sum x)^2, a whole number.
  uint128 left = 0;
  uint128 right = 0;
  if (!__builtin_mul_overflow(static_cast<uint128>(count_), sum_of_squares_,
                              &left) &&
      !__builtin_mul_overflow(sum_, sum_, &right)) {
    const uint128 spread = left > right ? left - right : 0;
    return static_cast<double>(std::sqrt(static_cast<long double>(spread)) / n);
  }
  const long double average = static_cast<long double>(sum_) / n;
  const long double variance =
      static_cast<long double>(sum_of_squares_) / n - average * average;
  return static_cast<double>(std::sqrt(std::max(variance, 0.0L)));
}

double LengthSketch::cv() const {
  const double average = mean();
  return average > 0 ? stddev() / average : 0.0;
}

std::uint64_t LengthSketch::rank_of(double p) const {
  // p has no exact binary form: 0.07 * 100 is 7.000000000000001, whose ceiling
  // is 8. Taking off a few units of the last place restores decimal fractions.
  const double position = p * static_cast<double>(count_) * (1.0 - 0x1p-50);
  if (!(position > 1.0)) return 1;
  if (position >= static_cast<double>(count_)) return count_;
  return std::min(static_cast<std::uint64_t>(std::ceil(position)), count_);
}

LengthBin LengthSketch::bin_at(std::size_t index) const {
  LengthBin bin{first_of(index), last_of(index), counts_[index], 0.0};
  bin.mean = static_cast<double>(bin.first);
  if (index >= kFirstBucket) {
    // Not the quotient alone: the excess is small beside the length.
    bin.mean = static_cast<double>(bin.first - 1) +
               static_cast<double>(tail_excess_[index - kFirstBucket]) /
                   static_cast<double>(bin.count);
  }
  return bin;
}

LengthBin LengthSketch::quantile_bin(double p) const {
  if (count_ == 0) return {};
  const std::uint64_t rank = rank_of(p);
  std::uint64_t seen = 0;
  std::size_t index = 0;
  while (index + 1 < counts_.size()) {
    seen += counts_[index];
    if (seen >= rank) break;
    ++index;
  }
  LengthBin bin = bin_at(index);
  bin.first = std::max(bin.first, min_);
  bin.last = std::min(bin.last, max_);
  return bin;
}

std::uint64_t LengthSketch::quantile(double p) const {
  const LengthBin bin = quantile_bin(p);
  if (bin.first == bin.last) return bin.first;
  if (bin.count == 1) {
    return static_cast<std::uint64_t>(tokens_at(index_of(bin.first)));
  }
  if (rank_of(p) == count_) return max_;
  if (rank_of(p) == 1) return min_;
  const double estimate = digest().value_at_rank(rank_of(p));
  // Compared as doubles first: a conversion out of range is undefined.
  if (!(estimate > static_cast<double>(bin.first))) return bin.first;
  if (estimate >= static_cast<double>(bin.last)) return bin.last;
  return static_cast<std::uint64_t>(std::round(estimate));
}

double LengthSketch::digest_quantile(double p) const {
  return count_ > 0 ? digest().value_at_rank(rank_of(p)) : 0.0;
}

uint128 LengthSketch::tokens_at(std::size_t index) const {
  const uint128 records = counts_[index];
  if (index < kFirstBucket) return records * index;
  return records * (first_of(index) - 1) + tail_excess_[index - kFirstBucket];
}

CutAt LengthSketch::cut_at(std::uint64_t limit) const {
  CutAt cut;
  if (limit >= max_) return cut;
  const std::size_t middle = index_of(limit);
  std::uint64_t records_over = count_;
  uint128 tokens_over = sum_;
  for (std::size_t i = 0; i <= middle; ++i) {
    records_over -= counts_[i];
    tokens_over -= tokens_at(i);
  }
  uint128 tokens_lost =
      tokens_over - static_cast<uint128>(limit) * records_over;

  // What lies above the limit within the limit's own bucket.
  const std::uint64_t in_middle = counts_[middle];
  if (in_middle == 1 && tokens_at(middle) > limit) {
    records_over += 1;
    tokens_over += tokens_at(middle);
    tokens_lost += tokens_at(middle) - limit;
  } else if (in_middle > 1 && limit < last_of(middle)) {
    const std::uint64_t low = std::max(first_of(middle), min_) - 1;
    const std::uint64_t high = std::min(last_of(middle), max_);
    const double above = static_cast<double>(high - std::max(low, limit));
    const double over = std::round(static_cast<double>(in_middle) * above /
                                   static_cast<double>(high - low));
    const double lost = over * (above + 1.0) / 2.0;
    const std::uint64_t whole_over =
        std::min(static_cast<std::uint64_t>(over), in_middle);
    cut.records_uncertain = in_middle;
    records_over += whole_over;
    tokens_lost += static_cast<uint128>(lost);
    tokens_over +=
        static_cast<uint128>(limit) * whole_over + static_cast<uint128>(lost);
  }
  cut.records_over = records_over;
  cut.tokens_over = saturated(tokens_over);
  cut.tokens_lost = saturated(tokens_lost);
  return cut;
}

double LengthSketch::share_above(std::uint64_t limit) const {
  if (count_ == 0) return 0;
  return static_cast<double>(cut_at(limit).records_over) /
         static_cast<double>(count_);
}

std::vector<LengthBin> LengthSketch::bins() const {
  std::vector<LengthBin> result;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] > 0) result.push_back(bin_at(i));
  }
  return result;
}

bool LengthSketch::same_counts(const LengthSketch& other) const {
  return counts_ == other.counts_ && tail_excess_ == other.tail_excess_ &&
         count_ == other.count_ && sum_ == other.sum_ &&
         sum_of_squares_ == other.sum_of_squares_ && min_ == other.min_ &&
         max_ == other.max_;
}

}  // namespace trainsight::stats
