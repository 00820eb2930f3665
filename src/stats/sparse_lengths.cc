#include "trainsight/stats/sparse_lengths.h"

#include <algorithm>

#include "buckets.h"

namespace trainsight::stats {
namespace {

constexpr std::size_t kMostWaiting = 1024;

}  // namespace

void SparseLengths::add(std::uint64_t length) {
  length = std::min(length, LengthSketch::kMaxLength);
  ++count_;
  if (__builtin_add_overflow(sum_, length, &sum_)) sum_ = ~std::uint64_t{0};
  max_ = std::max(max_, length);
  waiting_.push_back(last_of(index_of(length)));
  if (waiting_.size() >= kMostWaiting) gather();
}

double SparseLengths::mean() const {
  return count_ == 0 ? 0.0
                     : static_cast<double>(sum_) / static_cast<double>(count_);
}

void SparseLengths::gather() {
  std::sort(waiting_.begin(), waiting_.end());
  std::vector<Bin> merged;
  merged.reserve(bins_.size());
  const auto put = [&merged](const Bin& bin) {
    if (!merged.empty() && merged.back().length == bin.length) {
      merged.back().count += bin.count;
    } else {
      merged.push_back(bin);
    }
  };
  std::size_t next = 0;
  for (const Bin& bin : bins_) {
    for (; next < waiting_.size() && waiting_[next] < bin.length; ++next) {
      put(Bin{waiting_[next], 1});
    }
    put(bin);
  }
  for (; next < waiting_.size(); ++next) put(Bin{waiting_[next], 1});
  bins_ = std::move(merged);
  waiting_.clear();
}

LengthSketch SparseLengths::sketch() const {
  LengthSketch sketch;
  for (const Bin& bin : bins_) {
    sketch.add(std::min(bin.length, max_), bin.count);
  }
  for (const std::uint64_t length : waiting_) {
    sketch.add(std::min(length, max_));
  }
  return sketch;
}

void SparseLengths::merge(const SparseLengths& other) {
  if (!waiting_.empty()) gather();
  for (const Bin& bin : other.bins_) {
    const auto at = std::lower_bound(
        bins_.begin(), bins_.end(), bin.length,
        [](const Bin& a, std::uint64_t length) { return a.length < length; });
    if (at != bins_.end() && at->length == bin.length) {
      at->count += bin.count;
    } else {
      bins_.insert(at, bin);
    }
  }
  waiting_ = other.waiting_;
  count_ += other.count_;
  if (__builtin_add_overflow(sum_, other.sum_, &sum_)) sum_ = ~std::uint64_t{0};
  max_ = std::max(max_, other.max_);
}

}  // namespace trainsight::stats
