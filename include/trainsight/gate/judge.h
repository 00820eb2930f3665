// judge: a Profile against a Policy: what is violated, by how much, what to do.
//
// Every limit is judged and every violation listed. A limit that cannot be
// judged (lengths are only estimated, say) is unchecked, never passed: the
// verdict is then exit code 3. A set without a usable record never passes.
// Pure; a few microseconds.
#ifndef TRAINSIGHT_GATE_JUDGE_H_
#define TRAINSIGHT_GATE_JUDGE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/exit_code.h"
#include "trainsight/core/result.h"
#include "trainsight/manifest/manifest.h"

namespace trainsight::gate {

/// One limit, judged.
struct Judgement {
  enum class Outcome : std::uint8_t { kHolds, kViolated, kUnchecked };
  std::string_view limit;  ///< the policy's name: "max_waste_pct"
  Outcome outcome = Outcome::kHolds;
  std::string measured;  ///< with its unit: "41.5 % (micro-batch 8, random)"
  std::string allowed;   ///< "at most 30 %"
  std::string reason;    ///< of kUnchecked: why
  std::string fix;       ///< of kViolated: what would change it
};

struct Verdict {
  std::vector<Judgement> judgements;  ///< in the order of the policy's table
  [[nodiscard]] ExitCode exit_code() const;
  [[nodiscard]] std::size_t violations() const;
  [[nodiscard]] std::size_t unchecked() const;
};

/// What the run knows besides the profile.
struct Evidence {
  const manifest::Profile& profile;
  const manifest::Training& training;
  bool lengths_are_exact = true;  ///< false: the tokenizer only estimates
  /// What predict() says of this profile, where it is at hand already (a
  /// stored manifest's); made anew when it was made for another training.
  const manifest::Prediction* prediction = nullptr;
  /// The profile of the baseline, for max_drift_pct.
  const manifest::Profile* baseline = nullptr;
};

/// kUsage when a limit's value makes no sense (an unknown risk, a ratio over
/// 100 %, NaN).
Status check(const manifest::Policy& policy);

/// Limits of `policy`; max_errors is judged with 0 when it is not given.
/// REQUIRES: check(policy).
Verdict judge(const Evidence& evidence, const manifest::Policy& policy);

}  // namespace trainsight::gate

#endif  // TRAINSIGHT_GATE_JUDGE_H_
