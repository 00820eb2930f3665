// Coefficients: every number of the memory model that does not follow from
// sizes and types alone, in one table.
//
// [src] a source states it; [fit] chosen on public measured runs, the same for
// all frameworks; [assume] a default without a solid source. What a framework
// does is in profiles.h, and is a fact about its code, not a number here.
// Units are in the names: `_h` bytes per token, layer and hidden unit, `_f`
// per unit of MLP width, `_v` per token and vocabulary row.
#ifndef TRAINSIGHT_MEMORY_COEFFICIENTS_H_
#define TRAINSIGHT_MEMORY_COEFFICIENTS_H_

#include <array>
#include <cstddef>

#include "trainsight/memory/settings.h"

namespace trainsight::memory {

inline constexpr std::size_t kLossCount = 8;

struct Coefficients {
  // Activations that a layer saves for its backward, 16 bits. What norms,
  // linears, attention and the activation save follows from their code (see
  // saved_bytes_per_token); this is the rest.
  double unfused_copies_h = 7;  ///< [fit] transposes, casts, residuals
  /// Bytes per score element of eager attention: a 32-bit softmax and its
  /// 16-bit copy are saved; live, their gradients and the scores come on top.
  double eager_score_saved = 6;  ///< [src] transformers eager_attention_forward
  double eager_score_live = 17;  ///< [fit]

  // Working memory of the layer that is computed.
  double workspace_mlp_f = 4;     ///< [fit] gradients in flight
  double workspace_hidden_h = 4;  ///< [fit]
  /// [fit] FSDP casts the inputs of blocks with adapters and keeps the cast.
  double fsdp_adapter_input_h = 1.3;

  // Logits and loss, by Loss. [fit] but for kFusedLinear.
  std::array<double, kLossCount> loss_v = {14, 13, 12, 7.5, 8, 6.5, 3, 0};
  double reference_logits_v = 6;  ///< [fit] of the frozen model's forward

  // Beyond what tensors take.
  double context_bytes = 0.9 * (1 << 30);       ///< [assume] CUDA, cuBLAS
  double communicator_bytes = 0.4 * (1 << 30);  ///< [src] a NCCL group
  /// [assume] share of activations and logits that no allocation can use.
  double fragmentation_ratio = 0.08;
  double fragmentation_fixed_ratio = 0.03;     ///< expandable segments
  double fragmentation_variable_ratio = 0.12;  ///< lengths that vary
  /// [fit] what the caching allocator keeps beyond its peak, as a share of
  /// activations, workspace and logits. Freed before it would fail.
  double cached_fixed_ratio = 0.12;
  double cached_variable_ratio = 1.1;

  // From a run that was measured (verdict.h); 1 and 0 without one.
  double dynamic_factor = 1;  ///< of activations, workspace and logits
  double offset_bytes = 0;    ///< added to every phase
};

}  // namespace trainsight::memory

#endif  // TRAINSIGHT_MEMORY_COEFFICIENTS_H_
