// `trainsight plan`: will it fit, how long, how much, and what else to try.
#ifndef TRAINSIGHT_CLI_PLAN_COMMAND_H_
#define TRAINSIGHT_CLI_PLAN_COMMAND_H_

#include <string>

#include "environment.h"
#include "plan_args.h"
#include "scan_args.h"
#include "trainsight/core/exit_code.h"

namespace trainsight::cli {

struct PlanArgs {
  ScanArgs scan;
  OutputArgs output;
  JobArgs job;
  bool why = false;
  bool require_fit = false;
  bool allow_tight = false;
  std::uint64_t rows = 8;  ///< alternatives shown
};

CLI::App* add_plan(CLI::App& app, PlanArgs& args);
ExitCode run_plan(const PlanArgs& args, const Environment& environment);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_PLAN_COMMAND_H_
