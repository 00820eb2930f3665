// What is computed over a whole tape once it is filled: skeleton, duplicates.
#ifndef TRAINSIGHT_SCAN_TAPE_FINISH_H_
#define TRAINSIGHT_SCAN_TAPE_FINISH_H_

#include <cstdint>
#include <span>
#include <vector>

#include "trainsight/scan/row_view.h"

namespace trainsight::scan {

/// Memory of finish_tape(), reused from row to row.
struct FinishScratch {
  std::vector<std::uint64_t> shapes;  ///< of each value, with its key
  std::vector<std::uint64_t> sorted;
};

/// Marks objects with duplicate keys and returns the row's skeleton
/// (RowView::skeleton): a hash of the shape, where
///   scalar: its kind (kNumbers: also whether it has reals)
///   object: its members' keys and shapes, in order
///   array:  the set of its elements' distinct shapes
/// so that rows whose arrays differ in length or order only are equal.
/// REQUIRES: a complete tape. Cost: linear (objects of many keys: n log n).
std::uint64_t finish_tape(std::span<Value> values, FinishScratch& scratch);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_TAPE_FINISH_H_
