// The strategies that take the longest pieces first, on counts of lengths.
//
// Each gives exactly the packs of the row-by-row rule, but places equal pieces
// many at a time: cost grows with distinct lengths and kinds of packs, not
// with rows. `runs` are descending with lengths 1 … pack_length.
#ifndef TRAINSIGHT_BATCHING_DECREASING_H_
#define TRAINSIGHT_BATCHING_DECREASING_H_

#include <cstdint>
#include <span>
#include <vector>

#include "batching/length_set.h"
#include "batching/pack_sink.h"

namespace trainsight::batching {

/// Best-fit decreasing: each piece into the open pack with the least free
/// space that still holds it, else into a new one.
///
/// Packs with equal free space are interchangeable for what follows, so a
/// level of free space is a list of nodes; a node stands for some packs with
/// the same content: `copies` pieces of `length` on top of what `parent`
/// holds. When c pieces of length l meet packs with space s (the least that
/// holds l), one pack takes ⌊s/l⌋ of them before the next is touched, since
/// s − l is again the best fit while it is at least l.
class BestFitDecreasing {
 public:
  explicit BestFitDecreasing(std::uint32_t pack_length);

  void pack(std::span<const Run> runs, PackSink& sink);

 private:
  static constexpr std::uint32_t kNil = 0xFFFFFFFFU;

  struct Node {
    std::uint32_t parent;
    std::uint32_t below;  // next node of the same level
    std::uint32_t length;
    std::uint32_t copies;
    std::uint32_t packs;  // that still have just this content
  };

  void push(std::uint32_t parent, std::uint32_t length, std::uint64_t copies,
            std::uint64_t packs, std::uint32_t space);
  void emit(PackSink& sink);

  std::uint32_t pack_length_;
  LengthSet open_;                     // spaces > 0 that some pack has
  std::vector<std::uint32_t> levels_;  // space -> top node, or kNil
  std::vector<Node> nodes_;
  std::vector<Run> path_;
};

/// First-fit decreasing, and its modification by Johnson and Garey.
///
/// First-fit decreasing fills its first pack with the longest piece, then the
/// longest that fits beside it, and so on; the second pack likewise from what
/// is left. So packs are made one after another, and the same content repeats
/// for as long as the counts of its lengths allow.
class FirstFitDecreasing {
 public:
  explicit FirstFitDecreasing(std::uint32_t pack_length);

  void pack(std::span<const Run> runs, PackSink& sink);
  void pack_modified(std::span<const Run> runs, PackSink& sink);

 private:
  void load(std::span<const Run> runs);
  /// Removes `copies` pieces of `length`.
  void remove(std::uint32_t length, std::uint64_t copies);
  /// Appends to runs_ what first-fit decreasing puts into `space`, removing
  /// nothing.
  void fill(std::uint32_t space);
  void pack_rest(PackSink& sink);

  std::uint32_t pack_length_;
  LengthSet left_;  // lengths with a count > 0
  std::vector<std::uint64_t> counts_;
  std::vector<Run> runs_;
};

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_DECREASING_H_
