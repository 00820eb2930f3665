// The strategies that take rows as they come: wrapped, next fit, first fit.
#ifndef TRAINSIGHT_BATCHING_IN_ORDER_H_
#define TRAINSIGHT_BATCHING_IN_ORDER_H_

#include <cstdint>
#include <span>
#include <vector>

#include "batching/pack_sink.h"

namespace trainsight::batching {

/// A window of rows of a data set.
struct Window {
  std::span<const std::uint32_t> lengths;
  std::span<const std::uint32_t> first_labels;  ///< empty: unknown
  std::uint32_t first_row = 0;
};

/// Concatenates the window and cuts it; adds the row-wise figures too, since
/// here they depend on where packs end. `masked` gets Σ segment².
void pack_wrapped(const Window& window, const PackOptions& options,
                  PackingFigures& figures, SquareSum& masked, PackSink& sink,
                  Assignment* assignment);

/// Next fit over the window's pieces.
void pack_next_fit(const Window& window, const PackOptions& options,
                   PackSink& sink, Assignment* assignment);

/// First fit over rows `order` (ids into `lengths`), by a tree of the largest
/// free space. O(log packs) a piece.
void pack_first_fit(std::span<const std::uint32_t> order,
                    std::span<const std::uint32_t> lengths,
                    const PackOptions& options, PackSink& sink,
                    Assignment* assignment);

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_IN_ORDER_H_
