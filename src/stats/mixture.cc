#include "trainsight/stats/mixture.h"

#include <algorithm>
#include <cmath>

namespace trainsight::stats {
namespace {

struct Weighed {
  std::uint64_t length = 0;
  double share = 0;  // of all draws
};

// The shares of all lengths, ascending.
std::vector<Weighed> shares_of(std::span<const WeightedSource> sources,
                               const Mixture& mixture) {
  std::vector<Weighed> shares;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const auto records = static_cast<double>(sources[s].lengths->count());
    for (const LengthBin& bin : sources[s].lengths->bins()) {
      // Of a bucket above 16,384 its mean: the error is below 1/256.
      shares.push_back({static_cast<std::uint64_t>(std::llround(bin.mean)),
                        mixture.sources[s].probability *
                            static_cast<double>(bin.count) / records});
    }
  }
  std::sort(
      shares.begin(), shares.end(), [](const Weighed& a, const Weighed& b) {
        return a.length != b.length ? a.length < b.length : a.share < b.share;
      });
  return shares;
}

std::uint64_t quantile(const std::vector<Weighed>& shares, double q) {
  // Sums of shares that are q on paper may be a little below it.
  constexpr double kRounding = 1e-9;
  double below = 0;
  for (const Weighed& weighed : shares) {
    below += weighed.share;
    if (below >= q - kRounding) return weighed.length;
  }
  return shares.back().length;
}

}  // namespace

Mixture mix(std::span<const WeightedSource> sources) {
  Mixture mixture;
  double total = 0;
  for (const WeightedSource& source : sources) total += source.weight;
  double squares = 0;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const LengthSketch& lengths = *sources[s].lengths;
    Mixture::Source& out = mixture.sources.emplace_back();
    out.probability = sources[s].weight / total;
    const double mean = lengths.mean();
    mixture.mean += out.probability * mean;
    squares +=
        out.probability * (lengths.stddev() * lengths.stddev() + mean * mean);
    mixture.max = std::max(mixture.max, lengths.max());
    const double rows = static_cast<double>(lengths.count()) / out.probability;
    if (s == 0 || rows < mixture.rows_first) {
      mixture.rows_first = rows;
      mixture.ends_first = s;
    }
    if (s == 0 || rows > mixture.rows_all) {
      mixture.rows_all = rows;
      mixture.ends_all = s;
    }
  }
  mixture.stddev =
      std::sqrt(std::max(0.0, squares - mixture.mean * mixture.mean));
  if (mixture.mean > 0) mixture.cv = mixture.stddev / mixture.mean;
  for (std::size_t s = 0; s < sources.size(); ++s) {
    const LengthSketch& lengths = *sources[s].lengths;
    Mixture::Source& out = mixture.sources[s];
    if (mixture.mean > 0) {
      out.tokens_ratio = out.probability * lengths.mean() / mixture.mean;
    }
    const double rate = out.probability / static_cast<double>(lengths.count());
    out.passes_first = mixture.rows_first * rate;
    out.passes_all = mixture.rows_all * rate;
  }
  const std::vector<Weighed> shares = shares_of(sources, mixture);
  mixture.p50 = quantile(shares, 0.50);
  mixture.p90 = quantile(shares, 0.90);
  mixture.p95 = quantile(shares, 0.95);
  mixture.p99 = quantile(shares, 0.99);
  return mixture;
}

}  // namespace trainsight::stats
