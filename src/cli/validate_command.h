// `trainsight validate`: the gate.
#ifndef TRAINSIGHT_CLI_VALIDATE_COMMAND_H_
#define TRAINSIGHT_CLI_VALIDATE_COMMAND_H_

#include <string>

#include "environment.h"
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
  manifest::Policy policy;  ///< from flags
};

CLI::App* add_validate(CLI::App& app, ValidateArgs& args);

ExitCode run_validate(const ValidateArgs& args, const Environment& environment);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_VALIDATE_COMMAND_H_
