// The reference calibration: throughput and attention entropy of one measured
// model, from three numbers of a data set.
//
// Source: five published runs of Pythia-160m with batches of about 4 rows, and
// two least-squares fits on them:
//
//   10^4 / tokens_per_second = 0.585 + 0.00710 P99 + 11.98 waste_ratio
//   H(A) = -0.049 + 0.288 ln P99 - 0.402 cv
//
// P99 in tokens, waste_ratio of random batches of kReferenceMicroBatch rows,
// cv = sigma/mu, H(A) the attention entropy as published (its unit is not
// stated). Over the five rows the first is within 8 % (largest miss 7.6 %,
// GSM8K), the second within 0.06 (largest miss 0.056, FineWeb-Edu).
//
// Five points of one model: indicative, for comparing data sets with each
// other, and reports say so. Outside the rows' range no figure is
// given. Batch size, truncation and sampling of the runs are not published.
#ifndef TRAINSIGHT_ESTIMATE_REFERENCE_CALIBRATION_H_
#define TRAINSIGHT_ESTIMATE_REFERENCE_CALIBRATION_H_

#include <array>
#include <cstdint>
#include <string_view>

#include "trainsight/estimate/figure.h"

namespace trainsight::estimate {

/// One published run.
struct ReferenceRow {
  std::string_view dataset;
  double cv;                 ///< sigma/mu
  double p99;                ///< tokens
  double waste_ratio;        ///< padding, 0..1
  double attention_entropy;  ///< H(A), as published
  double tokens_per_second;
};

inline constexpr std::array<ReferenceRow, 5> kReferenceRows = {{
    {"GSM8K", 0.280, 242, 0.2032, 1.4544, 1961.7},
    {"HumanEval", 0.316, 243, 0.2784, 1.4045, 1798.3},
    {"FineWeb-Edu", 0.236, 525, 0.1743, 1.6037, 1649.7},
    {"ShareGPT", 0.377, 1077, 0.2656, 1.8365, 867.5},
    {"Alpaca", 0.802, 228, 0.4151, 1.1808, 1402.8},
}};

/// All constants of the two fits, and the range that they hold in.
struct ReferenceCalibration {
  // 10^4 / tokens_per_second
  double pace_base = 0.585;
  double pace_per_token_of_p99 = 0.00710;
  double pace_per_waste_ratio = 11.98;
  double pace_error_ratio = 0.08;
  // H(A)
  double entropy_base = -0.049;
  double entropy_per_ln_p99 = 0.288;
  double entropy_per_cv = -0.402;
  double entropy_error = 0.06;
  // The range of the rows.
  double min_p99 = 228;
  double max_p99 = 1077;
  double min_cv = 0.236;
  double max_cv = 0.802;
};

/// Rows of a batch in the published runs, as far as it is known.
inline constexpr std::uint64_t kReferenceMicroBatch = 4;

/// What reports print beside these figures.
inline constexpr std::string_view kReferenceCalibrationOrigin =
    "reference calibration: Pythia-160m, five published runs, indicative";

/// What the fits are given.
struct ReferenceInput {
  double cv = 0;           ///< sigma/mu of the lengths
  double p99 = 0;          ///< nearest-rank P99, tokens
  double waste_ratio = 0;  ///< of random batches of kReferenceMicroBatch
};

struct ReferencePrediction {
  FigureOrReason tokens_per_second;
  /// Throughput relative to the fastest published run (GSM8K): 1 is as fast.
  FigureOrReason throughput_index;
  FigureOrReason attention_entropy;  ///< H(A)
};

/// All three, or for each why not: the first of P99 and sigma/mu that lies
/// outside the calibration's range is named with its value. The bounds are
/// part of the range; sigma/mu is compared in thousandths, as the rows are
/// published, and P99 in whole tokens.
ReferencePrediction predict(const ReferenceInput& input,
                            const ReferenceCalibration& calibration = {});

}  // namespace trainsight::estimate

#endif  // TRAINSIGHT_ESTIMATE_REFERENCE_CALIBRATION_H_
