// A mixture of data sets by weights: what a trainer sees that draws each row
// from one of several sources at random.
//
// The semantics are those of `datasets.interleave_datasets(sources,
// probabilities=p)` (also behind LLaMA-Factory's interleave_probs): each draw
// chooses a source s with probability p_s = w_s / Σw, whatever was drawn
// before, and takes that source's next row; a source that has given its last
// row begins again. Two ways to end an epoch (stopping_strategy):
//   first_exhausted  when the first source has given its last row,
//   all_exhausted    when every source has, once at least.
//
// Formulas, for sources of n_s rows, mean length μ_s, deviation σ_s, and share
// of rows up to x F_s(x):
//   mean        μ  = Σ p_s μ_s
//   deviation   σ² = Σ p_s (σ_s² + μ_s²) − μ²    (law of total variance)
//   quantile    the smallest length x with Σ p_s F_s(x) >= q
//   token share t_s = p_s μ_s / μ
//   source s has given its last row after n_s / p_s draws in the mean (negative
//   binomial distribution), with deviation sqrt(n_s (1 − p_s)) / p_s
//   epoch       T = min_s n_s / p_s (first) or max_s n_s / p_s (all)
//   passes      T p_s / n_s over source s in T draws; for N tokens T = N / μ
// T is the length at the mean rates. Where two sources end at about the same
// time the first of them ends a little earlier, the last a little later: by
// less than the deviation above.
//
// Pure.
#ifndef TRAINSIGHT_STATS_MIXTURE_H_
#define TRAINSIGHT_STATS_MIXTURE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "trainsight/stats/length_sketch.h"

namespace trainsight::stats {

struct WeightedSource {
  double weight = 0;  ///< above 0; only ratios of weights count
  const LengthSketch* lengths = nullptr;  ///< at least one record
};

struct Mixture {
  struct Source {
    double probability = 0;   ///< that a row is drawn from it
    double tokens_ratio = 0;  ///< of the mixture's tokens
    /// Passes over it in an epoch that ends by either strategy.
    double passes_first = 0, passes_all = 0;
  };
  std::vector<Source> sources;  ///< in the order given
  double mean = 0;              ///< tokens of a drawn row, as the following
  double stddev = 0;
  double cv = 0;  ///< stddev / mean; 0 when the mean is 0
  std::uint64_t p50 = 0, p90 = 0, p95 = 0, p99 = 0, max = 0;
  /// Rows of an epoch at the mean rates, and the source that decides it: of
  /// several the first.
  double rows_first = 0, rows_all = 0;
  std::size_t ends_first = 0, ends_all = 0;
};

/// REQUIRES: not empty, weights above 0 and finite, records in every source.
Mixture mix(std::span<const WeightedSource> sources);

}  // namespace trainsight::stats

#endif  // TRAINSIGHT_STATS_MIXTURE_H_
