#include "trainsight/models/config_json.h"

#include <catch2/catch.hpp>

namespace trainsight::models {
namespace {

struct Published {
  std::uint64_t parameters;
  std::string_view name;
  std::string_view config;
};

// Configurations as their files give them, cut to what the count needs, and
// the total that the model's publisher, or the Hub, states.
// clang-format off
constexpr Published kPublished[] = {
    {6738415616, "llama-2-7b",
     R"({"model_type":"llama","hidden_size":4096,)"
     R"("num_hidden_layers":32,"num_attention_heads":32,)"
     R"("intermediate_size":11008,"vocab_size":32000,)"
     R"("torch_dtype":"float16","max_position_embeddings":4096})"},
    {1235814400, "llama-3.2-1b",
     R"({"model_type":"llama","hidden_size":2048,)"
     R"("num_hidden_layers":16,"num_attention_heads":32,)"
     R"("num_key_value_heads":8,"head_dim":64,)"
     R"("intermediate_size":8192,"vocab_size":128256,)"
     R"("tie_word_embeddings":true,)"
     R"("max_position_embeddings":4096})"},
    {12247782400, "mistral-nemo-12b",
     R"({"model_type":"mistral","hidden_size":5120,)"
     R"("num_hidden_layers":40,"num_attention_heads":32,)"
     R"("num_key_value_heads":8,"head_dim":128,)"
     R"("intermediate_size":14336,"vocab_size":131072,)"
     R"("tie_word_embeddings":false,)"
     R"("max_position_embeddings":4096})"},
    {7615616512, "qwen2.5-7b",
     R"({"model_type":"qwen2","hidden_size":3584,)"
     R"("num_hidden_layers":28,"num_attention_heads":28,)"
     R"("num_key_value_heads":4,"intermediate_size":18944,)"
     R"("vocab_size":152064,"tie_word_embeddings":false,)"
     R"("max_position_embeddings":4096})"},
    {8190735360, "qwen3-8b",
     R"({"model_type":"qwen3","hidden_size":4096,)"
     R"("num_hidden_layers":36,"num_attention_heads":32,)"
     R"("num_key_value_heads":8,"head_dim":128,)"
     R"("intermediate_size":12288,"vocab_size":151936,)"
     R"("attention_bias":false,"tie_word_embeddings":false,)"
     R"("max_position_embeddings":4096})"},
    {30532122624, "qwen3-30b-a3b",
     R"({"model_type":"qwen3_moe","hidden_size":2048,)"
     R"("num_hidden_layers":48,"num_attention_heads":32,)"
     R"("num_key_value_heads":4,"head_dim":128,)"
     R"("intermediate_size":6144,"moe_intermediate_size":768,)"
     R"("num_experts":128,"num_experts_per_tok":8,)"
     R"("vocab_size":151936,"attention_bias":false,)"
     R"("tie_word_embeddings":false,)"
     R"("max_position_embeddings":4096})"},
    {2506172416, "gemma-2b",
     R"({"model_type":"gemma","hidden_size":2048,)"
     R"("num_hidden_layers":18,"num_attention_heads":8,)"
     R"("num_key_value_heads":1,"head_dim":256,)"
     R"("intermediate_size":16384,"vocab_size":256000,)"
     R"("max_position_embeddings":4096})"},
    {9241705984, "gemma-2-9b",
     R"({"model_type":"gemma2","hidden_size":3584,)"
     R"("num_hidden_layers":42,"num_attention_heads":16,)"
     R"("num_key_value_heads":8,"head_dim":256,)"
     R"("intermediate_size":14336,"vocab_size":256000,)"
     R"("max_position_embeddings":4096})"},
    {999885952, "gemma-3-1b",
     R"({"model_type":"gemma3_text","hidden_size":1152,)"
     R"("num_hidden_layers":26,"num_attention_heads":4,)"
     R"("num_key_value_heads":1,"head_dim":256,)"
     R"("intermediate_size":6912,"vocab_size":262144,)"
     R"("max_position_embeddings":4096})"},
    {2779683840, "phi-2",
     R"({"model_type":"phi","hidden_size":2560,)"
     R"("num_hidden_layers":32,"num_attention_heads":32,)"
     R"("intermediate_size":10240,"vocab_size":51200,)"
     R"("tie_word_embeddings":false,)"
     R"("max_position_embeddings":4096})"},
    {14659507200, "phi-4",
     R"({"model_type":"phi3","hidden_size":5120,)"
     R"("num_hidden_layers":40,"num_attention_heads":40,)"
     R"("num_key_value_heads":10,"intermediate_size":17920,)"
     R"("vocab_size":100352,"tie_word_embeddings":false,)"
     R"("max_position_embeddings":4096})"},
    {15706484224, "deepseek-v2-lite",
     R"({"model_type":"deepseek_v2","hidden_size":2048,)"
     R"("num_hidden_layers":27,"num_attention_heads":16,)"
     R"("num_key_value_heads":16,"intermediate_size":10944,)"
     R"("moe_intermediate_size":1408,"n_routed_experts":64,)"
     R"("n_shared_experts":2,"num_experts_per_tok":6,)"
     R"("first_k_dense_replace":1,"kv_lora_rank":512,)"
     R"("q_lora_rank":null,"qk_nope_head_dim":128,)"
     R"("qk_rope_head_dim":64,"v_head_dim":128,)"
     R"("vocab_size":102400,"tie_word_embeddings":false,)"
     R"("attention_bias":false,"max_position_embeddings":4096})"},
    {671026419200, "deepseek-v3",
     R"({"model_type":"deepseek_v3","hidden_size":7168,)"
     R"("num_hidden_layers":61,"num_attention_heads":128,)"
     R"("num_key_value_heads":128,"intermediate_size":18432,)"
     R"("moe_intermediate_size":2048,"n_routed_experts":256,)"
     R"("n_shared_experts":1,"num_experts_per_tok":8,)"
     R"("first_k_dense_replace":3,"kv_lora_rank":512,)"
     R"("q_lora_rank":1536,"qk_nope_head_dim":128,)"
     R"("qk_rope_head_dim":64,"v_head_dim":128,)"
     R"("vocab_size":129280,"tie_word_embeddings":false,)"
     R"("attention_bias":false,"max_position_embeddings":4096})"},
    {124439808, "gpt2",
     R"({"model_type":"gpt2","n_embd":768,"n_layer":12,)"
     R"("n_head":12,"n_positions":1024,"n_ctx":1024,)"
     R"("vocab_size":50257,"max_position_embeddings":4096})"},
    {162322944, "pythia-160m",
     R"({"model_type":"gpt_neox","hidden_size":768,)"
     R"("num_hidden_layers":12,"num_attention_heads":12,)"
     R"("intermediate_size":3072,"vocab_size":50304,)"
     R"("tie_word_embeddings":false,)"
     R"("max_position_embeddings":4096})"},
    {7298617344, "olmo-2-7b",
     R"({"model_type":"olmo2","hidden_size":4096,)"
     R"("num_hidden_layers":32,"num_attention_heads":32,)"
     R"("num_key_value_heads":32,"intermediate_size":11008,)"
     R"("vocab_size":100352,"tie_word_embeddings":false,)"
     R"("attention_bias":false,"max_position_embeddings":4096})"},
    {46702792704, "mixtral-8x7b",
     R"({"model_type":"mixtral","hidden_size":4096,)"
     R"("num_hidden_layers":32,"num_attention_heads":32,)"
     R"("num_key_value_heads":8,"intermediate_size":14336,)"
     R"("num_local_experts":8,"num_experts_per_tok":2,)"
     R"("vocab_size":32000,"tie_word_embeddings":false,)"
     R"("max_position_embeddings":4096})"},
    {20914757184, "gpt-oss-20b",
     R"({"model_type":"gpt_oss","hidden_size":2880,)"
     R"("num_hidden_layers":24,"num_attention_heads":64,)"
     R"("num_key_value_heads":8,"head_dim":64,)"
     R"("intermediate_size":2880,"num_local_experts":32,)"
     R"("num_experts_per_tok":4,"vocab_size":201088,)"
     R"("attention_bias":true,"tie_word_embeddings":false,)"
     R"("max_position_embeddings":4096})"},
    {6921720704, "falcon-7b",
     R"({"model_type":"falcon","hidden_size":4544,)"
     R"("num_hidden_layers":32,"num_attention_heads":71,)"
     R"("multi_query":true,"parallel_attn":true,)"
     R"("new_decoder_architecture":false,"bias":false,)"
     R"("vocab_size":65024,"max_position_embeddings":4096})"},
    {41303293952, "falcon-40b",
     R"({"model_type":"falcon","hidden_size":8192,)"
     R"("num_hidden_layers":60,"num_attention_heads":128,)"
     R"("num_kv_heads":8,"new_decoder_architecture":true,)"
     R"("bias":false,"vocab_size":65024,)"
     R"("max_position_embeddings":4096})"},
    {3030371328, "starcoder2-3b",
     R"({"model_type":"starcoder2","hidden_size":3072,)"
     R"("num_hidden_layers":30,"num_attention_heads":24,)"
     R"("num_key_value_heads":2,"intermediate_size":12288,)"
     R"("vocab_size":49152,"use_bias":true,)"
     R"("max_position_embeddings":4096})"},
    {1315758080, "opt-1.3b",
     R"({"model_type":"opt","hidden_size":2048,)"
     R"("num_hidden_layers":24,"num_attention_heads":32,)"
     R"("ffn_dim":8192,"max_position_embeddings":2048,)"
     R"("vocab_size":50272,"word_embed_proj_dim":2048})"},
    {559214592, "bloom-560m",
     R"({"model_type":"bloom","n_embed":1024,"hidden_size":1024,)"
     R"("n_layer":24,"n_head":16,"vocab_size":250880,)"
     R"("max_position_embeddings":4096})"},
};
// clang-format on

TEST_CASE("config files of every family count to the published total") {
  for (const Published& model : kPublished) {
    INFO(model.name);
    const auto config = parse_config_json(model.config, "config.json");
    if (!config) FAIL(config.error().message);
    CHECK(config->known_family);
    CHECK(count_parameters(config->shape).total == model.parameters);
  }
}

TEST_CASE("the text model inside a vision model is what counts") {
  const auto config = parse_config_json(
      R"({"model_type":"llava","vision_config":{},"text_config":)"
      R"({"model_type":"llama","hidden_size":8,"num_hidden_layers":1,)"
      R"("num_attention_heads":2,"intermediate_size":16,"vocab_size":10}})",
      "m/config.json");
  REQUIRE(config);
  CHECK(config->shape.hidden == 8);
  CHECK(config->notes ==
        std::vector<std::string>{
            "the parameters of its vision tower are not known"});
}

TEST_CASE("an unknown family is counted as a Llama and says so") {
  const auto config = parse_config_json(
      R"({"model_type":"novel","hidden_size":8,"num_hidden_layers":1,)"
      R"("num_attention_heads":2,"intermediate_size":16,"vocab_size":10})",
      "config.json");
  REQUIRE(config);
  CHECK_FALSE(config->known_family);
  CHECK(config->notes.front() ==
        "model type \"novel\" is not known: counted as a Llama");
}

TEST_CASE("files that describe no such model are refused, and say where") {
  const auto message = [](std::string_view json) {
    return parse_config_json(json, "c.json").error().message;
  };
  CHECK(message("{}") == "c.json: hidden size is 0, expected 1 to 1048576");
  CHECK(message(R"({"model_type":"t5"})") ==
        "c.json: a model of type t5 is not supported");
  CHECK(message(R"({"hidden_size":"8"})") ==
        "c.json:1:3: \"hidden_size\" is no size");
  CHECK(message(R"({"hidden_size":-8})") ==
        "c.json:1:3: \"hidden_size\" is no size");
  CHECK(parse_config_json("{", "c.json").error().kind == ErrorKind::kCorrupt);
  const std::string long_one(kMostConfigBytes + 1, ' ');
  CHECK(parse_config_json(long_one, "c.json").error().kind ==
        ErrorKind::kLimit);
}

}  // namespace
}  // namespace trainsight::models
