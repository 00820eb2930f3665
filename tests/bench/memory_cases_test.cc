// Rows of any CSV become cases, or say why not.
#include "bench/memory_cases.h"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

namespace trainsight::bench {
namespace {

std::vector<MemoryCase> read(const std::string& csv) {
  auto cases = read_memory_cases(csv);
  if (!cases) FAIL(cases.error().message);
  for (const MemoryCase& one : *cases) {
    if (!one.problem.empty()) continue;
    INFO(one.model);
    const double bytes = predicted_bytes(one, {});
    CHECK(std::isfinite(bytes));
    CHECK(bytes > 0);
  }
  return *std::move(cases);
}

TEST_CASE("a row with all that matters") {
  const auto cases = read(
      "model,method,micro_batch,seq_len,precision,gpus,zero_or_fsdp,grad_ckpt,"
      "attention,gpu_model,measured_peak_gib,outcome,notes,source_url\n"
      "llama-3-8b,full,4,4096,bf16-true,1,none,yes,flash,A100-80,74.80,fits,"
      "\"metric=max_allocated; foreach AdamW, \"\"packed\"\"\","
      "https://github.com/a/b/blob/x\n");
  REQUIRE(cases.size() == 1);
  const MemoryCase& one = cases.front();
  CHECK(one.problem.empty());
  CHECK(one.counts.total == 8'030'261'248);
  CHECK(one.batch.tokens() == 4 * 4096);
  CHECK(one.settings.method == memory::Method::kFull);
  CHECK(one.metric == Metric::kAllocated);
  CHECK(one.notes == "metric=max_allocated; foreach AdamW, \"packed\"");
  CHECK(one.project == "a/b");
  CHECK(one.usable_gib == 79.2);
  CHECK(one.measured_gib == 74.8);
}

TEST_CASE("columns in another order and case, with a mark of the encoding") {
  const auto cases = read(
      "\xEF\xBB\xBFNotes, Method "
      ",MODEL,extra\r\nmetric=device,qlora,mistral-7b,"
      "x\r\n\r\n,,,\r\n");
  REQUIRE(cases.size() == 1);
  CHECK(cases[0].problem.empty());
  CHECK(cases[0].settings.base == memory::BaseStorage::kNf4);
  CHECK(cases[0].metric == Metric::kDevice);
  CHECK(cases[0].usable_gib == 0);
  CHECK_FALSE(cases[0].measured_gib);
  CHECK_FALSE(cases[0].out_of_memory);
}

TEST_CASE("words in another case, with blanks, and counts as people write") {
  const std::string head =
      "model,method,precision,optimizer,zero_or_fsdp,gpus,grad_ckpt,"
      "micro_batch,seq_len,outcome\n";
  const auto plain = read(
      head + "llama-2-7b,qlora,bf16+nf4,adamw8bit,zero3,8,yes,1,4096,oom\n");
  const auto other = read(
      head +
      "Llama-2-7B, QLoRA ,BF16+NF4,AdamW8bit,ZeRO-3,8,True,1,4k,OOM\n"
      "llama-2-7b,qlora,bf16+nf4,adamw8bit,zero3,8,full,1,\"4,096\",oom\n");
  REQUIRE(plain.size() == 1);
  REQUIRE(other.size() == 2);
  for (const MemoryCase& one : other) {
    CHECK(one.problem.empty());
    CHECK(one.batch.length == 4096);
    CHECK(one.out_of_memory);
    CHECK(predicted_bytes(one, {}) == predicted_bytes(plain[0], {}));
  }
}

TEST_CASE("a model that no table has is predicted from its sizes") {
  const auto cases = read(
      "model,method,hidden,layers,heads,kv_heads,intermediate,vocab,params_b,"
      "gpu_model,gpu_gib,outcome\n"
      "mystery-3b,lora,2560,32,32,8,6912,50304,?,some-gpu,48,oom\n");
  REQUIRE(cases.size() == 1);
  CHECK(cases[0].problem.empty());
  CHECK(cases[0].shape.head_dim == 80);
  CHECK(cases[0].usable_gib == Approx(48 * 0.985));
  CHECK(cases[0].out_of_memory);
}

TEST_CASE("a row that cannot be predicted says why") {
  const auto cases = read(
      "model,method,hidden,layers,heads,micro_batch,measured_peak_gib\n"
      "mystery,lora,?,?,?,1,10\n"
      "llama-2-7b,ia3,,,,1,10\n"
      "llama-2-7b,full,,,,1e30,10\n"
      "mystery,full,4096,0,32,1,10\n"
      "llama-2-7b,full\n");
  REQUIRE(cases.size() == 5);
  CHECK(cases[0].problem == "model \"mystery\" is not known, and has no sizes");
  CHECK(cases[1].problem == "method \"ia3\" is not known");
  CHECK(cases[2].problem == "micro_batch is no count: 1e30");
  CHECK(cases[3].problem.starts_with("no model: "));
  CHECK(cases[4].problem.empty());  // all else as in a plain run
}

TEST_CASE("figures that are none are not taken for 0") {
  const auto cases = read(
      "model,method,measured_peak_gib,gpu_gib\n"
      "gpt2,full,nan,nan\ngpt2,full,-3,0\ngpt2,full,?,?\ngpt2,full,1e400,x\n");
  REQUIRE(cases.size() == 4);
  for (const MemoryCase& one : cases) {
    CHECK_FALSE(one.measured_gib);
    CHECK(one.usable_gib == 0);
  }
}

TEST_CASE("a file that is no such table is refused as a whole") {
  for (const char* csv : {"", "a,b\n1,2\n", "{\"model\": 1}", "\n\n"}) {
    INFO(csv);
    CHECK_FALSE(read_memory_cases(csv));
  }
}

TEST_CASE("rows with any words in any column neither crash nor give nonsense") {
  const std::vector<std::string> columns = {
      "source_url",   "date",         "model",
      "hidden",       "layers",       "heads",
      "kv_heads",     "intermediate", "vocab",
      "params_b",     "method",       "lora_rank",
      "lora_targets", "precision",    "optimizer",
      "zero_or_fsdp", "gpus",         "tp",
      "pp",           "micro_batch",  "seq_len",
      "grad_ckpt",    "attention",    "fused_ce",
      "gpu_model",    "gpu_gib",      "measured_peak_gib",
      "outcome",      "notes"};
  const std::vector<std::string> words = {
      "",
      "?",
      "0",
      "1",
      "7",
      "64",
      "4096",
      "-1",
      "1e9",
      "1e300",
      "nan",
      "x",
      "llama-2-7b",
      "mixtral-8x7b-v0.1",
      "deepseek-v3",
      "full",
      "qlora",
      "yes",
      "selective",
      "eager",
      "zero3",
      "fsdp_full+cpu_offload",
      "device_map",
      "MoE 8 experts top-2",
      " experts top-",
      "MLA (q_lora 1536",
      "CP=0",
      "interleave 99999999999",
      "3 virtual stages",
      "on the last rank",
      "local batch 32 split in microbatches",
      "objective=GRPO",
      "Megatron-LM",
      "torchtitan",
      "bf16+nf4",
      "q;k;v;;",
      "\"a,b\nc\""};
  const std::uint32_t seed = 20261130;
  std::mt19937 random(seed);
  std::string csv;
  for (const std::string& column : columns) {
    csv += (csv.empty() ? "" : ",") + column;
  }
  for (int row = 0; row < 4000; ++row) {
    csv += '\n';
    for (std::size_t i = 0; i < columns.size(); ++i) {
      // Mostly a row that can be predicted, with some of its words replaced.
      const bool is_plain = random() % 4 != 0;
      std::string word = words[random() % words.size()];
      if (is_plain && columns[i] == "model") word = "llama-2-7b";
      if (is_plain && columns[i] == "method") word = "full";
      if (is_plain && i >= 3 && i <= 9) word = "";
      csv += (i == 0 ? "" : ",") + word;
    }
  }
  INFO("seed " << seed);
  const auto cases = read(csv);
  CHECK(cases.size() == 4000);
  std::size_t predicted = 0;
  for (const MemoryCase& one : cases) predicted += one.problem.empty() ? 1 : 0;
  CHECK(predicted > 1000);
}

}  // namespace
}  // namespace trainsight::bench
