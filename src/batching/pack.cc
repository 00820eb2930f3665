#include "trainsight/batching/pack.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include "batching/decreasing.h"
#include "batching/in_order.h"
#include "batching/pack_sink.h"
#include "trainsight/batching/order.h"

namespace trainsight::batching {
namespace {

struct StrategyName {
  Strategy strategy;
  std::string_view name;
};

constexpr std::array<StrategyName, 7> kStrategyNames = {{
    {Strategy::kWrapped, "wrapped"},
    {Strategy::kNextFit, "next_fit"},
    {Strategy::kFirstFit, "first_fit"},
    {Strategy::kFirstFitShuffle, "first_fit_shuffle"},
    {Strategy::kFirstFitDecreasing, "ffd"},
    {Strategy::kBestFitDecreasing, "bfd"},
    {Strategy::kModifiedFirstFitDecreasing, "mffd"},
}};

constexpr std::uint64_t kMaxSegments =
    std::numeric_limits<std::uint32_t>::max();
// The modified first-fit decreasing keeps 16 bytes for each row above half a
// pack.
constexpr std::uint64_t kMaxLargeRows = std::uint64_t{1} << 27;

Error usage(std::string message) {
  return Error{ErrorKind::kUsage, std::move(message), ""};
}

bool decreasing(Strategy strategy) {
  return strategy == Strategy::kFirstFitDecreasing ||
         strategy == Strategy::kBestFitDecreasing ||
         strategy == Strategy::kModifiedFirstFitDecreasing;
}

// One of the decreasing strategies with its working memory.
class DecreasingPacker {
 public:
  explicit DecreasingPacker(const PackOptions& options)
      : strategy_(options.strategy) {
    if (strategy_ == Strategy::kBestFitDecreasing) {
      best_ = std::make_unique<BestFitDecreasing>(options.pack_length);
    } else {
      first_ = std::make_unique<FirstFitDecreasing>(options.pack_length);
    }
  }

  void pack(std::span<const Run> runs, PackSink& sink) {
    if (strategy_ == Strategy::kBestFitDecreasing) {
      best_->pack(runs, sink);
    } else if (strategy_ == Strategy::kFirstFitDecreasing) {
      first_->pack(runs, sink);
    } else {
      first_->pack_modified(runs, sink);
    }
  }

 private:
  Strategy strategy_;
  std::unique_ptr<BestFitDecreasing> best_;
  std::unique_ptr<FirstFitDecreasing> first_;
};

Status check_large_rows(std::span<const Run> runs, const PackOptions& options) {
  if (options.strategy != Strategy::kModifiedFirstFitDecreasing) return {};
  std::uint64_t large = 0;
  for (const Run& run : runs) {
    if (run.length > options.pack_length / 2) large += run.copies;
  }
  if (large <= kMaxLargeRows) return {};
  return Error{ErrorKind::kLimit,
               fmt::format("mffd takes at most {} rows above half a pack",
                           kMaxLargeRows),
               "use bfd"};
}

// Adds what a row's length alone decides. REQUIRES: not kWrapped.
void add_row(std::uint32_t length, std::uint32_t first_label,
             const PackOptions& options, PackingFigures& figures,
             SquareSum& masked) {
  ++figures.rows_in;
  figures.tokens_in += length;
  if (length == 0) {
    ++figures.rows_empty;
    return;
  }
  std::uint64_t pieces = 0;
  std::uint64_t tokens = 0;
  for_each_piece(length, options,
                 [&](std::uint32_t begin, std::uint32_t piece) {
                   ++pieces;
                   tokens += piece;
                   masked.add(piece);
                   if (begin > 0) ++figures.segments_without_start;
                   if (figures.segments_without_label.has_value() &&
                       first_label >= std::uint64_t{begin} + piece) {
                     ++*figures.segments_without_label;
                   }
                 });
  if (pieces == 0) {
    ++figures.rows_dropped;
    return;
  }
  ++figures.rows_packed;
  figures.tokens += tokens;
  if (tokens < length) ++figures.rows_truncated;
  if (pieces > 1) ++figures.rows_split;
  const bool loses_start =
      tokens < length && options.overlong == Overlong::kTruncateKeepEnd;
  if (pieces > 1 || loses_start) ++figures.rows_without_start;
}

// The limits that need the lengths; also gives the segments to expect.
Result<std::uint64_t> check_rows(std::span<const std::uint32_t> lengths,
                                 std::span<const std::uint32_t> first_labels,
                                 const PackOptions& options) {
  if (lengths.size() >= kMaxSegments) {
    return Error{ErrorKind::kLimit, "more than 4,294,967,294 rows",
                 "split the data set into shards"};
  }
  if (!first_labels.empty() && first_labels.size() != lengths.size()) {
    return usage("first labels and lengths differ in number");
  }
  std::uint64_t segments = 0;
  std::uint64_t tokens = 0;
  const bool splits = options.overlong == Overlong::kSplit;
  for (const std::uint32_t length : lengths) {
    tokens += length;
    if (length <= options.pack_length) {
      segments += length > 0;
    } else if (options.overlong == Overlong::kError &&
               !cuts_rows(options.strategy)) {
      return usage(fmt::format("a row of {} tokens is longer than a pack of {}",
                               length, options.pack_length));
    } else if (splits) {
      segments += (std::uint64_t{length} + options.pack_length - 1) /
                  options.pack_length;
    } else {
      segments += options.overlong != Overlong::kDrop;
    }
  }
  if (cuts_rows(options.strategy)) {
    segments = lengths.size() + tokens / options.pack_length;
  }
  if (segments >= kMaxSegments) {
    return Error{ErrorKind::kLimit, "more than 4,294,967,294 segments",
                 "use longer packs or split the data set into shards"};
  }
  return segments;
}

// Walks the windows with the strategies that need the rows in order.
void pack_in_order(std::span<const std::uint32_t> lengths,
                   std::span<const std::uint32_t> first_labels,
                   const PackOptions& options, PackingFigures& figures,
                   SquareSum& masked, PackSink& sink, Assignment* assignment) {
  const std::size_t window =
      options.window_rows == 0 ? lengths.size() : options.window_rows;
  std::vector<std::uint32_t> order;
  const bool first_fit = options.strategy == Strategy::kFirstFit ||
                         options.strategy == Strategy::kFirstFitShuffle;
  if (first_fit) {
    order.resize(lengths.size());
    std::iota(order.begin(), order.end(), 0U);
    if (options.strategy == Strategy::kFirstFitShuffle) {
      shuffle(order, options.seed);
    }
  }
  for (std::size_t begin = 0; begin < lengths.size(); begin += window) {
    const std::size_t rows = std::min(window, lengths.size() - begin);
    if (first_fit) {
      pack_first_fit(std::span(order).subspan(begin, rows), lengths, options,
                     sink, assignment);
      continue;
    }
    const Window part{
        lengths.subspan(begin, rows),
        first_labels.empty() ? first_labels : first_labels.subspan(begin, rows),
        static_cast<std::uint32_t>(begin)};
    if (options.strategy == Strategy::kWrapped) {
      pack_wrapped(part, options, figures, masked, sink, assignment);
    } else {
      pack_next_fit(part, options, sink, assignment);
    }
  }
}

}  // namespace

std::string_view name_of(Strategy strategy) {
  for (const StrategyName& row : kStrategyNames) {
    if (row.strategy == strategy) return row.name;
  }
  return "";
}

std::optional<Strategy> strategy_named(std::string_view name) {
  for (const StrategyName& row : kStrategyNames) {
    if (row.name == name) return row.strategy;
  }
  return std::nullopt;
}

bool cuts_rows(Strategy strategy) { return strategy == Strategy::kWrapped; }

Status check(const PackOptions& options) {
  if (options.pack_length == 0 || options.pack_length > kMaxSequenceLength) {
    return usage(
        fmt::format("pack length must be 1 to {}", kMaxSequenceLength));
  }
  if (options.drop_incomplete && options.strategy != Strategy::kWrapped) {
    return usage("only wrapped packs can be dropped for being incomplete");
  }
  return {};
}

Result<PackingFigures> pack(std::span<const std::uint32_t> lengths,
                            const PackOptions& options,
                            std::span<const std::uint32_t> first_labels,
                            Assignment* assignment) {
  if (Status status = check(options); !status) return status.error();
  const Result<std::uint64_t> segments =
      check_rows(lengths, first_labels, options);
  if (!segments) return segments.error();

  PackingFigures figures;
  SquareSum masked;
  if (!first_labels.empty()) figures.segments_without_label = 0;
  if (!cuts_rows(options.strategy)) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      add_row(lengths[i], first_labels.empty() ? 0 : first_labels[i], options,
              figures, masked);
    }
  }
  if (assignment != nullptr) {
    *assignment = Assignment{};
    assignment->offsets.push_back(0);
    assignment->rows.reserve(*segments);
  }
  if (decreasing(options.strategy)) {
    SortedPieces pieces(options, assignment != nullptr);
    DecreasingPacker packer(options);
    PackSink sink(figures, &pieces, assignment);
    const std::size_t window =
        options.window_rows == 0 ? lengths.size() : options.window_rows;
    for (std::size_t begin = 0; begin < lengths.size(); begin += window) {
      const std::size_t rows = std::min(window, lengths.size() - begin);
      pieces.assign(lengths.subspan(begin, rows),
                    static_cast<std::uint32_t>(begin));
      if (Status status = check_large_rows(pieces.runs(), options); !status) {
        return status.error();
      }
      packer.pack(pieces.runs(), sink);
    }
    sink.finish(options);
  } else {
    PackSink sink(figures, nullptr, assignment);
    pack_in_order(lengths, first_labels, options, figures, masked, sink,
                  assignment);
    sink.finish(options);
  }
  figures.tokens_lost = figures.tokens_in - figures.tokens;
  figures.squares_masked = masked.value();
  return figures;
}

Result<PackingFigures> pack(const LengthCounts& counts,
                            const PackOptions& options) {
  if (Status status = check(options); !status) return status.error();
  if (!decreasing(options.strategy) || options.window_rows != 0) {
    return Error{ErrorKind::kUnsupported,
                 fmt::format("{}{} needs the rows in file order, and only "
                             "counts of lengths are known",
                             name_of(options.strategy),
                             options.window_rows != 0 ? " in windows" : ""),
                 "scan the data set again, or keep its lengths in a file"};
  }
  const Result<KeptCounts> kept =
      keep(counts, options.pack_length, options.overlong);
  if (!kept) return kept.error();
  const KeptFigures& policy = kept->figures;
  PackingFigures figures;
  figures.rows_in = policy.rows_in;
  figures.rows_empty =
      !counts.empty() && counts.front().length == 0 ? counts.front().count : 0;
  figures.rows_packed = policy.rows_kept - figures.rows_empty;
  figures.rows_dropped = policy.rows_dropped;
  figures.rows_truncated = policy.rows_truncated;
  figures.rows_split = policy.rows_split;
  figures.segments_without_start = policy.sequences_kept - policy.rows_kept;
  figures.rows_without_start = policy.rows_split;
  if (options.overlong == Overlong::kTruncateKeepEnd) {
    figures.rows_without_start = policy.rows_truncated;
    figures.segments_without_start = policy.rows_truncated;
  }
  figures.tokens_in = policy.tokens_in;
  figures.tokens = policy.tokens_kept;
  figures.tokens_lost = policy.tokens_lost;

  SquareSum masked;
  std::vector<Run> runs;
  for (auto entry = kept->counts.rbegin(); entry != kept->counts.rend();
       ++entry) {
    if (entry->length == 0) continue;
    runs.push_back({entry->length, entry->count});
    masked.add(entry->length, entry->count);
  }
  if (Status status = check_large_rows(runs, options); !status) {
    return status.error();
  }
  PackSink sink(figures, nullptr, nullptr);
  DecreasingPacker(options).pack(runs, sink);
  sink.finish(options);
  figures.squares_masked = masked.value();
  return figures;
}

}  // namespace trainsight::batching
