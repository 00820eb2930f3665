// What padded batches cost: slots, waste, steps, imbalance of ranks.
//
// Padding waste is the share of slots without a token, over kept sequences,
// each batch padded to its longest and then to a multiple (or always to
// max_seq_len). Orders that are fixed are walked exactly; random batches have
// a closed form; the others are simulated over epochs of seeds 1, 2, …, so an
// expectation is the same whatever seed the run will have.
//
// Closed form, n sequences, batches of B without replacement, lengths already
// rounded up to the multiple (which commutes with the maximum):
//   E[max_B] = Σ_{x≥0} (1 − C(m(x), B) / C(n, B)),  m(x) = #{length ≤ x}
//   waste    = 1 − tokens / (⌊n/B⌋·B·E[max_B] + r·E[max_r]),  r = n mod B
// It is the ratio of two expectations, and differs from the expected ratio by
// O(1/number of batches); below 50·B rows a simulation is used instead.
// Imbalance of W ranks: 1 − E[max_B] / E[max_{B·W}], since every rank waits
// for the longest batch of its micro-step.
// Source: elementary order statistics; e.g. David & Nagaraja, "Order
// Statistics", 3rd ed. 2003, section 3.7 (finite populations).
#ifndef TRAINSIGHT_BATCHING_PADDING_H_
#define TRAINSIGHT_BATCHING_PADDING_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "trainsight/batching/lengths.h"
#include "trainsight/batching/plan.h"
#include "trainsight/core/result.h"

namespace trainsight::batching {

/// How a figure came about; printed beside it.
enum class Method : std::uint8_t {
  kExact,       ///< this order was walked
  kClosedForm,  ///< expectation over all orders
  kSimulated,   ///< mean over seeded epochs
};

std::string_view name_of(Method method);

/// One epoch's padded batches. Expectations are not whole numbers.
struct PaddingFigures {
  Method method = Method::kExact;
  std::uint32_t epochs_simulated = 0;  ///< kSimulated only
  KeptFigures kept;                    ///< what the over-long policy did

  double batches = 0;               ///< micro-batches over all ranks
  double rows = 0;                  ///< rows (or pairs) that reach a batch
  double tokens = 0;                ///< tokens that reach a batch
  double slots = 0;                 ///< padded positions; tokens ≤ slots
  double waste_ratio = 0;           ///< 1 − tokens/slots; 0 without slots
  double waste_standard_error = 0;  ///< kSimulated with 2 epochs or more
  double mean_longest = 0;          ///< E[max]: padded length of a full batch
  /// Σ over padded sequences of the padded length squared: attention work.
  double squared_slots = 0;
  double rank_imbalance_ratio = 0;  ///< time that ranks wait, 0…1
  double rows_left_out = 0;         ///< by drop_last

  std::uint64_t steps = 0;  ///< optimiser steps
  double tokens_per_step = 0;
  std::uint64_t largest_batch_slots = 0;  ///< what a batch can come to
  double typical_batch_slots = 0;         ///< slots / batches
};

/// Figures of `plan` over rows in file order. Linear for the file order and
/// random samplers; the rest sort. Memory: 4 bytes a kept row where an order
/// is walked, and at most 1 Mi rows are simulated (above that, rows at equal
/// steps of rank stand for all).
/// Errors: those of check(plan) and keep().
Result<PaddingFigures> padding(std::span<const std::uint32_t> lengths,
                               const BatchPlan& plan);

/// The same from counts. kFileOrder: kUnsupported, as the order is gone.
Result<PaddingFigures> padding(const LengthCounts& counts,
                               const BatchPlan& plan);

/// Preference pairs: both sides of all pairs of a batch are padded to the
/// longest of its 2B sequences. Lengths are whole sides (prompt included);
/// chosen[i] and rejected[i] belong together. kDrop and kError judge the
/// longer side of a pair; kSplit: kUsage. `rows` counts pairs, and
/// largest_batch_slots holds 2B sequences.
/// Errors: kUsage also when the spans differ in size.
Result<PaddingFigures> padding_of_pairs(std::span<const std::uint32_t> chosen,
                                        std::span<const std::uint32_t> rejected,
                                        const BatchPlan& plan);

/// The same from counts: of pair lengths (the longer side of each pair), and
/// of each side. Random and sorted samplers with a truncating policy only;
/// otherwise kUnsupported, since which sides belong together is gone.
Result<PaddingFigures> padding_of_pairs(const LengthCounts& pair_lengths,
                                        const LengthCounts& chosen,
                                        const LengthCounts& rejected,
                                        const BatchPlan& plan);

/// Generation in RL: what is known of completions before they exist.
struct Generation {
  std::uint32_t completion_budget = 0;  ///< most tokens generated
  std::uint32_t generations = 1;        ///< completions of each prompt
  LengthCounts completions;             ///< lengths expected; empty: unknown
};

/// Prompts, left-padded to the longest of their micro-batch, and completions,
/// right-padded to the longest of theirs.
struct RolloutFigures {
  PaddingFigures prompts;            ///< a prompt figure, never the step's
  std::uint64_t context_needed = 0;  ///< longest kept prompt + budget
  /// Of prompts and completions together; absent when completion lengths are
  /// unknown. Random sampler only.
  std::optional<double> step_waste_ratio;
};

/// Figures of RL prompts; plan.max_seq_len limits the prompt.
Result<RolloutFigures> padding_of_rollouts(const LengthCounts& prompts,
                                           const BatchPlan& plan,
                                           const Generation& generation);

/// Completion lengths as a log-normal with this mean and 99th percentile, cut
/// at `budget`, in 1,000 equally likely parts.
///
/// From mean = exp(μ + σ²/2) and p99 = exp(μ + 2.3263·σ):
/// σ = 2.3263 − √(2.3263² − 2·ln(p99/mean)).
/// Errors: kUsage unless 1 ≤ mean ≤ p99 ≤ 14.9·mean.
Result<LengthCounts> completion_counts(double mean_tokens, double p99_tokens,
                                       std::uint32_t budget);

/// E[max] of `draws` rows drawn without replacement (at most all of them), of
/// `power`-th powers of lengths (1 or 2). REQUIRES: counts not empty,
/// draws > 0. Cost: O(distinct lengths × draws) at worst.
double expected_longest(const LengthCounts& counts, std::uint64_t draws,
                        int power = 1);

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_PADDING_H_
