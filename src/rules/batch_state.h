// What a worker learns about one batch for the rules about sets.
#ifndef TRAINSIGHT_RULES_BATCH_STATE_H_
#define TRAINSIGHT_RULES_BATCH_STATE_H_

#include <cstdint>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "columns.h"
#include "fingerprint.h"
#include "row_findings.h"
#include "tool_schemas.h"

namespace trainsight::rules {

/// Texts of a column that look like a date.
struct DateTally {
  std::uint64_t rows = 0;
  std::uint64_t line = 0;  ///< of the first
};

/// Prompts for RL and their reference answers.
struct PromptTally {
  /// Different prompts beyond this many are not counted: they are not few.
  static constexpr std::size_t kMostPrompts = 1000;

  std::unordered_set<std::uint64_t> prompts;  ///< hashes; only its size counts
  bool many_prompts = false;
  std::uint64_t rows = 0;
  std::string answer;  ///< the first that is not empty, cut
  std::uint64_t answer_hash = 0;
  std::uint64_t answers = 0;  ///< that are not empty
  bool answers_differ = false;

  void add_prompt(std::uint64_t hash);
  void add_answer(std::uint64_t hash, std::string_view text);
  void append(const PromptTally& later);
};

struct BatchState {
  BatchSlots findings;
  std::uint64_t arrays = 0;  ///< refused lines that are arrays
  BatchColumns columns;
  std::map<std::string, DateTally, std::less<>> dates;  ///< by member name
  ToolSchemas tools;
  std::vector<Fingerprint> fingerprints;
  PromptTally prompts;
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_BATCH_STATE_H_
