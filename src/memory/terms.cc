#include "trainsight/memory/terms.h"

#include <algorithm>

namespace trainsight::memory {
namespace {

using models::LinearShape;
using models::ModelShape;
using Role = LinearShape::Role;

double real(std::uint64_t value) { return static_cast<double>(value); }

// Optimizer states of one parameter, in units of a state's width.
double state_count(Optimizer optimizer) {
  switch (optimizer) {
    case Optimizer::kAdamW:
    case Optimizer::kAdamW8bit:
      return 2;
    case Optimizer::kMomentum:
    case Optimizer::kLion:
    case Optimizer::kMuon:
      return 1;
    case Optimizer::kPagedAdamW:
    case Optimizer::kPagedAdamW8bit:
    case Optimizer::kSgd:
    case Optimizer::kAdafactor:
      return 0;
  }
  return 2;
}

}  // namespace

StateBytes state_bytes(const Settings& settings) {
  StateBytes b;
  double width = 2;
  switch (settings.precision) {
    case Precision::kPure16:
      break;
    case Precision::kMixed32:
      b.weights = b.gradients = width = 4;
      break;
    case Precision::kMaster16:
      b.master = width = 4;
      break;
    case Precision::kMegatron:
      b.gradients = b.master = width = 4;
      break;
  }
  if (settings.method != Method::kFull && settings.adapter.bits32) {
    b.weights = b.gradients = width = 4;
    b.master = 0;
  }
  const double count = state_count(settings.optimizer);
  b.states = count * width;
  if (settings.optimizer == Optimizer::kAdamW8bit) b.states = 2 * 1.01;
  const bool foreach_adam = settings.optimizer == Optimizer::kAdamW &&
                            settings.precision != Precision::kMaster16 &&
                            settings.precision != Precision::kMegatron;
  if (settings.foreach_step && foreach_adam) b.step_temporary = width;
  if (settings.fused_backward) b.gradients = b.step_temporary = 0;
  return b;
}

double base_bytes(BaseStorage storage) {
  switch (storage) {
    case BaseStorage::k16Bit:
      return 2;
    case BaseStorage::k32Bit:
      return 4;
    case BaseStorage::kInt8:
      return 1.01;
    case BaseStorage::kGptq4:
      return 0.53;
    case BaseStorage::kNf4:
      return 0.5 + 4.0 / 64;
    case BaseStorage::kNf4Double:
      return 0.5 + 0.127 / 8;
  }
  return 2;
}

std::uint64_t adapter_parameters(const ModelShape& shape,
                                 const Settings& settings) {
  if (settings.method != Method::kLora) return 0;
  std::uint64_t sum = 0;
  for (const LinearShape& linear : models::linears_of(shape)) {
    if (!settings.adapter.targets.has(linear.role)) continue;
    sum += linear.count * settings.adapter.rank * (linear.in + linear.out);
    if (settings.adapter.dora) sum += linear.count * linear.out;
  }
  return sum;
}

double saved_bytes_per_token(const ModelShape& shape, const Settings& settings,
                             std::uint64_t length, bool moe_layer,
                             const Coefficients& c) {
  const bool fused = settings.kernels == Kernels::kFused;
  const bool full = settings.method == Method::kFull;
  const Adapter& adapter = settings.adapter;
  const double h = real(shape.hidden), a = real(shape.heads);
  const double hq = real(shape.query_width()), hkv = real(shape.kv_width());
  const double t = real(settings.ranks.tensor);

  // Norms, of the layer and of queries and keys.
  const bool in32 = !fused && shape.norm == models::NormKind::kRms;
  const bool trains_norms = full || settings.method == Method::kFrozen;
  const double norm = in32 ? (trains_norms ? 6.0 : 4.0) : 2.0;
  double hidden = norm * real(shape.norms_per_layer) * h;
  double sharded = shape.qk_norm_per_layer > 0 ? norm * (hq + hkv) : 0;
  if (!fused) hidden += c.unfused_copies_h * h;
  if (settings.dropout) hidden += 2 * h;

  // Attention: query, key, value; flash also its output, which is the input of
  // the next linear. SDPA has no kernel for capped scores.
  const bool eager =
      settings.attention == Attention::kEager ||
      (settings.attention == Attention::kSdpa && shape.attention_softcap);
  const bool scores = eager || settings.attention == Attention::kEager16;
  sharded += (scores ? 2 : 4) * hq + 4 * hkv + settings.extra_saved_h * h;
  if (!scores) {
    sharded += 4 * a;
  } else if (settings.checkpointing != Checkpointing::kScores) {
    const double score =
        eager ? c.eager_score_saved : (settings.dropout ? 5.0 : 2.0);
    sharded += score * a * real(length);
  }

  // The MLP between its linears.
  double width = real(shape.mlp_width), copies = 1;
  if (moe_layer) {
    copies = real(shape.experts.active) * settings.expert_imbalance;
    sharded += 2 * h * copies;  // outputs, for the router's gradient
    width =
        copies * real(shape.experts.width) + real(shape.experts.shared_width);
  }
  sharded += (shape.gated_mlp ? (fused ? 4 : 6) : 2) * width;

  // Inputs of linears.
  struct Input {
    double width;
    bool is_sharded;
    Role first, second, third;
  };
  const Input inputs[] = {
      {h, false, Role::kQuery, Role::kKey, Role::kValue},
      {hq, true, Role::kOutput, Role::kOutput, Role::kOutput},
      {h * copies, false, Role::kGate, Role::kUp, Role::kUp},
      {width, true, Role::kDown, Role::kDown, Role::kDown},
  };
  for (const Input& input : inputs) {
    double bytes = 0;
    if (full) {
      bytes = 2;
    } else if (settings.method == Method::kLora) {
      const double one = adapter.dropout ? (adapter.bits32 ? 5 : 3) : 2;
      double targets = 0;
      if (adapter.targets.has(input.first)) targets += 1;
      if (input.second != input.first && adapter.targets.has(input.second)) {
        targets += 1;
      }
      if (input.third != input.second && adapter.targets.has(input.third)) {
        targets += 1;
      }
      // One code casts per adapter, another fuses what shares an input.
      bytes = one * (adapter.bits32 ? targets : std::min(targets, 1.0));
    }
    bytes += settings.kept_input_bytes;
    const bool kept_by_flash =
        input.first == Role::kOutput && !adapter.dropout && !scores;
    if (kept_by_flash && bytes >= 2) bytes -= 2;
    (input.is_sharded ? sharded : hidden) += bytes * input.width;
  }
  return hidden / (settings.ranks.sequence_parallel ? t : 1) + sharded / t;
}

double selective_bytes_per_token(const ModelShape& shape,
                                 const Settings& settings) {
  const double h = real(shape.hidden), t = real(settings.ranks.tensor);
  const double hq = real(shape.query_width()), hkv = real(shape.kv_width());
  const double width = shape.is_moe()
                           ? real(shape.experts.active * shape.experts.width +
                                  shape.experts.shared_width)
                           : real(shape.mlp_width);
  const double hidden = 4 * h;
  const double sharded = 3 * hq + 2 * hkv + 4 * real(shape.heads) +
                         (shape.gated_mlp ? 2 : 1) * width;
  return hidden / (settings.ranks.sequence_parallel ? t : 1) + sharded / t;
}

double checkpoint_bytes_per_token(const ModelShape& shape,
                                  const Settings& settings) {
  const double t =
      settings.ranks.sequence_parallel ? real(settings.ranks.tensor) : 1.0;
  return 2 * real(shape.hidden) / t;
}

double logits_bytes(const ModelShape& shape, const Settings& settings,
                    std::uint64_t tokens, const Coefficients& c) {
  double per_row = c.loss_v[static_cast<std::size_t>(settings.loss)];
  // An adapter on the head writes logits of its own, and their sum.
  if (settings.method == Method::kLora &&
      settings.adapter.targets.has(Role::kHead)) {
    per_row += 4;
  }
  const bool sharded = settings.ranks.vocabulary_parallel;
  double bytes = per_row * real(tokens) * real(shape.vocabulary) /
                 (sharded ? real(settings.ranks.tensor) : 1);
  // The last hidden states, and their gradient.
  bytes += 4 * real(shape.hidden) * real(tokens);
  return bytes;
}

double kv_cache_bytes_per_token(const ModelShape& shape) {
  if (shape.is_latent()) {
    return 2 * real(shape.layers) *
           real(shape.latent.kv_rank + shape.latent.rope_dim);
  }
  return 2 * real(shape.layers) * real(shape.kv_width()) * 2;
}

double engine_weight_bytes(const models::ParameterCounts& counts,
                           const Settings& settings) {
  const Generation& g = settings.generation;
  if (g.engine != Engine::kColocated) return 0;
  const double linear = settings.method == Method::kLora
                            ? std::min(base_bytes(settings.base), 2.0)
                            : 2.0;
  const double linears = real(counts.layer_linears);
  return (linear * linears + 2 * (real(counts.total) - linears)) /
         real(std::max<std::uint64_t>(g.tensor, 1));
}

std::uint64_t engine_capacity(const ModelShape& shape,
                              const models::ParameterCounts& counts,
                              const Settings& settings) {
  const Generation& g = settings.generation;
  if (g.reserved_bytes == 0) return ~std::uint64_t{0};
  const double room =
      (real(g.reserved_bytes) - engine_weight_bytes(counts, settings)) *
      real(std::max<std::uint64_t>(g.tensor, 1));
  const double sequence = kv_cache_bytes_per_token(shape) *
                          real(std::max<std::uint64_t>(g.length, 1));
  if (room < sequence) return 1;
  return static_cast<std::uint64_t>(std::min(room / sequence, 1e15));
}

double pipeline_share(const Parallelism& ranks, std::uint64_t stage) {
  const std::uint64_t p = ranks.pipeline, v = ranks.virtual_stages;
  const std::uint64_t m = std::max<std::uint64_t>(ranks.micro_batches, 1);
  if (p <= 1) return 1;
  if (ranks.gpipe) return real(m) / real(p);
  if (v <= 1) return real(std::min(m, p - stage)) / real(p);
  const std::uint64_t chunks =
      std::min(m * v, 2 * (p - stage - 1) + (v - 1) * p + 1);
  return real(chunks) / real(p * v);
}

}  // namespace trainsight::memory
