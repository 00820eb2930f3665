// predict: a Profile and a way of training give a Prediction.
//
// Works from the stored sketches alone, so that a profile can be judged again
// at another length, batch or policy without touching the data. Pure.
#ifndef TRAINSIGHT_PREDICT_PREDICT_H_
#define TRAINSIGHT_PREDICT_PREDICT_H_

#include <cstdint>

#include "trainsight/core/result.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/stats/length_mass.h"

namespace trainsight::predict {

/// Rows of a padded batch when nothing is said; printed beside every figure.
inline constexpr std::uint64_t kDefaultMicroBatch = 8;

/// What lengths count. Regime, throughput and entropy are calibrated on tokens;
/// of other units only what has no unit is told: risk grade and padding.
enum class LengthUnit : std::uint8_t { kTokens, kOther };

/// What happens to over-long records under `training`: kKeep without a
/// max_seq_len; truncate unless stated. Errors: kUsage for an unknown word.
Result<stats::Overlong> overlong_of(const manifest::Training& training);

/// Regime, grade, padding waste, throughput and entropy.
/// Predictions use kept lengths (after the over-long policy); regime and grade
/// describe the raw ones. REQUIRES: overlong_of(training).
manifest::Prediction predict(const manifest::Profile& profile,
                             const manifest::Training& training,
                             LengthUnit unit = LengthUnit::kTokens);

/// Rows and tokens that a limit on the length leaves, cut at the end.
/// A truncated row whose first label lies at or beyond the limit counts as
/// unlabelled too, and so does a row that learns nothing at any length.
manifest::Survival survival(const manifest::Profile& profile,
                            std::uint64_t max_seq_len,
                            stats::Overlong overlong);

/// Padding waste of random batches of `micro_batch` rows of the profile's
/// kept lengths; 0…1. Preferences by their own formula (both sides padded to
/// the longest of the batch).
manifest::Prediction::Padding random_padding(const manifest::Profile& profile,
                                             const manifest::Training& training,
                                             std::uint64_t micro_batch);

}  // namespace trainsight::predict

#endif  // TRAINSIGHT_PREDICT_PREDICT_H_
