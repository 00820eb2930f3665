// The terms of the memory model, one function each. All give bytes on one
// rank; sizes are of models::ModelShape, T = tokens of the micro-batch.
//
// Source of the shape of the terms: Korthikanti et al. 2022 (arXiv 2205.05198)
// §4 for activations under tensor and sequence parallelism; ZeRO (Rajbhandari
// et al. 2020, arXiv 1910.02054) §3 for states; QLoRA (Dettmers et al. 2023,
// arXiv 2305.14314) §3 for 4-bit weights. Numbers are in coefficients.h.
// Pure; thread-safe.
#ifndef TRAINSIGHT_MEMORY_TERMS_H_
#define TRAINSIGHT_MEMORY_TERMS_H_

#include <cstdint>

#include "trainsight/memory/coefficients.h"
#include "trainsight/memory/settings.h"
#include "trainsight/models/model_shape.h"

namespace trainsight::memory {

/// Bytes of one trained parameter.
struct StateBytes {
  double weights = 2;
  double gradients = 2;
  double master = 0;  ///< 32-bit copy that the optimizer updates
  double states = 4;
  double step_temporary = 0;  ///< a copy while the optimizer steps

  [[nodiscard]] double steady() const {
    return weights + gradients + master + states;
  }
};

/// By precision and optimizer; step_temporary is 0 for a fused step. 8-bit
/// states include 1 % of scales. Source: Micikevicius et al. 2018 (arXiv
/// 1710.03740) for master weights; Dettmers et al. 2022 (arXiv 2110.02861).
StateBytes state_bytes(const Settings& settings);

/// Bytes of one frozen weight of a linear layer: nf4 0.5 + 4/64, with double
/// quantisation 0.5 + 0.127/8.
double base_bytes(BaseStorage storage);

/// Parameters of the adapters: sum over targets of r (in + out), + out with
/// DoRA. 0 unless the method is kLora.
std::uint64_t adapter_parameters(const models::ModelShape& shape,
                                 const Settings& settings);

/// Activations that a layer saves for the backward, without checkpointing;
/// bytes per token, 16 bits, a sum over what its code keeps:
///
///   norms      fused 2 h each; unfused RMSNorm 4 h (a 32-bit copy), and 2 h
///              more where its weight is trained; LayerNorm 2 h
///   linears    2 x input of each distinct input whose weight, or adapter, is
///              trained; adapters in 32 bits keep one a linear; adapter dropout
///              a mask and a copy (3 x input); 4-bit linears of old code all
///   attention  2 hq + 4 hkv + 2 hq + 4 a (flash), or c a s of scores: HF eager
///              in 32 bits, Megatron 2 a s, and 3 a s more with dropout
///   MLP        gated 6 f (4 f in one fused kernel), plain 2 f; the product,
///              2 f, is the last linear's input
///   dropout    2 h;  unfused code: copies, coefficients.h
///
/// A Llama layer sums to Korthikanti's 8 h + 4 hq + 4 hkv + 6 f + 4 a fused.
/// Tensor parallelism divides what is as wide as heads or MLP, sequence
/// parallelism the rest too. `length`: of one sequence, for the scores.
double saved_bytes_per_token(const models::ModelShape& shape,
                             const Settings& settings, std::uint64_t length,
                             bool moe_layer, const Coefficients& c);

/// Bytes per token of the checkpoint at a block's entry: 2 h, / t with
/// sequence parallelism.
double checkpoint_bytes_per_token(const models::ModelShape& shape,
                                  const Settings& settings);

/// Per token and layer with torchtitan's selective checkpointing: the block's
/// input, attention's output, and every second matmul's output:
/// 2 h + 2 hq + 4 a + (hq + 2 hkv + 2 h + 2 f).
double selective_bytes_per_token(const models::ModelShape& shape,
                                 const Settings& settings);

/// Logits and loss, all tokens: c_V T V, / t when the vocabulary is sharded,
/// and 4 h T of last hidden states.
double logits_bytes(const models::ModelShape& shape, const Settings& settings,
                    std::uint64_t tokens, const Coefficients& c);

/// KV cache of the generation phase: 2 L hkv 2 bytes a token.
double kv_cache_bytes_per_token(const models::ModelShape& shape);

/// Weights of a colocated engine on one of its ranks: 16 bits, the linears of
/// a quantised base as they are stored.
double engine_weight_bytes(const models::ParameterCounts& counts,
                           const Settings& settings);

/// Sequences of generation.length that an engine's reservation has room for
/// beside its weights, on all its ranks together; at least 1. Without a
/// reservation there is no limit: 2^64 - 1.
std::uint64_t engine_capacity(const models::ModelShape& shape,
                              const models::ParameterCounts& counts,
                              const Settings& settings);

/// Layers' worth of activations that stage `stage` of a pipeline holds, as a
/// multiple of one micro-batch through all L layers. 1F1B: min(m, p - r) of
/// L / p layers; interleaved: min(m v, 2 (p - r - 1) + (v - 1) p + 1) chunks of
/// L / (p v); on stage 0 this is Korthikanti's 1 + (p - 1) / (p v), over p.
double pipeline_share(const Parallelism& ranks, std::uint64_t stage);

}  // namespace trainsight::memory

#endif  // TRAINSIGHT_MEMORY_TERMS_H_
