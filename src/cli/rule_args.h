// The flags about rules and targets, of profile and validate.
#ifndef TRAINSIGHT_CLI_RULE_ARGS_H_
#define TRAINSIGHT_CLI_RULE_ARGS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainsight/core/result.h"

namespace CLI {
class App;
}

namespace trainsight::cli {

struct ScanSettings;

struct RuleArgs {
  std::vector<std::string> eval;  ///< evaluation data
  std::string target;             ///< a target, "all", or empty
  std::string select, ignore, severity;
  std::size_t max_findings = 5;
  std::string truncation = "keep_start";
  std::optional<std::uint32_t> max_prompt_len;
  std::optional<std::string> response_marker;
  std::optional<std::uint32_t> vocab_size;
  std::optional<std::uint64_t> global_batch;
  bool drop_last = false;
  std::optional<std::string> sampler, packing, pad_to;
  bool drop_incomplete_packs = false;
  std::optional<double> gpu_memory_gb;
  std::optional<double> tokenize_rows_per_second;
  double collective_timeout_minutes = 30;
  bool find_duplicates = true;
  std::optional<std::uint64_t> large_document_bytes;
  std::string known_findings;        ///< file to read; empty: none
  std::string write_known_findings;  ///< file to write; empty: none
};

/// Adds the options to a command.
void add_rule_options(CLI::App& command, RuleArgs& args);

/// Checks the flags and sets what the scan needs of them. Call when the rest of
/// `settings` is there. Errors: kUsage.
Status resolve_rules(const RuleArgs& args, ScanSettings& settings);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_RULE_ARGS_H_
