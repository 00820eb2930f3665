#include "trainsight/throughput/step_time.h"

#include <algorithm>
#include <cmath>

#include "trainsight/memory/terms.h"

namespace trainsight::throughput {
namespace {

using memory::Method;
using memory::Settings;
using memory::Sharding;

// Shares of a GPU's efficiency that ways of training leave. [assume], from the
// runs in docs/benchmarks.md.
constexpr double kUnfused = 0.8;      // separate norms and activations
constexpr double kQuantised = 0.9;    // weights are unpacked for each use
constexpr double kExperts = 0.5;      // small matrices, uneven loads
constexpr double kFullTokens = 2048;  // a micro-batch that fills the GPU
constexpr double kCalibrated = 0.05;  // steps of one run differ by
// [assume] shares of a link's peak that collectives reach (memory.md §6.2).
constexpr double kLinkLow = 0.65, kLink = 0.725, kLinkHigh = 0.8;
// Bytes a second that a step of the optimizer reaches of the memory's.
constexpr double kOptimizerShare = 0.7;
constexpr double kHostGbPerSecond = 20;  // PCIe, for offloaded states
// [assume] shares of the memory's bandwidth that decoding reaches.
constexpr double kBandwidthLow = 0.35, kBandwidth = 0.6, kBandwidthHigh = 0.8;
// [assume] seconds a layer that launching kernels from Python takes a token.
constexpr double kHostLow = 0.5e-3, kHost = 0.9e-3, kHostHigh = 1.5e-3;

double real(std::uint64_t value) { return static_cast<double>(value); }

// How much of the GPU's efficiency this way of training reaches.
double efficiency_share(const models::ModelShape& shape,
                        const Settings& settings, const Work& work) {
  double share = 1;
  if (settings.kernels == memory::Kernels::kUnfused) share *= kUnfused;
  const double base = memory::base_bytes(settings.base);
  if (settings.method == Method::kLora && base < 1.5) share *= kQuantised;
  if (shape.is_moe()) share *= kExperts;
  // Tensor parallelism makes matrices smaller, as few tokens do.
  const double filled =
      work.tokens / real(settings.ranks.context) / kFullTokens;
  if (filled < 1) share *= std::sqrt(std::max(filled, 1e-3));
  return share;
}

// Bytes that one rank sends in a step while it computes.
double overlapped_bytes(const models::ParameterCounts& counts,
                        const Settings& settings, double trained,
                        double accumulation) {
  const memory::Parallelism& r = settings.ranks;
  const double ranks = real(r.data * r.context);
  if (ranks <= 1) return 0;
  const double ring = (ranks - 1) / ranks;
  const double model_ranks = real(r.tensor * r.pipeline);
  const double weights =
      settings.method == Method::kFull ? 2 : memory::base_bytes(settings.base);
  const double gradient = memory::state_bytes(settings).gradients;
  double bytes = 0;
  switch (settings.sharding) {
    case Sharding::kNone:
      break;
    case Sharding::kDdp:
    case Sharding::kZero1:
      bytes = 2 * std::max(gradient, 2.0) * trained;
      break;
    case Sharding::kZero2:
      bytes = (std::max(gradient, 2.0) + 2) * trained;
      break;
    case Sharding::kZero3:
    case Sharding::kFsdp:
      // Weights are gathered for the forward and the backward of each
      // micro-batch, gradients scattered.
      bytes = (2 * weights * real(counts.total) +
               std::max(gradient, 2.0) * trained) *
              accumulation;
      break;
    case Sharding::kFsdpGradOp:
      bytes = (weights * real(counts.total) + 2 * gradient * trained) *
              accumulation;
      break;
  }
  return bytes / model_ranks * ring;
}

}  // namespace

Flops training_flops(const models::ModelShape& shape,
                     const models::ParameterCounts& counts,
                     const Settings& settings, const Work& work) {
  const double matmul = 2 * real(counts.matmul_per_token) * work.tokens;
  const double attention =
      2 * real(shape.layers) * real(shape.query_width()) * work.squared_tokens;
  const bool full = settings.method == Method::kFull;
  Flops flops;
  flops.model = (full ? 3 : 2) * matmul + 3 * attention;
  if (settings.method == Method::kLora) {
    flops.model +=
        6 * real(memory::adapter_parameters(shape, settings)) * work.tokens;
  }
  flops.hardware = flops.model;
  switch (settings.checkpointing) {
    case memory::Checkpointing::kNone:
      break;
    case memory::Checkpointing::kScores:
      flops.hardware += attention;
      break;
    case memory::Checkpointing::kOperators:
      flops.hardware += 0.5 * matmul;
      break;
    case memory::Checkpointing::kFull:
    case memory::Checkpointing::kOffloaded:
      flops.hardware += matmul + attention;
      break;
  }
  if (settings.reference != memory::Reference::kNone) {
    flops.hardware += matmul + attention;
  }
  // What an engine sampled, the trained model says its own probabilities of.
  if (settings.objective == memory::Objective::kGrpo &&
      settings.generation.engine != memory::Engine::kTrainer) {
    flops.hardware += matmul + attention;
  }
  return flops;
}

Range predict_generation(const models::ModelShape& shape,
                         const models::ParameterCounts& counts,
                         const Settings& settings, const hardware::Gpu& gpu,
                         const Rollout& rollout) {
  using memory::Engine;
  const memory::Generation& g = settings.generation;
  if (settings.objective != memory::Objective::kGrpo ||
      g.engine == Engine::kElsewhere || rollout.sequences <= 0 ||
      gpu.memory_tb_per_second <= 0) {
    return {};
  }
  const double ranks = real(std::max<std::uint64_t>(g.tensor, 1));
  const double all = rollout.sequences * ranks;  // that one engine serves
  const double together =
      g.concurrent == 0 ? all : std::min(all, real(g.concurrent));
  const double steps =
      std::max({rollout.longest_completion,
                all * rollout.completion_tokens / together, 1.0});
  const double active = all * rollout.completion_tokens / steps;
  // On average half of a completion is there.
  const double length = rollout.prompt_tokens + rollout.completion_tokens / 2;
  const double bytes =
      2 * real(counts.total) +
      active * length * memory::kv_cache_bytes_per_token(shape);
  const double matmul = 2 * real(counts.matmul_per_token);
  const auto seconds = [&](double bandwidth_share, double efficiency,
                           double host_seconds) {
    const double flops = gpu.tflops_16bit * 1e12 * efficiency * ranks;
    const double bandwidth =
        gpu.memory_tb_per_second * 1e12 * bandwidth_share * ranks;
    const double decode = std::max(bytes / bandwidth, matmul * active / flops);
    return steps * std::max(decode, host_seconds) +
           matmul * all * rollout.prompt_tokens / flops;
  };
  const bool by_trainer = g.engine == Engine::kTrainer;
  const auto host = [&](double a_layer) {
    return by_trainer ? a_layer * real(shape.layers) : 0;
  };
  const double middle = (gpu.efficiency_low + gpu.efficiency_high) / 2;
  return {seconds(kBandwidthHigh, gpu.efficiency_high, host(kHostLow)),
          seconds(kBandwidth, middle, host(kHost)),
          seconds(kBandwidthLow, gpu.efficiency_low, host(kHostHigh))};
}

StepTime predict_step(const models::ModelShape& shape,
                      const models::ParameterCounts& counts,
                      const Settings& settings, const hardware::Gpu& gpu,
                      const Work& work, std::uint64_t accumulation,
                      const Calibration& calibration, const Range& generation) {
  const memory::Parallelism& r = settings.ranks;
  const double steps = real(std::max<std::uint64_t>(accumulation, 1));
  const double model_ranks = real(r.tensor * r.pipeline * r.context);
  const Flops flops = training_flops(shape, counts, settings, work);
  const double share = efficiency_share(shape, settings, work);
  StepTime t;
  const double middle = (gpu.efficiency_low + gpu.efficiency_high) / 2;
  t.efficiency = middle * share;
  const auto compute = [&](double efficiency) {
    return flops.hardware * steps / model_ranks /
           (gpu.tflops_16bit * 1e12 * efficiency * share);
  };
  t.compute_seconds = compute(middle);
  const double trained =
      settings.method == Method::kFull
          ? real(counts.total)
          : real(memory::adapter_parameters(shape, settings));
  const auto sending = [&](double bytes, double link_share) {
    if (bytes <= 0) return 0.0;
    return bytes / (gpu.link_gb_per_second * 1e9 * link_share);
  };
  const double overlapped = overlapped_bytes(counts, settings, trained, steps);
  t.communication_seconds = sending(overlapped, kLink);
  double exposed = 0;
  if (r.tensor > 1) {
    // Four all-reduces of the hidden states a layer.
    const double bytes = 4 * 2 * work.tokens * real(shape.hidden) *
                         real(shape.layers) / real(r.pipeline);
    exposed = 2 * bytes * steps * (real(r.tensor) - 1) / real(r.tensor);
  }
  t.exposed_seconds = sending(exposed, kLink);
  if (r.pipeline > 1) {
    const double m = real(std::max<std::uint64_t>(r.micro_batches, 1));
    const double p = real(r.pipeline);
    t.bubble_ratio = (p - 1) / (m * real(r.virtual_stages) + p - 1);
  }
  const memory::StateBytes states = memory::state_bytes(settings);
  const bool shards = settings.sharding != Sharding::kNone &&
                      settings.sharding != Sharding::kDdp;
  const double updated =
      trained / real(r.tensor * r.pipeline) /
      (shards ? real(std::max<std::uint64_t>(r.data * r.context, 1)) : 1);
  const double touched =
      updated * (states.steady() + states.states + states.weights);
  const double rate = settings.offload == memory::Offload::kNone
                          ? kOptimizerShare * gpu.memory_tb_per_second * 1e12
                          : kHostGbPerSecond * 1e9;
  t.optimizer_seconds = rate > 0 ? touched / rate : 0;
  // Stages that wait for each other do not send more.
  const auto total = [&](double efficiency, double link_share,
                         double generated) {
    return (std::max(compute(efficiency) / (1 - t.bubble_ratio),
                     sending(overlapped, link_share)) +
            sending(exposed, link_share) + t.optimizer_seconds + generated) *
           calibration.time_factor;
  };
  const double f = calibration.time_factor;
  if (calibration.measured) {
    const auto around = [](double s) {
      return Range{s * (1 - kCalibrated), s, s * (1 + kCalibrated)};
    };
    t.seconds = around(total(middle, kLink, generation.value));
    t.generation = around(generation.value * f);
  } else {
    t.seconds = {total(gpu.efficiency_high, kLinkHigh, generation.low),
                 total(middle, kLink, generation.value),
                 total(gpu.efficiency_low, kLinkLow, generation.high)};
    t.generation = {generation.low * f, generation.value * f,
                    generation.high * f};
  }
  return t;
}

Calibration calibrate(const StepTime& predicted, double measured_seconds) {
  return {measured_seconds / predicted.seconds.value, true};
}

}  // namespace trainsight::throughput
