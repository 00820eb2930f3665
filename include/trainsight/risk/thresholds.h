// Thresholds of the two-factor classifier: the one table of its constants.
//
// Two numbers decide how padded training behaves: the spread of the lengths
// (sigma/mu) sets how much of a batch is padding, and the tail (P99) how long
// its attention rows are.
//
// Source: the published runs of the reference calibration (Pythia-160m on
// GSM8K, HumanEval, FineWeb-Edu, ShareGPT and Alpaca; five rows, in
// estimate/reference_calibration.h). They are calibrated on that model, not
// derived: a policy may set others, and reports say where they come from.
#ifndef TRAINSIGHT_RISK_THRESHOLDS_H_
#define TRAINSIGHT_RISK_THRESHOLDS_H_

#include <string_view>

#include "trainsight/core/result.h"

namespace trainsight::risk {

struct Thresholds {
  // The factors of the regime: low below the first, high above the second, in
  // transition from one to the other.
  double low_cv = 0.40;    ///< sigma/mu, a ratio
  double high_cv = 0.75;   ///< sigma/mu
  double low_p99 = 500;    ///< tokens
  double high_p99 = 1000;  ///< tokens

  // The risk grade, by sigma/mu: low below the first, moderate below the
  // second, high up to and including the third, critical above it.
  double grade_moderate_cv = 0.25;
  double grade_high_cv = 0.40;
  double grade_critical_cv = 0.75;

  friend bool operator==(const Thresholds&, const Thresholds&) = default;
};

/// What reports print beside a regime or a grade.
inline constexpr std::string_view kThresholdsOrigin =
    "thresholds calibrated on Pythia-160m";

/// kUsage unless all are finite, not negative and in ascending order.
Status check(const Thresholds& thresholds);

}  // namespace trainsight::risk

#endif  // TRAINSIGHT_RISK_THRESHOLDS_H_
