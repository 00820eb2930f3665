#include "trainsight/batching/padding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "batching/epoch.h"
#include "batching/expected_longest.h"
#include "trainsight/batching/order.h"

namespace trainsight::batching {
namespace {

// Below this many batches' worth of rows the ratio of expectations is not yet
// the expected ratio, and an epoch is cheap to simulate.
constexpr std::uint64_t kClosedFormBatches = 50;
constexpr std::uint64_t kMostSimulatedRows = std::uint64_t{1} << 20;
constexpr std::uint64_t kSimulatedRowsInAll = std::uint64_t{1} << 21;
constexpr std::uint64_t kMostEpochs = 200;

double to_double(std::uint64_t n) { return static_cast<double>(n); }

// The kept rows of a question: `widths` decide padding, `tokens` fill slots.
struct Rows {
  LengthCounts counts;  // of widths
  std::uint64_t rows = 0;
  std::uint64_t tokens = 0;
  std::uint32_t sequences_per_row = 1;
};

LengthCounts padded_counts(const LengthCounts& counts, const BatchPlan& plan) {
  LengthCounts padded;
  for (const LengthCount& entry : counts) {
    const std::uint32_t length = padded_length(entry.length, plan);
    if (padded.empty() || padded.back().length != length) {
      padded.push_back({length, 0});
    }
    padded.back().count += entry.count;
  }
  return padded;
}

// Fills the members that follow from the sums.
void finish(const BatchPlan& plan, PaddingFigures& figures) {
  if (figures.slots > 0) {
    figures.waste_ratio =
        std::clamp(1 - figures.tokens / figures.slots, 0.0, 1.0);
  }
  if (figures.batches > 0) {
    figures.typical_batch_slots = figures.slots / figures.batches;
  }
  figures.steps =
      steps_of(static_cast<std::uint64_t>(std::llround(figures.batches)), plan);
  if (figures.steps > 0) {
    figures.tokens_per_step = figures.tokens / to_double(figures.steps);
  }
}

PaddingFigures exact(const EpochSums& sums, std::uint64_t rows,
                     const BatchPlan& plan) {
  PaddingFigures figures;
  figures.method = Method::kExact;
  figures.batches = to_double(sums.batches());
  figures.rows = to_double(sums.rows());
  figures.tokens = to_double(sums.tokens());
  figures.slots = to_double(sums.slots());
  figures.squared_slots = sums.squared_slots();
  figures.mean_longest = sums.mean_longest();
  figures.rank_imbalance_ratio = sums.rank_imbalance_ratio();
  figures.rows_left_out = to_double(rows - sums.rows());
  figures.largest_batch_slots = sums.largest_batch_slots();
  finish(plan, figures);
  return figures;
}

// Adds `batches` random batches of `size` rows from `counts` (padded).
void add_random_batches(const LengthCounts& counts, std::uint64_t batches,
                        std::uint64_t size, std::uint32_t sequences_per_row,
                        PaddingFigures& figures) {
  if (batches == 0 || size == 0) return;
  const double rows = to_double(batches) * to_double(size);
  const double sequences = rows * sequences_per_row;
  figures.batches += to_double(batches);
  figures.rows += rows;
  figures.slots += sequences * expected_longest(counts, size);
  figures.squared_slots += sequences * expected_longest(counts, size, 2);
}

PaddingFigures random_closed_form(const Rows& rows, const BatchPlan& plan) {
  const LengthCounts counts = padded_counts(rows.counts, plan);
  const std::uint64_t size = plan.micro_batch;
  std::uint64_t full = rows.rows / size;
  std::uint64_t rest = rows.rows % size;
  if (plan.drop_last) {
    full -= full % plan.world_size;
    rest = 0;
  }
  PaddingFigures figures;
  figures.method = Method::kClosedForm;
  add_random_batches(counts, full, size, rows.sequences_per_row, figures);
  add_random_batches(counts, rest > 0 ? 1 : 0, rest, rows.sequences_per_row,
                     figures);
  figures.rows_left_out = to_double(rows.rows) - figures.rows;
  figures.tokens =
      to_double(rows.tokens) * (figures.rows / to_double(rows.rows));
  figures.mean_longest = expected_longest(counts, full > 0 ? size : rest);
  const std::uint64_t ranks = std::min<std::uint64_t>(plan.world_size, full);
  if (ranks > 1) {
    const double slowest = expected_longest(counts, size * ranks);
    if (slowest > 0) {
      figures.rank_imbalance_ratio =
          std::max(0.0, 1 - figures.mean_longest / slowest);
    }
  }
  figures.largest_batch_slots =
      counts.back().length * std::min(size, rows.rows) * rows.sequences_per_row;
  finish(plan, figures);
  return figures;
}

// Batches are random within each bucket. Ranks are taken as independent draws
// from all full batches, which is close once there are many batches a rank.
PaddingFigures bucketed_closed_form(const Rows& rows, const BatchPlan& plan) {
  const std::uint64_t size = plan.micro_batch;
  PaddingFigures figures;
  figures.method = Method::kClosedForm;
  struct Point {
    std::uint32_t longest;
    double batches;  // expected full batches with this longest
  };
  std::vector<Point> points;
  double full_longest = 0;
  double full_batches = 0;
  double token_share = 0;  // Σ width of rows that reach a batch
  double all_widths = 0;
  for (std::size_t i = 0; i < rows.counts.size();) {
    const auto bucket_of = [&](std::size_t k) {
      const std::uint32_t length = rows.counts[k].length;
      return length == 0 ? 0 : (length - 1) / plan.bucket_width;
    };
    LengthCounts bucket;
    const std::uint32_t id = bucket_of(i);
    for (; i < rows.counts.size() && bucket_of(i) == id; ++i) {
      bucket.push_back(rows.counts[i]);
    }
    const std::uint64_t held = row_count(bucket);
    const double widths = to_double(token_count(bucket));
    const LengthCounts padded = padded_counts(bucket, plan);
    const std::uint64_t full = held / size;
    const std::uint64_t rest = plan.drop_last ? 0 : held % size;
    add_random_batches(padded, full, size, rows.sequences_per_row, figures);
    add_random_batches(padded, rest > 0 ? 1 : 0, rest, rows.sequences_per_row,
                       figures);
    all_widths += widths;
    token_share += widths * (to_double(full * size + rest) / to_double(held));
    figures.largest_batch_slots = std::max<std::uint64_t>(
        figures.largest_batch_slots,
        padded.back().length * std::min(size, held) * rows.sequences_per_row);
    if (full > 0) {
      full_batches += to_double(full);
      full_longest += to_double(full) * expected_longest(padded, size);
      double below = 0;
      std::uint64_t shorter = 0;
      for (const LengthCount& entry : padded) {
        shorter += entry.count;
        const double up_to = chance_all_among(shorter, held, size);
        points.push_back({entry.length, to_double(full) * (up_to - below)});
        below = up_to;
      }
    }
  }
  if (all_widths > 0) {
    figures.tokens = to_double(rows.tokens) * (token_share / all_widths);
  }
  if (plan.drop_last && figures.batches > 0) {
    const double kept =
        figures.batches - std::fmod(figures.batches, plan.world_size);
    const double share = kept / figures.batches;
    for (double* sum : {&figures.batches, &figures.rows, &figures.slots,
                        &figures.squared_slots, &figures.tokens}) {
      *sum *= share;
    }
  }
  if (full_batches > 0) {
    figures.mean_longest = full_longest / full_batches;
    double slowest = 0;
    double below = 0;
    double batches = 0;
    for (const Point& point : points) {
      batches += point.batches;
      const double up_to =
          std::pow(std::min(batches / full_batches, 1.0), plan.world_size);
      slowest += point.longest * (up_to - below);
      below = up_to;
    }
    if (slowest > 0) {
      figures.rank_imbalance_ratio =
          std::max(0.0, 1 - figures.mean_longest / slowest);
    }
  }
  figures.rows_left_out = std::max(0.0, to_double(rows.rows) - figures.rows);
  finish(plan, figures);
  return figures;
}

// Ascending lengths: batch by batch from the counts.
PaddingFigures sorted_exact(const Rows& rows, const BatchPlan& plan) {
  EpochSums sums(plan, rows.sequences_per_row);
  std::uint64_t batches =
      plan.drop_last ? rows.rows / plan.micro_batch
                     : (rows.rows + plan.micro_batch - 1) / plan.micro_batch;
  if (plan.drop_last) batches -= batches % plan.world_size;
  std::size_t at = 0;
  std::uint64_t left = rows.counts.empty() ? 0 : rows.counts[0].count;
  for (std::uint64_t b = 0; b < batches; ++b) {
    std::uint64_t taken = 0;
    std::uint64_t widths = 0;
    std::uint32_t longest = 0;
    while (taken < plan.micro_batch && at < rows.counts.size()) {
      const std::uint64_t n = std::min(left, plan.micro_batch - taken);
      taken += n;
      left -= n;
      longest = rows.counts[at].length;
      widths += n * longest;
      if (left == 0 && ++at < rows.counts.size()) left = rows.counts[at].count;
    }
    sums.add(taken, longest, widths);
  }
  PaddingFigures figures = exact(sums, rows.rows, plan);
  // Of pairs only the total of both sides is known here: their share of the
  // widths is the same in every batch, up to what drop_last leaves out.
  const std::uint64_t widths = token_count(rows.counts);
  if (widths > 0 && rows.tokens != widths) {
    figures.tokens *= to_double(rows.tokens) / to_double(widths);
    finish(plan, figures);
  }
  return figures;
}

PaddingFigures simulate(std::span<const std::uint32_t> widths,
                        std::span<const std::uint64_t> tokens,
                        std::uint64_t rows_in_all,
                        std::uint32_t sequences_per_row,
                        const BatchPlan& plan) {
  const std::uint64_t n = widths.size();
  const std::uint64_t epochs =
      std::clamp<std::uint64_t>(kSimulatedRowsInAll / n, 1, kMostEpochs);
  const double scale = to_double(rows_in_all) / to_double(n);
  PaddingFigures mean;
  mean.method = Method::kSimulated;
  mean.epochs_simulated = static_cast<std::uint32_t>(epochs);
  double waste = 0;
  double waste_squared = 0;
  for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
    BatchPlan seeded = plan;
    // An expectation does not depend on the run's seed: always 1, 2, …
    seeded.seed = epoch + 1;
    const Result<BatchSchedule> schedule = BatchSchedule::make(widths, seeded);
    const EpochSums sums =
        walk(*schedule, widths, tokens, plan, sequences_per_row);
    mean.batches += to_double(sums.batches());
    mean.rows += to_double(sums.rows());
    mean.tokens += to_double(sums.tokens());
    mean.slots += to_double(sums.slots());
    mean.squared_slots += sums.squared_slots();
    mean.mean_longest += sums.mean_longest();
    mean.rank_imbalance_ratio += sums.rank_imbalance_ratio();
    mean.largest_batch_slots =
        std::max(mean.largest_batch_slots, sums.largest_batch_slots());
    waste += sums.waste_ratio();
    waste_squared += sums.waste_ratio() * sums.waste_ratio();
  }
  const double count = to_double(epochs);
  for (double* sum : {&mean.batches, &mean.rows, &mean.tokens, &mean.slots,
                      &mean.squared_slots}) {
    *sum *= scale / count;
  }
  mean.mean_longest /= count;
  mean.rank_imbalance_ratio /= count;
  mean.rows_left_out = std::max(0.0, to_double(rows_in_all) - mean.rows);
  finish(plan, mean);
  mean.waste_ratio = waste / count;
  if (epochs > 1) {
    const double variance =
        std::max(0.0, (waste_squared - waste * waste / count) / (count - 1));
    mean.waste_standard_error = std::sqrt(variance / count);
  }
  return mean;
}

// `count` rows at equal steps of rank, so that a sample keeps the shape.
std::vector<std::uint32_t> expand(const LengthCounts& counts,
                                  std::uint64_t rows, std::uint64_t count) {
  std::vector<std::uint32_t> lengths;
  lengths.reserve(count);
  std::size_t at = 0;
  std::uint64_t up_to = counts.empty() ? 0 : counts[0].count;
  for (std::uint64_t i = 0; i < count; ++i) {
    // Middle of the i-th of `count` equal parts; both factors are < 2^32.
    const std::uint64_t rank = (2 * i + 1) * rows / (2 * count);
    while (rank >= up_to) up_to += counts[++at].count;
    lengths.push_back(counts[at].length);
  }
  return lengths;
}

bool needs_simulation(const BatchPlan& plan, std::uint64_t rows) {
  switch (plan.sampler) {
    case Sampler::kRandom:
    case Sampler::kBucketed:
      return rows < kClosedFormBatches * plan.micro_batch;
    case Sampler::kLengthGrouped:
    case Sampler::kByTokens:
      return true;
    case Sampler::kFileOrder:
    case Sampler::kSorted:
      return false;
  }
  return false;
}

// REQUIRES: rows.rows > 0, a sampler that needs neither order nor simulation.
PaddingFigures from_counts(const Rows& rows, const BatchPlan& plan) {
  if (plan.sampler == Sampler::kSorted) return sorted_exact(rows, plan);
  if (plan.sampler == Sampler::kBucketed) {
    return bucketed_closed_form(rows, plan);
  }
  return random_closed_form(rows, plan);
}

// Figures over kept rows in order. `tokens` empty: each row holds its width.
PaddingFigures over_rows(std::span<const std::uint32_t> widths,
                         std::span<const std::uint64_t> tokens,
                         std::uint32_t sequences_per_row,
                         const BatchPlan& plan) {
  if (widths.empty()) return PaddingFigures{};
  const bool pairs_sorted = plan.sampler == Sampler::kSorted && !tokens.empty();
  if (plan.sampler == Sampler::kFileOrder || pairs_sorted) {
    const Result<BatchSchedule> schedule = BatchSchedule::make(widths, plan);
    return exact(walk(*schedule, widths, tokens, plan, sequences_per_row),
                 widths.size(), plan);
  }
  if (!needs_simulation(plan, widths.size())) {
    Rows rows;
    rows.counts = count_lengths(widths);
    rows.rows = widths.size();
    rows.tokens = token_count(rows.counts);
    rows.sequences_per_row = sequences_per_row;
    if (!tokens.empty()) {
      rows.tokens = 0;
      for (const std::uint64_t held : tokens) rows.tokens += held;
    }
    return from_counts(rows, plan);
  }
  if (widths.size() <= kMostSimulatedRows) {
    return simulate(widths, tokens, widths.size(), sequences_per_row, plan);
  }
  std::vector<std::uint32_t> some_widths;
  std::vector<std::uint64_t> some_tokens;
  some_widths.reserve(kMostSimulatedRows);
  for (std::uint64_t i = 0; i < kMostSimulatedRows; ++i) {
    const std::uint64_t row = i * widths.size() / kMostSimulatedRows;
    some_widths.push_back(widths[row]);
    if (!tokens.empty()) some_tokens.push_back(tokens[row]);
  }
  return simulate(some_widths, some_tokens, widths.size(), sequences_per_row,
                  plan);
}

Error order_is_gone(std::string_view what) {
  return Error{ErrorKind::kUnsupported,
               std::string(what) +
                   " needs the rows in file order, and only "
                   "counts of lengths are known",
               "scan the data set again, or keep its lengths in a file"};
}

}  // namespace

std::string_view name_of(Method method) {
  switch (method) {
    case Method::kExact:
      return "exact";
    case Method::kClosedForm:
      return "expected";
    case Method::kSimulated:
      return "simulated";
  }
  return "";
}

Result<PaddingFigures> padding(std::span<const std::uint32_t> lengths,
                               const BatchPlan& plan) {
  if (Status status = check(plan); !status) return status.error();
  const Result<KeptLengths> kept =
      keep(lengths, plan.max_seq_len, plan.overlong);
  if (!kept) return kept.error();
  PaddingFigures figures = over_rows(kept->lengths, {}, 1, plan);
  figures.kept = kept->figures;
  return figures;
}

Result<PaddingFigures> padding(const LengthCounts& counts,
                               const BatchPlan& plan) {
  if (Status status = check(plan); !status) return status.error();
  if (plan.sampler == Sampler::kFileOrder) return order_is_gone("file order");
  const Result<KeptCounts> kept = keep(counts, plan.max_seq_len, plan.overlong);
  if (!kept) return kept.error();
  PaddingFigures figures;
  const Rows rows{kept->counts, kept->figures.sequences_kept,
                  kept->figures.tokens_kept, 1};
  if (rows.rows == 0) {
    figures = PaddingFigures{};
  } else if (needs_simulation(plan, rows.rows)) {
    const std::vector<std::uint32_t> some =
        expand(rows.counts, rows.rows, std::min(rows.rows, kMostSimulatedRows));
    figures = simulate(some, {}, rows.rows, 1, plan);
  } else {
    figures = from_counts(rows, plan);
  }
  figures.kept = kept->figures;
  return figures;
}

Result<PaddingFigures> padding_of_pairs(std::span<const std::uint32_t> chosen,
                                        std::span<const std::uint32_t> rejected,
                                        const BatchPlan& plan) {
  if (Status status = check(plan); !status) return status.error();
  if (chosen.size() != rejected.size()) {
    return Error{ErrorKind::kUsage, "chosen and rejected differ in number", ""};
  }
  if (plan.overlong == Overlong::kSplit) {
    return Error{ErrorKind::kUsage, "preference pairs cannot be split",
                 "truncate or drop them"};
  }
  // The policy sees each pair as its longer side; the figures then count both.
  std::vector<std::uint32_t> widths;
  widths.reserve(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    widths.push_back(std::max(chosen[i], rejected[i]));
  }
  Result<KeptLengths> kept = keep(widths, plan.max_seq_len, plan.overlong);
  if (!kept) return kept.error();
  KeptFigures policy = kept->figures;
  policy.tokens_in = policy.tokens_kept = 0;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    policy.tokens_in += std::uint64_t{chosen[i]} + rejected[i];
  }
  std::vector<std::uint64_t> tokens;
  tokens.reserve(kept->lengths.size());
  const std::uint32_t limit = plan.max_seq_len == 0
                                  ? std::numeric_limits<std::uint32_t>::max()
                                  : plan.max_seq_len;
  for (std::size_t k = 0; k < kept->lengths.size(); ++k) {
    const std::size_t i = kept->rows.empty() ? k : kept->rows[k];
    tokens.push_back(std::uint64_t{std::min(chosen[i], limit)} +
                     std::min(rejected[i], limit));
    policy.tokens_kept += tokens.back();
  }
  policy.tokens_lost = policy.tokens_in - policy.tokens_kept;
  PaddingFigures figures = over_rows(kept->lengths, tokens, 2, plan);
  figures.kept = policy;
  return figures;
}

Result<PaddingFigures> padding_of_pairs(const LengthCounts& pair_lengths,
                                        const LengthCounts& chosen,
                                        const LengthCounts& rejected,
                                        const BatchPlan& plan) {
  if (Status status = check(plan); !status) return status.error();
  const bool truncates = plan.overlong == Overlong::kTruncateKeepStart ||
                         plan.overlong == Overlong::kTruncateKeepEnd;
  if (!truncates && plan.max_seq_len != 0) {
    return order_is_gone("this over-long policy on pairs");
  }
  if (plan.sampler != Sampler::kRandom && plan.sampler != Sampler::kSorted) {
    return order_is_gone("this sampler on pairs");
  }
  const Result<KeptCounts> pairs =
      keep(pair_lengths, plan.max_seq_len, plan.overlong);
  if (!pairs) return pairs.error();
  KeptFigures policy = pairs->figures;
  policy.tokens_in = policy.tokens_kept = 0;
  for (const LengthCounts* side : {&chosen, &rejected}) {
    const Result<KeptCounts> kept =
        keep(*side, plan.max_seq_len, plan.overlong);
    if (!kept) return kept.error();
    if (kept->figures.rows_in != policy.rows_in) {
      return Error{ErrorKind::kUsage, "pairs and sides differ in number", ""};
    }
    policy.tokens_in += kept->figures.tokens_in;
    policy.tokens_kept += kept->figures.tokens_kept;
  }
  policy.tokens_lost = policy.tokens_in - policy.tokens_kept;
  const Rows rows{pairs->counts, policy.rows_kept, policy.tokens_kept, 2};
  PaddingFigures figures;
  if (rows.rows > 0) figures = from_counts(rows, plan);
  figures.kept = policy;
  return figures;
}

}  // namespace trainsight::batching
