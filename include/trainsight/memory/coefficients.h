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
  double unfused_copies_h = 8;  ///< [fit] transposes, casts, residuals
  double eager_score = 17;      ///< [fit] bytes per score element, HF eager

  // Working memory of the layer that is computed.
  double workspace_mlp_f = 4;     ///< [fit] gradients in flight
  double workspace_hidden_h = 2;  ///< [fit]
  /// [fit] FSDP casts the inputs of blocks with adapters and keeps the cast.
  double fsdp_adapter_input_h = 1.3;

  // Logits and loss, by Loss. [fit] but for kFusedLinear.
  std::array<double, kLossCount> loss_v = {15, 14, 12, 8, 6.5, 6.5, 3, 0};
  double reference_logits_v = 4;  ///< [fit] of the frozen model's forward

  // Beyond what tensors take.
  double context_bytes = 0.6 * (1 << 30);       ///< [assume] CUDA, cuBLAS
  double communicator_bytes = 0.4 * (1 << 30);  ///< [src] a NCCL group
  /// [assume] share of activations and logits that no allocation can use.
  double fragmentation_ratio = 0.05;
  double fragmentation_fixed_ratio = 0.03;     ///< expandable segments
  double fragmentation_variable_ratio = 0.08;  ///< lengths that vary
  /// [fit] what the caching allocator keeps beyond its peak, as a share of
  /// activations, workspace and logits. Freed before it would fail.
  double cached_fixed_ratio = 0.15;
  double cached_variable_ratio = 1.0;
};

}  // namespace trainsight::memory

#endif  // TRAINSIGHT_MEMORY_COEFFICIENTS_H_
