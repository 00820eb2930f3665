#include "trainsight/stats/tdigest.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace trainsight::stats {
namespace {

constexpr double kPi = 3.14159265358979323846;

// The quantile one unit of k1 to the right of q: k1^-1(k1(q) + 1).
double next_limit(double q) {
  const double angle = std::asin(std::clamp(2.0 * q - 1.0, -1.0, 1.0)) +
                       2.0 * kPi / TDigest::kCompression;
  if (angle >= kPi / 2.0) return 1.0;
  return (std::sin(angle) + 1.0) / 2.0;
}

}  // namespace

TDigest::TDigest(std::vector<Centroid> centroids, double lowest, double highest)
    : centroids_(std::move(centroids)), lowest_(lowest), highest_(highest) {
  for (const Centroid& c : centroids_) weight_ += c.weight;
}

void TDigest::add_sorted(std::span<const Centroid> batch) {
  if (batch.empty()) return;
  merge_in(batch, batch.front().mean(), batch.back().mean());
}

void TDigest::merge(const TDigest& other) {
  if (other.weight_ <= 0) return;
  // A copy, so that a digest can be merged with itself.
  const std::vector<Centroid> incoming = other.centroids_;
  merge_in(incoming, other.lowest_, other.highest_);
}

void TDigest::merge_in(std::span<const Centroid> incoming, double lowest,
                       double highest) {
  lowest_ = weight_ > 0 ? std::min(lowest_, lowest) : lowest;
  highest_ = weight_ > 0 ? std::max(highest_, highest) : highest;

  std::vector<Centroid> all;
  all.reserve(centroids_.size() + incoming.size());
  std::merge(centroids_.begin(), centroids_.end(), incoming.begin(),
             incoming.end(), std::back_inserter(all),
             [](const Centroid& a, const Centroid& b) {
               // a.mean() < b.mean() without two divisions.
               return a.sum * b.weight < b.sum * a.weight;
             });
  for (const Centroid& c : incoming) weight_ += c.weight;

  centroids_.clear();
  double weight_before = 0;
  double limit = weight_ * next_limit(0.0);
  Centroid current = all.front();
  for (std::size_t i = 1; i < all.size(); ++i) {
    const Centroid& next = all[i];
    if (weight_before + current.weight + next.weight <= limit) {
      current.sum += next.sum;
      current.weight += next.weight;
      continue;
    }
    centroids_.push_back(current);
    weight_before += current.weight;
    limit = weight_ * next_limit(weight_before / weight_);
    current = next;
  }
  centroids_.push_back(current);
}

double TDigest::value_at_rank(std::uint64_t rank) const {
  const double position = static_cast<double>(rank) - 0.5;

  // Between the middles of two neighbours, the lowest and the highest value
  // standing for neighbours without weight at the ends.
  double left_position = 0;
  double left_value = lowest_;
  double weight_before = 0;
  for (const Centroid& c : centroids_) {
    const double middle = weight_before + c.weight / 2.0;
    if (position <= middle) {
      const double span = middle - left_position;
      const double share = span > 0 ? (position - left_position) / span : 1.0;
      return left_value + share * (c.mean() - left_value);
    }
    left_position = middle;
    left_value = c.mean();
    weight_before += c.weight;
  }
  const double span = weight_before - left_position;
  const double share = span > 0 ? (position - left_position) / span : 1.0;
  return left_value + std::min(share, 1.0) * (highest_ - left_value);
}

}  // namespace trainsight::stats
