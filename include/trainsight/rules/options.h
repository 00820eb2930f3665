// RuleOptions: what the rules may know about the run.
//
// Plain values with their defaults; nothing here is looked up while rows are
// checked. Lengths are in tokens of the run's tokenizer.
#ifndef TRAINSIGHT_RULES_OPTIONS_H_
#define TRAINSIGHT_RULES_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/batching/pack.h"
#include "trainsight/batching/plan.h"
#include "trainsight/records/sample.h"
#include "trainsight/rules/known_findings.h"
#include "trainsight/rules/selection.h"
#include "trainsight/targets/target_table.h"

namespace trainsight::rules {

/// The vocabulary of the run, as far as rules need it.
struct Vocabulary {
  std::vector<std::string> special_tokens;  ///< control tokens' texts
  std::string bos_token;                    ///< empty: none
  bool adds_bos = false;   ///< the tokenizer puts bos_token before a text
  std::uint32_t size = 0;  ///< largest id + 1; 0: unknown
  /// Tokens of a text; empty: figures that need it are left out.
  std::function<std::uint64_t(std::string_view)> count_tokens;
};

/// How the rows will be batched. Absent: the rules about it say nothing.
struct BatchOptions {
  std::uint32_t micro_batch = 8;
  bool micro_batch_given = false;  ///< by the user, not by default
  std::optional<batching::Sampler> sampler;
  std::optional<bool> pad_to_max_length;  ///< false: to the longest
  std::uint32_t pad_to_multiple_of = 1;
  std::optional<batching::Strategy> packing;
  bool drop_incomplete_packs = false;
  std::optional<std::uint64_t> global_batch;  ///< rows of an optimiser step
  bool drop_last = false;
  std::optional<double> gpu_memory_gb;  ///< of 10^9 bytes
  std::optional<double> tokenize_rows_per_second;
  double collective_timeout_minutes = 30;  ///< PyTorch's default
};

struct RuleOptions {
  records::SampleType stated_type = records::SampleType::kUnknown;
  RuleSelection selection;
  std::size_t kept_findings = 5;  ///< of each rule, severity and file
  /// Findings that are accepted; null: none. Outlives every checker.
  const KnownFindings* known = nullptr;
  /// Whether SetResult::found is wanted: 8 bytes a finding.
  bool gather_found = false;

  std::optional<std::uint32_t> max_seq_len;
  std::optional<std::uint32_t> max_prompt_len;  ///< of RL prompts
  /// What happens to rows over max_seq_len.
  targets::Overlong overlong = targets::Overlong::kTruncateStart;
  const targets::Target* target = nullptr;

  Vocabulary vocabulary;
  std::optional<std::string> response_marker;
  bool has_template = false;  ///< rows are rendered by a chat template
  std::string media_words;    ///< what images and audio count; empty: nothing
  BatchOptions batches;

  /// Columns that the run was told of, by what they are: of `--columns`.
  std::map<std::string, std::string> named_columns;

  bool find_duplicates = true;  ///< costs 16 bytes a record
  std::uint32_t threads = 1;    ///< to sort fingerprints with, at the end
  /// Files of evaluation data, by input index; empty: none.
  std::vector<bool> is_eval;

  std::uint64_t huge_record_bytes = 10u << 20;  ///< blocks of common loaders
  std::uint64_t long_run_bytes = 1u << 20;      ///< text without white space

  /// Whether every finding needs its row's fingerprint, not only those kept.
  [[nodiscard]] bool fingerprints_all() const {
    return known != nullptr || gather_found;
  }
  [[nodiscard]] bool eval(std::uint32_t file) const {
    return file < is_eval.size() && is_eval[file];
  }
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_OPTIONS_H_
