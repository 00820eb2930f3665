// The peak of GPU memory: a maximum over the phases of a training step.
//
//   logits        W + O + G_held + A + LOGITS + BUF
//   backward      W + O + G_held + G_head + A + WS + DEQ + BUF
//   backward end  W + O + G (without the first unit's) + WS + BUF; W + O + G
//   step          W + O + G + STEP
//   load          a 16-bit copy before sharding or quantising
//   generate      W + O + engine + KV cache (RL, on the same GPU); an engine
//                 that does not sleep is there in every phase
//
// W weights with master, adapters and reference; O optimizer states; G
// gradients; A saved activations or checkpoints; WS a recomputed layer and its
// gradients; BUF gathered parameters and reduce buckets; DEQ a dequantised
// weight. `allocated` is what torch.cuda.max_memory_allocated() would say;
// `device` adds context, communicators and fragmentation, and is what has to
// fit. The worst pipeline stage is taken.
//
// Source: memory terms of terms.h; which phase holds what follows from
// measured runs (docs/benchmarks.md). Pure; thread-safe; about a microsecond.
#ifndef TRAINSIGHT_MEMORY_PEAK_H_
#define TRAINSIGHT_MEMORY_PEAK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "trainsight/memory/coefficients.h"
#include "trainsight/memory/settings.h"
#include "trainsight/models/model_shape.h"

namespace trainsight::memory {

/// What the bytes of a peak are for.
enum class Term : std::uint8_t {
  kWeights,        ///< of the model, frozen or trained
  kMaster,         ///< 32-bit copy
  kAdapters,       ///< their parameters
  kReference,      ///< a second, frozen model
  kStates,         ///< of the optimizer
  kGradients,      ///< all of them
  kHeldGradients,  ///< those that are there before the backward
  kHeadGradient,   ///< of the output layer, first in the backward
  kActivations,    ///< saved for the backward, or checkpoints
  kWorkspace,      ///< the layer that is computed
  kLogits,         ///< logits and loss
  kBuffers,        ///< gathered parameters, buckets
  kDequantised,    ///< a 4-bit weight in 16 bits
  kStep,           ///< temporary of the optimizer
  kGeneration,     ///< engine weights and KV cache
  kContext,        ///< CUDA context
  kCommunicators,
  kFragmentation,
};
inline constexpr std::size_t kTermCount = 18;

enum class Phase : std::uint8_t {
  kLoad,
  kLogits,
  kBackward,
  kBackwardEnd,
  kStep,
  kGenerate,
};
inline constexpr std::size_t kPhaseCount = 6;

/// "optimizer states"; "logits".
std::string_view name_of(Term term);
std::string_view name_of(Phase phase);
/// The formula of a term in the symbols of docs/reference/memory.md.
std::string_view formula_of(Term term);

struct Peak {
  std::array<double, kTermCount> terms{};    ///< bytes, whatever the phase
  std::array<double, kPhaseCount> phases{};  ///< bytes, allocated
  Phase winner = Phase::kStep;
  std::uint64_t stage = 0;  ///< of the pipeline
  double allocated = 0;     ///< bytes; the largest phase
  double reserved = 0;      ///< what the allocator is expected to hold at most
  double device = 0;        ///< allocated + context + communicators + frag.
  bool engine_stays = false;  ///< kGeneration is there while training, too

  [[nodiscard]] double term(Term t) const {
    return terms[static_cast<std::size_t>(t)];
  }
  [[nodiscard]] double phase(Phase p) const {
    return phases[static_cast<std::size_t>(p)];
  }
  /// Whether a term is part of a phase's sum in this peak.
  [[nodiscard]] bool holds(Term t, Phase p) const;
  /// What a phase has beside the terms that it holds, bytes: the model that is
  /// loaded; buffers at a ZeRO step; below 0 at the end of the backward, where
  /// not all is there at once; a measured offset. 0 for most.
  [[nodiscard]] double rest(Phase p) const;
  /// Bytes that do not depend on the batch in the winning phase.
  [[nodiscard]] double fixed() const;
};

/// Whether a term is part of a phase's sum, with an engine that sleeps.
bool belongs(Term term, Phase phase);

/// The peak on the worst stage; `only_stage` below the pipeline's size gives
/// that stage's instead. REQUIRES: models::check(shape); batch.length > 0.
Peak predict_peak(const models::ModelShape& shape, const Settings& settings,
                  const Batch& batch, const Coefficients& coefficients = {},
                  std::uint64_t only_stage = ~std::uint64_t{0});

/// The same with the parameter counts at hand, for many batches of one model.
Peak predict_peak(const models::ModelShape& shape,
                  const models::ParameterCounts& counts,
                  const Settings& settings, const Batch& batch,
                  const Coefficients& coefficients, std::uint64_t only_stage);

}  // namespace trainsight::memory

#endif  // TRAINSIGHT_MEMORY_PEAK_H_
