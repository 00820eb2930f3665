// `trainsight explain`: a rule's page.
#ifndef TRAINSIGHT_CLI_EXPLAIN_COMMAND_H_
#define TRAINSIGHT_CLI_EXPLAIN_COMMAND_H_

#include <string>

#include "trainsight/core/exit_code.h"

namespace CLI {
class App;
}

namespace trainsight::cli {

struct ExplainArgs {
  std::string rule;  ///< a code or a name; empty lists all
};

CLI::App* add_explain(CLI::App& app, ExplainArgs& args);
ExitCode run_explain(const ExplainArgs& args);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_EXPLAIN_COMMAND_H_
