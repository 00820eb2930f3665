#include "plan_args.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <span>
#include <utility>

#include "manifest_files.h"
#include "open_model.h"
#include "trainsight/hardware/gpu_table.h"
#include "trainsight/io/files.h"
#include "trainsight/memory/profiles.h"
#include "trainsight/memory/terms.h"
#include "trainsight/predict/predict.h"
#include "trainsight/stats/length_mass.h"

namespace trainsight::cli {
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
using Role = models::LinearShape::Role;

template <typename E>
struct Word {
  std::string_view word;
  E value;
};

constexpr Word<BaseStorage> kBases[] = {
    {"16bit", BaseStorage::k16Bit}, {"32bit", BaseStorage::k32Bit},
    {"int8", BaseStorage::kInt8},   {"gptq4", BaseStorage::kGptq4},
    {"nf4", BaseStorage::kNf4},     {"nf4-double", BaseStorage::kNf4Double},
};
constexpr Word<Precision> kPrecisions[] = {
    {"pure16", Precision::kPure16},
    {"mixed", Precision::kMixed32},
    {"deepspeed", Precision::kMaster16},
    {"megatron", Precision::kMegatron},
};
constexpr Word<Optimizer> kOptimizers[] = {
    {"adamw", Optimizer::kAdamW},
    {"adamw-fused", Optimizer::kAdamW},
    {"adamw8bit", Optimizer::kAdamW8bit},
    {"paged-adamw", Optimizer::kPagedAdamW},
    {"paged-adamw8bit", Optimizer::kPagedAdamW8bit},
    {"sgd", Optimizer::kSgd},
    {"momentum", Optimizer::kMomentum},
    {"lion", Optimizer::kLion},
    {"adafactor", Optimizer::kAdafactor},
    {"muon", Optimizer::kMuon},
};
constexpr Word<Sharding> kShardings[] = {
    {"none", Sharding::kNone},
    {"ddp", Sharding::kDdp},
    {"zero1", Sharding::kZero1},
    {"zero2", Sharding::kZero2},
    {"zero3", Sharding::kZero3},
    {"fsdp", Sharding::kFsdp},
    {"fsdp-grad-op", Sharding::kFsdpGradOp},
};
constexpr Word<Offload> kOffloads[] = {
    {"none", Offload::kNone},
    {"optimizer", Offload::kOptimizer},
    {"parameters", Offload::kParameters},
};
constexpr Word<Checkpointing> kCheckpointings[] = {
    {"none", Checkpointing::kNone},
    {"full", Checkpointing::kFull},
    {"selective", Checkpointing::kOperators},
    {"offloaded", Checkpointing::kOffloaded},
};
constexpr Word<Attention> kAttentions[] = {
    {"flash", Attention::kFlash},
    {"sdpa", Attention::kSdpa},
    {"eager", Attention::kEager},
};
constexpr Word<Kernels> kKernels[] = {
    {"unfused", Kernels::kUnfused},
    {"fused", Kernels::kFused},
};
constexpr Word<Loss> kLosses[] = {
    {"upcast", Loss::kUpcast},     {"upcast-copy", Loss::kUpcastCopy},
    {"compiled", Loss::kCompiled}, {"in-place", Loss::kInPlace},
    {"16bit", Loss::kHalf},        {"vocab-parallel", Loss::kVocabParallel},
    {"chunked", Loss::kChunked},   {"fused", Loss::kFusedLinear},
};
constexpr Word<Objective> kObjectives[] = {
    {"sft", Objective::kSft},     {"dpo", Objective::kDpo},
    {"simpo", Objective::kSimPo}, {"orpo", Objective::kOrpo},
    {"kto", Objective::kKto},     {"grpo", Objective::kGrpo},
};
constexpr Word<plan::Packing> kPackings[] = {
    {"padded", plan::Packing::kPadded},
    {"packed", plan::Packing::kPacked},
    {"padding-free", plan::Packing::kPaddingFree},
};
constexpr Word<plan::Order> kOrders[] = {
    {"random", plan::Order::kRandom},
    {"file", plan::Order::kFile},
    {"longest-first", plan::Order::kLongestFirst},
};

template <typename E>
std::string words_of(std::span<const Word<E>> words) {
  std::string text;
  for (const Word<E>& word : words) {
    if (!text.empty()) text += ", ";
    text += word.word;
  }
  return text;
}

template <typename E, std::size_t N>
Status set_word(const char* flag, const std::optional<std::string>& given,
                const Word<E> (&words)[N], E& value) {
  if (!given) return {};
  for (const Word<E>& word : words) {
    if (word.word == *given) {
      value = word.value;
      return {};
    }
  }
  return Error{ErrorKind::kUsage,
               fmt::format("{}: unknown word \"{}\"", flag, *given),
               "one of " + words_of(std::span<const Word<E>>(words))};
}

Result<memory::Targets> targets_of(const std::string& text) {
  if (text == "all-linear") return memory::Targets::all_linear();
  constexpr Word<Role> kRoles[] = {
      {"q_proj", Role::kQuery},   {"k_proj", Role::kKey},
      {"v_proj", Role::kValue},   {"o_proj", Role::kOutput},
      {"gate_proj", Role::kGate}, {"up_proj", Role::kUp},
      {"down_proj", Role::kDown}, {"lm_head", Role::kHead},
      {"q", Role::kQuery},        {"k", Role::kKey},
      {"v", Role::kValue},        {"o", Role::kOutput},
  };
  memory::Targets targets;
  std::size_t from = 0;
  while (from <= text.size()) {
    const std::size_t to = std::min(text.find(',', from), text.size());
    const std::string word = text.substr(from, to - from);
    from = to + 1;
    const auto* const role =
        std::find_if(std::begin(kRoles), std::end(kRoles),
                     [&](const Word<Role>& r) { return r.word == word; });
    if (role == std::end(kRoles)) {
      return Error{ErrorKind::kUsage,
                   fmt::format("--lora-targets: unknown module \"{}\"", word),
                   "all-linear, or of q_proj,k_proj,v_proj,o_proj,gate_proj,"
                   "up_proj,down_proj,lm_head"};
    }
    targets.add(role->value);
  }
  return targets;
}

Status set_method(const JobArgs& args, memory::Settings& s) {
  const std::string method = args.method.value_or("lora");
  if (method == "full") {
    s.method = Method::kFull;
  } else if (method == "lora" || method == "dora") {
    s.method = Method::kLora;
  } else if (method == "qlora" || method == "qdora") {
    s.method = Method::kLora;
    s.base = BaseStorage::kNf4;
  } else if (method == "frozen") {
    s.method = Method::kFrozen;
  } else {
    return Error{ErrorKind::kUsage,
                 fmt::format("--method: unknown word \"{}\"", method),
                 "one of full, lora, qlora, dora, qdora, frozen"};
  }
  s.adapter.dora = method == "dora" || method == "qdora";
  s.adapter.rank = args.lora_rank.value_or(16);
  s.adapter.dropout = args.lora_dropout;
  if (args.lora_targets) {
    auto targets = targets_of(*args.lora_targets);
    if (!targets) return targets.error();
    s.adapter.targets = *targets;
  }
  return set_word("--base", args.base, kBases, s.base);
}

// Everything that has a word of its own.
Status set_words(const JobArgs& args, plan::Job& job) {
  memory::Settings& s = job.settings;
  for (const Status& status :
       {set_word("--precision", args.precision, kPrecisions, s.precision),
        set_word("--optimizer", args.optimizer, kOptimizers, s.optimizer),
        set_word("--sharding", args.sharding, kShardings, s.sharding),
        set_word("--offload", args.offload, kOffloads, s.offload),
        set_word("--checkpointing", args.checkpointing, kCheckpointings,
                 s.checkpointing),
        set_word("--attention", args.attention, kAttentions, s.attention),
        set_word("--kernels", args.kernels, kKernels, s.kernels),
        set_word("--loss", args.loss, kLosses, s.loss),
        set_word("--objective", args.objective, kObjectives, s.objective),
        set_word("--packing", args.packing, kPackings, job.batching.packing),
        set_word("--order", args.order, kOrders, job.batching.order)}) {
    if (!status) return status;
  }
  if (args.optimizer == "adamw-fused") s.foreach_step = false;
  // Adapters have a precision of their own, which the framework decides.
  if (s.method != Method::kFull) s.precision = Precision::kPure16;
  s.fused_backward = args.backward_step;
  s.activation_offload = args.activation_offload;
  return {};
}

Status set_ranks(const JobArgs& args, plan::Job& job) {
  memory::Parallelism& r = job.settings.ranks;
  const std::uint64_t gpus = args.gpus.value_or(1);
  r.tensor = args.tensor.value_or(1);
  r.pipeline = args.pipeline.value_or(1);
  r.context = args.context.value_or(1);
  r.expert = args.expert.value_or(1);
  const std::uint64_t copy = r.tensor * r.pipeline * r.context;
  if (gpus % copy != 0) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} GPUs are no multiple of tensor x pipeline x "
                             "context = {}",
                             gpus, copy),
                 ""};
  }
  r.data = gpus / copy;
  r.micro_batches = args.accumulation.value_or(1);
  r.vocabulary_parallel = r.tensor > 1;
  r.sequence_parallel = r.tensor > 1;
  job.gpus = gpus;
  return {};
}

Result<hardware::Gpu> find_gpu(const JobArgs& args) {
  std::vector<hardware::Gpu> table = hardware::builtin_gpus();
  if (!args.gpu_table.empty()) {
    auto bytes = io::read_file(args.gpu_table, hardware::kMostTableBytes);
    if (!bytes) return bytes.error();
    auto parsed = hardware::parse_gpu_table(*bytes, args.gpu_table);
    if (!parsed) return parsed.error();
    table = *std::move(parsed);
  }
  const hardware::Gpu* gpu = hardware::find_gpu(table, args.gpu);
  if (gpu == nullptr) {
    const std::string nearest = hardware::nearest_gpu(table, args.gpu);
    std::vector<std::string> names;
    for (const hardware::Gpu& each : table) names.push_back(each.name);
    return Error{
        ErrorKind::kUsage, fmt::format("--gpu: unknown GPU \"{}\"", args.gpu),
        nearest.empty()
            ? fmt::format("one of {}, or --gpu-table", fmt::join(names, ", "))
            : fmt::format("did you mean \"{}\"?", nearest)};
  }
  hardware::Gpu found = *gpu;
  if (args.price) {
    found.price_low = found.price = found.price_high = *args.price;
  }
  return found;
}

// A model that Megatron's arguments describe; their defaults where silent.
Result<OpenedModel> model_of(
    const std::map<std::string, std::uint64_t>& sizes) {
  const auto size = [&](const char* key, std::uint64_t otherwise) {
    const auto found = sizes.find(key);
    return found == sizes.end() ? otherwise : found->second;
  };
  OpenedModel model;
  models::ModelShape& s = model.shape;
  s.name = "megatron arguments";
  s.layers = size("num-layers", 0);
  s.hidden = size("hidden-size", 0);
  s.heads = size("num-attention-heads", 0);
  s.kv_heads = size("num-query-groups", s.heads);
  s.head_dim = size("kv-channels", s.heads == 0 ? 0 : s.hidden / s.heads);
  s.gated_mlp = sizes.count("swiglu") != 0;
  s.mlp_width =
      size("ffn-hidden-size", std::min<std::uint64_t>(4 * s.hidden, 1u << 20));
  s.vocabulary = size("padded-vocab-size", size("vocab-size", 0));
  s.tied_head = sizes.count("untie-embeddings-and-output-weights") == 0;
  s.norm = models::NormKind::kLayer;
  s.experts.count = size("num-experts", 0);
  if (s.experts.count > 0) {
    s.experts.active = size("moe-router-topk", 2);
    s.experts.width = size("moe-ffn-hidden-size", s.mlp_width);
  }
  if (s.vocabulary == 0) {
    s.vocabulary = 50304;
    model.notes.emplace_back("no vocabulary is given: 50,304 rows");
  }
  if (Status sound = models::check(s); !sound) {
    return sound.error().with_context("model arguments");
  }
  return model;
}

// Fills in a setting that no flag gave.
void fill(std::optional<std::string>& value, const std::string& word) {
  if (!value) value = word;
}
void fill(std::optional<std::uint64_t>& value, const std::string& word) {
  std::uint64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  if (!value && number > 0) value = number;
}
void fill(std::optional<double>& value, const std::string& word) {
  double number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  if (!value && number > 0) value = number;
}

void fill(trainers::Setting setting, const std::string& word, JobArgs& args,
          ScanArgs& scan) {
  using S = trainers::Setting;
  switch (setting) {
    case S::kModel:
      if (args.model.empty()) args.model = word;
      return;
    case S::kMethod:
      return fill(args.method, word);
    case S::kBase:
      return fill(args.base, word);
    case S::kPrecision:
      return fill(args.precision, word);
    case S::kOptimizer:
      return fill(args.optimizer, word);
    case S::kSharding:
      return fill(args.sharding, word);
    case S::kOffload:
      return fill(args.offload, word);
    case S::kCheckpointing:
      return fill(args.checkpointing, word);
    case S::kAttention:
      return fill(args.attention, word);
    case S::kKernels:
      return fill(args.kernels, word);
    case S::kLoss:
      return fill(args.loss, word);
    case S::kObjective:
      return fill(args.objective, word);
    case S::kPacking:
      return fill(args.packing, word);
    case S::kOrder:
      return fill(args.order, word);
    case S::kLoraRank:
      return fill(args.lora_rank, word);
    case S::kLoraTargets:
      return fill(args.lora_targets, word);
    case S::kLoraDropout:
      args.lora_dropout = true;
      return;
    case S::kMaxSeqLen:
      return fill(scan.max_seq_len, word);
    case S::kMicroBatch:
      return fill(scan.micro_batch, word);
    case S::kAccumulation:
      return fill(args.accumulation, word);
    case S::kPadToMultipleOf:
      return fill(scan.pad_to_multiple_of, word);
    case S::kEpochs:
      return fill(args.epochs, word);
    case S::kGpus:
      return fill(args.gpus, word);
    case S::kTensor:
      return fill(args.tensor, word);
    case S::kPipeline:
      return fill(args.pipeline, word);
    case S::kContext:
      return fill(args.context, word);
    case S::kExpert:
      return fill(args.expert, word);
    case S::kBackwardStep:
      args.backward_step = true;
      return;
    case S::kActivationOffload:
      args.activation_offload = true;
      return;
  }
}

}  // namespace

Result<ConfigUse> apply_configs(JobArgs& args, ScanArgs& scan) {
  ConfigUse use;
  trainers::TrainerConfig all;
  for (const std::string& path : args.configs) {
    auto bytes = io::read_file(path, trainers::kMostConfigBytes);
    if (!bytes) return bytes.error();
    auto config = trainers::parse_trainer_config(*bytes, path);
    if (!config) return config.error();
    for (const std::string& data : config->datasets) {
      std::error_code error;
      const std::filesystem::path beside =
          std::filesystem::path(path).parent_path() / data;
      if (std::filesystem::exists(data, error)) {
        use.datasets.push_back(data);
      } else if (std::filesystem::exists(beside, error)) {
        use.datasets.push_back(beside.string());
      } else {
        use.elsewhere.push_back(data);
      }
    }
    trainers::merge(*config, all);
  }
  if (!all.trainer.empty()) fill(args.framework, all.trainer);
  for (const auto& [setting, word] : all.settings) {
    fill(setting, word, args, scan);
  }
  if (args.model.empty()) args.shape = all.shape;
  use.read = std::move(all.read);
  use.ignored = std::move(all.ignored);
  return use;
}

void add_job_options(CLI::App& command, JobArgs& args, bool all) {
  const auto job = "Job";
  command
      .add_option("--model", args.model,
                  "A name (llama-3.1-8b), a config.json, a folder, or a model "
                  "of the local Hugging Face cache")
      ->type_name("NAME|PATH")
      ->group(job);
  command
      .add_option("--config", args.configs,
                  "Settings from a trainer's own files: axolotl, TRL, "
                  "accelerate, DeepSpeed, LLaMA-Factory, torchtune, Megatron")
      ->type_name("FILE")
      ->group(job);
  command.add_option("--gpu", args.gpu, "h100, a100-40g, rtx4090, mi300x, …")
      ->type_name("NAME")
      ->group(job);
  command.add_option("--gpus", args.gpus, "GPUs in all [1]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 17))
      ->group(job);
  command
      .add_option("--framework", args.framework,
                  "Whose code runs: trl, axolotl, llama-factory, unsloth, "
                  "litgpt, torchtune, torchtitan, megatron, deepspeed [trl]")
      ->type_name("NAME")
      ->group(job);
  command
      .add_option("--method", args.method,
                  "full, lora, qlora, dora, qdora, frozen [lora]")
      ->type_name("METHOD")
      ->group(job);
  if (!all) return;
  command.add_option("--lora-rank", args.lora_rank, "Rank of adapters [16]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 16))
      ->group(job);
  command
      .add_option("--lora-targets", args.lora_targets,
                  "all-linear, or q_proj,v_proj,… [all-linear]")
      ->type_name("LIST")
      ->group(job);
  command
      .add_flag("--lora-dropout", args.lora_dropout,
                "Adapters have a dropout above 0")
      ->group(job);
  const auto word = [&](const char* flag, std::optional<std::string>& value,
                        const std::string& help) {
    command.add_option(flag, value, help)->type_name("WORD")->group("Settings");
  };
  word("--base", args.base,
       "How a frozen base is stored: " +
           words_of(std::span<const Word<BaseStorage>>(kBases)));
  word("--precision", args.precision,
       "Of trained weights: " +
           words_of(std::span<const Word<Precision>>(kPrecisions)));
  word("--optimizer", args.optimizer,
       words_of(std::span<const Word<Optimizer>>(kOptimizers)));
  word("--sharding", args.sharding,
       words_of(std::span<const Word<Sharding>>(kShardings)) +
           " [fsdp if full, else ddp]");
  word("--offload", args.offload,
       "To the host: " + words_of(std::span<const Word<Offload>>(kOffloads)));
  word("--checkpointing", args.checkpointing,
       "Of activations: " +
           words_of(std::span<const Word<Checkpointing>>(kCheckpointings)));
  word("--attention", args.attention,
       words_of(std::span<const Word<Attention>>(kAttentions)));
  word("--kernels", args.kernels,
       words_of(std::span<const Word<Kernels>>(kKernels)) +
           " (Liger, Unsloth, torch.compile)");
  word("--loss", args.loss, words_of(std::span<const Word<Loss>>(kLosses)));
  word("--objective", args.objective,
       words_of(std::span<const Word<Objective>>(kObjectives)) +
           " [by the data]");
  word("--packing", args.packing,
       words_of(std::span<const Word<plan::Packing>>(kPackings)) + " [padded]");
  word("--order", args.order,
       words_of(std::span<const Word<plan::Order>>(kOrders)) + " [random]");
  const auto count = [&](const char* flag, std::optional<std::uint64_t>& value,
                         const char* help) {
    command.add_option(flag, value, help)
        ->type_name("N")
        ->check(CLI::Range(1u, 1u << 16))
        ->group("Settings");
  };
  count("--accumulation", args.accumulation, "Micro-batches of a step [1]");
  count("--tp", args.tensor, "Tensor parallelism [1]");
  count("--pp", args.pipeline, "Pipeline stages [1]");
  count("--cp", args.context, "Context parallelism [1]");
  count("--ep", args.expert, "Expert parallelism [1]");
  command
      .add_flag("--optimizer-in-backward", args.backward_step,
                "The optimizer steps inside the backward pass")
      ->group("Settings");
  command
      .add_flag("--activation-offload", args.activation_offload,
                "Saved activations wait on the host")
      ->group("Settings");
  command.add_option("--epochs", args.epochs, "Epochs of the cost [1]")
      ->type_name("X")
      ->check(CLI::Range(0.001, 100000.0))
      ->group("Settings");
  const auto facts = "Facts";
  command
      .add_option("--gpu-table", args.gpu_table,
                  "JSON with GPUs, or prices, of one's own")
      ->type_name("FILE")
      ->group(facts);
  command.add_option("--price", args.price, "US dollars per GPU-hour")
      ->type_name("USD")
      ->check(CLI::Range(0.0, 1e6))
      ->group(facts);
  command
      .add_option("--measured-peak", args.measured_peak,
                  "A peak that a run of this code had: 41.2GiB")
      ->type_name("SIZE")
      ->group(facts);
  command
      .add_option("--at", args.measured_at,
                  "The batch that it had: SEQUENCESxLENGTH [the largest]")
      ->type_name("BxL")
      ->group(facts);
  command
      .add_option("--measured-metric", args.measured_metric,
                  "What it counts: allocated (torch) or device (nvidia-smi) "
                  "[allocated]")
      ->type_name("METRIC")
      ->check(CLI::IsMember({"allocated", "device"}))
      ->group(facts);
  command
      .add_option("--measured-step", args.measured_step,
                  "Seconds that a step of this job took")
      ->type_name("S")
      ->check(CLI::Range(1e-6, 1e6))
      ->group(facts);
}

Result<ResolvedJob> resolve_job(const JobArgs& args, bool pairs,
                                const Environment& environment) {
  if (args.model.empty() && args.shape.empty()) {
    return Error{ErrorKind::kUsage, "no model is given",
                 "--model llama-3.1-8b, a config.json, or a --config that "
                 "names one"};
  }
  if (args.gpu.empty()) {
    return Error{ErrorKind::kUsage, "no GPU is given",
                 "--gpu h100, a100, l40s, rtx4090, …"};
  }
  ResolvedJob resolved;
  plan::Job& job = resolved.job;
  memory::Settings& s = job.settings;
  const std::string framework = args.framework.value_or("trl");
  const memory::Profile* profile = memory::find_profile(framework);
  if (profile == nullptr) {
    std::vector<std::string_view> names;
    for (const memory::Profile& each : memory::profiles()) {
      names.push_back(each.name);
    }
    return Error{ErrorKind::kUsage,
                 fmt::format("--framework: unknown word \"{}\"", framework),
                 fmt::format("one of {}", fmt::join(names, ", "))};
  }
  if (Status status = set_method(args, s); !status) return status.error();
  s = memory::apply(*profile, s);
  job.full_precision = profile->full_precision;
  if (args.gpus.value_or(1) > 1) {
    s.sharding = profile->name == "megatron"    ? Sharding::kZero1
                 : profile->name == "deepspeed" ? Sharding::kZero2
                 : s.method == Method::kFull    ? Sharding::kFsdp
                                                : Sharding::kDdp;
  }
  if (pairs) s.objective = Objective::kDpo;
  if (Status status = set_words(args, job); !status) return status.error();
  if (Status status = set_ranks(args, job); !status) return status.error();
  // A frozen copy is needed where no adapter can be switched off.
  const bool compares = s.objective == Objective::kDpo ||
                        s.objective == Objective::kKto ||
                        s.objective == Objective::kGrpo;
  if (compares && s.method != Method::kLora) {
    s.reference = memory::Reference::kSecondModel;
    resolved.notes.emplace_back(
        "a second, frozen model gives the reference's log-probabilities");
  }
  if (s.objective == Objective::kGrpo) {
    resolved.notes.emplace_back(
        "the phase of training alone: generation runs elsewhere");
  }
  s.holds_gradients = s.holds_gradients || args.accumulation.value_or(1) > 1;
  s.variable_lengths = job.batching.packing == plan::Packing::kPadded;
  auto model = args.model.empty() && !args.shape.empty()
                   ? model_of(args.shape)
                   : open_model(args.model, environment);
  if (!model) return model.error();
  job.shape = std::move(model->shape);
  job.counts = models::count_parameters(job.shape);
  resolved.model_folder = std::move(model->folder);
  for (std::string& note : model->notes) {
    resolved.notes.push_back(std::move(note));
  }
  auto gpu = find_gpu(args);
  if (!gpu) return gpu.error();
  job.gpu = *std::move(gpu);
  if (!job.gpu.has_bf16) {
    resolved.notes.push_back(fmt::format(
        "{} has no bf16: 16 bits are fp16, with the same sizes", job.gpu.name));
  }
  job.accumulation = args.accumulation.value_or(1);
  job.batching.epochs = args.epochs.value_or(1);
  resolved.framework =
      fmt::format("framework {} ({})", profile->name, profile->versions);
  resolved.framework_source = profile->source;
  return resolved;
}

plan::DataSet data_of(const manifest::Manifest& m, const std::string& beside) {
  plan::DataSet data;
  const manifest::Profile& profile = *m.profile;
  data.lengths = stats::length_masses(profile.tokens.sketch);
  for (const manifest::LongestRecord& record : profile.longest) {
    if (record.file >= m.dataset.files.size()) continue;
    const std::string& path = m.dataset.files[record.file].path;
    data.longest.push_back(
        {beside.empty() ? path : seen_from_here(beside, path), record.line,
         record.tokens});
  }
  return data;
}

Status set_batching(const ScanArgs& scan, const manifest::Manifest* m,
                    plan::Job& job) {
  manifest::Training training;
  if (m != nullptr) training = m->training;
  const manifest::Training flags = training_of(scan);
  if (flags.max_seq_len) training.max_seq_len = flags.max_seq_len;
  if (flags.overlong) training.overlong = flags.overlong;
  if (flags.micro_batch) training.micro_batch = flags.micro_batch;
  if (flags.pad_to_multiple_of) {
    training.pad_to_multiple_of = flags.pad_to_multiple_of;
  }
  plan::Batching& batching = job.batching;
  batching.max_seq_len = training.max_seq_len.value_or(0);
  auto overlong = predict::overlong_of(training);
  if (!overlong) return overlong.error();
  batching.overlong = *overlong;
  batching.pad_to_multiple_of = training.pad_to_multiple_of.value_or(1);
  job.micro_batch = training.micro_batch.value_or(predict::kDefaultMicroBatch);
  if (batching.max_seq_len == 0 && batching.packing == plan::Packing::kPacked) {
    return Error{ErrorKind::kUsage, "packs need a length",
                 "give --max-seq-len"};
  }
  if (batching.max_seq_len == 0 && m == nullptr) {
    return Error{ErrorKind::kUsage, "neither data nor a length is given",
                 "name a data set or a manifest, or give --max-seq-len"};
  }
  return {};
}

Result<double> parse_bytes(const std::string& text) {
  double number = 0;
  const auto [end, fault] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit(end, text.data() + text.size());
  std::erase(unit, ' ');
  constexpr Word<double> kUnits[] = {
      {"", 1},     {"B", 1},    {"MiB", 1048576}, {"GiB", 1073741824},
      {"MB", 1e6}, {"GB", 1e9},
  };
  for (const Word<double>& known : kUnits) {
    if (fault == std::errc() && number > 0 && known.word == unit) {
      return number * known.value;
    }
  }
  return Error{ErrorKind::kUsage, fmt::format("\"{}\" is no size", text),
               "write 41.2GiB, 44GB, 900MiB or bytes"};
}

Status calibrate_job(const JobArgs& args, plan::Batches& batches,
                     plan::Job& job) {
  if (!args.measured_peak.empty()) {
    auto bytes = parse_bytes(args.measured_peak);
    if (!bytes) return bytes.error().with_context("--measured-peak");
    memory::Batch batch = batches.largest(job.micro_batch);
    if (!args.measured_at.empty()) {
      const std::string& at = args.measured_at;
      const char* const end = at.data() + at.size();
      const auto first = std::from_chars(at.data(), end, batch.sequences);
      const auto second =
          first.ptr != end && *first.ptr == 'x'
              ? std::from_chars(first.ptr + 1, end, batch.length)
              : first;
      if (first.ec != std::errc() || second.ec != std::errc() ||
          second.ptr != end || batch.sequences == 0 || batch.length == 0 ||
          batch.sequences > 1u << 20 || batch.length > 1u << 30) {
        return Error{ErrorKind::kUsage,
                     fmt::format("--at: \"{}\" is no batch", at),
                     "write SEQUENCESxLENGTH, as 4x2048"};
      }
      batch.flat_tokens = 0;
    }
    job.coefficients =
        memory::calibrate(job.shape, job.settings, batch, *bytes,
                          args.measured_metric == "device", job.coefficients);
    job.peak_measured = true;
  }
  if (args.measured_step) {
    const plan::Outlook before = plan::assess(job, batches);
    job.pace = throughput::calibrate(before.step, *args.measured_step);
  }
  return {};
}

}  // namespace trainsight::cli
