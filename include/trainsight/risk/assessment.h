// Assessment: the regime and the risk grade of a set of lengths.
//
// Both describe *padded random batches* and do not depend on the batch size;
// what a chosen plan wastes stands next to them, not in them. Pure functions.
#ifndef TRAINSIGHT_RISK_ASSESSMENT_H_
#define TRAINSIGHT_RISK_ASSESSMENT_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "trainsight/risk/thresholds.h"

namespace trainsight::risk {

/// One factor against its two thresholds.
enum class Level : std::uint8_t { kLow, kInTransition, kHigh };

/// The four regimes: spread (sigma/mu) by tail (P99). A factor in transition
/// counts as low, and the assessment says so.
enum class Quadrant : std::uint8_t {
  kCleanExecution,      ///< low spread, short tail
  kPaddingMemoryWaste,  ///< high spread, short tail
  kThroughputCollapse,  ///< low spread, long tail
  kDualFailure,         ///< high spread, long tail
};

enum class Grade : std::uint8_t { kLow, kModerate, kHigh, kCritical };

/// What is judged.
struct Factors {
  std::uint64_t record_count = 0;
  double cv = 0;   ///< sigma/mu of the lengths
  double p99 = 0;  ///< nearest-rank P99, tokens
  /// The memory verdict of a plan is OOM (false when no plan was made).
  bool oom_predicted = false;
};

struct Assessment {
  Quadrant quadrant = Quadrant::kCleanExecution;
  Level cv_level = Level::kLow;
  Level p99_level = Level::kLow;
  Grade grade = Grade::kLow;

  /// At least one factor lies between its thresholds.
  [[nodiscard]] bool in_transition() const {
    return cv_level == Level::kInTransition ||
           p99_level == Level::kInTransition;
  }
};

/// Nothing when there is no record or a factor is not a finite number >= 0: a
/// set without lengths is not clean. REQUIRES: check(thresholds).
std::optional<Assessment> assess(const Factors& factors,
                                 const Thresholds& thresholds = {});

/// How a quadrant is written and what it means.
struct QuadrantText {
  Quadrant quadrant;
  std::string_view key;      ///< in JSON: "padding-memory-waste"
  std::string_view name;     ///< in text: "padding memory waste"
  std::string_view meaning;  ///< one clause, lower case
};
const QuadrantText& text_of(Quadrant quadrant);

/// "low", "moderate", "high", "critical".
std::string_view name_of(Grade grade);
/// "low", "in transition", "high".
std::string_view name_of(Level level);
/// The grade of a name; nothing for any other text.
std::optional<Grade> parse_grade(std::string_view name);

}  // namespace trainsight::risk

#endif  // TRAINSIGHT_RISK_ASSESSMENT_H_
