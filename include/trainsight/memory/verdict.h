// From a predicted peak to a verdict: the interval around it, and whether a GPU
// has room for it.
//
//   fits   upper end of the interval <= usable memory
//   OOM    lower end > usable memory
//   tight  otherwise
//
// The interval adds up, over the terms of the winning phase, how far each may
// be off. Its widths are chosen so that nine in ten public measured runs lie
// inside (docs/benchmarks.md says how many do). Pure; thread-safe.
#ifndef TRAINSIGHT_MEMORY_VERDICT_H_
#define TRAINSIGHT_MEMORY_VERDICT_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "trainsight/memory/coefficients.h"
#include "trainsight/memory/peak.h"

namespace trainsight::memory {

/// Bytes; low <= point <= high.
struct Interval {
  double low = 0;
  double point = 0;
  double high = 0;
};

/// How far terms may be off, as shares of them. [fit] to coverage.
struct Uncertainty {
  double fixed_ratio = 0.02;      ///< weights, states, gradients
  double buffers_ratio = 0.30;    ///< gathered units, buckets
  double dynamic_ratio = 0.15;    ///< activations, workspace, logits
  double overhead_ratio = 0.50;   ///< context, communicators, fragmentation
  double framework_ratio = 0.02;  ///< of the whole: what no term names
  /// Factor on all of them once a run of the same code was measured.
  double calibrated_factor = 0.4;
};

/// Around `allocated`: what torch.cuda.max_memory_allocated() may say.
Interval allocated_interval(const Peak& peak, const Uncertainty& u = {},
                            bool calibrated = false);
/// Around `device`: what the GPU has to have.
Interval device_interval(const Peak& peak, const Uncertainty& u = {},
                         bool calibrated = false);

enum class Verdict : std::uint8_t { kFits, kTight, kOutOfMemory };

/// "fits", "tight", "does not fit".
std::string_view name_of(Verdict verdict);

/// REQUIRES: usable_bytes > 0.
Verdict judge(const Interval& device, double usable_bytes);

/// How far calibrate() scales activations, workspace and logits.
inline constexpr double kLeastFactor = 0.4, kMostFactor = 2.5;

/// Coefficients under which the model predicts `measured_bytes` for a run:
/// activations, workspace and logits are scaled, by 0.4 to 2.5, and what that
/// cannot explain is an offset. `of_device`: the figure is nvidia-smi's, not
/// max_memory_allocated(). REQUIRES: as predict_peak(); measured_bytes > 0.
Coefficients calibrate(const models::ModelShape& shape,
                       const Settings& settings, const Batch& batch,
                       double measured_bytes, bool of_device,
                       const Coefficients& start = {});

}  // namespace trainsight::memory

#endif  // TRAINSIGHT_MEMORY_VERDICT_H_
