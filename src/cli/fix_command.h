// `trainsight fix IN -o OUT`: a copy with the mechanical faults repaired and
// every change listed. Nothing is edited in place, no row is dropped silently.
#ifndef TRAINSIGHT_CLI_FIX_COMMAND_H_
#define TRAINSIGHT_CLI_FIX_COMMAND_H_

#include <string>

#include "trainsight/core/exit_code.h"

namespace CLI {
class App;
}

namespace trainsight::cli {

struct FixArgs {
  std::string in;
  std::string out;
  bool drop_duplicates = false;
  std::string format = "text";
};

CLI::App* add_fix(CLI::App& app, FixArgs& args);
ExitCode run_fix(const FixArgs& args);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_FIX_COMMAND_H_
