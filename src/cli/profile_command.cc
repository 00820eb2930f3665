#include "profile_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <optional>
#include <utility>

#include "job_memory.h"
#include "job_store.h"
#include "known_findings_file.h"
#include "manifest_files.h"
#include "output.h"
#include "report_output.h"

namespace trainsight::cli {
namespace {

// Reads the trainers' files and finds out, before a long scan, whether the job
// can be predicted at all.
Status prepare_job(ProfileArgs& args, const Environment& environment) {
  auto config = apply_configs(args.job, args.scan);
  if (!config) return config.error();
  if (args.scan.paths.empty()) args.scan.paths = config->datasets;
  auto resolved = resolve_job(args.job, stated_type(args.scan), environment);
  if (!resolved) return resolved.error();
  const manifest::Manifest no_other;
  if (Status status =
          set_batching(args.job, args.scan, &no_other, resolved->job);
      !status) {
    return status;
  }
  use_tokenizer_of(*resolved, args.scan);
  return {};
}

// Writes job and figure into the manifest of a scan. A set without a length
// gets no figure.
Status add_memory(const ProfileArgs& args, manifest::Manifest& m,
                  const Environment& environment) {
  JobArgs job = args.job;
  std::optional<manifest::MemoryFigure> figure;
  if (m.profile->tokens.sketch.count() > 0) {
    auto predicted = predict_memory(job, args.scan, m, "", environment);
    if (!predicted) return predicted.error();
    figure = *std::move(predicted);
    // The stored peak must not be taken for that of another batch later.
    if (!job.measured_peak.empty() && job.measured_at.empty()) {
      job.measured_at = fmt::format(
          "{}x{}", figure->micro_batch,
          (figure->tokens + figure->micro_batch - 1) / figure->micro_batch);
    }
  }
  auto resolved = resolve_job(job, m.profile->type, environment);
  if (!resolved) return resolved.error();
  store_job(job, resolved->job, m.training);
  m.prediction->made_for = m.training;
  m.prediction->memory = std::move(figure);
  return {};
}

}  // namespace

CLI::App* add_profile(CLI::App& app, ProfileArgs& args) {
  CLI::App* command = app.add_subcommand(
      "profile", "Scan a data set: lengths, padding, faults, what to change");
  add_scan_options(*command, args.scan);
  add_rule_options(*command, args.scan.rules);
  command
      ->add_option("--by", args.by,
                   "Break lengths, survival and findings down by a field of "
                   "the rows: source, meta.source, /meta/source")
      ->type_name("FIELD")
      ->group("Data");
  add_mixture_options(*command, args.mixture);
  add_job_options(*command, args.job, false);
  add_report_options(*command, args.output);
  command
      ->add_option("--manifest-out", args.manifest_out,
                   "Write the manifest here, for validate")
      ->type_name("FILE")
      ->group("Output");
  command
      ->add_option("--name", args.name,
                   "Name of the data set, for the manifest")
      ->type_name("NAME")
      ->group("Output");
  command->footer(
      "Examples:\n"
      "  trainsight profile train.jsonl\n"
      "  trainsight profile data/ --max-seq-len 2048 --micro-batch 4\n"
      "  trainsight profile train.jsonl --by source\n"
      "  trainsight profile web.jsonl code.jsonl --weights 0.7,0.3\n"
      "  trainsight profile train.jsonl --manifest-out manifest.json\n"
      "  trainsight profile train.jsonl --model llama-3.1-8b --gpu h100\n"
      "  trainsight profile train.jsonl --report sarif=findings.sarif\n"
      "  zcat train.jsonl.gz | trainsight profile - --tokenizer bytes");
  return command;
}

ExitCode run_profile(const ProfileArgs& given, const Environment& environment) {
  ProfileArgs args = given;
  const auto end_with = [&args, &environment](const Error& error) {
    return fail_with_reports(error, "profile", args.output, environment);
  };
  const bool with_job = names_job(args.job);
  if (with_job) {
    Status status = prepare_job(args, environment);
    if (!status) return end_with(status.error());
  }
  auto settings = resolve(args.scan, environment);
  if (!settings) return end_with(settings.error());
  if (!args.by.empty()) {
    auto by = records::GroupPath::parse(args.by);
    if (!by) return end_with(by.error());
    settings->scan.by = *std::move(by);
  }
  settings->scan.hash_files = !args.manifest_out.empty();
  if (args.mixture.weights.empty() && args.mixture.token_budget.has_value()) {
    return end_with(Error{ErrorKind::kUsage, "--token-budget without --weights",
                          "give a weight for each input"});
  }
  std::optional<MixtureTally> mixture;
  RowSink on_rows;
  if (!args.mixture.weights.empty()) {
    auto made = MixtureTally::make(args.mixture, args.scan.paths, *settings);
    if (!made) return end_with(made.error());
    mixture = *std::move(made);
    on_rows = [&mixture](const auto& rows) { mixture->add(rows); };
  }
  auto run = run_scan(*settings, args.scan.progress, environment, on_rows);
  if (!run) return end_with(run.error());
  if (mixture.has_value()) run->manifest.profile->mixture = mixture->finish();
  run->manifest.name = args.name;
  if (with_job) {
    Status status = add_memory(args, run->manifest, environment);
    if (!status) return end_with(status.error());
  }
  ExitCode code = exit_code_of(run->failures);
  if (!args.manifest_out.empty()) {
    // A profile of files that were not read to their end would be a promise
    // that nobody can keep.
    if (code == ExitCode::kPass) {
      Status status =
          write_manifest(run->manifest, args.manifest_out, environment);
      if (!status) code = graver(code, fail(status.error()));
    } else {
      print_warning("no manifest written: not every file could be read");
    }
  }
  warn_of_stale(*run, *settings);
  if (const std::string& path = args.scan.rules.write_known_findings;
      !path.empty()) {
    if (Status status = write_known_findings(*run, path); !status) {
      code = graver(code, fail(status.error()));
    }
  }
  report::RunReport report;
  report.command = "profile";
  report.manifest = &run->manifest;
  report.selection = &settings->scan.rules.selection;
  report.problems = problems_of(*run);
  report.exit_code = code;
  return give_reports(std::move(report), args.output, environment);
}

}  // namespace trainsight::cli
