#include "trainsight/models/shape_sizes.h"

#include <fmt/format.h>

#include <cstdint>
#include <type_traits>
#include <utility>

namespace trainsight::models {
namespace {

// Calls `visit` with each member: its name and itself. The one list.
template <typename Shape, typename Visit>
void each_member(Shape& s, const Visit& visit) {
  visit("hidden", s.hidden);
  visit("layers", s.layers);
  visit("heads", s.heads);
  visit("kv_heads", s.kv_heads);
  visit("head_dim", s.head_dim);
  visit("mlp_width", s.mlp_width);
  visit("vocabulary", s.vocabulary);
  visit("max_positions", s.max_positions);
  visit("position_rows", s.position_rows);
  visit("norms_per_layer", s.norms_per_layer);
  visit("qk_norm_per_layer", s.qk_norm_per_layer);
  visit("extra_parameters", s.extra_parameters);
  visit("attention_bias", s.attention_bias);
  visit("norm", s.norm);
  visit("tied_head", s.tied_head);
  visit("gated_mlp", s.gated_mlp);
  visit("mlp_bias", s.mlp_bias);
  visit("head_bias", s.head_bias);
  visit("embedding_norm", s.embedding_norm);
  visit("router_bias", s.router_bias);
  visit("shared_gate", s.shared_gate);
  visit("attention_sinks", s.attention_sinks);
  visit("attention_softcap", s.attention_softcap);
  visit("latent_query_rank", s.latent.query_rank);
  visit("latent_kv_rank", s.latent.kv_rank);
  visit("latent_nope_dim", s.latent.nope_dim);
  visit("latent_rope_dim", s.latent.rope_dim);
  visit("latent_value_dim", s.latent.value_dim);
  visit("experts_count", s.experts.count);
  visit("experts_active", s.experts.active);
  visit("experts_width", s.experts.width);
  visit("experts_shared_width", s.experts.shared_width);
  visit("experts_dense_layers", s.experts.dense_layers);
}

template <typename T>
constexpr std::uint64_t most_of() {
  if constexpr (std::is_same_v<T, bool>) return 1;
  if constexpr (std::is_same_v<T, AttentionBias>) {
    return static_cast<std::uint64_t>(AttentionBias::kAll);
  }
  if constexpr (std::is_same_v<T, NormKind>) {
    return static_cast<std::uint64_t>(NormKind::kNone);
  }
  return ~std::uint64_t{0};
}

}  // namespace

ShapeSizes sizes_of(const ModelShape& shape) {
  ShapeSizes sizes, plain;
  const auto into = [](ShapeSizes& all) {
    return [&all](const char* name, const auto& value) {
      all[name] = static_cast<std::uint64_t>(value);
    };
  };
  const ModelShape otherwise;
  each_member(shape, into(sizes));
  each_member(otherwise, into(plain));
  std::erase_if(
      sizes, [&](const auto& one) { return plain[one.first] == one.second; });
  return sizes;
}

Result<ModelShape> shape_from(const ShapeSizes& sizes, std::string name) {
  ModelShape shape;
  std::size_t used = 0;
  std::string fault;
  each_member(shape, [&](const char* member, auto& value) {
    using T = std::remove_reference_t<decltype(value)>;
    const auto found = sizes.find(member);
    if (found == sizes.end()) return;
    ++used;
    if (found->second > most_of<T>()) {
      fault = fmt::format("{}: must be from 0 to {}", member, most_of<T>());
      return;
    }
    value = static_cast<T>(found->second);
  });
  if (fault.empty() && used != sizes.size()) {
    ShapeSizes known;
    each_member(shape, [&](const char* member, const auto& value) {
      known[member] = static_cast<std::uint64_t>(value);
    });
    for (const auto& [member, value] : sizes) {
      if (known.count(member) == 0) {
        fault = fmt::format("unknown \"{}\"", member);
        break;
      }
    }
  }
  if (!fault.empty()) return Error{ErrorKind::kUsage, fault, ""};
  shape.name = std::move(name);
  if (Status sound = check(shape); !sound) return sound.error();
  return shape;
}

}  // namespace trainsight::models
