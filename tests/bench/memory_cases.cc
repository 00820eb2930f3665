#include "bench/memory_cases.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "trainsight/hardware/gpu_table.h"
#include "trainsight/memory/profiles.h"
#include "trainsight/models/model_table.h"

namespace trainsight::bench {
namespace {

using memory::Attention;
using memory::BaseStorage;
using memory::Checkpointing;
using memory::Kernels;
using memory::Loss;
using memory::Method;
using memory::Objective;
using memory::Offload;
using memory::Optimizer;
using memory::Precision;
using memory::Sharding;
using memory::Targets;
using Role = models::LinearShape::Role;

// Counts above this are a typing error; products of them stay exact.
constexpr std::uint64_t kMostCount = 1'000'000'000;

// Fields of a CSV, quotes undone. The file is a developer's own: no limits.
std::vector<std::vector<std::string>> split_csv(std::string_view text) {
  std::vector<std::vector<std::string>> rows(1);
  std::string field;
  bool quoted = false;
  const auto end_field = [&] {
    rows.back().push_back(std::move(field));
    field.clear();
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        field += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        field += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      end_field();
    } else if (c == '\n') {
      end_field();
      rows.emplace_back();
    } else if (c != '\r') {
      field += c;
    }
  }
  if (!field.empty() || !rows.back().empty()) end_field();
  if (rows.back().empty()) rows.pop_back();
  return rows;
}

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

// " QLoRA " is "qlora".
std::string word_of(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\n");
  if (from == std::string_view::npos) return {};
  std::string word(
      text.substr(from, text.find_last_not_of(" \t\n") + 1 - from));
  for (char& c : word) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return word;
}

class Row {
 public:
  Row(const std::vector<std::string>& names,
      const std::vector<std::string>& values) {
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i) {
      const std::string& name = names[i];
      const bool is_prose =
          name == "notes" || name == "source_url" || name == "gpu_model";
      values_[name] = is_prose ? values[i] : word_of(values[i]);
    }
    std::erase(values_["zero_or_fsdp"], '-');  // "ZeRO-3"
  }
  const std::string& text(const std::string& name) const {
    static const std::string kNone;
    const auto found = values_.find(name);
    return found == values_.end() ? kNone : found->second;
  }
  std::uint64_t size(const std::string& name, std::uint64_t otherwise) const {
    std::string digits = text(name);
    std::erase(digits, ',');  // "4,096"
    const bool is_kilo = digits.ends_with('k');
    const double value =
        std::strtod(digits.c_str(), nullptr) * (is_kilo ? 1024 : 1);
    if (!(value >= 1)) return otherwise;  // empty, "?", nan
    return value < static_cast<double>(kMostCount)
               ? static_cast<std::uint64_t>(value)
               : kMostCount;
  }
  /// Above 0; nothing for anything else.
  std::optional<double> number(const std::string& name) const {
    const double number = std::strtod(text(name).c_str(), nullptr);
    if (!(number > 0 && number < 1e12)) return std::nullopt;
    return number;
  }
  /// The first count that no run has; empty: none.
  [[nodiscard]] std::string absurd() const {
    for (const char* name :
         {"hidden", "layers", "heads", "kv_heads", "vocab", "intermediate",
          "lora_rank", "gpus", "tp", "pp", "micro_batch", "seq_len"}) {
      if (size(name, 0) == kMostCount) return name;
    }
    return {};
  }

 private:
  std::map<std::string, std::string> values_;
};

// "https://github.com/owner/name/…" is "owner/name"; else the host and path.
std::string project_of(std::string_view url) {
  for (const std::string_view start : {"https://", "http://"}) {
    if (url.starts_with(start)) url.remove_prefix(start.size());
  }
  if (url.starts_with("github.com/")) {
    url.remove_prefix(11);
    std::size_t slash = url.find('/');
    if (slash != std::string_view::npos) slash = url.find('/', slash + 1);
    return std::string(url.substr(0, slash));
  }
  return std::string(url);
}

// A number that stands after `word` in the notes.
std::uint64_t number_after(std::string_view notes, std::string_view word) {
  const std::size_t at = notes.find(word);
  if (at == std::string_view::npos) return 0;
  const std::uint64_t number = std::strtoull(
      std::string(notes.substr(at + word.size(), 20)).c_str(), nullptr, 10);
  return number < kMostCount ? number : 0;
}

// As a header line may have it: "\xEF\xBB\xBFModel " is "model".
std::string column_name(std::string_view text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  std::string name;
  for (const char c : text) {
    if (c == ' ' || c == '\t') continue;
    name += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

// Of a shape that no table has: whether its MLP is gated and its head tied, by
// which of the counts is nearest to the stated one.
void choose_structure(std::optional<double> billions,
                      models::ModelShape& shape) {
  if (!billions || shape.is_latent()) return;
  const models::ModelShape start = shape;
  double nearest = 1e300;
  for (const bool gated : {true, false}) {
    for (const bool tied : {false, true}) {
      models::ModelShape next = start;
      next.gated_mlp = gated;
      next.tied_head = tied;
      if (!models::check(next)) return;
      const double count =
          static_cast<double>(models::count_parameters(next).total);
      const double distance = std::abs(count / (*billions * 1e9) - 1);
      if (distance < nearest) {
        nearest = distance;
        shape = next;
      }
    }
  }
}

models::ModelShape shape_of(const Row& row) {
  const std::string& name = row.text("model");
  models::ModelShape shape;
  bool is_known = true;
  std::string known = name;
  if (known.starts_with("mixtral-8x7b")) known = "mixtral-8x7b";
  if (auto found = models::find_builtin_model(known)) {
    shape = found->shape;
  } else {
    is_known = false;
    if (name.starts_with("qwen")) {
      shape.attention_bias = models::AttentionBias::kInputs;
    }
    if (name.starts_with("gpt") || name.starts_with("mcore") ||
        name.starts_with("mpt") || name == "santacoder") {
      shape.norm = models::NormKind::kLayer;
    }
  }
  shape.name = name;
  const bool resized = shape.heads != row.size("heads", shape.heads);
  shape.hidden = row.size("hidden", shape.hidden);
  shape.layers = row.size("layers", shape.layers);
  shape.heads = row.size("heads", shape.heads);
  // A silent row leaves a known model's groups, and gives others none.
  const std::uint64_t groups =
      is_known && !resized ? shape.kv_heads : shape.heads;
  shape.kv_heads = std::min(row.size("kv_heads", groups), shape.heads);
  shape.mlp_width = row.size("intermediate", shape.mlp_width);
  shape.vocabulary = row.size("vocab", shape.vocabulary);
  if ((shape.head_dim == 0 || resized) && shape.heads > 0) {
    shape.head_dim = shape.hidden / shape.heads;
  }
  const std::string& notes = row.text("notes");
  if (const auto dim = number_after(notes, "head_dim=")) shape.head_dim = dim;
  if (shape.is_moe()) shape.experts.width = shape.mlp_width;
  if (has(notes, "MLA (q_lora 1536")) {
    shape.latent = {1536, 512, 128, 64, 128};
    shape.head_dim = 192;
    shape.gated_mlp = true;
    shape.experts = {32, 4, shape.mlp_width, shape.mlp_width, 1};
    shape.mlp_width = 4096;
  }
  // "MoE 8 experts top-2": what the columns have no room for.
  if (const std::size_t at = notes.find(" experts top-");
      !is_known && at != std::string::npos && at >= 3) {
    const std::size_t before = notes.rfind(' ', at - 1);
    shape.experts = {std::strtoull(notes.c_str() + before + 1, nullptr, 10),
                     number_after(notes, " experts top-"), shape.mlp_width, 0,
                     0};
  }
  if (!is_known) choose_structure(row.number("params_b"), shape);
  if (has(notes, "stored untied")) shape.tied_head = false;
  return shape;
}

std::string_view profile_of(std::string_view source, const Row& row) {
  struct Match {
    std::string_view part, profile;
  };
  constexpr Match kMatches[] = {
      {"litgpt/blob/main/tutorials", "litgpt@0.2"},
      {"litgpt", "litgpt"},
      {"torchtune", "torchtune"},
      {"torchtitan", "torchtitan"},
      {"Megatron-LM", "megatron"},
      {"2205.05198", "megatron"},
      {"Automodel", "megatron"},
      {"fsdp_qlora", "fsdp_qlora"},
      {"ColossalAI", "colossalai"},
      {"axolotl", "axolotl"},
      {"LLaMA-Factory", "llama-factory"},
      {"DeepSpeed", "deepspeed"},
      {"llm-foundry", "llm-foundry"},
  };
  for (const Match& match : kMatches) {
    if (has(source, match.part)) return match.profile;
  }
  // transformers 4.45 is of 2024-09-25.
  return row.text("date") < "2024-09-25" ? "trl@4.44" : "trl";
}

Targets targets_of(const std::string& text, bool gated) {
  if (text.empty() || text == "?" || text == "all-linear") {
    return Targets::all_linear();
  }
  Targets targets;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t to = std::min(text.find(';', from), text.size());
    const std::string word = text.substr(from, to - from);
    from = to + 1;
    if (word == "q") targets.add(Role::kQuery);
    if (word == "k") targets.add(Role::kKey);
    if (word == "v") targets.add(Role::kValue);
    if (word == "o" || word == "c_proj") targets.add(Role::kOutput);
    if (word == "c_attn") {
      targets.add(Role::kQuery);
      targets.add(Role::kKey);
      targets.add(Role::kValue);
    }
    if (word == "mlp" || word == "c_proj") targets.add(Role::kDown);
    if (word == "mlp" || word == "up" || word == "w1") targets.add(Role::kUp);
    if ((word == "mlp" || word == "gate" || word == "w2") && gated) {
      targets.add(Role::kGate);
    }
    if (word == "down") targets.add(Role::kDown);
    if (word == "lm_head") targets.add(Role::kHead);
  }
  return targets;
}

void read_method(const Row& row, const models::ModelShape& shape,
                 memory::Settings& s) {
  const std::string& method = row.text("method");
  const std::string& precision = row.text("precision");
  const std::string& notes = row.text("notes");
  if (has(method, "lora") || has(method, "dora")) s.method = Method::kLora;
  if (method.starts_with("freeze") || method == "frozen") {
    s.method = Method::kFrozen;
  }
  s.adapter.dora = has(method, "dora");
  if (has(precision, "int8")) s.base = BaseStorage::kInt8;
  if (has(precision, "int4") || has(precision, "gptq")) {
    s.base = BaseStorage::kGptq4;
  }
  if (has(precision, "nf4") || has(precision, "bnb4") ||
      has(precision, "fp4")) {
    s.base = BaseStorage::kNf4;
  }
  if (has(precision, "nf4-dq") || has(notes, "nf4-dq")) {
    s.base = BaseStorage::kNf4Double;
  }
  if (method.starts_with("q") && s.base == BaseStorage::k16Bit) {
    s.base = BaseStorage::kNf4;  // qlora without a word on how
  }
  s.adapter.rank = row.size("lora_rank", 16);
  s.adapter.targets = targets_of(row.text("lora_targets"), shape.gated_mlp);
  s.adapter.dropout =
      has(notes, "lora dropout>0") || has(notes, "dropout 0.05");
}

void read_precision(const Row& row, memory::Settings& s) {
  const std::string& precision = row.text("precision");
  if (s.method != Method::kFull) return;
  const bool zero = has(row.text("zero_or_fsdp"), "zero");
  if (has(precision, "fp32 main") || has(precision, "fp16 (fp32 master)")) {
    s.precision = Precision::kMegatron;
  } else if (zero) {
    s.precision = Precision::kMaster16;
  } else if (has(precision, "true") || precision == "pure bf16" ||
             precision == "bf16") {
    s.precision = Precision::kPure16;
  } else {
    s.precision = Precision::kMixed32;
  }
}

void read_optimizer(const Row& row, memory::Settings& s) {
  const std::string& optimizer = row.text("optimizer");
  const std::string& notes = row.text("notes");
  if (has(optimizer, "paged_adamw8bit")) {
    s.optimizer = Optimizer::kPagedAdamW8bit;
  } else if (has(optimizer, "paged")) {
    s.optimizer = Optimizer::kPagedAdamW;
  } else if (has(optimizer, "8bit")) {
    s.optimizer = Optimizer::kAdamW8bit;
  } else if (optimizer == "muon") {
    s.optimizer = Optimizer::kMuon;
  } else if (optimizer == "sgd") {
    s.optimizer = Optimizer::kSgd;
  }
  if (has(notes, "foreach AdamW")) s.foreach_step = true;
  if (has(notes, "fused torch AdamW") || has(notes, "fused AdamW")) {
    s.foreach_step = false;
  }
  s.fused_backward = has(notes, "optimizer step fused in");
  s.holds_gradients |= has(notes, "grads accumulated") ||
                       number_after(notes, "; ga ") > 1 ||
                       number_after(notes, "ga ") > 1;
}

void read_sharding(const Row& row, memory::Settings& s) {
  const std::string& scheme = row.text("zero_or_fsdp");
  const std::string& notes = row.text("notes");
  if (scheme == "ddp") s.sharding = Sharding::kDdp;
  if (scheme.starts_with("zero1")) s.sharding = Sharding::kZero1;
  if (scheme.starts_with("zero2")) s.sharding = Sharding::kZero2;
  if (scheme.starts_with("zero3")) s.sharding = Sharding::kZero3;
  if (scheme.starts_with("fsdp")) s.sharding = Sharding::kFsdp;
  if (has(scheme, "cpu_offload")) {
    s.offload = s.sharding == Sharding::kZero2 ? Offload::kOptimizer
                                               : Offload::kParameters;
  }
  memory::Parallelism& r = s.ranks;
  r.tensor = row.size("tp", 1);
  r.pipeline = row.size("pp", 1);
  if (const auto cp = number_after(notes, "CP=")) r.context = cp;
  if (const auto ep = number_after(notes, "EP=")) r.expert = ep;
  // Layers over the cards, one after the other.
  if (scheme == "device_map") r.pipeline = row.size("gpus", 1);
  const std::uint64_t model_ranks = r.tensor * r.pipeline * r.context;
  r.data = std::max<std::uint64_t>(row.size("gpus", 1) / model_ranks, 1);
  r.sequence_parallel =
      has(notes, "sequence parallel") && !has(notes, "no sequence parallel");
  if (const auto v = number_after(notes, "interleave ")) r.virtual_stages = v;
  const std::size_t virtual_at = notes.find(" virtual stages");
  if (virtual_at != std::string::npos && virtual_at >= 2) {
    r.virtual_stages =
        std::strtoull(notes.substr(virtual_at - 2, 2).c_str(), nullptr, 10);
  }
  if (has(notes, "expert-TP=1") || has(row.text("source_url"), "etp1")) {
    r.expert_tensor = 1;
  }
  r.micro_batches = scheme == "device_map" ? 1 : 8 * r.pipeline;
  if (has(row.text("source_url"), "torchtitan") && r.tensor > 1) {
    r.sequence_parallel = true;  // its tensor parallelism always is
  }
  r.vocabulary_parallel =
      r.tensor > 1 && (s.loss == Loss::kVocabParallel ||
                       has(row.text("source_url"), "torchtitan"));
}

void read_activations(const Row& row, memory::Settings& s) {
  const std::string& notes = row.text("notes");
  const std::string& checkpointing = row.text("grad_ckpt");
  if (checkpointing == "yes" || checkpointing == "?" ||
      checkpointing == "true" || checkpointing == "full") {
    s.checkpointing = Checkpointing::kFull;
  } else if (checkpointing == "selective") {
    s.checkpointing = s.precision == Precision::kMegatron
                          ? Checkpointing::kScores
                          : Checkpointing::kOperators;
  } else {
    s.checkpointing = Checkpointing::kNone;
  }
  s.variable_lengths =
      (has(notes, "truncated to seq_len") || has(notes, "longest in batch")) &&
      !has(notes, "empty_cache");
  if (has(notes, "(41 h bytes")) s.extra_saved_h = 9;
  s.activation_offload = has(notes, "activation offload");
  const std::string& attention = row.text("attention");
  s.attention = attention == "eager"  ? Attention::kEager
                : attention == "sdpa" ? Attention::kSdpa
                                      : Attention::kFlash;
  if (s.attention == Attention::kEager && s.precision == Precision::kMegatron) {
    s.attention = Attention::kEager16;
  }
  s.dropout =
      has(notes, "dropout 0.1") || (has(row.text("source_url"), "2205.05198"));
}

void read_loss(const Row& row, memory::Settings& s) {
  const std::string& notes = row.text("notes");
  const bool compiled =
      (has(notes, "torch.compile") || has(notes, "compile")) &&
      !has(notes, "not compile");
  if (has(notes, "FOAK")) {
    s.loss = Loss::kInPlace;
    s.kernels = Kernels::kFused;
  }
  if (compiled) s.kernels = Kernels::kFused;
  if (compiled && s.loss != Loss::kChunked) s.loss = Loss::kCompiled;
  if (has(notes, "upcast to fp32") || has(notes, "fp32 upcast")) {
    s.loss = compiled                                   ? Loss::kCompiled
             : has(row.text("source_url"), "torchtune") ? Loss::kUpcast
                                                        : s.loss;
    if (s.loss == Loss::kChunked) s.loss = Loss::kUpcast;
  }
  // GPTBigCode computes its loss on 16-bit logits, and so does Qwen's first
  // code where DeepSpeed's 16 bits take the place of autocast.
  if (row.text("model") == "santacoder") s.loss = Loss::kChunked;
  if (has(row.text("source_url"), "QwenLM/Qwen") &&
      (has(row.text("precision"), "int4") ||
       has(row.text("zero_or_fsdp"), "zero"))) {
    s.loss = Loss::kInPlace;
  }
  if (has(notes, "chunked CE")) s.loss = Loss::kChunked;
  if (row.text("fused_ce") == "yes") s.loss = Loss::kFusedLinear;
  if (has(notes, "Liger") || has(notes, "fused rms_norm") ||
      has(notes, "TransformerEngine")) {
    s.kernels = Kernels::kFused;
  }
  if (has(row.text("source_url"), "Liger") && row.text("fused_ce") == "yes") {
    s.kernels = Kernels::kFused;
  }
}

void read_objective(const Row& row, memory::Settings& s) {
  const std::string& notes = row.text("notes");
  if (has(notes, "objective=") && !has(notes, "objective=SFT") &&
      s.loss == Loss::kInPlace) {
    s.loss = Loss::kUpcast;
  }
  if (has(notes, "objective=DPO")) {
    s.objective = Objective::kDpo;
    if (s.method == Method::kFull)
      s.reference = memory::Reference::kSecondModel;
  }
  if (has(notes, "objective=SimPO")) s.objective = Objective::kSimPo;
  if (has(notes, "objective=ORPO")) s.objective = Objective::kOrpo;
  if (has(notes, "objective=KTO")) {
    s.objective = Objective::kKto;
    if (s.method == Method::kFull)
      s.reference = memory::Reference::kSecondModel;
  }
  if (has(notes, "objective=GRPO")) {
    s.objective = Objective::kGrpo;
    s.generation.sleeps = false;
    if (has(notes, "20 GB inference KV buffer")) {
      s.generation.engine = memory::Engine::kTrainer;
      s.generation.reserved_bytes = 20'000'000'000;
    }
  }
}

void read_outcome(const Row& row, MemoryCase& one) {
  const std::string& notes = one.notes;
  one.measured_gib = row.number("measured_peak_gib");
  one.out_of_memory = row.text("outcome") == "oom";
  if (const auto* gpu =
          hardware::find_gpu(hardware::builtin_gpus(), row.text("gpu_model"))) {
    one.usable_gib = gpu->usable_gib;
  } else if (const auto gib = row.number("gpu_gib")) {
    one.usable_gib = *gib * 0.985;
  }
  one.metric_stated = true;
  if (has(notes, "metric=max_allocated") || has(notes, "metric=peak active") ||
      has(notes, "metric=peak (active)")) {
    one.metric = Metric::kAllocated;
  } else if (has(notes, "metric=max_reserved") ||
             has(notes, "metric=peak reserved") || has(notes, "(reserved)")) {
    one.metric = Metric::kReserved;
  } else {
    one.metric = Metric::kDevice;
    one.metric_stated = has(notes, "metric=device");
  }
  one.last_stage = has(notes, "on the last rank");
  one.fully_described =
      row.text("micro_batch") != "?" && row.text("seq_len") != "?" &&
      row.text("grad_ckpt") != "?" && row.text("attention") != "?" &&
      row.text("optimizer") != "?";
}

// Why a row cannot be predicted; empty: it can.
std::string problem_of(const Row& row, const MemoryCase& one) {
  if (const std::string count = row.absurd(); !count.empty()) {
    return count + " is no count: " + row.text(count);
  }
  const std::string& method = one.method;
  const bool known = method == "full" || method.starts_with("freeze") ||
                     method == "frozen" || has(method, "lora") ||
                     has(method, "dora");
  if (!known) return "method \"" + method + "\" is not known";
  if (Status sound = models::check(one.shape); !sound) {
    const bool no_sizes = row.size("hidden", 0) == 0;
    return no_sizes
               ? "model \"" + one.model + "\" is not known, and has no sizes"
               : "no model: " + sound.error().message;
  }
  return {};
}

MemoryCase read_case(const Row& row, std::size_t index) {
  MemoryCase one;
  one.row = index;
  one.model = row.text("model");
  one.method = row.text("method");
  one.source = row.text("source_url");
  one.project = project_of(one.source);
  one.notes = row.text("notes");
  one.shape = shape_of(row);
  memory::Settings& s = one.settings;
  read_method(row, one.shape, s);
  s = memory::apply(*memory::find_profile(profile_of(one.source, row)), s);
  read_precision(row, s);
  read_optimizer(row, s);
  read_sharding(row, s);
  read_activations(row, s);
  read_loss(row, s);
  read_objective(row, s);
  one.batch.sequences = row.size("micro_batch", 4);  // "?": a common choice
  one.batch.length = row.size("seq_len", 2048);
  if (has(one.notes, "local batch 32 split in microbatches")) {
    one.batch.sequences /= s.ranks.pipeline;
  }
  read_outcome(row, one);
  return one;
}

}  // namespace

Result<std::vector<MemoryCase>> read_memory_cases(std::string_view csv) {
  auto rows = split_csv(csv);
  if (rows.empty()) return Error{ErrorKind::kCorrupt, "no header line", ""};
  for (std::string& name : rows[0]) name = column_name(name);
  const auto has_column = [&](std::string_view column) {
    return std::find(rows[0].begin(), rows[0].end(), column) != rows[0].end();
  };
  if (!has_column("model") && !has_column("hidden")) {
    return Error{ErrorKind::kCorrupt,
                 "the first line names neither a column model nor hidden",
                 "the columns are those of memory_cases.csv"};
  }
  std::vector<MemoryCase> cases;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const bool is_blank =
        std::all_of(rows[i].begin(), rows[i].end(),
                    [](const std::string& field) { return field.empty(); });
    if (is_blank) continue;
    const Row row(rows[0], rows[i]);
    MemoryCase one = read_case(row, i - 1);
    one.problem = problem_of(row, one);
    if (one.problem.empty()) one.counts = models::count_parameters(one.shape);
    cases.push_back(std::move(one));
  }
  return cases;
}

double predicted_bytes(const MemoryCase& one,
                       const memory::Coefficients& coefficients,
                       memory::Peak* peak) {
  const std::uint64_t stage =
      one.last_stage ? one.settings.ranks.pipeline - 1 : ~std::uint64_t{0};
  const memory::Peak p = memory::predict_peak(
      one.shape, one.counts, one.settings, one.batch, coefficients, stage);
  if (peak != nullptr) *peak = p;
  switch (one.metric) {
    case Metric::kAllocated:
      return p.allocated;
    case Metric::kReserved:
      return p.reserved;
    case Metric::kDevice:
      return p.reserved + p.term(memory::Term::kContext) +
             p.term(memory::Term::kCommunicators);
  }
  return p.device;
}

}  // namespace trainsight::bench
