#include "trainsight/stats/tdigest.h"

#include <algorithm>
#include <cmath>
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
  merge_in(batch, batch.front().mean(), batch.back().mean(), true);
}

void TDigest::merge(const TDigest& other) {
  if (other.weight_ <= 0) return;
  // A copy, so that a digest can be merged with itself.
  const std::vector<Centroid> incoming = other.centroids_;
  merge_in(incoming, other.lowest_, other.highest_, false);
}

void TDigest::merge_in(std::span<const Centroid> incoming, double lowest,
                       double highest, bool divisible) {
  lowest_ = weight_ > 0 ? std::min(lowest_, lowest) : lowest;
  highest_ = weight_ > 0 ? std::max(highest_, highest) : highest;
  for (const Centroid& c : incoming) weight_ += c.weight;

  const std::vector<Centroid> old = std::exchange(centroids_, {});
  double weight_before = 0;  // of finished centroids
  double limit = weight_ * next_limit(0.0);
  Centroid current;
  const auto finish = [&] {
    centroids_.push_back(current);
    weight_before += current.weight;
    limit = weight_ * next_limit(weight_before / weight_);
    current = {};
  };

  auto from_old = old.begin();
  auto from_new = incoming.begin();
  while (from_old != old.end() || from_new != incoming.end()) {
    const bool take_new =
        from_old == old.end() ||
        // new mean < old mean, without two divisions
        (from_new != incoming.end() &&
         from_new->sum * from_old->weight < from_old->sum * from_new->weight);
    Centroid next = take_new ? *from_new++ : *from_old++;

    if (take_new && divisible && next.weight > 1) {
      const double value = next.mean();
      while (weight_before + current.weight + next.weight > limit &&
             next.weight > 1) {
        const double room = std::floor(limit - weight_before - current.weight);
        // A centroid without values takes at least one.
        const double least = current.weight > 0 ? 0.0 : 1.0;
        const double part = std::clamp(room, least, next.weight - 1.0);
        current.sum += value * part;
        current.weight += part;
        next.sum -= value * part;
        next.weight -= part;
        finish();
      }
    }
    if (current.weight > 0 &&
        weight_before + current.weight + next.weight > limit) {
      finish();
    }
    current.sum += next.sum;
    current.weight += next.weight;
  }
  if (current.weight > 0) finish();
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
