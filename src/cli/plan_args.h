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
  std::optional<std::string> reference;
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
  std::optional<std::uint64_t> virtual_stages;
  std::optional<std::string> sequence_parallel;  ///< "on", "off"
  // RL; as pack has them, and what generates.
  std::optional<std::uint64_t> completion_budget;
  std::optional<std::string> completion_tokens;  ///< "MEAN,P99"
  std::optional<std::uint64_t> generations;
  std::optional<std::string> engine;
  std::optional<std::string> engine_memory;  ///< "0.3" or "24GiB"
  std::optional<std::uint64_t> engine_tensor;
  std::optional<std::uint64_t> engine_sequences;
  bool engine_sleep = false;
  std::string measured_peak;  ///< "41.2GiB"
  std::string measured_at;    ///< "4x2048"; empty: this job
  std::string measured_metric = "allocated";
  std::optional<double> measured_step;  ///< seconds
  std::string calibrate_from;           ///< a snapshot (manifest/snapshot.h)
  /// Sizes of a model without a name (Megatron's arguments).
  std::map<std::string, std::uint64_t> shape;
  // What a manifest keeps of a model and a GPU whose files may be elsewhere.
  std::map<std::string, std::uint64_t> model_shape;
  std::map<std::string, double> gpu_figures;

  friend bool operator==(const JobArgs&, const JobArgs&) = default;
};

/// The flags of every job. `all` also those that a trainer's file may state.
void add_job_options(CLI::App& command, JobArgs& args, bool all);

/// What the trainers' files said, for the report.
struct ConfigUse {
  std::vector<trainers::ReadKey> read;
  std::vector<std::string> ignored;
  std::vector<std::string> defaulted;  ///< "micro-batch 8": the file is silent
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

/// Opens the model and finds the GPU. `type`: of the data, which decides the
/// objective where no flag does; kUnknown: not known yet.
/// Errors: kUsage for unknown words, kNotFound for model and GPU.
Result<ResolvedJob> resolve_job(const JobArgs& args, records::SampleType type,
                                const Environment& environment);

/// The type that --type names, as far as it decides an objective.
records::SampleType stated_type(const ScanArgs& scan);
/// Whether data of this type have an objective of their own.
bool decides_objective(records::SampleType type);

/// The lengths and longest rows of a profile. `beside`: the manifest's own
/// path, where its files' paths are relative to it. REQUIRES: m.profile.
plan::DataSet data_of(const manifest::Manifest& m, const std::string& beside);

/// Lengths and batch sizes from the flags, else from the manifest's training
/// section, else predict::kDefaultMicroBatch rows. Errors: kUsage.
Status set_batching(const JobArgs& args, const ScanArgs& scan,
                    const manifest::Manifest* m, plan::Job& job);

/// What to know about a job's generation, once its batches are known.
/// `about_time`: also what its seconds rest on.
std::vector<std::string> generation_notes(const JobArgs& args,
                                          const plan::Job& job,
                                          const memory::Batch& largest,
                                          bool about_time);

/// Applies --measured-peak and --measured-step, once the batches are known.
/// Errors: kUsage.
Status calibrate_job(const JobArgs& args, plan::Batches& batches,
                     plan::Job& job);

/// Applies --calibrate-from, if given: the peak that was measured of the
/// snapshot's settings, and its step where the GPU is the same. A flag's
/// figure goes before it. Gives a sentence for each figure that was used, or
/// was not. Errors: those of the file; kUsage when it is of another model or
/// method.
Result<std::vector<std::string>> calibrate_from_snapshot(
    const JobArgs& args, records::SampleType type, const plan::DataSet& data,
    const Environment& environment, plan::Job& job);

/// "41.2GiB", "44 GB", "900MiB" or plain bytes, as bytes. Errors: kUsage.
Result<double> parse_bytes(const std::string& text);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_PLAN_ARGS_H_
