#include "trainsight/memory/terms.h"

#include <catch2/catch.hpp>

#include "trainsight/memory/peak.h"
#include "trainsight/models/model_table.h"

namespace trainsight::memory {
namespace {

using Role = models::LinearShape::Role;

constexpr double kGiB = 1024.0 * 1024 * 1024;

// A GPT as Korthikanti et al. count it: 4 h wide, LayerNorm, dropout.
models::ModelShape gpt(std::uint64_t layers, std::uint64_t hidden,
                       std::uint64_t heads) {
  models::ModelShape s;
  s.layers = layers;
  s.hidden = hidden;
  s.heads = s.kv_heads = heads;
  s.head_dim = hidden / heads;
  s.mlp_width = 4 * hidden;
  s.vocabulary = 51200;
  s.gated_mlp = false;
  s.norm = models::NormKind::kLayer;
  return s;
}

Settings megatron() {
  Settings s;
  s.precision = Precision::kMegatron;
  s.kernels = Kernels::kFused;
  s.attention = Attention::kEager16;
  s.dropout = true;
  s.ranks.tensor = 8;
  s.ranks.micro_batches = 1024;
  return s;
}

TEST_CASE("Korthikanti et al. 2022, figure 1, to six digits") {
  struct Row {
    std::uint64_t layers, hidden, heads, pipeline, interleave, sequences;
    double states_gib, tensor_gib, selective_gib;
  };
  const Row rows[] = {
      {48, 6144, 64, 1, 1, 4, 45.5625, 59.25, 9.5625},
      {96, 12288, 96, 8, 3, 1, 45.5625, 66.84375, 12.3515625},
      {105, 20480, 128, 35, 3, 1, 31.640625, 114.0234375, 23.076171875},
      {128, 25600, 160, 64, 1, 1, 32.958984375, 131.25, 26.5625},
  };
  for (const Row& row : rows) {
    INFO(row.layers << " layers of " << row.hidden);
    const models::ModelShape shape = gpt(row.layers, row.hidden, row.heads);
    Settings s = megatron();
    s.ranks.pipeline = row.pipeline;
    s.ranks.virtual_stages = row.interleave;
    const double tokens = static_cast<double>(row.sequences) * 2048;
    const double layers = static_cast<double>(row.layers);
    const double share = pipeline_share(s.ranks, 0);
    const double gpus = 8 * static_cast<double>(row.pipeline);
    const double hidden = static_cast<double>(row.hidden);

    CHECK(state_bytes(s).steady() == 18);
    CHECK(18 * 12 * layers * hidden * hidden / gpus / kGiB ==
          Approx(row.states_gib).epsilon(1e-9));
    CHECK(saved_bytes_per_token(shape, s, 2048, false, {}) * tokens * layers *
              share / kGiB ==
          Approx(row.tensor_gib).epsilon(1e-9));
    s.ranks.sequence_parallel = true;
    s.checkpointing = Checkpointing::kScores;
    CHECK(saved_bytes_per_token(shape, s, 2048, false, {}) * tokens * layers *
              share / kGiB ==
          Approx(row.selective_gib).epsilon(1e-9));
  }
}

TEST_CASE("bytes of a trained parameter, steady and at the step") {
  Settings s;
  const auto expect = [&](double steady, double step) {
    CHECK(state_bytes(s).steady() == steady);
    CHECK(state_bytes(s).step_temporary == step);
  };
  expect(8, 2);  // pure 16 bits, foreach AdamW: 8, 10 at the step
  s.precision = Precision::kMixed32;
  expect(16, 4);
  s.foreach_step = false;
  expect(16, 0);
  s.precision = Precision::kMaster16;
  expect(16, 0);
  s.precision = Precision::kMegatron;
  expect(18, 0);
  s.precision = Precision::kPure16;
  s.optimizer = Optimizer::kPagedAdamW;
  expect(4, 0);
  s.optimizer = Optimizer::kSgd;
  expect(4, 0);
  s.optimizer = Optimizer::kLion;
  expect(6, 0);
  s.optimizer = Optimizer::kAdamW8bit;
  CHECK(state_bytes(s).steady() == Approx(6.02));
  s.optimizer = Optimizer::kAdamW;
  s.fused_backward = true;
  expect(6, 0);  // no full gradient
}

TEST_CASE("bytes of a quantised weight") {
  CHECK(base_bytes(BaseStorage::kNf4) == 0.5625);
  CHECK(base_bytes(BaseStorage::kNf4Double) == Approx(0.515875));
  CHECK(base_bytes(BaseStorage::k16Bit) == 2);
}

TEST_CASE("adapters of Llama-3.2-3B are counted as PEFT prints them") {
  // huggingface/peft method_comparison: trainable parameters of the runs.
  const models::ModelShape shape =
      models::find_builtin_model("llama-3.2-3b")->shape;
  Settings s;
  s.method = Method::kLora;
  s.adapter.rank = 64;
  s.adapter.targets = {Role::kQuery, Role::kValue};
  CHECK(adapter_parameters(shape, s) == 18'350'080);
  s.adapter.rank = 10;
  s.adapter.targets = {Role::kGate, Role::kUp, Role::kDown};
  CHECK(adapter_parameters(shape, s) == 9'461'760);
  s.adapter.dora = true;
  CHECK(adapter_parameters(shape, s) == 9'461'760 + 28 * (8192 + 8192 + 3072));
}

TEST_CASE("a fused Llama-2 layer saves 8h + 4hq + 4hkv + 6f + 4a") {
  const models::ModelShape shape =
      models::find_builtin_model("llama-2-7b")->shape;
  Settings s;
  s.kernels = Kernels::kFused;
  CHECK(saved_bytes_per_token(shape, s, 4096, false, {}) ==
        8 * 4096 + 8 * 4096 + 6 * 11008 + 4 * 32);
}

TEST_CASE("a frozen linear does not save its input, an adapter's does") {
  const models::ModelShape shape =
      models::find_builtin_model("llama-2-7b")->shape;
  Settings s;
  s.kernels = Kernels::kFused;
  s.method = Method::kLora;
  s.adapter.targets = {Role::kQuery};
  // Norm inputs 4 h, query's input 2 h, attention 8 h, gate and up 4 f.
  CHECK(saved_bytes_per_token(shape, s, 1, false, {}) ==
        14 * 4096 + 4 * 11008 + 4 * 32);
  s.adapter.dropout = true;  // a mask and a copy in place of the input
  CHECK(saved_bytes_per_token(shape, s, 1, false, {}) ==
        15 * 4096 + 4 * 11008 + 4 * 32);
}

TEST_CASE("scores are quadratic in the length, flash is not") {
  const models::ModelShape shape =
      models::find_builtin_model("llama-2-7b")->shape;
  Settings s;
  const double flash = saved_bytes_per_token(shape, s, 4096, false, {});
  CHECK(flash == saved_bytes_per_token(shape, s, 8192, false, {}));
  s.attention = Attention::kEager;
  const double eager = saved_bytes_per_token(shape, s, 4096, false, {});
  CHECK(eager - flash == 6.0 * 32 * 4096 - 4 * 32);
}

TEST_CASE("the KV cache of Llama-3-8B is 131,072 bytes a token") {
  const models::ModelShape shape =
      models::find_builtin_model("llama-3-8b")->shape;
  CHECK(kv_cache_bytes_per_token(shape) == 131072);
}

TEST_CASE("what a pipeline stage holds follows its schedule") {
  Parallelism r;
  CHECK(pipeline_share(r, 0) == 1);
  r.pipeline = 4;
  r.micro_batches = 16;
  CHECK(pipeline_share(r, 0) == 1);     // four micro-batches of L / 4
  CHECK(pipeline_share(r, 3) == 0.25);  // one
  r.virtual_stages = 3;
  // (2 (4 - 1) + 2 x 4 + 1) / 12 = 1 + (p - 1) / (p v).
  CHECK(pipeline_share(r, 0) == Approx(1.25));
  CHECK(pipeline_share(r, 3) == Approx(9.0 / 12));
  r.gpipe = true;
  CHECK(pipeline_share(r, 0) == 4);
}

TEST_CASE("logits: bytes per token and vocabulary row, and hidden states") {
  const models::ModelShape shape =
      models::find_builtin_model("llama-3-8b")->shape;
  Settings s;
  s.loss = Loss::kCompiled;
  CHECK(logits_bytes(shape, s, 10, {}) == 10.0 * (12 * 128256 + 4 * 4096));
  s.ranks.tensor = 4;
  s.ranks.vocabulary_parallel = true;
  CHECK(logits_bytes(shape, s, 10, {}) == 10.0 * (3 * 128256 + 4 * 4096));
  s.loss = Loss::kFusedLinear;
  CHECK(logits_bytes(shape, s, 10, {}) == 10.0 * 4 * 4096);
}

TEST_CASE("an engine holds what its reservation has room for") {
  const models::ModelShape shape =
      models::find_builtin_model("llama-3-8b")->shape;
  const models::ParameterCounts counts = models::count_parameters(shape);
  Settings s;
  s.generation.length = 1000;
  CHECK(engine_weight_bytes(counts, s) == 0);  // elsewhere
  CHECK(engine_capacity(shape, counts, s) == ~std::uint64_t{0});
  s.generation.engine = Engine::kColocated;
  CHECK(engine_weight_bytes(counts, s) == 2.0 * 8'030'261'248);
  // 131,072,000 bytes a sequence beside 16,060,522,496 of weights.
  s.generation.reserved_bytes = 16'060'522'496 + 10 * 131'072'000 + 1;
  CHECK(engine_capacity(shape, counts, s) == 10);
  s.generation.reserved_bytes = 1;
  CHECK(engine_capacity(shape, counts, s) == 1);
  s.generation.tensor = 2;
  CHECK(engine_weight_bytes(counts, s) == 8'030'261'248.0);
  // A 4-bit base stays in 4 bits: 6,979,321,856 weights of the layers' linears.
  s.generation.tensor = 1;
  s.method = Method::kLora;
  s.base = BaseStorage::kNf4;
  CHECK(engine_weight_bytes(counts, s) ==
        0.5625 * 6'979'321'856 + 2.0 * (8'030'261'248 - 6'979'321'856));
}

}  // namespace
}  // namespace trainsight::memory
