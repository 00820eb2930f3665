#include "plan_args.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "job_generation.h"
#include "job_words.h"
#include "manifest_files.h"
#include "open_model.h"
#include "trainsight/hardware/gpu_table.h"
#include "trainsight/io/files.h"
#include "trainsight/memory/profiles.h"
#include "trainsight/memory/terms.h"
#include "trainsight/models/shape_sizes.h"
#include "trainsight/predict/predict.h"
#include "trainsight/stats/length_mass.h"

namespace trainsight::cli {
namespace {

using namespace words;  // NOLINT: most of them stand below
using Role = models::LinearShape::Role;

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

Objective objective_of(records::SampleType type) {
  switch (type) {
    case records::SampleType::kDpo:
      return Objective::kDpo;
    case records::SampleType::kKto:
      return Objective::kKto;
    case records::SampleType::kGrpo:
      return Objective::kGrpo;
    default:
      return Objective::kSft;
  }
}

// A frozen copy is needed where no adapter can be switched off.
Status set_reference(const JobArgs& args, ResolvedJob& resolved) {
  plan::Job& job = resolved.job;
  const Objective objective = job.settings.objective;
  const bool may_compare = objective == Objective::kDpo ||
                           objective == Objective::kKto ||
                           objective == Objective::kGrpo;
  Referring referring =
      objective == Objective::kGrpo ? Referring::kNone : Referring::kModel;
  if (Status status =
          set_word("--reference", args.reference, kReferences, referring);
      !status) {
    return status;
  }
  job.compares = may_compare && referring == Referring::kModel;
  job.settings.reference =
      plan::reference_of(job.compares, job.settings.method);
  if (job.settings.reference == memory::Reference::kSecondModel) {
    resolved.notes.emplace_back(
        "a second, frozen model gives the reference's log-probabilities; "
        "precomputed: --reference none");
  } else if (objective == Objective::kGrpo && !args.reference) {
    resolved.notes.emplace_back(
        "no reference model (TRL: beta 0); otherwise --reference model");
  }
  return {};
}

Status set_ranks(const JobArgs& args, plan::Job& job) {
  memory::Parallelism& r = job.settings.ranks;
  const std::uint64_t gpus = args.gpus.value_or(1);
  r.tensor = args.tensor.value_or(1);
  r.pipeline = args.pipeline.value_or(1);
  r.virtual_stages = args.virtual_stages.value_or(1);
  r.context = args.context.value_or(1);
  r.expert = args.expert.value_or(1);
  const std::uint64_t copy = r.tensor * r.pipeline * r.context;
  if (gpus % copy != 0) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("{} no multiple of tensor x pipeline x context "
                    "= {}",
                    gpus == 1 ? "1 GPU is" : fmt::format("{} GPUs are", gpus),
                    copy),
        fmt::format("--gpus {}", (gpus / copy + 1) * copy)};
  }
  r.data = gpus / copy;
  r.micro_batches = args.accumulation.value_or(1);
  r.vocabulary_parallel = r.tensor > 1;
  job.gpus = gpus;
  bool shares = true;
  Status status =
      set_word("--sequence-parallel", args.sequence_parallel, kSwitch, shares);
  r.sequence_parallel = shares && r.tensor > 1;
  return status;
}

// Whether heads, layers and experts can be split so.
Status check_ranks(const plan::Job& job) {
  const memory::Parallelism& r = job.settings.ranks;
  const models::ModelShape& shape = job.shape;
  if (shape.heads % r.tensor != 0) {
    return Error{ErrorKind::kUsage,
                 fmt::format("--tp {}: {} attention heads cannot be shared so",
                             r.tensor, shape.heads),
                 "a divisor of the heads"};
  }
  if (r.pipeline * r.virtual_stages > shape.layers) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("--pp {}: the model has {} layers for {} stages",
                    r.pipeline, shape.layers, r.pipeline * r.virtual_stages),
        "at most a stage a layer; --vpp multiplies them"};
  }
  if (r.expert > 1 && !shape.is_moe()) {
    return Error{
        ErrorKind::kUsage,
        fmt::format("--ep {}: {} has no experts", r.expert, shape.name),
        "--ep is for mixtures of experts"};
  }
  if (shape.is_moe() && shape.experts.count % r.expert != 0) {
    return Error{ErrorKind::kUsage,
                 fmt::format("--ep {}: {} experts cannot be shared so",
                             r.expert, shape.experts.count),
                 "a divisor of the experts"};
  }
  return {};
}

// What is assumed of the ranks.
void note_ranks(const JobArgs& args, ResolvedJob& resolved) {
  constexpr std::uint64_t kMostOfANode = 8;
  const memory::Parallelism& r = resolved.job.settings.ranks;
  if (r.tensor > 1 && !args.sequence_parallel) {
    resolved.notes.emplace_back(
        "tensor ranks share norms and hidden states, too; "
        "--sequence-parallel off");
  }
  if (r.pipeline > 1 && !args.accumulation) {
    resolved.notes.emplace_back(
        "a step has one micro-batch, so stages wait for each other; "
        "--accumulation");
  }
  if (const std::uint64_t layers = resolved.job.shape.layers;
      layers % r.pipeline != 0) {
    resolved.notes.push_back(fmt::format(
        "{} layers over {} stages: each is taken to hold {:.1f}; a stage with "
        "more needs more",
        layers, r.pipeline,
        static_cast<double>(layers) / static_cast<double>(r.pipeline)));
  }
  if (resolved.job.gpus > kMostOfANode) {
    resolved.notes.emplace_back(
        "links between nodes count as those within one, which makes steps too "
        "short; --measured-step");
  }
}

Result<hardware::Gpu> gpu_of_table(const JobArgs& args) {
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
    names.reserve(table.size());
    for (const hardware::Gpu& each : table) names.push_back(each.name);
    return Error{
        ErrorKind::kUsage, fmt::format("--gpu: unknown GPU \"{}\"", args.gpu),
        nearest.empty()
            ? fmt::format("one of {}, or --gpu-table", fmt::join(names, ", "))
            : fmt::format("did you mean \"{}\"?", nearest)};
  }
  return *gpu;
}

Result<hardware::Gpu> find_gpu(const JobArgs& args) {
  auto found = args.gpu_figures.empty()
                   ? gpu_of_table(args)
                   : hardware::gpu_from(args.gpu_figures, args.gpu);
  if (!found) {
    return args.gpu_figures.empty()
               ? found.error()
               : found.error().with_context("training.gpu_figures");
  }
  if (args.price) {
    found->price_low = found->price = found->price_high = *args.price;
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

Result<OpenedModel> find_model(const JobArgs& args,
                               const Environment& environment) {
  if (!args.model_shape.empty()) {
    auto shape = models::shape_from(args.model_shape, args.model);
    if (!shape) return shape.error().with_context("training.model_shape");
    OpenedModel model;
    model.shape = *std::move(shape);
    return model;
  }
  if (args.model.empty() && !args.shape.empty()) return model_of(args.shape);
  return open_model(args.model, environment);
}

}  // namespace

records::SampleType stated_type(const ScanArgs& scan) {
  for (const auto type : {records::SampleType::kDpo, records::SampleType::kKto,
                          records::SampleType::kGrpo}) {
    if (scan.type == records::name_of(type)) return type;
  }
  return records::SampleType::kUnknown;
}

bool decides_objective(records::SampleType type) {
  return objective_of(type) != Objective::kSft;
}

Result<ResolvedJob> resolve_job(const JobArgs& args, records::SampleType type,
                                const Environment& environment) {
  if (args.model.empty() && args.shape.empty() && args.model_shape.empty()) {
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
  s.objective = generates(args) ? Objective::kGrpo : objective_of(type);
  if (Status status = set_words(args, job); !status) return status.error();
  if (Status status = set_ranks(args, job); !status) return status.error();
  if (Status status = set_reference(args, resolved); !status) {
    return status.error();
  }
  s.holds_gradients = s.holds_gradients || args.accumulation.value_or(1) > 1;
  s.variable_lengths = job.batching.packing == plan::Packing::kPadded;
  auto model = find_model(args, environment);
  if (!model) return model.error();
  job.shape = std::move(model->shape);
  if (Status status = check_ranks(job); !status) return status.error();
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
  note_ranks(args, resolved);
  if (Status status = set_engine(args, job); !status) return status.error();
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

Status set_batching(const JobArgs& args, const ScanArgs& scan,
                    const manifest::Manifest* m, plan::Job& job) {
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
  return set_completions(args, job);
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
    job.coefficients = memory::calibrate(
        job.shape, plan::settings_for(job, batch), batch, *bytes,
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
