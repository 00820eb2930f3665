// RL prompts and completions (padding.h).
#include <algorithm>
#include <cmath>

#include "batching/expected_longest.h"
#include "trainsight/batching/padding.h"

namespace trainsight::batching {
namespace {

LengthCounts padded_up_to(const LengthCounts& counts, std::uint32_t limit,
                          std::uint32_t multiple) {
  BatchPlan plan;
  plan.pad_to_multiple_of = multiple;
  LengthCounts padded;
  for (const LengthCount& entry : counts) {
    const std::uint32_t length =
        padded_length(std::min(entry.length, limit), plan);
    if (padded.empty() || padded.back().length != length) {
      padded.push_back({length, 0});
    }
    padded.back().count += entry.count;
  }
  return padded;
}

double mean_up_to(const LengthCounts& counts, std::uint32_t limit) {
  double tokens = 0;
  for (const LengthCount& entry : counts) {
    tokens += static_cast<double>(std::min(entry.length, limit)) *
              static_cast<double>(entry.count);
  }
  return tokens / static_cast<double>(row_count(counts));
}

}  // namespace

Result<RolloutFigures> padding_of_rollouts(const LengthCounts& prompts,
                                           const BatchPlan& plan,
                                           const Generation& generation) {
  if (generation.generations == 0 || generation.generations > kMaxGlobalBatch) {
    return Error{ErrorKind::kUsage, "generations must be at least 1", ""};
  }
  Result<PaddingFigures> figures = padding(prompts, plan);
  if (!figures) return figures.error();
  const Result<KeptCounts> kept =
      keep(prompts, plan.max_seq_len, plan.overlong);
  if (!kept) return kept.error();
  const Result<KeptCounts> generated =
      keep(generation.completions, 0, Overlong::kDrop);
  if (!generated) return generated.error();
  RolloutFigures rollouts;
  rollouts.prompts = *figures;
  rollouts.context_needed =
      std::uint64_t{kept->counts.empty() ? 0 : kept->counts.back().length} +
      generation.completion_budget;
  if (generation.completions.empty() || kept->counts.empty() ||
      plan.sampler != Sampler::kRandom) {
    return rollouts;
  }
  // A micro-batch holds B prompts with G completions each; a prompt is there
  // once for each of its completions.
  const LengthCounts completions =
      padded_up_to(generation.completions, generation.completion_budget,
                   plan.pad_to_multiple_of);
  const std::uint64_t sequences =
      std::uint64_t{plan.micro_batch} * generation.generations;
  const double slots = rollouts.prompts.mean_longest +
                       expected_longest_independent(completions, sequences);
  const double tokens =
      static_cast<double>(kept->figures.tokens_kept) /
          static_cast<double>(kept->figures.sequences_kept) +
      mean_up_to(generation.completions, generation.completion_budget);
  if (slots > 0) {
    rollouts.step_waste_ratio = std::clamp(1 - tokens / slots, 0.0, 1.0);
  }
  return rollouts;
}

Result<LengthCounts> completion_counts(double mean_tokens, double p99_tokens,
                                       std::uint32_t budget) {
  constexpr double kZ99 = 2.3263478740408408;  // standard normal's 0.99 point
  constexpr int kParts = 1000;
  const double log_ratio = std::log(p99_tokens / mean_tokens);
  const double inside = kZ99 * kZ99 - 2 * log_ratio;
  // Written so that NaN fails as well.
  if (!(mean_tokens >= 1 && log_ratio >= 0 && inside >= 0 &&
        mean_tokens <= kMaxSequenceLength)) {
    return Error{ErrorKind::kUsage,
                 "completion tokens need 1 <= mean <= p99 <= 14.9 x mean", ""};
  }
  const double sigma = kZ99 - std::sqrt(inside);
  const double mu = std::log(mean_tokens) - sigma * sigma / 2;
  LengthCounts counts;
  for (int part = 0; part < kParts; ++part) {
    // Quantile in the middle of the part, by bisection on erfc: the normal
    // distribution is monotone and 60 halvings exhaust a double.
    const double wanted = (part + 0.5) / kParts;
    double low = -8;
    double high = 8;
    for (int i = 0; i < 60; ++i) {
      const double middle = (low + high) / 2;
      const double below = std::erfc(-middle / std::sqrt(2.0)) / 2;
      (below < wanted ? low : high) = middle;
    }
    const double tokens =
        std::min(std::exp(mu + sigma * low), static_cast<double>(budget));
    const auto length = static_cast<std::uint32_t>(std::llround(tokens));
    if (counts.empty() || counts.back().length != length) {
      counts.push_back({length, 0});
    }
    ++counts.back().count;
  }
  return counts;
}

}  // namespace trainsight::batching
