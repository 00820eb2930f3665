// BatchPlan: how a trainer makes batches, as the user describes it.
//
// Plain options with the trainers' meanings; check() says what is wrong with
// one before anything is computed.
#ifndef TRAINSIGHT_BATCHING_PLAN_H_
#define TRAINSIGHT_BATCHING_PLAN_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "trainsight/batching/lengths.h"
#include "trainsight/core/result.h"

namespace trainsight::batching {

/// In which order rows reach the batches.
enum class Sampler : std::uint8_t {
  kFileOrder,  ///< as stored
  kRandom,     ///< a new permutation each epoch
  /// Random mega-batches, each sorted longest first, the longest row of all
  /// first. Source: huggingface/transformers 5.24.0 `trainer_pt_utils.py`,
  /// get_length_grouped_indices.
  kLengthGrouped,
  kSorted,    ///< by ascending length, ties in file order
  kBucketed,  ///< random batches from within buckets of similar lengths
  kByTokens,  ///< length-grouped order, batches closed by a token budget
};

/// The name used on the command line and in reports: "length_grouped".
std::string_view name_of(Sampler sampler);
std::optional<Sampler> sampler_named(std::string_view name);

/// One epoch's batching. Lengths are in tokens.
struct BatchPlan {
  std::uint32_t micro_batch = 8;   ///< sequences of one forward pass; a pair
                                   ///< of preferences counts once
  std::uint32_t world_size = 1;    ///< data-parallel ranks
  std::uint32_t accumulation = 1;  ///< micro-steps of an optimiser step
  Sampler sampler = Sampler::kRandom;
  std::uint32_t pad_to_multiple_of = 1;  ///< after padding to the longest
  bool pad_to_max_length = false;        ///< needs max_seq_len
  std::uint32_t max_seq_len = 0;         ///< 0: no limit
  Overlong overlong = Overlong::kTruncateKeepStart;
  /// Leave out rows that do not fill a micro-batch on every rank, and the
  /// micro-steps that do not fill an optimiser step.
  bool drop_last = false;
  std::uint64_t seed = 42;
  /// Size of kLengthGrouped's and kByTokens's mega-batches in group batches
  /// of micro_batch × accumulation rows; 0 is transformers' rule:
  /// min(rows / (4 × group batch), 50), at least 1.
  std::uint32_t mega_batch_mult = 0;
  /// kBucketed: a bucket holds lengths (k−1)·width < length ≤ k·width.
  std::uint32_t bucket_width = 64;
  /// kByTokens: slots that a batch may hold; 0 is micro_batch × max_seq_len,
  /// or micro_batch × the longest row without a limit.
  std::uint64_t max_tokens_per_batch = 0;
  /// Where an expectation is simulated: rows drawn in all, over as many epochs
  /// as that takes (1 to 200). The figures' standard error falls with its root.
  std::uint64_t simulated_rows = std::uint64_t{1} << 21;
};

/// Largest micro_batch × accumulation × world_size, and largest pad multiple
/// and length: far above real plans, low enough for exact arithmetic.
inline constexpr std::uint64_t kMaxGlobalBatch = std::uint64_t{1} << 24;
inline constexpr std::uint32_t kMaxSequenceLength = std::uint32_t{1} << 24;

/// kUsage when a member is zero or out of range, or members contradict.
Status check(const BatchPlan& plan);

/// Rows of one optimiser step: micro_batch × world_size × accumulation.
std::uint64_t global_batch(const BatchPlan& plan);

/// Slots that a sequence of `length` tokens takes when it is the longest of
/// its batch.
std::uint32_t padded_length(std::uint32_t length, const BatchPlan& plan);

/// Optimiser steps of an epoch of `batches` micro-batches over all ranks:
/// rounded down with drop_last, up without.
std::uint64_t steps_of(std::uint64_t batches, const BatchPlan& plan);

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_PLAN_H_
