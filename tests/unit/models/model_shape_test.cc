#include "trainsight/models/model_shape.h"

#include <catch2/catch.hpp>

namespace trainsight::models {
namespace {

// Small enough to count by hand.
ModelShape small() {
  ModelShape s;
  s.name = "small";
  s.hidden = 8;
  s.layers = 2;
  s.heads = 2;
  s.kv_heads = 1;
  s.head_dim = 4;
  s.mlp_width = 16;
  s.vocabulary = 10;
  return s;
}

TEST_CASE("a gated decoder is counted term by term") {
  const ParameterCounts c = count_parameters(small());
  CHECK(c.embedding == 80);
  CHECK(c.head == 80);
  // 8x8 query, 8x4 key, 8x4 value, 8x8 output.
  CHECK(c.attention == 64 + 32 + 32 + 64);
  CHECK(c.dense_mlp == 3 * 8 * 16);
  CHECK(c.layer_norms == 16);
  CHECK(c.final_norm == 8);
  CHECK(c.total == 80 + 80 + 2 * (192 + 384 + 16) + 8);
  CHECK(c.layer_linears == 2 * (192 + 384));
  CHECK(c.largest_linear == 128);
  CHECK(c.matmul_per_token == 2 * (192 + 384) + 80);
}

TEST_CASE("biases, a position table, a tied head and plain MLPs count") {
  ModelShape s = small();
  s.attention_bias = AttentionBias::kAll;
  s.mlp_bias = true;
  s.gated_mlp = false;
  s.tied_head = true;
  s.norm = NormKind::kLayer;
  s.position_rows = 5;
  const ParameterCounts c = count_parameters(s);
  CHECK(c.embedding == 80 + 40);
  CHECK(c.head == 0);
  CHECK(c.attention == 192 + 8 + 2 * 4 + 8);
  CHECK(c.dense_mlp == 2 * 8 * 16 + 16 + 8);
  CHECK(c.layer_norms == 2 * 2 * 8);
  // The tied head is multiplied with all the same.
  CHECK(c.matmul_per_token == 2 * (192 + 256) + 80);
}

TEST_CASE("all experts count for memory, the active ones for arithmetic") {
  ModelShape s = small();
  s.experts = {4, 2, 6, 3, 1};
  const ParameterCounts c = count_parameters(s);
  CHECK(c.expert_mlp == 4 * 3 * 8 * 6);
  CHECK(c.shared_mlp == 8 * 4 + 3 * 8 * 3);
  CHECK(c.dense_mlp == 384);
  CHECK(c.total == 160 + 2 * (192 + 16) + 384 + 576 + 104 + 8);
  CHECK(c.matmul_per_token ==
        2 * 192 + 384 + 2 * 3 * 8 * 6 + 3 * 8 * 3 + 8 * 4 + 80);
}

TEST_CASE("latent attention counts its ranks and their norms") {
  ModelShape s = small();
  s.latent = {6, 5, 3, 1, 2};
  s.head_dim = 4;
  const ParameterCounts c = count_parameters(s);
  const std::uint64_t query = 8 * 6 + 6 + 6 * 2 * 4;
  const std::uint64_t key_value = 8 * (5 + 1) + 5 + 5 * 2 * (3 + 2);
  CHECK(c.attention == query + key_value + 2 * 2 * 8);
}

TEST_CASE("sizes without sense are refused by name") {
  ModelShape s = small();
  s.hidden = 0;
  CHECK(check(s).error().message == "hidden size is 0, expected 1 to 1048576");
  s = small();
  s.kv_heads = 3;
  CHECK(check(s).error().message ==
        "number of key/value heads is 3, expected 1 to 2");
  s = small();
  s.experts = {4096, 1, 1u << 20, 0, 0};
  s.layers = 4096;
  s.hidden = 1u << 20;
  CHECK(check(s).error().message == "its sizes multiply to over 10^15");
}

}  // namespace
}  // namespace trainsight::models
