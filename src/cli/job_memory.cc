#include "job_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <utility>

#include "trainsight/memory/profiles.h"
#include "trainsight/memory/verdict.h"
#include "trainsight/plan/plan.h"

namespace trainsight::cli {
namespace {

template <typename T>
struct Member {
  const char* name;  ///< in training.settings
  T JobArgs::*member;
};
using Word = std::optional<std::string>;
using Count = std::optional<std::uint64_t>;

// As the flags accept them.
constexpr std::uint64_t kMostGpus = 1u << 17;
constexpr std::uint64_t kMostCount = 1u << 16;

struct CountMember {
  const char* name;
  Count JobArgs::*member;
  std::uint64_t most;
};

constexpr Member<Word> kWords[] = {
    {"framework", &JobArgs::framework},
    {"base", &JobArgs::base},
    {"optimizer", &JobArgs::optimizer},
    {"sharding", &JobArgs::sharding},
    {"offload", &JobArgs::offload},
    {"checkpointing", &JobArgs::checkpointing},
    {"attention", &JobArgs::attention},
    {"kernels", &JobArgs::kernels},
    {"loss", &JobArgs::loss},
    {"objective", &JobArgs::objective},
    {"lora_targets", &JobArgs::lora_targets},
    {"reference", &JobArgs::reference},
    {"completion_tokens", &JobArgs::completion_tokens},
    {"engine", &JobArgs::engine},
    {"engine_memory", &JobArgs::engine_memory},
};
constexpr CountMember kCounts[] = {
    {"lora_rank", &JobArgs::lora_rank, kMostCount},
    {"tp", &JobArgs::tensor, kMostCount},
    {"pp", &JobArgs::pipeline, kMostCount},
    {"cp", &JobArgs::context, kMostCount},
    {"ep", &JobArgs::expert, kMostCount},
    {"completion_budget", &JobArgs::completion_budget, 1u << 24},
    {"generations", &JobArgs::generations, 1u << 20},
    {"engine_tp", &JobArgs::engine_tensor, kMostCount},
    {"engine_sequences", &JobArgs::engine_sequences, 1u << 20},
};
constexpr Member<bool> kSwitches[] = {
    {"lora_dropout", &JobArgs::lora_dropout},
    {"optimizer_in_backward", &JobArgs::backward_step},
    {"activation_offload", &JobArgs::activation_offload},
    {"engine_sleep", &JobArgs::engine_sleep},
};
constexpr Member<std::string> kMeasured[] = {
    {"measured_peak", &JobArgs::measured_peak},
    {"at", &JobArgs::measured_at},
    {"measured_metric", &JobArgs::measured_metric},
};

Error out_of_range(std::string_view member, std::uint64_t most) {
  return Error{ErrorKind::kUsage,
               fmt::format("training.{}: must be from 1 to {}", member, most),
               ""};
}

bool is_setting(const std::string& name) {
  const auto among = [&name](const auto& members) {
    return std::any_of(std::begin(members), std::end(members),
                       [&name](const auto& m) { return m.name == name; });
  };
  return among(kWords) || among(kCounts) || among(kSwitches) ||
         among(kMeasured);
}

// What no flag gave, in a few words each.
std::vector<std::string> defaults_of(const JobArgs& args, const ScanArgs& scan,
                                     const manifest::Training& training,
                                     const plan::Job& job) {
  std::vector<std::string> defaults;
  if (!scan.micro_batch && !training.micro_batch) {
    defaults.push_back(fmt::format("micro-batch {}", job.micro_batch));
  }
  if (!args.gpus) defaults.emplace_back("1 GPU");
  if (!args.method) {
    defaults.push_back(
        fmt::format("lora of rank {}", job.settings.adapter.rank));
  }
  if (!args.framework) defaults.emplace_back("trl");
  if (!args.checkpointing &&
      job.settings.checkpointing == memory::Checkpointing::kNone) {
    defaults.emplace_back("no checkpointing");
  }
  if (!job.peak_measured) defaults.emplace_back("no measured peak");
  return defaults;
}

std::uint64_t bytes_of(double bytes) {
  return bytes > 0 ? static_cast<std::uint64_t>(std::llround(bytes)) : 0;
}

}  // namespace

bool names_job(const JobArgs& args) { return !(args == JobArgs()); }

void store_job(const JobArgs& args, manifest::Training& training) {
  if (!args.model.empty()) training.model = args.model;
  training.method = args.method.value_or("lora");
  if (!args.gpu.empty()) training.gpu = args.gpu;
  training.world_size = args.gpus.value_or(1);
  training.accumulation = args.accumulation;
  training.packing = args.packing;
  training.sampler = args.order;
  training.epochs = args.epochs;
  training.precision = args.precision;
  auto& settings = training.settings;
  settings.clear();
  for (const auto& [name, member] : kWords) {
    if (args.*member) settings[name] = *(args.*member);
  }
  for (const auto& [name, member, most] : kCounts) {
    if (args.*member) settings[name] = std::to_string(*(args.*member));
  }
  for (const auto& [name, member] : kSwitches) {
    if (args.*member) settings[name] = "true";
  }
  if (!args.measured_peak.empty()) {
    for (const auto& [name, member] : kMeasured) {
      if (!(args.*member).empty()) settings[name] = args.*member;
    }
  }
}

Status restore_job(const manifest::Training& training, JobArgs& args) {
  const auto& settings = training.settings;
  for (const auto& [name, value] : settings) {
    if (!is_setting(name)) {
      return Error{ErrorKind::kUsage,
                   fmt::format("training.settings: unknown \"{}\"", name),
                   "the name of a flag of plan, with underscores"};
    }
  }
  if (args.model.empty()) args.model = training.model.value_or("");
  if (args.gpu.empty()) args.gpu = training.gpu.value_or("");
  const auto fill = [](auto& value, const auto& stored) {
    if (!value && stored) value = *stored;
  };
  if (training.world_size.value_or(1) > kMostGpus) {
    return out_of_range("world_size", kMostGpus);
  }
  if (training.accumulation.value_or(1) > kMostCount) {
    return out_of_range("accumulation", kMostCount);
  }
  fill(args.method, training.method);
  fill(args.gpus, training.world_size);
  fill(args.accumulation, training.accumulation);
  fill(args.packing, training.packing);
  fill(args.order, training.sampler);
  fill(args.precision, training.precision);
  const auto stored = [&settings](const char* name) -> const std::string* {
    const auto found = settings.find(name);
    return found == settings.end() ? nullptr : &found->second;
  };
  for (const auto& [name, member] : kWords) {
    const std::string* const text = stored(name);
    if (text != nullptr && !(args.*member)) args.*member = *text;
  }
  for (const auto& [name, member, most] : kCounts) {
    const std::string* const text = stored(name);
    if (text == nullptr || args.*member) continue;
    std::uint64_t number = 0;
    const char* const end = text->data() + text->size();
    const auto [stop, fault] = std::from_chars(text->data(), end, number);
    if (fault != std::errc() || stop != end || number == 0 || number > most) {
      return out_of_range(fmt::format("settings.{}", name), most);
    }
    args.*member = number;
  }
  for (const auto& [name, member] : kSwitches) {
    const std::string* const text = stored(name);
    if (text != nullptr && *text == "true") args.*member = true;
  }
  // A measured peak is of one batch, and so is what it was measured at.
  if (args.measured_peak.empty()) {
    for (const auto& [name, member] : kMeasured) {
      if (const std::string* const text = stored(name)) args.*member = *text;
    }
  }
  return {};
}

void copy_job(const manifest::Training& from, manifest::Training& to) {
  to.model = from.model;
  to.method = from.method;
  to.gpu = from.gpu;
  to.world_size = from.world_size;
  to.accumulation = from.accumulation;
  to.packing = from.packing;
  to.sampler = from.sampler;
  to.epochs = from.epochs;
  to.precision = from.precision;
  to.settings = from.settings;
}

Result<manifest::MemoryFigure> predict_memory(const JobArgs& args,
                                              const ScanArgs& scan,
                                              const manifest::Manifest& m,
                                              const std::string& beside,
                                              const Environment& environment) {
  auto resolved = resolve_job(args, m.profile->type, environment);
  if (!resolved) return resolved.error();
  plan::Job& job = resolved->job;
  if (Status status = set_batching(args, scan, &m, job); !status) {
    return status.error();
  }
  plan::Batches batches(data_of(m, beside), job.batching);
  if (Status status = calibrate_job(args, batches, job); !status) {
    return status.error();
  }
  const plan::Outlook o = plan::assess(job, batches);
  const plan::Limits limits = plan::safe_limits(job, batches);
  manifest::MemoryFigure figure;
  figure.verdict = memory::name_of(o.verdict);
  figure.peak_bytes = bytes_of(o.device.point);
  figure.low_bytes = bytes_of(o.device.low);
  figure.high_bytes = bytes_of(o.device.high);
  figure.usable_bytes = bytes_of(o.usable_bytes);
  figure.phase = memory::name_of(o.peak.winner);
  figure.model = job.shape.name;
  figure.method = plan::method_name(job.settings);
  figure.gpu = job.gpu.name;
  figure.gpus = job.gpus;
  figure.micro_batch = o.largest_batch.sequences;
  figure.length = o.largest_batch.length;
  figure.tokens = o.largest_batch.tokens();
  figure.safe_micro_batch = limits.micro_batch;
  figure.safe_length = limits.length;
  figure.defaults = defaults_of(args, scan, m.training, job);
  figure.notes = std::move(resolved->notes);
  for (std::string& note :
       generation_notes(args, job, o.largest_batch, false)) {
    figure.notes.push_back(std::move(note));
  }
  if (m.dataset.tokenizer.has_value()) {
    std::string note =
        tokenizer_note(m.dataset.tokenizer->name, scan.tokenizer_given,
                       resolved->model_folder);
    if (!note.empty()) figure.notes.push_back(std::move(note));
  }
  return figure;
}

void use_tokenizer_of(const ResolvedJob& job, ScanArgs& scan) {
  std::error_code error;
  if (!scan.tokenizer_given && !job.model_folder.empty() &&
      std::filesystem::is_regular_file(
          std::filesystem::path(job.model_folder) / "tokenizer.json", error)) {
    scan.tokenizer = job.model_folder;
  }
}

std::string tokenizer_note(std::string_view unit, bool given,
                           const std::string& model_folder) {
  if (unit == "bytes" || unit == "chars") {
    return fmt::format(
        "lengths count {}, not tokens: the peak is far too high; --tokenizer",
        unit);
  }
  std::error_code error;
  const std::filesystem::path folder = model_folder;
  const bool known =
      !model_folder.empty() &&
      std::filesystem::is_regular_file(folder / "tokenizer.json", error);
  const std::filesystem::path counted = unit;
  const bool own =
      known &&
      (std::filesystem::equivalent(folder, counted, error) ||
       std::filesystem::equivalent(folder / "tokenizer.json", counted, error));
  if (own || (given && !known)) return {};
  if (!known && unit != "o200k_base") return {};
  return fmt::format(
      "lengths are counted with {}, not the model's tokenizer: 5 % more "
      "tokens are 5 % more activations; --tokenizer",
      unit);
}

}  // namespace trainsight::cli
