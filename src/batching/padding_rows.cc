#include "batching/padding_rows.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "batching/expected_longest.h"

namespace trainsight::batching {
namespace {

double to_double(std::uint64_t n) { return static_cast<double>(n); }

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
  PaddingFigures figures = figures_of(sums, rows.rows, plan);
  // Of pairs only the total of both sides is known here: their share of the
  // widths is the same in every batch, up to what drop_last leaves out.
  const std::uint64_t widths = token_count(rows.counts);
  if (widths > 0 && rows.tokens != widths) {
    figures.tokens *= to_double(rows.tokens) / to_double(widths);
    finish(plan, figures);
  }
  return figures;
}

}  // namespace

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

PaddingFigures figures_of(const EpochSums& sums, std::uint64_t rows,
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

PaddingFigures figures_of(const Rows& rows, const BatchPlan& plan) {
  if (plan.sampler == Sampler::kSorted) return sorted_exact(rows, plan);
  if (plan.sampler == Sampler::kBucketed) {
    return bucketed_closed_form(rows, plan);
  }
  return random_closed_form(rows, plan);
}

}  // namespace trainsight::batching
