// Where packing strategies put their packs: figures, and the assignment.
//
// A strategy that works on counts describes packs by *runs* ("three segments
// of 500 tokens, one of 480") and how many packs look like that; the sink
// hands out the rows of each length. Strategies that follow an order add
// segments one by one.
#ifndef TRAINSIGHT_BATCHING_PACK_SINK_H_
#define TRAINSIGHT_BATCHING_PACK_SINK_H_

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "trainsight/batching/pack.h"

namespace trainsight::batching {

/// Σ value² · times without overflow: values up to 2^32, 2^32 of them.
class SquareSum {
 public:
  void add(std::uint64_t value, std::uint64_t times = 1) {
    sum_ += static_cast<Wide>(value * value) * times;
  }
  [[nodiscard]] double value() const { return static_cast<double>(sum_); }

 private:
  __extension__ using Wide = unsigned __int128;
  Wide sum_ = 0;
};

/// `copies` segments of `length` tokens.
struct Run {
  std::uint32_t length = 0;
  std::uint64_t copies = 0;
};

/// Tokens of a row of `length` that reach packs, unless it is split.
inline std::uint32_t kept_length(std::uint32_t length,
                                 const PackOptions& options) {
  if (length <= options.pack_length) return length;
  return options.overlong == Overlong::kDrop ? 0 : options.pack_length;
}

/// Calls visit(begin, length) for each whole piece that a row of `length`
/// tokens is packed as; `begin` counts from the row's start. Not at all for
/// rows that are empty or dropped.
template <typename Visit>
void for_each_piece(std::uint32_t length, const PackOptions& options,
                    Visit visit) {
  const std::uint32_t pack = options.pack_length;
  if (options.overlong == Overlong::kSplit) {
    for (std::uint32_t begin = 0; begin < length;) {
      const std::uint32_t piece = std::min(pack, length - begin);
      visit(begin, piece);
      begin += piece;
    }
    return;
  }
  const std::uint32_t kept = kept_length(length, options);
  if (kept == 0) return;
  visit(options.overlong == Overlong::kTruncateKeepEnd ? length - kept : 0,
        kept);
}

/// The pieces of a window of rows, longest first, as runs; and, for an
/// assignment, which rows they are, in file order within a length.
class SortedPieces {
 public:
  /// `with_rows`: rows will be asked for.
  SortedPieces(const PackOptions& options, bool with_rows)
      : options_(options),
        with_rows_(with_rows),
        counts_(std::size_t{options.pack_length} + 1) {}

  /// Takes the window's rows; the first is row `first_row` of the data set.
  void assign(std::span<const std::uint32_t> lengths, std::uint32_t first_row);

  /// Descending lengths, copies > 0.
  [[nodiscard]] std::span<const Run> runs() const { return runs_; }

  /// Appends the next `copies` pieces of `length` to the assignment.
  void take(std::uint32_t length, std::uint64_t copies, Assignment& assignment);

 private:
  const PackOptions& options_;
  bool with_rows_;
  std::vector<std::uint32_t> counts_;  // by length; then the next position
  std::vector<Run> runs_;
  std::vector<std::uint32_t> rows_, begins_;  // grouped by length
};

/// Collects packs. `pieces` and `assignment` are both null or both given.
class PackSink {
 public:
  PackSink(PackingFigures& figures, SortedPieces* pieces,
           Assignment* assignment)
      : figures_(figures), pieces_(pieces), assignment_(assignment) {}

  /// `count` packs, each holding `runs`.
  void add(std::span<const Run> runs, std::uint64_t count);

  /// One pack of `segments` segments and `tokens` tokens, whose rows the
  /// caller has put into the assignment.
  void close_pack(std::uint64_t segments, std::uint64_t tokens);

  /// Fills the members of figures that follow from the packs.
  void finish(const PackOptions& options);

 private:
  PackingFigures& figures_;
  SortedPieces* pieces_;
  Assignment* assignment_;
  SquareSum squares_;
};

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_PACK_SINK_H_
