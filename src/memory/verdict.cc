#include "trainsight/memory/verdict.h"

#include <algorithm>

namespace trainsight::memory {
namespace {

double ratio_of(Term term, const Uncertainty& u) {
  switch (term) {
    case Term::kActivations:
    case Term::kWorkspace:
    case Term::kLogits:
    case Term::kGeneration:
      return u.dynamic_ratio;
    case Term::kBuffers:
    case Term::kDequantised:
    case Term::kHeadGradient:
      return u.buffers_ratio;
    case Term::kContext:
    case Term::kCommunicators:
    case Term::kFragmentation:
      return u.overhead_ratio;
    default:
      return u.fixed_ratio;
  }
}

// How far the allocated peak may be off, bytes.
double allocated_error(const Peak& peak, const Uncertainty& u) {
  double error = u.framework_ratio * peak.allocated;
  for (std::size_t i = 0; i < kTermCount; ++i) {
    const Term term = static_cast<Term>(i);
    if (peak.holds(term, peak.winner))
      error += ratio_of(term, u) * peak.terms[i];
  }
  return error;
}

Interval around(double point, double error) {
  return {std::max(0.0, point - error), point, point + error};
}

}  // namespace

Interval allocated_interval(const Peak& peak, const Uncertainty& u,
                            bool calibrated) {
  const double factor = calibrated ? u.calibrated_factor : 1;
  return around(peak.allocated, factor * allocated_error(peak, u));
}

Interval device_interval(const Peak& peak, const Uncertainty& u,
                         bool calibrated) {
  const double factor = calibrated ? u.calibrated_factor : 1;
  const double overhead = u.overhead_ratio * (peak.device - peak.allocated);
  return around(peak.device, factor * (allocated_error(peak, u) + overhead));
}

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kFits:
      return "fits";
    case Verdict::kTight:
      return "tight";
    case Verdict::kOutOfMemory:
      return "does not fit";
  }
  return "tight";
}

Verdict judge(const Interval& device, double usable_bytes) {
  if (device.high <= usable_bytes) return Verdict::kFits;
  if (device.low > usable_bytes) return Verdict::kOutOfMemory;
  return Verdict::kTight;
}

Coefficients calibrate(const models::ModelShape& shape,
                       const Settings& settings, const Batch& batch,
                       double measured_bytes, bool of_device,
                       const Coefficients& start) {
  const auto predicted = [&](double factor) {
    Coefficients c = start;
    c.dynamic_factor = factor;
    const Peak peak = predict_peak(shape, settings, batch, c);
    return of_device ? peak.device : peak.allocated;
  };
  // The peak grows with the factor: halve the bracket.
  double low = kLeastFactor, high = kMostFactor;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (predicted(middle) < measured_bytes ? low : high) = middle;
  }
  Coefficients c = start;
  c.dynamic_factor = (low + high) / 2;
  // Where the batch hardly shows in the peak, its factor cannot be told.
  if (predicted(kMostFactor) - predicted(kLeastFactor) < 0.1 * measured_bytes) {
    c.dynamic_factor = 1;
  }
  c.offset_bytes =
      start.offset_bytes + measured_bytes - predicted(c.dynamic_factor);
  return c;
}

}  // namespace trainsight::memory
