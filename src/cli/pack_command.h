// `trainsight pack`: what each way of batching costs on this data, and the
// chosen one written for the trainer, with nothing lost.
#ifndef TRAINSIGHT_CLI_PACK_COMMAND_H_
#define TRAINSIGHT_CLI_PACK_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>

#include "environment.h"
#include "scan_args.h"
#include "trainsight/core/exit_code.h"

namespace trainsight::cli {

struct PackArgs {
  ScanArgs scan;
  OutputArgs output;
  std::string strategy = "bfd";
  std::string sampler = "random";  ///< the present one, compared with
  std::optional<std::uint32_t> pack_length;
  std::uint32_t window_rows = 0;
  std::uint32_t world_size = 1;
  std::uint32_t accumulation = 1;
  std::uint64_t seed = 42;
  /// RL: most tokens generated, completions of a prompt, and "MEAN,P99" of
  /// their lengths.
  std::optional<std::uint32_t> completion_budget;
  std::uint32_t generations = 1;
  std::string completion_tokens;
  bool drop_last = false;
  bool pad_to_max_length = false;
  bool drop_incomplete = false;
  bool dry_run = false;
  bool no_verify = false;
  std::string out;    ///< JSON Lines
  std::string index;  ///< prefix of .npy files
};

CLI::App* add_pack(CLI::App& app, PackArgs& args);
ExitCode run_pack(const PackArgs& args, const Environment& environment);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_PACK_COMMAND_H_
