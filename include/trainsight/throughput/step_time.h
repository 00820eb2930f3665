// How long a training step takes: arithmetic, communication, bubble.
//
// Arithmetic of T tokens, N weights that a token is multiplied with (the
// embedding look-up is none), l_i the lengths that attention runs over:
//
//   forward   2 N T + 2 L hq sum(l_i^2)        (causal: half of 4)
//   training  3 x forward; a frozen base 2 x (its weights get no gradient),
//             + 6 P_adapter T; attention's part is 3 x in both
//   hardware  + 1 x forward when activations are recomputed, one forward for
//             a reference, and in RL one for the log-probabilities of what an
//             engine sampled
//
// Segments count apart: of a padded batch the padded lengths, of a pack its
// pieces: sum(l_i^2), never T^2.
//
//   step = max(compute / (1 - bubble), overlapped communication)
//        + exposed communication + optimizer
//   compute = hardware FLOPs / (peak x efficiency), bubble = (p-1)/(m v+p-1)
//
// Source: Narayanan et al. 2021 (arXiv 2104.04473) §3.2 appendix for the FLOPs
// and §2.2 for the bubble; Korthikanti et al. 2022 for model and hardware
// FLOPs; Dao 2023 (arXiv 2307.08691) for attention's. Efficiencies are those of
// hardware::Gpu, from public measurements; the same code and GPU differ by a
// third, so every figure is an interval until one step was measured.
// Collectives reach 65 to 80 % of a link's peak ([assume] of memory.md §6.2);
// between nodes less, which is not modelled. Pure; thread-safe.
#ifndef TRAINSIGHT_THROUGHPUT_STEP_TIME_H_
#define TRAINSIGHT_THROUGHPUT_STEP_TIME_H_

#include <cstdint>

#include "trainsight/hardware/gpu_table.h"
#include "trainsight/memory/settings.h"
#include "trainsight/models/model_shape.h"

namespace trainsight::throughput {

/// What one rank does in one micro-batch.
struct Work {
  double tokens = 0;          ///< padding included
  double squared_tokens = 0;  ///< sum of l_i^2 of attention's segments
};

struct Flops {
  double model = 0;     ///< what the mathematics needs
  double hardware = 0;  ///< recomputation and reference included
};

/// FLOPs of one micro-batch on all ranks of one model copy together. A token
/// of a pair counts in `work` on both sides.
Flops training_flops(const models::ModelShape& shape,
                     const models::ParameterCounts& counts,
                     const memory::Settings& settings, const Work& work);

/// A predicted value between a low and a high one.
struct Range {
  double low = 0;
  double value = 0;
  double high = 0;
};

struct StepTime {
  double compute_seconds = 0;        ///< of all micro-batches
  double communication_seconds = 0;  ///< that compute can hide; the middle
  double exposed_seconds = 0;        ///< that it cannot; the middle
  double optimizer_seconds = 0;
  double bubble_ratio = 0;
  double efficiency = 0;  ///< share of the GPU's peak; the middle one
  Range generation;       ///< of `seconds`, what completions take (RL)
  Range seconds;          ///< of a step: low with the high efficiency
};

/// Completions that one rank's step needs (RL); lengths are means.
struct Rollout {
  double sequences = 0;           ///< of a step of one rank
  double prompt_tokens = 0;       ///< of a sequence
  double completion_tokens = 0;   ///< of a sequence
  double longest_completion = 0;  ///< expected among those generated together
};

/// Seconds in which a step's completions are generated; 0 for an engine
/// elsewhere, whose time is not known here.
///
/// Sequences share the steps of decoding, n of them for n tokens:
///
///   decode steps = max(longest completion, sequences x mean / concurrent)
///   a step       = max((weights + active x kv x length) / bandwidth,
///                      2 N active / FLOPS), at least the host's share
///   prefill      = 2 N sequences x prompt / FLOPS
///
/// Source: memory.md §6.1 (bound by bandwidth); shares of the bandwidth that
/// are reached, and the host's time a layer of an engine that launches every
/// kernel from Python, are [assume]: the interval is wide.
/// REQUIRES: as predict_step().
Range predict_generation(const models::ModelShape& shape,
                         const models::ParameterCounts& counts,
                         const memory::Settings& settings,
                         const hardware::Gpu& gpu, const Rollout& rollout);

/// What a measured step says about this machine and code; 1 without one.
struct Calibration {
  double time_factor = 1;
  bool measured = false;
};

/// One optimizer step of `accumulation` micro-batches a rank, after the
/// `generation` that it needs, if any.
/// REQUIRES: models::check(shape), gpu.tflops_16bit > 0.
StepTime predict_step(const models::ModelShape& shape,
                      const models::ParameterCounts& counts,
                      const memory::Settings& settings,
                      const hardware::Gpu& gpu, const Work& work,
                      std::uint64_t accumulation,
                      const Calibration& calibration = {},
                      const Range& generation = {});

/// The factor under which predict_step() gives `measured_seconds`. Then the
/// interval shrinks to what steps of one run differ by.
Calibration calibrate(const StepTime& predicted, double measured_seconds);

}  // namespace trainsight::throughput

#endif  // TRAINSIGHT_THROUGHPUT_STEP_TIME_H_
