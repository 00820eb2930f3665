#include "job_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "trainsight/hardware/gpu_table.h"
#include "trainsight/models/model_table.h"
#include "trainsight/models/shape_sizes.h"

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
    {"sequence_parallel", &JobArgs::sequence_parallel},
    {"completion_tokens", &JobArgs::completion_tokens},
    {"engine", &JobArgs::engine},
    {"engine_memory", &JobArgs::engine_memory},
};
constexpr CountMember kCounts[] = {
    {"lora_rank", &JobArgs::lora_rank, kMostCount},
    {"tp", &JobArgs::tensor, kMostCount},
    {"pp", &JobArgs::pipeline, kMostCount},
    {"vpp", &JobArgs::virtual_stages, kMostCount},
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
constexpr Member<std::optional<double>> kNumbers[] = {
    {"price", &JobArgs::price},
};
constexpr Member<std::string> kMeasured[] = {
    {"measured_peak", &JobArgs::measured_peak},
    {"at", &JobArgs::measured_at},
    {"measured_metric", &JobArgs::measured_metric},
};
constexpr const char* kMeasuredStep = "measured_step";

Error out_of_range(std::string_view member, std::uint64_t most) {
  return Error{ErrorKind::kUsage,
               fmt::format("training.{}: must be from 1 to {}", member, most),
               ""};
}

std::string text_of(double number) { return fmt::format("{}", number); }

// A decimal from least to most, the whole text.
std::optional<double> number_of(const std::string& text, double least,
                                double most) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || stop != end || !(number >= least) ||
      number > most) {
    return std::nullopt;
  }
  return number;
}

bool is_setting(const std::string& name) {
  const auto among = [&name](const auto& members) {
    return std::any_of(std::begin(members), std::end(members),
                       [&name](const auto& m) { return m.name == name; });
  };
  return among(kWords) || among(kCounts) || among(kSwitches) ||
         among(kNumbers) || among(kMeasured) || name == kMeasuredStep;
}

}  // namespace

void store_job(const JobArgs& args, const plan::Job& job,
               manifest::Training& training) {
  training.model = args.model.empty() ? job.shape.name : args.model;
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
  for (const auto& [name, member] : kNumbers) {
    if (args.*member) settings[name] = text_of(*(args.*member));
  }
  if (!args.measured_peak.empty()) {
    for (const auto& [name, member] : kMeasured) {
      if (!(args.*member).empty()) settings[name] = args.*member;
    }
  }
  if (args.measured_step)
    settings[kMeasuredStep] = text_of(*args.measured_step);
  training.model_shape.clear();
  std::error_code error;
  if (std::filesystem::exists(args.model, error) ||
      !models::find_builtin_model(args.model)) {
    training.model_shape = models::sizes_of(job.shape);
  }
  training.gpu_figures.clear();
  if (!args.gpu_table.empty() || !args.gpu_figures.empty()) {
    training.gpu_figures = hardware::figures_of(job.gpu);
  }
}

namespace {

// Takes the members of a training section over, one after the other.
class Restorer {
 public:
  Restorer(const manifest::Training& training, JobArgs& args)
      : training_(training), args_(args), given_(args) {}

  Result<std::vector<StoredSetting>> run() {
    for (const auto& [name, value] : training_.settings) {
      if (!is_setting(name)) {
        return Error{ErrorKind::kUsage,
                     fmt::format("training.settings: unknown \"{}\"", name),
                     "the name of a flag of plan, with underscores"};
      }
    }
    if (training_.world_size.value_or(1) > kMostGpus) {
      return out_of_range("world_size", kMostGpus);
    }
    if (training_.accumulation.value_or(1) > kMostCount) {
      return out_of_range("accumulation", kMostCount);
    }
    if (training_.epochs &&
        !(*training_.epochs >= 0.001 && *training_.epochs <= 100000)) {
      return bad("epochs", "a number from 0.001 to 100000");
    }
    model_and_gpu();
    members();
    for (const Status& status : {words_and_switches(), counts(), numbers()}) {
      if (!status) return status.error();
    }
    if (Status status = measured(); !status) return status.error();
    return std::move(taken_);
  }

 private:
  static Error bad(std::string_view member, std::string_view expected) {
    return Error{ErrorKind::kUsage,
                 fmt::format("training.{}: must be {}", member, expected), ""};
  }
  static Error bad_setting(const char* name, std::string_view expected) {
    return bad(fmt::format("settings.{}", name), expected);
  }
  [[nodiscard]] const std::string* stored(const char* name) const {
    const auto found = training_.settings.find(name);
    return found == training_.settings.end() ? nullptr : &found->second;
  }
  void took(std::string_view name, std::string value) {
    taken_.push_back({std::string(name), std::move(value)});
  }
  template <typename T>
  void fill(const char* name, std::optional<T>& value,
            const std::optional<T>& from) {
    if (value || !from) return;
    value = *from;
    took(name, fmt::format("{}", *from));
  }

  void model_and_gpu() {
    if (args_.model.empty() && args_.shape.empty() && training_.model) {
      args_.model = *training_.model;
      args_.model_shape = training_.model_shape;
      took("model", args_.model);
    }
    if (args_.gpu.empty() && training_.gpu) {
      args_.gpu = *training_.gpu;
      if (args_.gpu_table.empty()) args_.gpu_figures = training_.gpu_figures;
      took("gpu", args_.gpu);
    }
  }

  void members() {
    fill("method", args_.method, training_.method);
    fill("gpus", args_.gpus, training_.world_size);
    fill("accumulation", args_.accumulation, training_.accumulation);
    fill("packing", args_.packing, training_.packing);
    fill("order", args_.order, training_.sampler);
    fill("epochs", args_.epochs, training_.epochs);
    if (same_method()) fill("precision", args_.precision, training_.precision);
  }

  // How weights are held belongs to the method.
  [[nodiscard]] bool same_method() const {
    return !given_.method ||
           *given_.method == training_.method.value_or("lora");
  }

  Status words_and_switches() {
    for (const auto& [name, member] : kWords) {
      const std::string* const text = stored(name);
      if (text == nullptr || args_.*member) continue;
      if (name == std::string_view("base") && !same_method()) continue;
      args_.*member = *text;
      took(name, *text);
    }
    for (const auto& [name, member] : kSwitches) {
      const std::string* const text = stored(name);
      if (text == nullptr) continue;
      if (*text != "true" && *text != "false") {
        return bad_setting(name, "\"true\" or \"false\"");
      }
      if (*text == "true" && !(args_.*member)) {
        args_.*member = true;
        took(name, *text);
      }
    }
    return {};
  }

  Status counts() {
    for (const auto& [name, member, most] : kCounts) {
      const std::string* const text = stored(name);
      if (text == nullptr || args_.*member) continue;
      std::uint64_t number = 0;
      const char* const end = text->data() + text->size();
      const auto [stop, fault] = std::from_chars(text->data(), end, number);
      if (fault != std::errc() || stop != end || number == 0 || number > most) {
        return out_of_range(fmt::format("settings.{}", name), most);
      }
      args_.*member = number;
      took(name, *text);
    }
    return {};
  }

  Status numbers() {
    for (const auto& [name, member] : kNumbers) {
      const std::string* const text = stored(name);
      if (text == nullptr || args_.*member) continue;
      const auto number = number_of(*text, 0, 1e6);
      if (!number) return bad_setting(name, "a number from 0 to 1000000");
      args_.*member = *number;
      took(name, *text);
    }
    return {};
  }

  // A peak was measured of one code at one batch, and a step on one machine:
  // they say nothing of another job.
  Status measured() {
    JobArgs rest = given_;
    rest.price.reset();
    rest.epochs.reset();
    const bool same_step = rest == JobArgs();
    rest.gpu.clear();
    rest.gpu_table.clear();
    rest.order.reset();
    if (rest == JobArgs()) {
      for (const auto& [name, member] : kMeasured) {
        const std::string* const text = stored(name);
        if (text == nullptr) continue;
        args_.*member = *text;
        took(name, *text);
      }
      if (args_.measured_metric != "allocated" &&
          args_.measured_metric != "device") {
        return bad_setting("measured_metric", "\"allocated\" or \"device\"");
      }
    }
    const std::string* const step = stored(kMeasuredStep);
    if (step != nullptr && same_step) {
      const auto number = number_of(*step, 1e-6, 1e6);
      if (!number) return bad_setting(kMeasuredStep, "seconds");
      args_.measured_step = *number;
      took(kMeasuredStep, *step);
    }
    return {};
  }

  const manifest::Training& training_;
  JobArgs& args_;
  const JobArgs given_;
  std::vector<StoredSetting> taken_;
};

}  // namespace

Result<std::vector<StoredSetting>> restore_job(
    const manifest::Training& training, JobArgs& args) {
  return Restorer(training, args).run();
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
  to.model_shape = from.model_shape;
  to.gpu_figures = from.gpu_figures;
}

}  // namespace trainsight::cli
