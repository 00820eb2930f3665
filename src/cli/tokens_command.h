// `trainsight tokens`: counts, and ids on request, to compare with one's own
// stack.
#ifndef TRAINSIGHT_CLI_TOKENS_COMMAND_H_
#define TRAINSIGHT_CLI_TOKENS_COMMAND_H_

#include <string>
#include <vector>

#include "environment.h"
#include "trainsight/core/exit_code.h"

namespace CLI {
class App;
}

namespace trainsight::cli {

struct TokensArgs {
  std::vector<std::string> paths;
  std::string tokenizer = "o200k_base";
  std::string field;
  bool ids = false;
  std::string format = "text";
};

CLI::App* add_tokens(CLI::App& app, TokensArgs& args);
ExitCode run_tokens(const TokensArgs& args, const Environment& environment);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_TOKENS_COMMAND_H_
