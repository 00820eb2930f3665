// Reports of profile and validate: printed, and written to files, in any of
// the formats of the table.
#ifndef TRAINSIGHT_CLI_REPORT_OUTPUT_H_
#define TRAINSIGHT_CLI_REPORT_OUTPUT_H_

#include <string_view>
#include <vector>

#include "environment.h"
#include "scan_args.h"
#include "trainsight/core/exit_code.h"
#include "trainsight/core/result.h"
#include "trainsight/pipeline/scan_job.h"
#include "trainsight/report/format_table.h"

namespace trainsight::cli {

/// Adds --format, --report and --color to a command.
void add_report_options(CLI::App& command, OutputArgs& args);

/// Prints `report` as --format asks and writes what --report asks for, each
/// file whole or not at all. Fills the members that every command sets alike:
/// version, folder, colour. The exit code of the report, or a graver one when
/// a report could not be written.
ExitCode give_reports(report::RunReport report, const OutputArgs& args,
                      const Environment& environment);

/// Ends a run that got to no verdict: prints the error and, in the formats that
/// tell errors, a report of it.
ExitCode fail_with_reports(const Error& error, std::string_view command,
                           const OutputArgs& args,
                           const Environment& environment);

/// What could not be read, as a report has it.
std::vector<report::Problem> problems_of(const ScanRun& run);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_REPORT_OUTPUT_H_
