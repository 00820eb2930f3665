#include "trainsight/batching/padding.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "batching/epoch.h"
#include "batching/padding_rows.h"
#include "trainsight/batching/order.h"

namespace trainsight::batching {
namespace {

// Below this many batches' worth of rows the ratio of expectations is not yet
// the expected ratio, and an epoch is cheap to simulate.
constexpr std::uint64_t kClosedFormBatches = 50;
constexpr std::uint64_t kMostSimulatedRows = std::uint64_t{1} << 20;
constexpr std::uint64_t kMostEpochs = 200;

double to_double(std::uint64_t n) { return static_cast<double>(n); }

PaddingFigures simulate(std::span<const std::uint32_t> widths,
                        std::span<const std::uint64_t> tokens,
                        std::uint64_t rows_in_all,
                        std::uint32_t sequences_per_row,
                        const BatchPlan& plan) {
  const std::uint64_t n = widths.size();
  const std::uint64_t epochs =
      std::clamp<std::uint64_t>(plan.simulated_rows / n, 1, kMostEpochs);
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

// Figures over kept rows in order. `tokens` empty: each row holds its width.
PaddingFigures over_rows(std::span<const std::uint32_t> widths,
                         std::span<const std::uint64_t> tokens,
                         std::uint32_t sequences_per_row,
                         const BatchPlan& plan) {
  if (widths.empty()) return PaddingFigures{};
  const bool pairs_sorted = plan.sampler == Sampler::kSorted && !tokens.empty();
  if (plan.sampler == Sampler::kFileOrder || pairs_sorted) {
    const Result<BatchSchedule> schedule = BatchSchedule::make(widths, plan);
    return figures_of(walk(*schedule, widths, tokens, plan, sequences_per_row),
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
    return figures_of(rows, plan);
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
    figures = figures_of(rows, plan);
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
  if (rows.rows > 0) figures = figures_of(rows, plan);
  figures.kept = policy;
  return figures;
}

}  // namespace trainsight::batching
