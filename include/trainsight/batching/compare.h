// The table that decides: every way of batching side by side, on this data.
//
// Time is relative and comes from a model of two terms: a slot costs 1 (all
// matrix products are linear in tokens), and a sequence of s slots costs
// another attention_ratio·s². An epoch's time is
//   T = (slots + attention_ratio · Σ s²) / (1 − rank imbalance)
// and is given relative to the plan's own sampler, per token trained, so that
// losing data never looks like speed. Not modelled: communication, kernels'
// efficiency at small shapes, input pipelines.
#ifndef TRAINSIGHT_BATCHING_COMPARE_H_
#define TRAINSIGHT_BATCHING_COMPARE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trainsight/batching/pack.h"
#include "trainsight/batching/padding.h"

namespace trainsight::batching {

/// Attention work of a token per token of its sequence, relative to the work
/// of the matrix products, for a causal model.
///
/// Training costs 6·N a token in matrix products of N parameters, and
/// 6·layers·query_width·s² a sequence in causal attention (half of
/// 4·layers·query_width·s² forward, three times for the backward pass); the
/// ratio is layers·query_width / N.
/// Source: Narayanan et al., "Efficient Large-Scale Language Model Training on
/// GPU Clusters Using Megatron-LM", SC 2021, appendix; causal halving as in
/// Dao, "FlashAttention-2", 2023, section 4.1. REQUIRES: N > 0.
double attention_ratio(std::uint64_t layers, std::uint64_t query_width,
                       std::uint64_t matmul_parameters);

/// The default: a Llama-3-8B shape (32 layers, 32 heads of 128, 7.50e9
/// parameters in matrix products, the unembedding included).
inline constexpr double kDefaultAttentionRatio = 131072.0 / 7504658432.0;

struct CompareOptions {
  BatchPlan plan;  ///< its sampler is what is compared with
  /// Tokens of a pack; 0: plan.max_seq_len, or the longest row without one.
  std::uint32_t pack_length = 0;
  double attention_ratio = kDefaultAttentionRatio;
  bool can_pack = true;  ///< false for preference pairs and the like
  /// Rows may be cut at pack ends: usual for pretraining, harmful for chats.
  bool may_cut_rows = false;
  /// The trainer keeps packed rows from attending to each other.
  bool document_masks = true;
};

/// One way of batching.
struct Choice {
  std::string name;  ///< "random", "bfd", "bfd_split", "bfd_1000" (windows)
  std::optional<Sampler> sampler;  ///< padded; else packed:
  std::optional<PackOptions> packing;
  double waste_ratio = 0;         ///< slots without a token
  std::uint64_t tokens_lost = 0;  ///< by truncation or dropping
  double tokens = 0;              ///< trained in an epoch
  std::uint64_t rows_cut = 0;     ///< rows in more than one segment
  std::optional<std::uint64_t> segments_without_label;
  double sequences = 0;  ///< rows, or packs, of an epoch
  double segments_per_sequence = 1;
  std::uint64_t steps = 0;     ///< optimiser steps at the plan's batch
  double tokens_per_step = 0;  ///< at the plan's batch
  double rank_imbalance_ratio = 0;
  /// The global batch, in sequences and a multiple of world_size, that comes
  /// nearest to the tokens a step of the plan's own sampler.
  std::uint64_t equal_global_batch = 0;
  double relative_time = 1;       ///< of an epoch, per token trained
  double relative_step_time = 1;  ///< of a step at the plan's batch
};

struct Comparison {
  std::vector<Choice> choices;
  std::size_t current = 0;      ///< the plan's own sampler
  std::size_t recommended = 0;  ///< may be current
  std::string sentence;         ///< what to do, the gain, and its price
};

/// Compares over rows in file order. `first_labels` as in pack().
/// Errors: those of padding() and pack().
Result<Comparison> compare(std::span<const std::uint32_t> lengths,
                           const CompareOptions& options,
                           std::span<const std::uint32_t> first_labels = {});

/// Compares over preference pairs, sides as in padding_of_pairs(): padded orders
/// only. `sequences` counts pairs, `tokens` those of both sides.
/// Errors: those of padding_of_pairs().
Result<Comparison> compare_pairs(std::span<const std::uint32_t> chosen,
                                 std::span<const std::uint32_t> rejected,
                                 const CompareOptions& options);

/// Compares what counts can tell: no file order, no strategies or windows
/// that need it. Errors: kUnsupported when the plan's sampler is kFileOrder.
Result<Comparison> compare(const LengthCounts& counts,
                           const CompareOptions& options);

}  // namespace trainsight::batching

#endif  // TRAINSIGHT_BATCHING_COMPARE_H_
