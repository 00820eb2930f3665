// ModelShape: what a decoder-only language model is made of, as far as memory
// and arithmetic care, and the exact number of its parameters.
//
// Counting, with h hidden, L layers, a query heads, k key/value heads, d head
// dim, f MLP width, V vocabulary rows, E experts; every term in parameters:
//
//   embedding V h, an untied head V h again (+ V with a bias), a position
//   table rows h
//   attention of a layer  h a d + 2 h k d + a d h; biases a d + 2 k d, and h
//   more where the output has one
//   attention with latents (MLA)  h q + q + q a (n + r) (h a (n + r) without a
//   query rank q), h (c + r) + c + c a (n + v), a v h; n, r, v: head widths
//   without position, with rotary position, of values; c: key/value rank
//   MLP 3 h f gated, 2 h f plain; biases 2 f + h, plain f + h
//   MoE  E such MLPs of the experts' width, a router h E (+ E), one gated MLP
//   for all shared experts (+ h for their gate)
//   norms  as wide as h, one more after the last layer
//
// Rotary tables, ALiBi, windows and soft caps have no parameters.
// Source: configuration and modelling files of Hugging Face transformers;
// DeepSeek-V2 (arXiv 2405.04434) §2.1 for MLA. Held against published totals
// of 198 models in tests/unit/models.
//
// Thread-safety: plain values.
#ifndef TRAINSIGHT_MODELS_MODEL_SHAPE_H_
#define TRAINSIGHT_MODELS_MODEL_SHAPE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::models {

/// Which projections of the attention have a bias.
enum class AttentionBias : std::uint8_t {
  kNone,
  kInputs,  ///< query, key, value
  kAll,     ///< and the output
};

/// Parameters of a norm: kRms and kLayerNoBias one vector, kLayer two.
enum class NormKind : std::uint8_t { kRms, kLayer, kLayerNoBias, kNone };

/// Attention through low-rank latents; all zero: ordinary attention.
struct LatentAttention {
  std::uint64_t query_rank = 0;  ///< 0 with a kv_rank: a full query projection
  std::uint64_t kv_rank = 0;
  std::uint64_t nope_dim = 0;
  std::uint64_t rope_dim = 0;
  std::uint64_t value_dim = 0;
};

/// Mixture of experts; experts 0: every layer has a dense MLP.
struct Experts {
  std::uint64_t count = 0;
  std::uint64_t active = 0;        ///< routed experts a token goes through
  std::uint64_t width = 0;         ///< of one expert's MLP
  std::uint64_t shared_width = 0;  ///< of all shared experts together
  std::uint64_t dense_layers = 0;  ///< layers that have a dense MLP instead
};

struct ModelShape {
  std::string name;
  std::uint64_t hidden = 0;
  std::uint64_t layers = 0;
  std::uint64_t heads = 0;
  std::uint64_t kv_heads = 0;
  std::uint64_t head_dim = 0;
  std::uint64_t mlp_width = 0;
  std::uint64_t vocabulary = 0;  ///< rows stored, padding included
  std::uint64_t max_positions = 0;
  std::uint64_t position_rows = 0;      ///< of a learned position table
  std::uint64_t norms_per_layer = 2;    ///< as wide as `hidden`
  std::uint64_t qk_norm_per_layer = 0;  ///< parameters of query and key norms
  std::uint64_t extra_parameters = 0;   ///< vision tower, projector
  AttentionBias attention_bias = AttentionBias::kNone;
  NormKind norm = NormKind::kRms;
  bool tied_head = false;
  bool gated_mlp = true;
  bool mlp_bias = false;
  bool head_bias = false;
  bool embedding_norm = false;
  bool router_bias = false;
  bool shared_gate = false;
  bool attention_sinks = false;  ///< one learned logit a head
  bool attention_softcap = false;  ///< scores go through a tanh (Gemma 2)
  LatentAttention latent;
  Experts experts;

  [[nodiscard]] bool is_moe() const { return experts.count > 0; }
  [[nodiscard]] bool is_latent() const { return latent.kv_rank > 0; }
  /// Width of all queries, and of all keys (or values), of one token.
  [[nodiscard]] std::uint64_t query_width() const { return heads * head_dim; }
  [[nodiscard]] std::uint64_t kv_width() const {
    return is_latent() ? heads * head_dim : kv_heads * head_dim;
  }
  [[nodiscard]] std::uint64_t moe_layers() const {
    return is_moe() ? layers - experts.dense_layers : 0;
  }
};

/// Parameters by what they are. Per-layer figures are of one layer.
struct ParameterCounts {
  std::uint64_t embedding = 0;  ///< V h, position table, norm after it
  std::uint64_t head = 0;       ///< 0 when tied
  std::uint64_t attention = 0;  ///< of a layer, with biases and query/key norms
  std::uint64_t dense_mlp = 0;  ///< of a layer with a dense MLP
  std::uint64_t expert_mlp = 0;   ///< all routed experts of an MoE layer
  std::uint64_t shared_mlp = 0;   ///< shared experts, gate and router of it
  std::uint64_t layer_norms = 0;  ///< of a layer
  std::uint64_t final_norm = 0;
  std::uint64_t extra = 0;
  /// Weights of the layers' linears alone (no biases, norms, router): what a
  /// 4-bit loader packs. All layers.
  std::uint64_t layer_linears = 0;
  std::uint64_t largest_linear = 0;  ///< weights of the largest of them
  std::uint64_t total = 0;
  /// Weights that one token is multiplied with: linears of all layers with
  /// `active` experts, router and head; no embedding look-up.
  std::uint64_t matmul_per_token = 0;

  /// A layer's parameters (an MoE layer where the model has them).
  [[nodiscard]] std::uint64_t largest_layer() const {
    const std::uint64_t moe = expert_mlp + shared_mlp;
    return attention + layer_norms + (moe > dense_mlp ? moe : dense_mlp);
  }
};

/// REQUIRES: check(shape).
ParameterCounts count_parameters(const ModelShape& shape);

/// One kind of linear layer that an adapter can sit on.
struct LinearShape {
  enum class Role : std::uint8_t {
    kQuery,
    kKey,
    kValue,
    kOutput,
    kGate,
    kUp,
    kDown,
    kHead,
  };
  Role role = Role::kQuery;
  std::uint64_t in = 0;
  std::uint64_t out = 0;
  std::uint64_t count = 0;  ///< in the whole model
};

/// All linears of the model; with MLA the low-rank pairs count under the
/// projection that they make up. REQUIRES: check(shape).
std::vector<LinearShape> linears_of(const ModelShape& shape);

/// Whether the sizes make sense: none zero that may not be, none so large
/// that a product of them would overflow. Errors: kCorrupt, naming the size.
Status check(const ModelShape& shape);

}  // namespace trainsight::models

#endif  // TRAINSIGHT_MODELS_MODEL_SHAPE_H_
