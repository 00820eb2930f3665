// The command line: from argv to an exit code.
#ifndef TRAINSIGHT_CLI_APP_H_
#define TRAINSIGHT_CLI_APP_H_

#include "trainsight/core/exit_code.h"

namespace trainsight::cli {

/// Parses the arguments, runs the command, prints what there is to print.
/// Data goes to stdout, everything else to stderr.
ExitCode run(int argc, const char* const* argv);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_APP_H_
