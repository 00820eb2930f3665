#include "trainsight/risk/assessment.h"

#include <array>
#include <cmath>
#include <cstddef>

namespace trainsight::risk {
namespace {

// In the order of the enumeration.
constexpr std::array<QuadrantText, 4> kQuadrants = {{
    {Quadrant::kCleanExecution, "clean-execution", "clean execution",
     "lengths are alike and short: padding costs little"},
    {Quadrant::kPaddingMemoryWaste, "padding-memory-waste",
     "padding memory waste",
     "lengths differ widely: padded batches hold and compute mostly filler"},
    {Quadrant::kThroughputCollapse, "throughput-collapse",
     "throughput collapse & entropy inflation",
     "long sequences: attention cost grows and its weight spreads thin"},
    {Quadrant::kDualFailure, "dual-catastrophic-failure",
     "dual catastrophic failure",
     "lengths differ widely and the tail is long: filler at the price of the "
     "longest rows"},
}};

constexpr std::array<std::string_view, 4> kGrades = {"low", "moderate", "high",
                                                     "critical"};

Level level_of(double value, double low, double high) {
  if (value < low) return Level::kLow;
  return value > high ? Level::kHigh : Level::kInTransition;
}

Grade grade_of(const Factors& factors, const Thresholds& thresholds) {
  if (factors.oom_predicted) return Grade::kCritical;
  if (factors.cv < thresholds.grade_moderate_cv) return Grade::kLow;
  if (factors.cv < thresholds.grade_high_cv) return Grade::kModerate;
  return factors.cv > thresholds.grade_critical_cv ? Grade::kCritical
                                                   : Grade::kHigh;
}

bool is_length_figure(double value) {
  return std::isfinite(value) && value >= 0;
}

}  // namespace

std::optional<Assessment> assess(const Factors& factors,
                                 const Thresholds& thresholds) {
  if (factors.record_count == 0 || !is_length_figure(factors.cv) ||
      !is_length_figure(factors.p99)) {
    return std::nullopt;
  }
  Assessment result;
  result.cv_level = level_of(factors.cv, thresholds.low_cv, thresholds.high_cv);
  result.p99_level =
      level_of(factors.p99, thresholds.low_p99, thresholds.high_p99);
  const bool wide = result.cv_level == Level::kHigh;
  const bool long_tail = result.p99_level == Level::kHigh;
  if (wide) {
    result.quadrant =
        long_tail ? Quadrant::kDualFailure : Quadrant::kPaddingMemoryWaste;
  } else {
    result.quadrant =
        long_tail ? Quadrant::kThroughputCollapse : Quadrant::kCleanExecution;
  }
  result.grade = grade_of(factors, thresholds);
  return result;
}

const QuadrantText& text_of(Quadrant quadrant) {
  return kQuadrants[static_cast<std::size_t>(quadrant)];
}

std::string_view name_of(Grade grade) {
  return kGrades[static_cast<std::size_t>(grade)];
}

std::string_view name_of(Level level) {
  switch (level) {
    case Level::kLow:
      return "low";
    case Level::kInTransition:
      return "in transition";
    case Level::kHigh:
      return "high";
  }
  return "low";
}

std::optional<Grade> parse_grade(std::string_view name) {
  for (std::size_t i = 0; i < kGrades.size(); ++i) {
    if (kGrades[i] == name) return static_cast<Grade>(i);
  }
  return std::nullopt;
}

}  // namespace trainsight::risk
