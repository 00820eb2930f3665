#include "trainsight/estimate/reference_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace trainsight::estimate {
namespace {

// Why the fits do not apply; empty when they do.
std::string reason_against(const ReferenceInput& input,
                           const ReferenceCalibration& calibration) {
  if (!std::isfinite(input.p99) || !std::isfinite(input.cv) ||
      !(input.waste_ratio >= 0 && input.waste_ratio < 1)) {
    return "there are no lengths to predict from";
  }
  const double p99 = std::round(input.p99);
  if (p99 < calibration.min_p99 || p99 > calibration.max_p99) {
    return fmt::format(
        "P99 {:.0f} is outside the calibrated range {:.0f} to {:.0f} tokens",
        p99, calibration.min_p99, calibration.max_p99);
  }
  const double cv = std::round(input.cv * 1000) / 1000;
  if (cv < calibration.min_cv || cv > calibration.max_cv) {
    return fmt::format(
        "σ/μ {:.3f} is outside the calibrated range {:.3f} to {:.3f}", cv,
        calibration.min_cv, calibration.max_cv);
  }
  return {};
}

double fastest_reference() {
  double fastest = 0;
  for (const ReferenceRow& row : kReferenceRows) {
    fastest = std::max(fastest, row.tokens_per_second);
  }
  return fastest;
}

}  // namespace

ReferencePrediction predict(const ReferenceInput& input,
                            const ReferenceCalibration& calibration) {
  if (const std::string reason = reason_against(input, calibration);
      !reason.empty()) {
    const FigureOrReason none = FigureOrReason::without(reason);
    return {none, none, none};
  }
  const double speed =
      1e4 /
      (calibration.pace_base + calibration.pace_per_token_of_p99 * input.p99 +
       calibration.pace_per_waste_ratio * input.waste_ratio);
  const double low = 1.0 - calibration.pace_error_ratio;
  const double high = 1.0 + calibration.pace_error_ratio;
  const double index = speed / fastest_reference();
  const double entropy = calibration.entropy_base +
                         calibration.entropy_per_ln_p99 * std::log(input.p99) +
                         calibration.entropy_per_cv * input.cv;
  return {Figure{speed, speed * low, speed * high},
          Figure{index, index * low, index * high},
          Figure{entropy, entropy - calibration.entropy_error,
                 entropy + calibration.entropy_error}};
}

}  // namespace trainsight::estimate
