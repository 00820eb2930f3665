#include "profile_command.h"

#include <CLI/CLI.hpp>
#include <utility>

#include "manifest_files.h"
#include "output.h"
#include "report_output.h"

namespace trainsight::cli {

CLI::App* add_profile(CLI::App& app, ProfileArgs& args) {
  CLI::App* command = app.add_subcommand(
      "profile", "Scan a data set: lengths, padding, faults, what to change");
  add_scan_options(*command, args.scan);
  add_rule_options(*command, args.scan.rules);
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
      "  trainsight profile train.jsonl --manifest-out manifest.json\n"
      "  trainsight profile train.jsonl --report sarif=findings.sarif\n"
      "  zcat train.jsonl.gz | trainsight profile - --tokenizer bytes");
  return command;
}

ExitCode run_profile(const ProfileArgs& args, const Environment& environment) {
  const auto end_with = [&args, &environment](const Error& error) {
    return fail_with_reports(error, "profile", args.output, environment);
  };
  auto settings = resolve(args.scan, environment);
  if (!settings) return end_with(settings.error());
  settings->scan.hash_files = !args.manifest_out.empty();
  auto run = run_scan(*settings, args.scan.progress, environment);
  if (!run) return end_with(run.error());
  run->manifest.name = args.name;
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
  report::RunReport report;
  report.command = "profile";
  report.manifest = &run->manifest;
  report.selection = &settings->scan.rules.selection;
  report.problems = problems_of(*run);
  report.exit_code = code;
  return give_reports(std::move(report), args.output, environment);
}

}  // namespace trainsight::cli
