#include "plan_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "job_memory.h"
#include "job_store.h"
#include "manifest_files.h"
#include "output.h"
#include "trainsight/io/files.h"
#include "trainsight/report/plan_report.h"

namespace trainsight::cli {
namespace {

// A data set for the plan: a stored profile, a scan, or none.
struct Source {
  std::optional<manifest::Manifest> manifest;
  std::string name;
  std::string beside;   ///< the manifest's own path; empty after a scan
  bool is_here = true;  ///< the data's files, as far as a manifest names them
  ExitCode code = ExitCode::kPass;
};

constexpr std::uint64_t kMostManifestBytes = 64u << 20;

bool is_manifest(const std::string& path) {
  std::error_code error;
  if (!path.ends_with(".json") ||
      !std::filesystem::is_regular_file(path, error)) {
    return false;
  }
  const auto bytes = io::read_file(path, kMostManifestBytes);
  return bytes && bytes->find("\"DatasetManifest\"") != std::string::npos;
}

// Whether any file of the manifest is on this machine.
bool has_files_here(const manifest::Manifest& m, const std::string& path) {
  std::error_code error;
  return std::any_of(m.dataset.files.begin(), m.dataset.files.end(),
                     [&](const manifest::DatasetFile& file) {
                       return std::filesystem::exists(
                           seen_from_here(path, file.path), error);
                     });
}

// The stored profile of a manifest. Without any of its files here it is taken
// at its word, unless a gate asks.
Result<Source> open_manifest(const PlanArgs& args) {
  Source source;
  source.name = source.beside = args.scan.paths.front();
  auto read = read_manifest(source.name, manifest::Depth::kTokens);
  if (!read) return read.error();
  if (!read->profile.has_value()) {
    source.manifest = *std::move(read);
    return source;  // written by hand: its files are scanned
  }
  source.is_here = has_files_here(*read, source.name);
  if (source.is_here || args.require_fit) {
    if (Status same = check_unchanged(*read, source.name, false); !same) {
      return same.error();
    }
  }
  source.manifest = *std::move(read);
  return source;
}

Result<Source> scan_source(const PlanArgs& args, const ResolvedJob& job,
                           const Environment& environment) {
  Source source;
  ScanArgs scan = args.scan;
  if (scan.paths.empty()) return source;
  source.name = scan.paths.size() == 1
                    ? scan.paths.front()
                    : fmt::format("{} and {} more", scan.paths.front(),
                                  scan.paths.size() - 1);
  use_tokenizer_of(job, scan);
  auto settings = resolve(scan, environment);
  if (!settings) return settings.error();
  auto run = run_scan(*settings, scan.progress, environment);
  if (!run) return run.error();
  source.code = exit_code_of(run->failures);
  source.manifest = std::move(run->manifest);
  return source;
}

// Lengths and batch of a training section, where no flag gives another.
void fill_batching(const manifest::Training& from, ScanArgs& scan) {
  const auto fill = [](auto& value, const auto& stored) {
    if (!value && stored) value = *stored;
  };
  fill(scan.max_seq_len, from.max_seq_len);
  fill(scan.overlong, from.overlong);
  fill(scan.micro_batch, from.micro_batch);
  fill(scan.pad_to_multiple_of, from.pad_to_multiple_of);
}

void add_notes(const PlanArgs& args, const Source& source,
               const ResolvedJob& resolved, report::PlanDocument& document) {
  const plan::Job& job = resolved.job;
  std::vector<std::string>& notes = document.notes;
  if (source.manifest && source.manifest->dataset.tokenizer) {
    const std::string& unit = source.manifest->dataset.tokenizer->name;
    document.length_unit = unit;
    std::string note =
        tokenizer_note(unit, args.scan.tokenizer_given, resolved.model_folder);
    notes.push_back(note.empty()
                        ? fmt::format("lengths are counted with {}", unit)
                        : std::move(note));
  }
  if (job.settings.method == memory::Method::kLora && !args.job.lora_rank &&
      !args.job.lora_targets) {
    notes.push_back(fmt::format(
        "adapters of rank {} on every linear; --lora-rank, --lora-targets",
        job.settings.adapter.rank));
  }
  if (!args.job.checkpointing) {
    const bool recomputes =
        job.settings.checkpointing != memory::Checkpointing::kNone;
    notes.push_back(fmt::format(
        "activations are {}, as by default; --checkpointing {}",
        recomputes ? "recomputed" : "kept", recomputes ? "none" : "full"));
  }
  if (!args.scan.micro_batch &&
      !(source.manifest && source.manifest->training.micro_batch)) {
    notes.push_back(
        fmt::format("no micro-batch given: {} rows a GPU", job.micro_batch));
  }
  if (!source.is_here) {
    notes.emplace_back(
        "the data are not here: lengths as the manifest has them");
  }
  if (!args.job.model_shape.empty()) {
    notes.emplace_back("the model's sizes are those in the manifest");
  }
  if (!source.manifest) {
    notes.push_back(
        fmt::format("no data given: every {} is {} tokens long",
                    job.batching.completion_budget > 0 ? "prompt" : "row",
                    job.batching.max_seq_len));
  } else if (job.batching.completion_budget > 0 &&
             source.manifest->profile->type != records::SampleType::kGrpo) {
    notes.emplace_back(
        "these rows hold their answers: a whole row is taken as the prompt; "
        "--type grpo, or --columns prompt=NAME");
  }
  if (job.gpu.price > 0 && !args.job.price && args.job.gpu_table.empty()) {
    notes.push_back(
        fmt::format("prices of {}: ${:g} per GPU-hour, ${:g} to ${:g}; --price",
                    hardware::kPriceDate, job.gpu.price, job.gpu.price_low,
                    job.gpu.price_high));
  }
  if (!job.peak_measured) {
    notes.emplace_back(
        "uncalibrated: --measured-peak or --calibrate-from narrows the "
        "interval");
  } else if (const double f = job.coefficients.dynamic_factor;
             f < memory::kLeastFactor * 1.01 ||
             f > memory::kMostFactor * 0.99) {
    notes.push_back(fmt::format(
        "the measured peak is far from the prediction (a factor of {:.1f} at "
        "least): check that it is of this model, batch and settings",
        f < 1 ? memory::kLeastFactor : memory::kMostFactor));
  } else {
    notes.emplace_back("calibrated on the measured peak");
  }
}

}  // namespace

CLI::App* add_plan(CLI::App& app, PlanArgs& args) {
  CLI::App* command = app.add_subcommand(
      "plan", "Will it fit, how long, how much, and what else to try");
  add_scan_options(*command, args.scan);
  add_job_options(*command, args.job, true);
  add_output_options(*command, args.output, {"text", "json"});
  command->add_flag("--why", args.why, "Print every term with its formula")
      ->group("Output");
  command->add_option("--rows", args.rows, "Alternatives that are printed [8]")
      ->type_name("N")
      ->check(CLI::Range(3u, 1000u))
      ->group("Output");
  command
      ->add_flag("--require-fit", args.require_fit,
                 "Exit 1 unless the job fits, interval included")
      ->group("Gate");
  command
      ->add_flag("--allow-tight", args.allow_tight,
                 "With --require-fit: exit 1 only when it does not fit")
      ->group("Gate");
  command->footer(
      "Examples:\n"
      "  trainsight plan --model llama-3.1-8b --gpu h100 --gpus 8 train.jsonl\n"
      "  trainsight plan --model ./Qwen3-8B --gpu a100 --method qlora "
      "manifest.json\n"
      "  trainsight plan --model mistral-7b --gpu rtx4090 --method qlora \\\n"
      "      --max-seq-len 2048 --why");
  return command;
}

ExitCode run_plan(const PlanArgs& given, const Environment& environment) {
  PlanArgs args = given;
  auto config = apply_configs(args.job, args.scan);
  if (!config) return fail(config.error());
  if (args.scan.paths.empty()) args.scan.paths = config->datasets;
  std::vector<StoredSetting> stored;
  std::optional<Source> source;
  if (args.scan.paths.size() == 1 && is_manifest(args.scan.paths.front())) {
    auto opened = open_manifest(args);
    if (!opened) return fail(opened.error());
    source = *std::move(opened);
    auto taken = restore_job(source->manifest->training, args.job);
    if (!taken) return fail(taken.error().with_context(source->name));
    stored = *std::move(taken);
    if (!source->manifest->profile.has_value()) {
      args.scan.paths.clear();
      describe_scan(*source->manifest, source->name, args.scan);
      args.scan.tokenizer_given =
          args.scan.tokenizer_given || source->manifest->dataset.tokenizer;
      fill_batching(source->manifest->training, args.scan);
      source.reset();
    }
  }
  auto resolved = resolve_job(
      args.job,
      source ? source->manifest->profile->type : stated_type(args.scan),
      environment);
  if (!resolved) return fail(resolved.error());
  if (!source) {
    auto scanned = scan_source(args, *resolved, environment);
    if (!scanned) return fail(scanned.error());
    source = *std::move(scanned);
    // What the data turned out to be decides the objective.
    if (source->manifest && args.scan.type == "auto" &&
        decides_objective(source->manifest->profile->type)) {
      resolved =
          resolve_job(args.job, source->manifest->profile->type, environment);
      if (!resolved) return fail(resolved.error());
    }
  }
  plan::Job& job = resolved->job;
  if (Status status =
          set_batching(args.job, args.scan,
                       source->manifest ? &*source->manifest : nullptr, job);
      !status) {
    return fail(status.error());
  }
  const plan::DataSet data = source->manifest
                                 ? data_of(*source->manifest, source->beside)
                                 : plan::DataSet();
  if (source->manifest && data.lengths.empty()) {
    return fail(Error{ErrorKind::kNotFound,
                      source->name + ": no usable record to plan with", ""});
  }
  plan::Batches batches(data, job.batching);
  if (Status status = calibrate_job(args.job, batches, job); !status) {
    return fail(status.error());
  }
  auto calibrated =
      calibrate_from_snapshot(args.job,
                              source->manifest ? source->manifest->profile->type
                                               : stated_type(args.scan),
                              data, environment, job);
  if (!calibrated) return fail(calibrated.error());

  report::PlanDocument document;
  document.outlook = plan::assess(job, batches);
  document.limits = plan::safe_limits(job, batches);
  document.exposure =
      plan::exposure_of(job, data, batches, document.limits, document.outlook);
  document.alternatives =
      plan::alternatives(job, data, !given.job.method.has_value());
  document.typical_ratio = batches.typical_over_largest(job.micro_batch);
  document.remarks =
      plan::remarks_on(job, document.outlook, document.typical_ratio);
  document.framework = resolved->framework;
  document.framework_source = resolved->framework_source;
  document.notes = resolved->notes;
  for (const trainers::ReadKey& key : config->read) {
    document.config_read.push_back({key.key, key.value, key.meaning});
  }
  document.config_ignored = config->ignored;
  document.config_defaulted = config->defaulted;
  for (const StoredSetting& setting : stored) {
    document.stored.push_back({setting.name, setting.value, ""});
  }
  for (const std::string& elsewhere : config->elsewhere) {
    if (!source->manifest) {
      document.notes.push_back("data not on this disk: " + elsewhere);
    }
  }
  if (source->manifest) {
    document.data = source->name;
    document.records = source->manifest->profile->usable;
  }
  for (std::string& note :
       generation_notes(args.job, job, document.outlook.largest_batch, true)) {
    document.notes.push_back(std::move(note));
  }
  document.notes.insert(document.notes.end(), calibrated->begin(),
                        calibrated->end());
  add_notes(args, *source, *resolved, document);
  document.job = job;

  report::PlanTextOptions options;
  options.color = use_color(args.output.color, environment);
  options.why = args.why;
  options.rows = args.rows;
  const std::string text = args.output.format == "json"
                               ? report::plan_json(document)
                               : report::plan_report(document, options);
  ExitCode code = source->code;
  if (args.require_fit) {
    const memory::Verdict verdict = document.outlook.verdict;
    const bool passes =
        verdict == memory::Verdict::kFits ||
        (args.allow_tight && verdict == memory::Verdict::kTight);
    if (!passes) code = graver(code, ExitCode::kViolation);
  }
  if (Status status = write_stdout(text); !status) {
    code = graver(code, fail(status.error()));
  }
  return code;
}

}  // namespace trainsight::cli
