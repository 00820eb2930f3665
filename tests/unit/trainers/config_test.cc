#include "trainsight/trainers/config.h"

#include <catch2/catch.hpp>

namespace trainsight::trainers {
namespace {

TrainerConfig parsed(std::string_view text) {
  auto config = parse_trainer_config(text, "c.yaml");
  if (!config) FAIL(config.error().message);
  return *std::move(config);
}

std::string error_of(std::string_view text) {
  const auto config = parse_trainer_config(text, "c.yaml");
  REQUIRE_FALSE(config);
  return config.error().message;
}

using Settings = std::map<Setting, std::string>;

TEST_CASE("an axolotl file: QLoRA with packing and Cut Cross Entropy") {
  const TrainerConfig c = parsed(R"(base_model: mistralai/Mistral-7B-v0.1
plugins:
  - axolotl.integrations.cut_cross_entropy.CutCrossEntropyPlugin
load_in_4bit: true
adapter: qlora
lora_r: 32
lora_alpha: 16
lora_dropout: 0
lora_target_linear: true
sequence_len: 2048
sample_packing: true
micro_batch_size: 2
gradient_accumulation_steps: 4
num_epochs: 3
optimizer: adamw_bnb_8bit
gradient_checkpointing: true
flash_attention: true
datasets:
  - path: ./train.jsonl
    type: alpaca
  - path: tatsu-lab/alpaca
bf16: auto
)");
  CHECK(c.trainer == "axolotl");
  CHECK(c.settings == Settings{
                          {Setting::kModel, "mistralai/Mistral-7B-v0.1"},
                          {Setting::kMethod, "qlora"},
                          {Setting::kBase, "nf4"},
                          {Setting::kLoraRank, "32"},
                          {Setting::kLoraTargets, "all-linear"},
                          {Setting::kMaxSeqLen, "2048"},
                          {Setting::kPacking, "packed"},
                          {Setting::kMicroBatch, "2"},
                          {Setting::kAccumulation, "4"},
                          {Setting::kEpochs, "3"},
                          {Setting::kOptimizer, "adamw8bit"},
                          {Setting::kCheckpointing, "full"},
                          {Setting::kAttention, "flash"},
                          {Setting::kLoss, "fused"},
                      });
  CHECK(c.datasets ==
        std::vector<std::string>{"./train.jsonl", "tatsu-lab/alpaca"});
  CHECK(c.ignored ==
        std::vector<std::string>{"lora_alpha", "datasets[0].type", "bf16"});
}

TEST_CASE("a TRL file with accelerate's and DeepSpeed's beside it") {
  TrainerConfig c = parsed(R"(model_name_or_path: Qwen/Qwen2.5-7B
use_peft: true
lora_r: 16
lora_target_modules: [q_proj, v_proj]
max_length: 4096
per_device_train_batch_size: 4
gradient_checkpointing: true
attn_implementation: flash_attention_2
use_liger_kernel: true
torch_dtype: bfloat16
)");
  CHECK(c.trainer == "trl");
  CHECK(c.settings[Setting::kMethod] == "lora");
  CHECK(c.settings[Setting::kLoraTargets] == "q_proj,v_proj");
  CHECK(c.settings[Setting::kLoss] == "fused");
  CHECK(c.settings[Setting::kKernels] == "fused");
  // Adapters of a frozen base have no precision of their own to state.
  CHECK(c.settings.count(Setting::kPrecision) == 0);
  merge(parsed(R"(compute_environment: LOCAL_MACHINE
distributed_type: DEEPSPEED
deepspeed_config:
  zero_stage: 3
  offload_optimizer_device: cpu
num_processes: 8
)"),
        c);
  CHECK(c.settings[Setting::kSharding] == "zero3");
  CHECK(c.settings[Setting::kOffload] == "optimizer");
  CHECK(c.settings[Setting::kGpus] == "8");
  merge(parsed(R"({"zero_optimization": {"stage": 2,
      "offload_optimizer": {"device": "none"}},
      "train_micro_batch_size_per_gpu": "auto",
      "bf16": {"enabled": true}})"),
        c);
  CHECK(c.settings[Setting::kSharding] == "zero2");
  CHECK(c.settings[Setting::kPrecision] == "deepspeed");
  CHECK(c.settings[Setting::kMicroBatch] == "4");
}

TEST_CASE(
    "accelerate's mixed precision means 32-bit masters under FSDP alone") {
  CHECK(parsed("distributed_type: FSDP\nmixed_precision: bf16\n")
            .settings.at(Setting::kPrecision) == "mixed");
  CHECK(parsed("distributed_type: MULTI_GPU\nmixed_precision: bf16\n")
            .settings.count(Setting::kPrecision) == 0);
}

TEST_CASE("a TRL file without PEFT trains everything, 8 rows a GPU") {
  const TrainerConfig c = parsed(
      "model_name_or_path: gpt2\nmax_length: 512\ntorch_dtype: bfloat16\n");
  CHECK(c.settings.at(Setting::kMethod) == "full");
  CHECK(c.settings.at(Setting::kMicroBatch) == "8");
  CHECK(c.settings.at(Setting::kPrecision) == "pure16");
}

TEST_CASE("a LLaMA-Factory file") {
  const TrainerConfig c =
      parsed(R"(model_name_or_path: meta-llama/Meta-Llama-3-8B-Instruct
stage: dpo
do_train: true
finetuning_type: lora
lora_target: all
pref_loss: simpo
dataset: dpo_en_demo
cutoff_len: 2048
per_device_train_batch_size: 1
gradient_accumulation_steps: 8
num_train_epochs: 3.0
quantization_bit: 4
deepspeed: examples/deepspeed/ds_z3_config.json
flash_attn: fa2
)");
  CHECK(c.trainer == "llama-factory");
  CHECK(c.settings.at(Setting::kObjective) == "simpo");
  CHECK(c.settings.at(Setting::kLoraRank) == "8");
  CHECK(c.settings.at(Setting::kBase) == "nf4");
  CHECK(c.settings.at(Setting::kSharding) == "zero3");
  CHECK(c.settings.at(Setting::kAttention) == "flash");
  CHECK(c.settings.at(Setting::kEpochs) == "3");
}

TEST_CASE("a torchtune file: builder, loss and optimizer are components") {
  const TrainerConfig c = parsed(R"(model:
  _component_: torchtune.models.llama3_1.qlora_llama3_1_8b
  lora_attn_modules: ['q_proj', 'v_proj', 'output_proj']
  lora_rank: 8
tokenizer:
  _component_: torchtune.models.llama3.llama3_tokenizer
  max_seq_len: 4096
batch_size: 2
epochs: 1
optimizer:
  _component_: torch.optim.AdamW
  fused: True
loss:
  _component_: torchtune.modules.loss.CEWithChunkedOutputLoss
enable_activation_checkpointing: True
compile: False
dtype: bf16
)");
  CHECK(c.trainer == "torchtune");
  CHECK(c.settings.at(Setting::kModel) == "llama-3.1-8b");
  CHECK(c.settings.at(Setting::kMethod) == "qlora");
  CHECK(c.settings.at(Setting::kLoraTargets) == "q_proj,v_proj,o_proj");
  CHECK(c.settings.at(Setting::kOptimizer) == "adamw-fused");
  CHECK(c.settings.at(Setting::kLoss) == "chunked");
  CHECK(c.settings.at(Setting::kCheckpointing) == "full");
  CHECK(c.settings.count(Setting::kKernels) == 0);
}

TEST_CASE("torchtune's builders name models as the table does") {
  const auto model = [](std::string_view builder) {
    const std::string text =
        "model:\n  _component_: torchtune.models.x." + std::string(builder);
    return parsed(text).settings.at(Setting::kModel);
  };
  CHECK(model("llama2_7b") == "llama-2-7b");
  CHECK(model("llama3_2_1b") == "llama-3.2-1b");
  CHECK(model("lora_mistral_7b") == "mistral-7b");
  CHECK(model("qwen2_5_7b_instruct") == "qwen2.5-7b-instruct");
  CHECK(model("gemma2_9b") == "gemma-2-9b");
}

TEST_CASE("Megatron's arguments give a shape and the ways to split it") {
  const TrainerConfig c = parsed(R"(#!/bin/bash
GPT_ARGS=(
    --num-layers 32   # as Llama
    --hidden-size 4096
    --num-attention-heads 32
    --ffn-hidden-size=11008
    --swiglu
    --seq-length 4096
    --vocab-size $VOCAB
) \
--tensor-model-parallel-size 4 --pipeline-model-parallel-size 2 \
--micro-batch-size 1 --use-distributed-optimizer --recompute-granularity full
)");
  CHECK(c.trainer == "megatron");
  CHECK(c.shape == std::map<std::string, std::uint64_t>{
                       {"num-layers", 32},
                       {"hidden-size", 4096},
                       {"num-attention-heads", 32},
                       {"ffn-hidden-size", 11008},
                       {"swiglu", 1},
                   });
  CHECK(c.settings.at(Setting::kTensor) == "4");
  CHECK(c.settings.at(Setting::kPipeline) == "2");
  CHECK(c.settings.at(Setting::kSharding) == "zero1");
  CHECK(c.settings.at(Setting::kCheckpointing) == "full");
  // Silent: Megatron does not split what is between the layers.
  CHECK(c.settings.at(Setting::kSequenceParallel) == "off");
  CHECK(c.defaulted.at(Setting::kSequenceParallel) == "off");
}

TEST_CASE("Megatron's sequence parallelism and global batch are read") {
  const TrainerConfig c = parsed(
      "--num-layers 2 --tensor-model-parallel-size 4 --sequence-parallel "
      "--micro-batch-size 1 --global-batch-size 128");
  CHECK(c.settings.at(Setting::kSequenceParallel) == "on");
  CHECK(c.defaulted.count(Setting::kSequenceParallel) == 0);
  CHECK(c.settings.at(Setting::kGlobalBatch) == "128");
}

TEST_CASE("Megatron's interleaved stages are read, old and new") {
  CHECK(parsed("--num-layers 8 --num-virtual-stages-per-pipeline-rank 2")
            .settings.at(Setting::kVirtualStages) == "2");
  CHECK(parsed("--num-layers 8 --num-layers-per-virtual-pipeline-stage 2")
            .settings.at(Setting::kChunkLayers) == "2");
}

TEST_CASE("batches that are always full are not as short as the data") {
  const TrainerConfig megatron =
      parsed("--num-layers 2 --seq-length 4096 --micro-batch-size 1");
  CHECK(megatron.settings.at(Setting::kPacking) == "packed");
  const TrainerConfig axolotl =
      parsed("base_model: x\npad_to_sequence_len: true\nsequence_len: 2048\n");
  CHECK(axolotl.settings.at(Setting::kPadToMultipleOf) == "2048");
  CHECK(parsed("base_model: x\npad_to_sequence_len: true\n")
            .settings.count(Setting::kPadToMultipleOf) == 0);
  const std::string factory = "model_name_or_path: x\ncutoff_len: 512\n";
  CHECK(parsed(factory + "stage: pt\n").settings.at(Setting::kPacking) ==
        "packed");
  CHECK(parsed(factory + "stage: sft\n").settings.count(Setting::kPacking) ==
        0);
}

TEST_CASE("an optimizer that nobody knows is taken for AdamW, and said so") {
  const TrainerConfig c = parsed("base_model: x\noptimizer: sophia\n");
  CHECK(c.settings.at(Setting::kOptimizer) == "adamw");
  CHECK(c.defaulted.at(Setting::kOptimizer) == "adamw");
  CHECK(c.ignored == std::vector<std::string>{"optimizer"});
}

TEST_CASE("faults are located, limits hold") {
  CHECK(error_of("base_model: [x") ==
        "c.yaml:1:1: end of sequence flow not found");
  CHECK(error_of("hello: 1") == "c.yaml: no known trainer writes such keys");
  CHECK(error_of("base_model: x\nmicro_batch_size: 0") ==
        "c.yaml: micro_batch_size: \"0\" is no whole number above 0");
  CHECK(error_of("base_model: x\nsample_packing: 7x") ==
        "c.yaml: sample_packing: \"7x\" is no truth value");
  CHECK(parse_trainer_config(std::string(kMostConfigBytes + 1, ' '), "c")
            .error()
            .kind == ErrorKind::kLimit);
  CHECK(error_of(std::string(100000, '[')) == "c.yaml: nested too deeply");
  // A few aliases that stand for 10^9 values.
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j == 0 ? "" : ", ") + last;
    bomb += "]\n";
  }
  CHECK(parse_trainer_config(bomb, "c").error().kind == ErrorKind::kLimit);
}

TEST_CASE("a TRL file for GRPO, with vLLM on the same GPUs") {
  const TrainerConfig c = parsed(R"(model_name_or_path: Qwen/Qwen2.5-3B
use_peft: true
dtype: bfloat16
per_device_train_batch_size: 8
num_generations: 16
max_prompt_length: 512
max_completion_length: 1024
vllm_mode: colocate
use_vllm: true
vllm_gpu_memory_utilization: 0.25
vllm_tensor_parallel_size: 2
vllm_enable_sleep_mode: true
beta: 0.04
temperature: 0.9
)");
  CHECK(c.settings == Settings{
                          {Setting::kModel, "Qwen/Qwen2.5-3B"},
                          {Setting::kMethod, "lora"},
                          {Setting::kMicroBatch, "8"},
                          {Setting::kObjective, "grpo"},
                          {Setting::kGenerations, "16"},
                          {Setting::kMaxSeqLen, "512"},
                          {Setting::kCompletionBudget, "1024"},
                          {Setting::kEngine, "colocated"},
                          {Setting::kEngineMemory, "0.25"},
                          {Setting::kEngineTensor, "2"},
                          {Setting::kEngineSleep, "true"},
                          {Setting::kReference, "model"},
                      });
  CHECK(c.ignored == std::vector<std::string>{"temperature"});
}

TEST_CASE("without use_vllm the trained model generates, 8 for a prompt") {
  const TrainerConfig c = parsed(R"(model_name_or_path: Qwen/Qwen2.5-3B
max_completion_length: 256
vllm_mode: colocate
vllm_gpu_memory_utilization: 0.5
)");
  CHECK(c.settings.at(Setting::kEngine) == "trainer");
  CHECK(c.settings.at(Setting::kGenerations) == "8");
  CHECK(c.settings.at(Setting::kReference) == "none");
  CHECK(c.settings.count(Setting::kEngineMemory) == 0);
  CHECK(c.ignored ==
        std::vector<std::string>{"vllm_mode", "vllm_gpu_memory_utilization"});
  CHECK(parsed("model_name_or_path: q\nuse_vllm: true\nvllm_mode: server\n")
            .settings.at(Setting::kEngine) == "elsewhere");
  CHECK(parsed("model_name_or_path: q\nvllm_mode: server\nuse_vllm: true\n")
            .settings.at(Setting::kEngine) == "elsewhere");
}

TEST_CASE("an axolotl file for GRPO") {
  const TrainerConfig c = parsed(R"(base_model: Qwen/Qwen2.5-1.5B
rl: grpo
trl:
  beta: 0.001
  use_vllm: true
  vllm_mode: colocate
  num_generations: 4
  max_completion_length: 300
  reward_funcs: [rewards.length]
vllm:
  gpu_memory_utilization: 0.4
  tensor_parallel_size: 1
)");
  CHECK(c.settings.at(Setting::kObjective) == "grpo");
  CHECK(c.settings.at(Setting::kEngine) == "colocated");
  CHECK(c.settings.at(Setting::kEngineMemory) == "0.4");
  CHECK(c.settings.at(Setting::kGenerations) == "4");
  CHECK(c.settings.at(Setting::kCompletionBudget) == "300");
  CHECK(c.settings.at(Setting::kReference) == "model");
  CHECK(c.ignored == std::vector<std::string>{"trl.reward_funcs"});
  // Its vLLM is a server unless it says otherwise.
  CHECK(parsed("base_model: q\nrl: grpo\ntrl:\n  use_vllm: true\n")
            .settings.at(Setting::kEngine) == "elsewhere");
}

TEST_CASE("keys of generation say nothing where nothing is generated") {
  const TrainerConfig c = parsed(R"(base_model: q
rl: dpo
vllm:
  gpu_memory_utilization: 0.4
)");
  CHECK(c.settings.at(Setting::kObjective) == "dpo");
  CHECK(c.settings.count(Setting::kEngineMemory) == 0);
  CHECK(c.ignored == std::vector<std::string>{"vllm.gpu_memory_utilization"});
  CHECK(error_of("model_name_or_path: q\nvllm_gpu_memory_utilization: 30\n") ==
        "c.yaml: vllm_gpu_memory_utilization: \"30\" is no share of a GPU");
}

TEST_CASE("DPO without a reference model at hand") {
  CHECK(parsed("model_name_or_path: q\nprecompute_ref_log_probs: true\n")
            .settings.at(Setting::kReference) == "none");
}

TEST_CASE("what a trainer does by default is told") {
  using Words = std::map<Setting, std::string>;
  CHECK(parsed("model_name_or_path: gpt2\n").defaulted ==
        Words{{Setting::kMethod, "full"}, {Setting::kMicroBatch, "8"}});
  CHECK(parsed("base_model: q\n").defaulted ==
        Words{{Setting::kMethod, "full"}});
  CHECK(parsed("model_name_or_path: q\nstage: sft\n").defaulted ==
        Words{{Setting::kMethod, "lora"}, {Setting::kLoraRank, "8"}});
  // TRL loads a named model in 32 bits; adapters do not change that.
  const auto base = [](std::string_view text) {
    const TrainerConfig c = parsed(text);
    const auto found = c.settings.find(Setting::kBase);
    return found == c.settings.end() ? std::string() : found->second;
  };
  CHECK(base("model_name_or_path: q\nuse_peft: true\n") == "32bit");
  CHECK(base("model_name_or_path: q\nuse_peft: true\ndtype: float32\n") ==
        "32bit");
  CHECK(
      base("model_name_or_path: q\nuse_peft: true\ndtype: bfloat16\n").empty());
  CHECK(base("model_name_or_path: q\nuse_peft: true\ndtype: auto\n").empty());
  CHECK(base("model_name_or_path: q\nuse_peft: true\nload_in_4bit: true\n") ==
        "nf4");
  CHECK(parsed("model_name_or_path: q\ngradient_checkpointing: false\n")
            .settings.at(Setting::kCheckpointing) == "none");
  // What another file of the run says is no default any more.
  TrainerConfig c = parsed("model_name_or_path: gpt2\n");
  merge(parsed(R"({"train_micro_batch_size_per_gpu": 2})"), c);
  CHECK(c.defaulted == Words{{Setting::kMethod, "full"}});
}

TEST_CASE("a prompt's limit is the row's only where answers are generated") {
  const TrainerConfig dpo = parsed(
      "model_name_or_path: q\nmax_length: 1024\nmax_prompt_length: 512\n");
  CHECK(dpo.settings.at(Setting::kMaxSeqLen) == "1024");
  CHECK(dpo.ignored == std::vector<std::string>{"max_prompt_length"});
  CHECK(parsed("model_name_or_path: q\nmax_prompt_length: 512\n"
               "max_completion_length: 64\n")
            .settings.at(Setting::kMaxSeqLen) == "512");
}

}  // namespace
}  // namespace trainsight::trainers
