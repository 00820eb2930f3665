#include "report_output.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <utility>

#include "output.h"
#include "trainsight/core/version.h"
#include "trainsight/io/files.h"

namespace trainsight::cli {
namespace {

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const report::Format& format : report::formats()) {
    names.emplace_back(format.name);
  }
  return names;
}

// "sarif=out.sarif" as a format and a path; the format is null when there is
// none of that name.
struct Target {
  const report::Format* format = nullptr;
  std::string path;
};
Target target_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size()) return {};
  return {report::find_format(text.substr(0, equals)), text.substr(equals + 1)};
}

// What CLI11 says of a --report that is none; empty: it is one.
std::string fault_of_target(const std::string& text) {
  if (target_of(text).format != nullptr) return {};
  return fmt::format("{} is not FORMAT=FILE with a format of {}", text,
                     fmt::join(format_names(), ", "));
}

}  // namespace

void add_report_options(CLI::App& command, OutputArgs& args) {
  add_output_options(command, args, format_names());
  command
      .add_option("--report", args.reports,
                  "Write the report in another format, too: sarif=out.sarif")
      ->type_name("FORMAT=FILE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(fault_of_target, "", "report"))
      ->group("Output");
}

ExitCode give_reports(report::RunReport report, const OutputArgs& args,
                      const Environment& environment) {
  std::error_code ignored;
  report.version = version();
  report.folder = std::filesystem::current_path(ignored).string();
  ExitCode code = report.exit_code;
  for (const std::string& text : args.reports) {
    const Target target = target_of(text);
    if (target.format == nullptr) continue;  // refused when it was parsed
    Status status =
        io::write_file_atomically(target.path, target.format->render(report));
    if (!status) code = graver(code, fail(status.error()));
  }
  report.text.color = use_color(args.color, environment);
  const report::Format* format = report::find_format(args.format);
  if (Status status = write_stdout(format->render(report)); !status) {
    code = graver(code, fail(status.error()));
  }
  return code;
}

ExitCode fail_with_reports(const Error& error, std::string_view command,
                           const OutputArgs& args,
                           const Environment& environment) {
  report::RunReport report;
  report.command = command;
  report.exit_code = fail(error);
  report.problems.push_back({"", error});
  OutputArgs telling = args;
  telling.reports.clear();
  for (const std::string& text : args.reports) {
    const report::Format* format = target_of(text).format;
    if (format != nullptr && format->tells_errors) {
      telling.reports.push_back(text);
    }
  }
  return give_reports(std::move(report), telling, environment);
}

std::vector<report::Problem> problems_of(const ScanRun& run) {
  std::vector<report::Problem> problems;
  for (const pipeline::FileFailure& failure : run.failures) {
    const auto& files = run.manifest.dataset.files;
    problems.push_back(
        {failure.file < files.size() ? files[failure.file].path : "",
         failure.error});
  }
  return problems;
}

}  // namespace trainsight::cli
