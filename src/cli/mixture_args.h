// `--weights` and `--token-budget`: the inputs as a mixture.
#ifndef TRAINSIGHT_CLI_MIXTURE_ARGS_H_
#define TRAINSIGHT_CLI_MIXTURE_ARGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scan_args.h"
#include "trainsight/core/result.h"
#include "trainsight/facts/row_facts.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/stats/length_sketch.h"

namespace trainsight::cli {

struct MixtureArgs {
  std::string weights;  ///< "0.7,0.3", a JSON file, or empty
  std::optional<std::uint64_t> token_budget;
};

void add_mixture_options(CLI::App& command, MixtureArgs& args);

/// One weight an input, in their order: from "0.7,0.3", or from the members of
/// a JSON object by the inputs as they were given. Errors: kUsage, kCorrupt.
Result<std::vector<double>> weights_of(std::string_view list,
                                       std::size_t inputs);
Result<std::vector<double>> weights_of_file(
    std::string_view json, std::string_view name,
    const std::vector<std::string>& inputs);

/// Keeps the lengths of each input of a scan. Holds a sketch an input.
class MixtureTally {
 public:
  /// Errors: kUsage, and those of reading the file of weights.
  static Result<MixtureTally> make(const MixtureArgs& args,
                                   const std::vector<std::string>& inputs,
                                   const ScanSettings& settings);
  void add(const std::vector<facts::RowFacts>& rows);
  [[nodiscard]] manifest::MixtureProfile finish() const;

 private:
  manifest::MixtureProfile mixture_;
  std::vector<std::uint32_t> input_of_file_;
  std::vector<stats::LengthSketch> lengths_;
};

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_MIXTURE_ARGS_H_
