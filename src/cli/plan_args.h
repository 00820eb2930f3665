// What a command is told about a job (`plan`, `profile`, `validate`), and the
// plan::Job that it makes.
//
// Two stages: PlanArgs is what was typed; resolve_job() gives a Job or an
// error. A framework's profile comes first, flags go before it.
#ifndef TRAINSIGHT_CLI_PLAN_ARGS_H_
#define TRAINSIGHT_CLI_PLAN_ARGS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "environment.h"
#include "scan_args.h"
#include "trainsight/core/result.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/plan/plan.h"
#include "trainsight/trainers/config.h"

namespace CLI {
class App;
}

namespace trainsight::cli {

/// Absent: what a trainer's file says, the framework's default, or the
/// program's.
struct JobArgs {
  std::vector<std::string> configs;  ///< trainers' own files
  std::string model;
  std::string gpu;
  std::optional<std::uint64_t> gpus;
  std::string gpu_table;
  std::optional<double> price;  ///< USD per GPU-hour
  std::optional<std::string> framework;
  std::optional<std::string> method;
  std::optional<std::string> base;
  std::optional<std::string> precision;
  std::optional<std::string> optimizer;
  std::optional<std::string> sharding;
  std::optional<std::string> offload;
  std::optional<std::string> checkpointing;
  std::optional<std::string> attention;
  std::optional<std::string> kernels;
  std::optional<std::string> loss;
  std::optional<std::string> objective;
  std::optional<std::string> packing;
  std::optional<std::string> order;
  std::optional<std::uint64_t> lora_rank;
  std::optional<std::string> lora_targets;
  bool lora_dropout = false;
  bool backward_step = false;
  bool activation_offload = false;
  std::optional<std::uint64_t> accumulation;
  std::optional<double> epochs;
  std::optional<std::uint64_t> tensor, pipeline, context, expert;
  std::string measured_peak;  ///< "41.2GiB"
  std::string measured_at;    ///< "4x2048"; empty: this job
  std::string measured_metric = "allocated";
  std::optional<double> measured_step;  ///< seconds
  /// Sizes of a model without a name (Megatron's arguments).
  std::map<std::string, std::uint64_t> shape;

  friend bool operator==(const JobArgs&, const JobArgs&) = default;
};

/// The flags of every job. `all` also those that a trainer's file may state.
void add_job_options(CLI::App& command, JobArgs& args, bool all);

/// What the trainers' files said, for the report.
struct ConfigUse {
  std::vector<trainers::ReadKey> read;
  std::vector<std::string> ignored;
  std::vector<std::string> datasets;   ///< that are here, as paths
  std::vector<std::string> elsewhere;  ///< named, but not on this disk
};

/// Reads `args.configs`; settings that no flag gave are filled in.
/// Errors: those of parse_trainer_config() and of reading a file.
Result<ConfigUse> apply_configs(JobArgs& args, ScanArgs& scan);

struct ResolvedJob {
  plan::Job job;          ///< without batching's length; not yet calibrated
  std::string framework;  ///< name and versions
  std::string framework_source;
  std::string model_folder;        ///< for its tokenizer; may be empty
  std::vector<std::string> notes;  ///< assumptions, a sentence each
};

/// Opens the model and finds the GPU. `pairs`: the data are preferences.
/// Errors: kUsage for unknown words, kNotFound for model and GPU.
Result<ResolvedJob> resolve_job(const JobArgs& args, bool pairs,
                                const Environment& environment);

/// The lengths and longest rows of a profile. `beside`: the manifest's own
/// path, where its files' paths are relative to it. REQUIRES: m.profile.
plan::DataSet data_of(const manifest::Manifest& m, const std::string& beside);

/// Lengths and batch sizes from the flags, else from the manifest's training
/// section, else predict::kDefaultMicroBatch rows. Errors: kUsage.
Status set_batching(const ScanArgs& scan, const manifest::Manifest* m,
                    plan::Job& job);

/// Applies --measured-peak and --measured-step, once the batches are known.
/// Errors: kUsage.
Status calibrate_job(const JobArgs& args, plan::Batches& batches,
                     plan::Job& job);

/// "41.2GiB", "44 GB", "900MiB" or plain bytes, as bytes. Errors: kUsage.
Result<double> parse_bytes(const std::string& text);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_PLAN_ARGS_H_
