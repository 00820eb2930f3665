#include "trainsight/throughput/step_time.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "trainsight/memory/profiles.h"
#include "trainsight/models/model_table.h"

namespace trainsight::throughput {
namespace {

using memory::Checkpointing;
using memory::Kernels;
using memory::Method;
using memory::Settings;
using memory::Sharding;

models::ModelShape shape_of(std::string_view name) {
  return models::find_builtin_model(name)->shape;
}

const hardware::Gpu& gpu_of(std::string_view name) {
  return *hardware::find_gpu(hardware::builtin_gpus(), name);
}

Work padded(double sequences, double length) {
  return {sequences * length, sequences * length * length};
}

TEST_CASE("FLOPs follow 6 N T, 4 N T for adapters, + 2 N T recomputed") {
  const models::ModelShape shape = shape_of("llama-2-7b");
  const models::ParameterCounts counts = models::count_parameters(shape);
  // N: all but the embedding and the norms.
  const double n = 6'738'415'616.0 - 32000.0 * 4096 - 65 * 4096.0;
  CHECK(static_cast<double>(counts.matmul_per_token) == n);
  const Work work = padded(2, 1024);
  const double attention = 2.0 * 32 * 4096 * 2 * 1024 * 1024;
  Settings s;
  Flops f = training_flops(shape, counts, s, work);
  CHECK(f.model == Approx(6 * n * 2048 + 3 * attention));
  CHECK(f.hardware == f.model);
  s.checkpointing = Checkpointing::kFull;
  f = training_flops(shape, counts, s, work);
  CHECK(f.hardware == Approx(8 * n * 2048 + 4 * attention));
  s.method = Method::kLora;
  s.adapter.rank = 8;
  s.adapter.targets = {memory::Targets::Role::kQuery};
  f = training_flops(shape, counts, s, work);
  const double adapter = 32.0 * 8 * (4096 + 4096);
  CHECK(f.model == Approx(4 * n * 2048 + 3 * attention + 6 * adapter * 2048));
}

TEST_CASE("a pack's attention is the sum over its pieces") {
  const models::ModelShape shape = shape_of("llama-2-7b");
  const models::ParameterCounts counts = models::count_parameters(shape);
  const double whole =
      training_flops(shape, counts, {}, {4096, 4096.0 * 4096}).model;
  const double pieces =
      training_flops(shape, counts, {}, {4096, 8 * 512.0 * 512}).model;
  CHECK(whole - pieces ==
        Approx(3 * 2.0 * 32 * 4096 * (4096.0 * 4096 - 8 * 512.0 * 512)));
}

// Public measurements of throughput; tokens a second and GPU.
struct Measured {
  std::string_view what, model, gpu;
  Settings settings;
  double sequences, length, tokens_per_second;
};

Settings lora(memory::BaseStorage base, Sharding sharding,
              std::uint64_t ranks) {
  Settings s = memory::apply(*memory::find_profile("fsdp_qlora"), [&] {
    Settings start;
    start.method = Method::kLora;
    start.base = base;
    return start;
  }());
  s.sharding = sharding;
  s.ranks.data = ranks;
  s.kernels = Kernels::kFused;
  return s;
}

Settings full(Kernels kernels, std::uint64_t ranks, Checkpointing kept) {
  Settings s;
  s.precision = memory::Precision::kMixed32;
  s.sharding = Sharding::kFsdp;
  s.kernels = kernels;
  s.checkpointing = kept;
  s.ranks.data = ranks;
  return s;
}

TEST_CASE("public throughput lies within 35 % of the prediction") {
  using memory::BaseStorage;
  const Measured rows[] = {
      // AnswerDotAI/fsdp_qlora benchmarks_03_2024.
      {"4090 QLoRA 7B", "llama-2-7b", "rtx4090",
       lora(BaseStorage::kNf4, Sharding::kDdp, 2), 8, 2048, 2330},
      {"3090 QLoRA 7B", "llama-2-7b", "rtx3090",
       lora(BaseStorage::kNf4, Sharding::kDdp, 2), 8, 2048, 1198},
      {"A100 QLoRA 70B", "llama-2-70b", "a100-40g",
       lora(BaseStorage::kNf4, Sharding::kFsdp, 4), 4, 2048, 414},
      {"H100 QLoRA 70B", "llama-2-70b", "h100",
       lora(BaseStorage::kNf4, Sharding::kFsdp, 4), 8, 2048, 786},
      // pytorch/torchtitan benchmarks, 8 H100 at 500 W, eager and compiled.
      {"H100 8B eager", "llama-3.1-8b", "h100",
       full(Kernels::kUnfused, 8, Checkpointing::kOperators), 2, 8192, 5762},
      {"H100 8B compiled", "llama-3.1-8b", "h100",
       full(Kernels::kFused, 8, Checkpointing::kOperators), 2, 8192, 6667},
      // linkedin/Liger-Kernel examples/huggingface, 4 A100: 10 to 11 k.
      {"A100 8B Liger", "llama-3-8b", "a100",
       full(Kernels::kFused, 4, Checkpointing::kFull), 32, 512, 2625},
  };
  for (const Measured& row : rows) {
    const models::ModelShape shape = shape_of(row.model);
    const StepTime step =
        predict_step(shape, models::count_parameters(shape), row.settings,
                     gpu_of(row.gpu), padded(row.sequences, row.length), 1);
    const double predicted = row.sequences * row.length / step.seconds.value;
    INFO(row.what << ": " << predicted << " predicted, "
                  << row.tokens_per_second << " measured");
    CHECK(std::abs(predicted / row.tokens_per_second - 1) <= 0.35);
  }
}

TEST_CASE("the bubble is (p - 1) / (m v + p - 1)") {
  const models::ModelShape shape = shape_of("llama-2-7b");
  Settings s;
  s.ranks.pipeline = 4;
  s.ranks.micro_batches = 8;
  s.ranks.virtual_stages = 2;
  const StepTime step = predict_step(shape, models::count_parameters(shape), s,
                                     gpu_of("a100"), padded(1, 2048), 1);
  CHECK(step.bubble_ratio == Approx(3.0 / 19));
}

TEST_CASE("a step that is bound by its links has an interval, too") {
  // Two gathers of 2 B and gradients of 4 B a parameter, 63 of 64 parts, over
  // 450 GB/s; 100 tokens are computed in less time.
  const models::ModelShape shape = shape_of("llama-3-70b");
  const models::ParameterCounts counts = models::count_parameters(shape);
  const Settings s = full(Kernels::kUnfused, 64, Checkpointing::kFull);
  const StepTime step =
      predict_step(shape, counts, s, gpu_of("h100"), padded(1, 100), 1);
  const double bytes = 8.0 * 70'553'706'496 * 63 / 64;
  CHECK(step.communication_seconds == Approx(bytes / (0.725 * 450e9)));
  const double rest = step.optimizer_seconds;
  CHECK(step.seconds.low == Approx(bytes / (0.8 * 450e9) + rest));
  CHECK(step.seconds.value == Approx(bytes / (0.725 * 450e9) + rest));
  CHECK(step.seconds.high == Approx(bytes / (0.65 * 450e9) + rest));
}

TEST_CASE("gradients are sent once, however long the stages wait") {
  const models::ModelShape shape = shape_of("llama-3-70b");
  const models::ParameterCounts counts = models::count_parameters(shape);
  Settings s = full(Kernels::kFused, 4, Checkpointing::kNone);
  s.sharding = Sharding::kZero1;
  s.ranks.pipeline = 16;
  s.ranks.micro_batches = 1;
  const StepTime step =
      predict_step(shape, counts, s, gpu_of("h100"), padded(1, 16), 1);
  CHECK(step.bubble_ratio == Approx(15.0 / 16));
  CHECK(step.seconds.value ==
        Approx(std::max(step.compute_seconds * 16, step.communication_seconds) +
               step.optimizer_seconds));
}

TEST_CASE("a measured step is met, and the interval shrinks") {
  const models::ModelShape shape = shape_of("llama-2-7b");
  const models::ParameterCounts counts = models::count_parameters(shape);
  const Work work = padded(4, 2048);
  const StepTime before =
      predict_step(shape, counts, {}, gpu_of("a100"), work, 1);
  CHECK(before.seconds.low < before.seconds.value);
  CHECK(before.seconds.value < before.seconds.high);
  const Calibration c = calibrate(before, 1.5);
  const StepTime after =
      predict_step(shape, counts, {}, gpu_of("a100"), work, 1, c);
  CHECK(after.seconds.value == Approx(1.5));
  CHECK(after.seconds.low == Approx(1.5 * 0.95));
}

TEST_CASE("more work takes longer, more ranks of tensors shorter") {
  const models::ModelShape shape = shape_of("llama-3-70b");
  const models::ParameterCounts counts = models::count_parameters(shape);
  const auto seconds = [&](const Settings& s, const Work& work) {
    return predict_step(shape, counts, s, gpu_of("h100"), work, 1)
        .seconds.value;
  };
  CHECK(seconds({}, padded(2, 4096)) > seconds({}, padded(1, 4096)));
  Settings recomputed;
  recomputed.checkpointing = Checkpointing::kFull;
  CHECK(seconds(recomputed, padded(1, 4096)) > seconds({}, padded(1, 4096)));
  Settings split;
  split.ranks.tensor = 4;
  CHECK(seconds(split, padded(1, 4096)) < seconds({}, padded(1, 4096)));
}

TEST_CASE("a reference and an engine's answers cost a forward each") {
  const models::ModelShape shape = shape_of("llama-2-7b");
  const models::ParameterCounts counts = models::count_parameters(shape);
  const Work work = padded(2, 1024);
  Settings s;
  const double plain = training_flops(shape, counts, s, work).hardware;
  s.objective = memory::Objective::kDpo;
  CHECK(training_flops(shape, counts, s, work).hardware == plain);
  s.reference = memory::Reference::kSecondModel;
  // Of 3 forwards' worth of work, one more.
  CHECK(training_flops(shape, counts, s, work).hardware ==
        Approx(plain * 4 / 3));
  s.objective = memory::Objective::kGrpo;
  s.generation.engine = memory::Engine::kTrainer;
  CHECK(training_flops(shape, counts, s, work).hardware ==
        Approx(plain * 4 / 3));
  s.generation.engine = memory::Engine::kColocated;
  CHECK(training_flops(shape, counts, s, work).hardware ==
        Approx(plain * 5 / 3));
}

TEST_CASE("decoding is bound by the memory's bandwidth") {
  const models::ModelShape shape = shape_of("llama-3-8b");
  const models::ParameterCounts counts = models::count_parameters(shape);
  hardware::Gpu gpu = gpu_of("h100");
  Settings s;
  s.objective = memory::Objective::kGrpo;
  const Rollout rollout{16, 500, 1000, 1000};
  CHECK(predict_generation(shape, counts, s, gpu, rollout).value == 0);
  s.generation.engine = memory::Engine::kColocated;
  // 1,000 steps of weights and 16 caches of 500 + 500 tokens, 131,072 bytes
  // each, at 0.6 of 3.35 TB/s; prefill at 0.4 of 989 TFLOPS.
  const double bytes = 2 * 8'030'261'248.0 + 16 * 1000 * 131072.0;
  const double prefill = 2 * static_cast<double>(counts.matmul_per_token) * 16 *
                         500 / (0.4 * 989e12);
  const Range all = predict_generation(shape, counts, s, gpu, rollout);
  CHECK(all.value == Approx(1000 * bytes / (0.6 * 3.35e12) + prefill));
  CHECK(all.low < all.value);
  CHECK(all.value < all.high);
  // Four at a time take four times as many steps, with four caches each.
  s.generation.concurrent = 4;
  const double four = 2 * 8'030'261'248.0 + 4 * 1000 * 131072.0;
  CHECK(predict_generation(shape, counts, s, gpu, rollout).value ==
        Approx(4000 * four / (0.6 * 3.35e12) + prefill));
  // The trained model is launched from Python: 0.9 ms a layer and token.
  s.generation.concurrent = 0;
  s.generation.engine = memory::Engine::kTrainer;
  CHECK(predict_generation(shape, counts, s, gpu, rollout).value ==
        Approx(1000 * 32 * 0.9e-3 + prefill));
}

TEST_CASE("generation is part of the step, calibrated or not") {
  const models::ModelShape shape = shape_of("llama-3-8b");
  const models::ParameterCounts counts = models::count_parameters(shape);
  const Range generation{2, 4, 8};
  const Work work = padded(2, 1024);
  const auto step = [&](const Range& g, const Calibration& c) {
    return predict_step(shape, counts, {}, gpu_of("h100"), work, 2, c, g);
  };
  const StepTime without = step({}, {}), with = step(generation, {});
  CHECK(with.seconds.low == Approx(without.seconds.low + 2));
  CHECK(with.seconds.value == Approx(without.seconds.value + 4));
  CHECK(with.seconds.high == Approx(without.seconds.high + 8));
  CHECK(with.generation.value == 4);
  const double measured = 2 * with.seconds.value;
  const StepTime met = step(generation, calibrate(with, measured));
  CHECK(met.seconds.value == Approx(measured));
  CHECK(met.generation.value == Approx(8));
}

}  // namespace
}  // namespace trainsight::throughput
