// Packing: several rows in one sequence of fixed length, without padding.
//
// pack() answers what a strategy would cost on these lengths, and on request
// says which row goes where. Strategies that sort work on the counts of
// lengths (equal rows are placed many at a time), so 100 million rows are
// packed in the time of reading them; first fit walks a tree of free spaces.
//
// Words: a *segment* is the part of one row that lies in one pack; a row that
// is cut has several. Rows without tokens are left out of packs.
// Pure and deterministic for a seed.
#ifndef TRAINSIGHT_BATCHING_PACK_H_
#define TRAINSIGHT_BATCHING_PACK_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "trainsight/batching/lengths.h"
#include "trainsight/batching/plan.h"
#include "trainsight/core/result.h"

namespace trainsight::batching {

enum class Strategy : std::uint8_t {
  kWrapped,   ///< concatenate in file order and cut every pack_length tokens
  kNextFit,   ///< file order; a row that does not fit closes the pack
  kFirstFit,  ///< file order; into the first pack with room
  kFirstFitShuffle,     ///< first fit after a seeded shuffle
  kFirstFitDecreasing,  ///< first fit, longest first
  kBestFitDecreasing,   ///< longest first, into the pack with least room left
  /// Rows above a half, a third and a sixth of a pack are combined first.
  /// Source: Johnson, Garey, "A 71/60 theorem for bin packing", Journal of
  /// Complexity 1 (1985).
  kModifiedFirstFitDecreasing,
};

/// Names used on the command line: wrapped, next_fit, first_fit,
/// first_fit_shuffle, ffd, bfd, mffd.
std::string_view name_of(Strategy strategy);
std::optional<Strategy> strategy_named(std::string_view name);

/// True when a row that fits a pack can still be cut by a pack's end.
bool cuts_rows(Strategy strategy);

struct PackOptions {
  std::uint32_t pack_length = 2048;  ///< tokens; up to kMaxSequenceLength
  Strategy strategy = Strategy::kBestFitDecreasing;
  /// Rows longer than a pack. kWrapped cuts every row where a pack ends and
  /// does not look at this. kBestFitDecreasing with kSplit is what TRL calls
  /// bfd_split.
  Overlong overlong = Overlong::kTruncateKeepStart;
  /// Rows packed together, in file order; 0: all rows. TRL and LLaMA-Factory
  /// pack windows of 1,000 rows.
  std::uint32_t window_rows = 0;
  /// kWrapped only: leave out the last, shorter pack of each window.
  bool drop_incomplete = false;
  std::uint64_t seed = 42;  ///< kFirstFitShuffle
};

/// kUsage when a length is out of range or members contradict.
Status check(const PackOptions& options);

/// What a strategy costs.
///
/// tokens_in == tokens + tokens_lost, and
/// rows_in == rows_packed + rows_empty + rows_dropped.
struct PackingFigures {
  std::uint64_t rows_in = 0;
  std::uint64_t rows_packed = 0;
  std::uint64_t rows_empty = 0;
  std::uint64_t rows_dropped = 0;    ///< over-long, or in a dropped last pack
  std::uint64_t rows_truncated = 0;  ///< lost some tokens, not all
  std::uint64_t rows_split = 0;      ///< have two segments or more
  /// Rows with at least one segment that lacks the row's first token: later
  /// segments of a cut row, and rows of which only the end was kept.
  std::uint64_t rows_without_start = 0;
  std::uint64_t segments_without_start = 0;
  /// Segments without a trained token; absent when first labels are unknown.
  std::optional<std::uint64_t> segments_without_label;

  std::uint64_t packs = 0;
  std::uint64_t packs_at_least = 0;  ///< no packing of these tokens has fewer
  std::uint64_t tokens_in = 0;
  std::uint64_t tokens = 0;
  std::uint64_t tokens_lost = 0;
  double efficiency_ratio = 0;  ///< tokens / (packs × pack_length); 0 if none
  std::uint64_t segments = 0;
  double segments_per_pack = 0;  ///< mean
  std::uint64_t most_segments_in_pack = 0;

  /// Attention work, in squared tokens. Exact up to 2^53.
  double squares_masked = 0;  ///< Σ segment²: documents do not see each other
  double squares_unmasked = 0;  ///< Σ (tokens of a pack)²: they do
};

/// A first label at this position means: the row has none.
inline constexpr std::uint32_t kNoLabel =
    std::numeric_limits<std::uint32_t>::max();

/// Which segments lie in which pack.
///
/// Pack p holds segments offsets[p] … offsets[p + 1] − 1. Segment s comes
/// from row rows[s]. `begins` and `lengths` are empty when every row is in
/// one segment, which then is the row's kept part; otherwise the segment is
/// tokens begins[s] … begins[s] + lengths[s] − 1 of its row.
struct Assignment {
  std::vector<std::uint64_t> offsets;  ///< packs + 1 values, the first 0
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> begins;
  std::vector<std::uint32_t> lengths;

  [[nodiscard]] std::size_t pack_count() const {
    return offsets.empty() ? 0 : offsets.size() - 1;
  }
};

/// The part of a row that a segment holds.
struct Segment {
  std::uint32_t row = 0;
  std::uint32_t begin = 0;
  std::uint32_t length = 0;

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// Segment `s` in full. REQUIRES: the lengths and options of pack().
Segment segment_at(const Assignment& assignment, std::size_t s,
                   std::span<const std::uint32_t> lengths,
                   const PackOptions& options);

/// Packs `lengths` (tokens, file order).
///
/// `first_labels` is empty, or holds for each row the position of its first
/// trained token (kNoLabel: none); tokens from there on count as trained.
/// `assignment`, when given, is overwritten; packs come in the order in which
/// the strategy made them, so shuffle_packs() before training.
/// Cost: linear (first fit: times log of packs). Memory beside the input:
/// O(pack_length), plus 8 bytes a row and 8 a pack for an assignment (16 a
/// segment where rows are cut; first fit takes 4 a row more).
/// Errors: those of check(); kUsage for kError with a longer row, or when
/// first_labels has another size; kLimit for 2^32 rows or segments or more.
Result<PackingFigures> pack(std::span<const std::uint32_t> lengths,
                            const PackOptions& options,
                            std::span<const std::uint32_t> first_labels = {},
                            Assignment* assignment = nullptr);

/// The same figures from counts: the decreasing strategies over all rows.
/// Others, and windows, need the order: kUnsupported.
Result<PackingFigures> pack(const LengthCounts& counts,
                            const PackOptions& options);

/// Puts packs into a seeded random order. Linear; a copy of the assignment
/// exists meanwhile.
void shuffle_packs(Assignment& assignment, std::uint64_t seed);

/// Proves an assignment: every row that has kept tokens is there exactly once
/// (its segments tile it without gap or overlap), none else, no pack is empty
/// or longer than pack_length, arrays fit each other. With drop_incomplete,
/// tokens may be missing at the end of a window only.
/// Error: kCorrupt with the first contradiction.
Status verify(const Assignment& assignment,
              std::span<const std::uint32_t> lengths,
              const PackOptions& options);

/// Proves that `order` holds each of 0 … row_count − 1 exactly once.
Status verify_order(std::span<const std::uint32_t> order,
                    std::uint64_t row_count);

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_PACK_H_
