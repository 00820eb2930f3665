// `trainsight show FILE:LINE`: one record as the trainer sees it.
#ifndef TRAINSIGHT_CLI_SHOW_COMMAND_H_
#define TRAINSIGHT_CLI_SHOW_COMMAND_H_

#include <string>

#include "environment.h"
#include "scan_args.h"
#include "trainsight/core/exit_code.h"

namespace trainsight::cli {

struct ShowArgs {
  ScanArgs scan;  ///< paths stay empty
  OutputArgs output;
  std::string place;  ///< FILE:LINE
};

CLI::App* add_show(CLI::App& app, ShowArgs& args);
ExitCode run_show(const ShowArgs& args, const Environment& environment);

/// "a:b.jsonl:12" as ("a:b.jsonl", 12); the last colon counts. kUsage without
/// a line from 1.
Result<std::pair<std::string, std::uint64_t>> parse_place(
    const std::string& place);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_SHOW_COMMAND_H_
