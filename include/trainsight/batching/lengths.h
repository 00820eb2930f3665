// Row lengths as batching sees them: in file order, or as counts.
//
// Everything in this module takes lengths in tokens and gives figures back.
// Two shapes of the same data are accepted: a span of lengths in file order
// (exact for every question) and LengthCounts (all that a stored profile
// keeps; enough wherever the order does not matter). The over-long policy is
// applied here, once, so that padding and packing agree on what is kept.
//
// Pure; thread-safe as plain values are.
#ifndef TRAINSIGHT_BATCHING_LENGTHS_H_
#define TRAINSIGHT_BATCHING_LENGTHS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::batching {

/// What a trainer does with a row longer than its limit.
enum class Overlong : std::uint8_t {
  kTruncateKeepStart,  ///< keep the first max_seq_len tokens
  kTruncateKeepEnd,    ///< keep the last max_seq_len tokens
  kDrop,               ///< leave the row out
  kSplit,              ///< pieces of max_seq_len tokens and a remainder
  kError,              ///< the trainer stops: so do we
};

/// The name used on the command line and in files: truncate_keep_start,
/// truncate_keep_end, drop, split, error.
std::string_view name_of(Overlong overlong);
std::optional<Overlong> overlong_named(std::string_view name);

/// `count` rows of `length` tokens.
struct LengthCount {
  std::uint32_t length = 0;
  std::uint64_t count = 0;

  friend bool operator==(const LengthCount&, const LengthCount&) = default;
};

/// A set of lengths without its order: lengths strictly ascend, counts > 0.
using LengthCounts = std::vector<LengthCount>;

/// The counts of `lengths`. Linear; O(distinct lengths) of result, and up to
/// 8 MiB of working memory.
LengthCounts count_lengths(std::span<const std::uint32_t> lengths);

/// Rows and tokens of `counts`.
std::uint64_t row_count(const LengthCounts& counts);
std::uint64_t token_count(const LengthCounts& counts);

/// What the over-long policy did. tokens_in == tokens_kept + tokens_lost.
struct KeptFigures {
  std::uint64_t rows_in = 0;
  std::uint64_t rows_kept = 0;       ///< rows of which something is trained
  std::uint64_t sequences_kept = 0;  ///< rows_kept, plus the pieces of kSplit
  std::uint64_t rows_truncated = 0;
  std::uint64_t rows_dropped = 0;
  std::uint64_t rows_split = 0;
  std::uint64_t tokens_in = 0;
  std::uint64_t tokens_kept = 0;
  std::uint64_t tokens_lost = 0;

  friend bool operator==(const KeptFigures&, const KeptFigures&) = default;
};

/// Counts after the policy; rows of 0 tokens stay in.
struct KeptCounts {
  LengthCounts counts;
  KeptFigures figures;
};

/// Lengths after the policy, in order.
///
/// `rows[i]` is the index in the input of lengths[i]; empty when lengths and
/// input correspond one to one (nothing was dropped or split).
struct KeptLengths {
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> rows;
  KeptFigures figures;
};

/// Applies `overlong` at `max_seq_len` tokens (0: no limit).
///
/// Errors: kUsage with kError when a row is longer, or when counts do not
/// ascend; kLimit when there would be 2^32 sequences or more.
Result<KeptCounts> keep(const LengthCounts& counts, std::uint32_t max_seq_len,
                        Overlong overlong);
Result<KeptLengths> keep(std::span<const std::uint32_t> lengths,
                         std::uint32_t max_seq_len, Overlong overlong);

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_LENGTHS_H_
