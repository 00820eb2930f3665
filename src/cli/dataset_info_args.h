// `--dataset-info`: rows as LLaMA-Factory's dataset_info.json registers them.
#ifndef TRAINSIGHT_CLI_DATASET_INFO_ARGS_H_
#define TRAINSIGHT_CLI_DATASET_INFO_ARGS_H_

#include <string>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::cli {

/// What a registration adds to the run.
struct AppliedInfo {
  std::string columns;             ///< as --columns takes it
  std::vector<std::string> paths;  ///< the inputs, or the registered file
  std::string note;                ///< what was applied, for people
};

/// Reads `place`, FILE or FILE:NAME. Without a name the registration is the one
/// whose file is among `paths`; without paths its file is the input.
/// Errors: kUsage (no such name, several fit, none fits), those of the file.
Result<AppliedInfo> apply_dataset_info(const std::string& place,
                                       const std::vector<std::string>& paths);

/// The dataset_info.json beside the first of `paths`, if it registers it, as
/// LLaMA-Factory would look it up; empty otherwise.
std::string dataset_info_beside(const std::vector<std::string>& paths);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_DATASET_INFO_ARGS_H_
