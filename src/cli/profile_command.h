// `trainsight profile`: scan, measure, predict, recommend.
#ifndef TRAINSIGHT_CLI_PROFILE_COMMAND_H_
#define TRAINSIGHT_CLI_PROFILE_COMMAND_H_

#include <string>

#include "environment.h"
#include "mixture_args.h"
#include "plan_args.h"
#include "scan_args.h"
#include "trainsight/core/exit_code.h"

namespace trainsight::cli {

struct ProfileArgs {
  ScanArgs scan;
  OutputArgs output;
  MixtureArgs mixture;
  JobArgs job;     ///< with a model: its memory is predicted
  std::string by;  ///< a field of the rows, or empty
  std::string manifest_out;
  std::string name;
};

/// Adds the command; returns it, to ask later whether it was given.
CLI::App* add_profile(CLI::App& app, ProfileArgs& args);

ExitCode run_profile(const ProfileArgs& args, const Environment& environment);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_PROFILE_COMMAND_H_
