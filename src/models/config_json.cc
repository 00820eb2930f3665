#include "trainsight/models/config_json.h"

#include <fmt/format.h>

#include <initializer_list>
#include <optional>

#include "trainsight/scan/json_document.h"

namespace trainsight::models {
namespace {

using scan::Value;
using scan::ValueKind;

// How query and key norms are sized.
enum class QkNorm : std::uint8_t { kNone, kHeads, kWidth };

// What a family's modelling code fixes, or assumes where the file is silent.
struct Family {
  std::string_view type;
  AttentionBias bias = AttentionBias::kNone;
  bool gated = true;
  bool mlp_bias = false;
  NormKind norm = NormKind::kRms;
  std::uint64_t norms = 2;
  QkNorm qk = QkNorm::kNone;
  bool tied = false;  ///< when tie_word_embeddings is not written
};

constexpr AttentionBias kNo = AttentionBias::kNone;
constexpr AttentionBias kQkv = AttentionBias::kInputs;
constexpr AttentionBias kAll = AttentionBias::kAll;
constexpr NormKind kRms = NormKind::kRms;
constexpr NormKind kLn = NormKind::kLayer;
constexpr NormKind kPlainLn = NormKind::kLayerNoBias;

// clang-format off
constexpr Family kFamilies[] = {
    {"llama"}, {"mistral"}, {"mixtral"}, {"internlm2"}, {"minicpm"},
    {"baichuan"}, {"phi3"}, {"deepseek"}, {"ministral"},
    {"internlm3"}, {"smollm3"},
    {"kimi_k2"}, {"deepseek_v2"}, {"deepseek_v3"}, {"llama4_text"},
    {"granite"}, {"granitemoe"}, {"exaone"}, {"seed_oss", kQkv},
    {"qwen", kQkv}, {"qwen2", kQkv}, {"qwen2_moe", kQkv},
    {"qwen3", kNo, true, false, kRms, 2, QkNorm::kHeads},
    {"qwen3_moe", kNo, true, false, kRms, 2, QkNorm::kHeads},
    {"gemma", kNo, true, false, kRms, 2, QkNorm::kNone, true},
    {"gemma2", kNo, true, false, kRms, 4, QkNorm::kNone, true},
    {"gemma3_text", kNo, true, false, kRms, 4, QkNorm::kHeads, true},
    {"gemma3", kNo, true, false, kRms, 4, QkNorm::kHeads, true},
    {"mistral3"},
    {"phi", kAll, false, true, kLn, 1},
    {"phimoe", kAll, true, false, kLn, 2},
    {"gpt2", kAll, false, true, kLn, 2, QkNorm::kNone, true},
    {"gpt_bigcode", kAll, false, true, kLn, 2, QkNorm::kNone, true},
    {"gpt_neox", kAll, false, true, kLn, 2},
    {"gptj", kNo, false, true, kLn, 1},
    {"opt", kAll, false, true, kLn, 2, QkNorm::kNone, true},
    {"bloom", kAll, false, true, kLn, 2, QkNorm::kNone, true},
    {"falcon", kNo, false, false, kLn, 1, QkNorm::kNone, true},
    {"mpt", kNo, false, false, kPlainLn, 2, QkNorm::kNone, true},
    {"olmo", kNo, true, false, NormKind::kNone, 2},
    {"olmo2", kNo, true, false, kRms, 2, QkNorm::kWidth},
    {"olmo3", kNo, true, false, kRms, 2, QkNorm::kWidth},
    {"olmoe", kNo, true, false, kRms, 2, QkNorm::kWidth},
    {"starcoder2", kAll, false, true, kLn, 2, QkNorm::kNone, true},
    {"cohere", kNo, true, false, kPlainLn, 1, QkNorm::kNone, true},
    {"cohere2", kNo, true, false, kPlainLn, 1, QkNorm::kNone, true},
    {"gpt_oss", kAll, true, true, kRms, 2},
    {"chatglm", kQkv},
    {"glm", kQkv}, {"glm4", kQkv, true, false, kRms, 4},
    {"glm4_moe", kQkv},
    {"stablelm", kNo, true, false, kLn, 2},
    {"dbrx", kNo, true, false, kPlainLn, 2},
};
// clang-format on

// No decoder-only transformer, or one with other kinds of layers.
constexpr std::string_view kOtherKinds[] = {
    "bert",      "roberta",         "t5",         "bart",       "whisper",
    "clip",      "mamba",           "mamba2",     "rwkv",       "jamba",
    "falcon_h1", "falcon_mamba",    "nemotron_h", "qwen3_next", "gemma3n",
    "lfm2",      "granitemoehybrid"};

class Reader {
 public:
  Reader(const scan::JsonDocument& document, std::string_view name)
      : document_(document), name_(name), view_(document.view()) {}

  Result<ModelConfig> read();

 private:
  const Value* find(std::initializer_list<std::string_view> keys) const {
    for (const std::string_view key : keys) {
      const Value* value = view_.member(*config_, key);
      if (value != nullptr && !value->is(ValueKind::kNull)) return value;
    }
    return nullptr;
  }
  // A size, or `otherwise`; remembers the first that is no such number.
  std::uint64_t size(std::initializer_list<std::string_view> keys,
                     std::uint64_t otherwise) {
    const Value* value = find(keys);
    if (value == nullptr) return otherwise;
    if (value->is(ValueKind::kInteger) && value->integer >= 0) {
      return static_cast<std::uint64_t>(value->integer);
    }
    if (error_.empty()) {
      error_ = fmt::format("{}:{}: \"{}\" is no size", name_,
                           document_.place_of(*value), value->key);
    }
    return otherwise;
  }
  bool flag(std::string_view key, bool otherwise) const {
    const Value* value = find({key});
    return value != nullptr && value->is(ValueKind::kBool) ? value->boolean
                                                           : otherwise;
  }
  void read_sizes(const Family& family, ModelShape& s);
  void read_attention(const Family& family, ModelShape& s);
  void read_experts(ModelShape& s);
  void read_exceptions(ModelShape& s);
  void read_vision(ModelShape& s, ModelConfig& config);

  const scan::JsonDocument& document_;
  std::string_view name_;
  const scan::RowView& view_;
  const Value* config_ = nullptr;  ///< the root, or its text_config
  std::string type_;
  std::string error_;
};

const Family* find_family(std::string_view type) {
  for (const Family& family : kFamilies) {
    if (family.type == type) return &family;
  }
  return nullptr;
}

void Reader::read_sizes(const Family& family, ModelShape& s) {
  s.hidden = size({"hidden_size", "n_embd", "d_model", "dim"}, 0);
  s.layers =
      size({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}, 0);
  s.heads = size({"num_attention_heads", "n_head", "n_heads"}, 0);
  s.vocabulary = size({"padded_vocab_size", "vocab_size"}, 0);
  s.max_positions = size({"max_position_embeddings", "n_positions",
                          "max_seq_len", "seq_length", "max_sequence_length"},
                         0);
  s.mlp_width =
      size({"intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size"}, 0);
  s.gated_mlp = family.gated;
  s.mlp_bias = flag("mlp_bias", family.mlp_bias);
  s.norm = family.norm;
  s.norms_per_layer = family.norms;
  s.tied_head = flag("tie_word_embeddings", family.tied);
  if (s.mlp_width == 0 && !family.gated && s.hidden < (1u << 20)) {
    s.mlp_width = size({"expansion_ratio"}, 4) * s.hidden;
  }
}

void Reader::read_attention(const Family& family, ModelShape& s) {
  s.kv_heads = size({"num_key_value_heads", "num_kv_heads", "n_head_kv",
                     "multi_query_group_num"},
                    s.heads);
  s.head_dim = size({"head_dim", "kv_channels", "attention_head_dim"},
                    s.heads == 0 ? 0 : s.hidden / s.heads);
  s.attention_bias = family.bias;
  // Families whose file says whether all projections are biased; in GLM and
  // DeepSeek the word is about the inputs alone, or about nothing.
  if (const Value* bias = find({"attention_bias", "use_bias", "bias"});
      bias != nullptr && bias->is(ValueKind::kBool) &&
      !type_.starts_with("deepseek") && type_ != "kimi_k2") {
    const AttentionBias biased =
        type_.starts_with("glm") || type_ == "chatglm" ? kQkv : kAll;
    if (bias->key != "bias" || type_ == "falcon") {
      s.attention_bias = bias->boolean ? biased : kNo;
      if (bias->key != "attention_bias") s.mlp_bias = bias->boolean;
    }
  }
  s.attention_softcap = find({"attn_logit_softcapping"}) != nullptr;
  if (family.qk == QkNorm::kHeads) s.qk_norm_per_layer = 2 * s.head_dim;
  if (family.qk == QkNorm::kWidth) {
    s.qk_norm_per_layer = (s.heads + s.kv_heads) * s.head_dim;
  }
  if (const std::uint64_t rank = size({"kv_lora_rank"}, 0); rank > 0) {
    s.latent.kv_rank = rank;
    s.latent.query_rank = size({"q_lora_rank"}, 0);
    s.latent.nope_dim = size({"qk_nope_head_dim"}, 0);
    s.latent.rope_dim = size({"qk_rope_head_dim"}, 0);
    s.latent.value_dim = size({"v_head_dim"}, 0);
    s.head_dim = s.latent.nope_dim + s.latent.rope_dim;
  }
}

void Reader::read_experts(ModelShape& s) {
  s.experts.count = size({"num_local_experts", "num_experts",
                          "n_routed_experts", "moe_num_experts"},
                         0);
  if (s.experts.count == 0) return;
  s.experts.active =
      size({"num_experts_per_tok", "experts_per_token", "moe_top_k"}, 1);
  s.experts.width = size({"moe_intermediate_size"}, s.mlp_width);
  if (const std::uint64_t shared = size({"n_shared_experts"}, 0);
      shared > 0 && shared < (1u << 12) && s.experts.width < (1u << 20)) {
    s.experts.shared_width = shared * s.experts.width;
  }
  s.experts.shared_width =
      size({"shared_expert_intermediate_size"}, s.experts.shared_width);
  s.shared_gate = type_ == "qwen2_moe";
  s.experts.dense_layers = size({"first_k_dense_replace"}, 0);
  s.router_bias = type_ == "deepseek_v3" || type_ == "kimi_k2" ||
                  type_ == "glm4_moe" || type_ == "gpt_oss";
}

void Reader::read_exceptions(ModelShape& s) {
  if (type_ == "gpt2" || type_ == "gpt_bigcode") {
    s.position_rows = size({"n_positions"}, 1024);
    if (type_ == "gpt_bigcode" && flag("multi_query", true)) s.kv_heads = 1;
  } else if (type_ == "opt") {
    s.position_rows = s.max_positions + 2;
  } else if (type_ == "bloom") {
    s.embedding_norm = true;
  } else if (type_ == "phi" || type_ == "gptj" || type_ == "phimoe") {
    s.head_bias = type_ != "phimoe" || flag("lm_head_bias", false);
  } else if (type_ == "qwen") {
    s.mlp_width /= 2;  // its file counts gate and up together
  } else if (type_ == "internlm3") {
    if (flag("qkv_bias", false)) s.attention_bias = kQkv;
  } else if (type_ == "falcon") {
    if (flag("new_decoder_architecture", false)) {
      s.norms_per_layer = 2;
    } else {
      if (flag("multi_query", true)) s.kv_heads = 1;
      if (!flag("parallel_attn", true)) s.norms_per_layer = 2;
      if (!flag("multi_query", true)) s.kv_heads = s.heads;
    }
  } else if (type_ == "stablelm") {
    if (flag("use_qkv_bias", false)) s.attention_bias = kQkv;
    if (flag("use_parallel_residual", false)) s.norms_per_layer = 1;
    if (flag("qk_layernorm", false)) {
      s.qk_norm_per_layer = (s.heads + s.kv_heads) * s.head_dim;
    }
  } else if (type_.starts_with("cohere")) {
    if (flag("use_qk_norm", false)) {
      s.qk_norm_per_layer = (s.heads + s.kv_heads) * s.head_dim;
    }
  } else if (type_ == "chatglm") {
    if (!flag("multi_query_attention", false)) s.kv_heads = s.heads;
  } else if (type_ == "glm4_moe") {
    s.qk_norm_per_layer = flag("use_qk_norm", false) ? 2 * s.head_dim : 0;
  } else if (type_ == "gpt_oss") {
    s.attention_sinks = true;
  } else if (type_ == "llama4_text") {
    s.experts.shared_width = s.experts.width = s.mlp_width;
    const std::uint64_t step = size({"interleave_moe_layer_step"}, 1);
    s.experts.dense_layers =
        step <= 1 ? 0 : s.layers - s.layers / (step == 0 ? 1 : step);
    s.mlp_width = size({"intermediate_size_mlp"}, s.mlp_width);
  }
}

// Towers of the models whose towers are known; another's is not counted.
void Reader::read_vision(ModelShape& s, ModelConfig& config) {
  if (view_.member(view_.root(), "vision_config") == nullptr) return;
  if (type_ == "gemma3_text" || type_ == "gemma3") {
    s.extra_parameters = 416'866'032 + 1152 * s.hidden + 1152;
  } else if (config.model_type == "mistral3") {
    s.extra_parameters =
        403'305'472 + 1024 + 4'194'304 + 1024 * s.hidden + s.hidden * s.hidden;
  } else if (type_ == "llama4_text") {
    s.extra_parameters = 850'960'896 + 20'971'520;
  } else {
    config.notes.push_back("the parameters of its vision tower are not known");
  }
}

Result<ModelConfig> Reader::read() {
  const Value& root = view_.root();
  config_ = &root;
  ModelConfig config;
  config.model_type = scan::text_of(view_.member(root, "model_type"));
  type_ = config.model_type;
  config.torch_dtype = scan::text_of(find({"torch_dtype", "dtype"}));
  if (const Value* q = view_.member(root, "quantization_config")) {
    config.quantization = scan::text_of(view_.member(*q, "quant_method"));
  }
  for (const std::string_view other : kOtherKinds) {
    if (type_ == other) {
      return Error{
          ErrorKind::kUnsupported,
          fmt::format("{}: a model of type {} is not supported", name_, type_),
          "plan knows decoder-only transformers with one kind of "
          "layer"};
    }
  }
  if (const Value* inner = view_.member(root, "text_config");
      inner != nullptr && inner->is(ValueKind::kObject)) {
    config_ = inner;
    const std::string text_type =
        scan::text_of(view_.member(*inner, "model_type"));
    if (!text_type.empty()) type_ = text_type;
    if (type_ == "llama4") type_ = "llama4_text";
    if (config.torch_dtype.empty()) {
      config.torch_dtype = scan::text_of(find({"torch_dtype", "dtype"}));
    }
  }
  const Family* family = find_family(type_);
  constexpr Family kLlamaLike = {"llama"};
  if (family == nullptr) {
    config.known_family = false;
    config.notes.push_back(fmt::format(
        "model type \"{}\" is not known: counted as a Llama", type_));
    family = &kLlamaLike;
  }
  ModelShape& s = config.shape;
  const std::size_t slash = name_.rfind('/');
  s.name = std::string(
      slash == std::string_view::npos ? name_ : name_.substr(slash + 1));
  read_sizes(*family, s);
  read_attention(*family, s);
  read_experts(s);
  read_exceptions(s);
  read_vision(s, config);
  if (!error_.empty()) return Error{ErrorKind::kCorrupt, error_, ""};
  if (Status sound = check(s); !sound) {
    Error error = sound.error().with_context(std::string(name_));
    error.hint = "is this the config.json of a language model?";
    return error;
  }
  return config;
}

}  // namespace

Result<ModelConfig> parse_config_json(std::string_view json,
                                      std::string_view name) {
  if (json.size() > kMostConfigBytes) {
    return Error{
        ErrorKind::kLimit,
        fmt::format("{}: longer than {} bytes", name, kMostConfigBytes), ""};
  }
  auto document = scan::JsonDocument::parse(json, name);
  if (!document) return document.error();
  return Reader(*document, name).read();
}

}  // namespace trainsight::models
