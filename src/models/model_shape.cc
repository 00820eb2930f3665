#include "trainsight/models/model_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace trainsight::models {
namespace {

using Role = LinearShape::Role;

std::uint64_t mlp_matrices(const ModelShape& shape) {
  return shape.gated_mlp ? 3 : 2;
}

// Weights and biases of an MLP of this width.
std::uint64_t mlp_parameters(const ModelShape& shape, std::uint64_t width) {
  const std::uint64_t weights = mlp_matrices(shape) * shape.hidden * width;
  if (!shape.mlp_bias) return weights;
  return weights + (mlp_matrices(shape) - 1) * width + shape.hidden;
}

std::uint64_t norm_parameters(const ModelShape& shape) {
  switch (shape.norm) {
    case NormKind::kNone:
      return 0;
    case NormKind::kLayer:
      return 2 * shape.hidden;
    case NormKind::kRms:
    case NormKind::kLayerNoBias:
      return shape.hidden;
  }
  return 0;
}

// The linears of one layer's attention, `count` a model.
void add_attention(const ModelShape& s, std::vector<LinearShape>& out) {
  const std::uint64_t n = s.layers;
  if (!s.is_latent()) {
    out.push_back({Role::kQuery, s.hidden, s.query_width(), n});
    out.push_back({Role::kKey, s.hidden, s.kv_width(), n});
    out.push_back({Role::kValue, s.hidden, s.kv_width(), n});
    out.push_back({Role::kOutput, s.query_width(), s.hidden, n});
    return;
  }
  const LatentAttention& m = s.latent;
  const std::uint64_t query = s.heads * (m.nope_dim + m.rope_dim);
  if (m.query_rank > 0) {
    out.push_back({Role::kQuery, s.hidden, m.query_rank, n});
    out.push_back({Role::kQuery, m.query_rank, query, n});
  } else {
    out.push_back({Role::kQuery, s.hidden, query, n});
  }
  out.push_back({Role::kKey, s.hidden, m.kv_rank + m.rope_dim, n});
  out.push_back(
      {Role::kValue, m.kv_rank, s.heads * (m.nope_dim + m.value_dim), n});
  out.push_back({Role::kOutput, s.heads * m.value_dim, s.hidden, n});
}

void add_mlp(const ModelShape& s, std::uint64_t width, std::uint64_t count,
             bool gated, std::vector<LinearShape>& out) {
  if (count == 0 || width == 0) return;
  if (gated) out.push_back({Role::kGate, s.hidden, width, count});
  out.push_back({Role::kUp, s.hidden, width, count});
  out.push_back({Role::kDown, width, s.hidden, count});
}

}  // namespace

std::vector<LinearShape> linears_of(const ModelShape& shape) {
  std::vector<LinearShape> linears;
  add_attention(shape, linears);
  const std::uint64_t moe = shape.moe_layers();
  add_mlp(shape, shape.mlp_width, shape.layers - moe, shape.gated_mlp, linears);
  add_mlp(shape, shape.experts.width, moe * shape.experts.count,
          shape.gated_mlp, linears);
  add_mlp(shape, shape.experts.shared_width, moe, true, linears);
  linears.push_back({Role::kHead, shape.hidden, shape.vocabulary, 1});
  return linears;
}

ParameterCounts count_parameters(const ModelShape& shape) {
  const std::uint64_t h = shape.hidden;
  const std::uint64_t moe = shape.moe_layers();
  ParameterCounts c;
  c.embedding = (shape.vocabulary + shape.position_rows) * h;
  if (shape.embedding_norm) c.embedding += norm_parameters(shape);
  if (!shape.tied_head) c.head = shape.vocabulary * h;
  if (shape.head_bias) c.head += shape.vocabulary;

  std::vector<LinearShape> attention;
  add_attention(shape, attention);
  for (const LinearShape& linear : attention) {
    c.attention += linear.in * linear.out;
  }
  c.attention += shape.qk_norm_per_layer;
  if (shape.is_latent()) c.attention += shape.latent.query_rank;
  if (shape.is_latent()) c.attention += shape.latent.kv_rank;
  if (shape.attention_bias != AttentionBias::kNone) {
    c.attention += shape.query_width() + 2 * shape.kv_width();
  }
  if (shape.attention_bias == AttentionBias::kAll) c.attention += h;
  if (shape.attention_sinks) c.attention += shape.heads;

  if (moe < shape.layers) c.dense_mlp = mlp_parameters(shape, shape.mlp_width);
  if (moe > 0) {
    const Experts& e = shape.experts;
    c.expert_mlp = e.count * mlp_parameters(shape, e.width);
    c.shared_mlp = h * e.count + 3 * h * e.shared_width;
    if (shape.router_bias) c.shared_mlp += e.count;
    if (shape.shared_gate) c.shared_mlp += h;
  }
  c.layer_norms = shape.norms_per_layer * norm_parameters(shape);
  c.final_norm = norm_parameters(shape);
  c.extra = shape.extra_parameters;
  c.total = c.embedding + c.head +
            shape.layers * (c.attention + c.layer_norms) +
            (shape.layers - moe) * c.dense_mlp +
            moe * (c.expert_mlp + c.shared_mlp) + c.final_norm + c.extra;

  c.matmul_per_token = moe * h * shape.experts.count;
  for (const LinearShape& linear : linears_of(shape)) {
    const std::uint64_t weights = linear.in * linear.out;
    if (linear.role == Role::kHead) {
      c.matmul_per_token += weights;
      continue;
    }
    c.layer_linears += linear.count * weights;
    c.largest_linear = std::max(c.largest_linear, weights);
    const bool routed = moe > 0 && linear.count == moe * shape.experts.count;
    c.matmul_per_token +=
        (routed ? moe * shape.experts.active : linear.count) * weights;
  }
  return c;
}

Status check(const ModelShape& shape) {
  struct Size {
    std::string_view name;
    std::uint64_t value, least, most;
  };
  // Far above any model, and low enough that hidden x width x experts x layers
  // stays within 64 bits.
  constexpr std::uint64_t kWidth = 1u << 20;
  const Size sizes[] = {
      {"hidden size", shape.hidden, 1, kWidth},
      {"number of layers", shape.layers, 1, 4096},
      {"number of heads", shape.heads, 1, 16384},
      {"number of key/value heads", shape.kv_heads, shape.is_latent() ? 0u : 1u,
       shape.heads},
      {"head dim", shape.head_dim, 1, 16384},
      {"MLP width", shape.mlp_width,
       shape.moe_layers() < shape.layers ? 1u : 0u, kWidth},
      {"vocabulary", shape.vocabulary, 1, 1u << 24},
      {"position table", shape.position_rows, 0, 1u << 24},
      {"norms a layer", shape.norms_per_layer, 0, 16},
      {"query and key norms", shape.qk_norm_per_layer, 0, 2 * kWidth},
      {"number of experts", shape.experts.count, 0, 4096},
      {"active experts", shape.experts.active, shape.is_moe() ? 1u : 0u,
       shape.experts.count},
      {"expert width", shape.experts.width, shape.is_moe() ? 1u : 0u, kWidth},
      {"shared expert width", shape.experts.shared_width, 0, kWidth},
      {"dense layers", shape.experts.dense_layers, 0, shape.layers},
      {"query rank", shape.latent.query_rank, 0, kWidth},
      {"key/value rank", shape.latent.kv_rank, 0, kWidth},
      {"latent head dim", shape.latent.nope_dim + shape.latent.rope_dim,
       shape.is_latent() ? 1u : 0u, 16384},
      {"value dim", shape.latent.value_dim, shape.is_latent() ? 1u : 0u, 16384},
      {"other parameters", shape.extra_parameters, 0, std::uint64_t{1} << 44},
  };
  for (const Size& size : sizes) {
    if (size.value < size.least || size.value > size.most) {
      return Error{ErrorKind::kCorrupt,
                   fmt::format("{} is {}, expected {} to {}", size.name,
                               size.value, size.least, size.most),
                   ""};
    }
  }
  // One product bounds all others: no model has 10^14 parameters.
  const double all = static_cast<double>(shape.layers) *
                     static_cast<double>(shape.hidden) *
                     (4.0 * static_cast<double>(shape.heads * shape.head_dim) +
                      3.0 * static_cast<double>(shape.mlp_width) +
                      3.0 * static_cast<double>(shape.experts.count) *
                          static_cast<double>(shape.experts.width));
  if (all > 1e15) {
    return Error{ErrorKind::kCorrupt, "its sizes multiply to over 10^15", ""};
  }
  return {};
}

}  // namespace trainsight::models
