// Padding figures from sums and from counts: what padding.cc decides between.
#ifndef TRAINSIGHT_BATCHING_PADDING_ROWS_H_
#define TRAINSIGHT_BATCHING_PADDING_ROWS_H_

#include <cstdint>

#include "batching/epoch.h"
#include "trainsight/batching/padding.h"

namespace trainsight::batching {

/// The kept rows of a question: widths decide padding, tokens fill slots.
struct Rows {
  LengthCounts counts;  ///< of widths
  std::uint64_t rows = 0;
  std::uint64_t tokens = 0;
  std::uint32_t sequences_per_row = 1;  ///< 2 for preference pairs
};

/// Figures of an epoch that was walked, of `rows` rows.
PaddingFigures figures_of(const EpochSums& sums, std::uint64_t rows,
                          const BatchPlan& plan);

/// Figures of a sampler that needs neither order nor simulation: random and
/// bucketed by closed form, sorted exactly. REQUIRES: rows.rows > 0.
PaddingFigures figures_of(const Rows& rows, const BatchPlan& plan);

/// Sets the members that follow from the sums: waste, steps, tokens a step.
void finish(const BatchPlan& plan, PaddingFigures& figures);

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_PADDING_ROWS_H_
