// `trainsight validate`: the gate.
#ifndef TRAINSIGHT_CLI_VALIDATE_COMMAND_H_
#define TRAINSIGHT_CLI_VALIDATE_COMMAND_H_

#include <optional>
#include <string>

#include "environment.h"
#include "plan_args.h"
#include "scan_args.h"
#include "trainsight/core/exit_code.h"
#include "trainsight/manifest/manifest.h"

namespace trainsight::cli {

struct ValidateArgs {
  ScanArgs scan;
  OutputArgs output;
  std::string manifest;
  std::string policy_file;
  std::string baseline;
  bool verify = false;
  JobArgs job;  ///< of require_fit and min_headroom_pct
  bool require_fit = false;
  bool allow_tight = false;
  std::optional<double> min_headroom_pct;
  manifest::Policy policy;  ///< from flags
};

CLI::App* add_validate(CLI::App& app, ValidateArgs& args);

ExitCode run_validate(const ValidateArgs& args, const Environment& environment);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_VALIDATE_COMMAND_H_
