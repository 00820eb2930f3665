// The flags of a job (plan_args.h).
#include <CLI/CLI.hpp>
#include <span>

#include "job_words.h"
#include "plan_args.h"

namespace trainsight::cli {

using namespace words;  // NOLINT: the tables are what this file is about

void add_job_options(CLI::App& command, JobArgs& args, bool all) {
  const auto job = "Job";
  command
      .add_option("--model", args.model,
                  "A name (llama-3.1-8b), a config.json, a folder, or a model "
                  "of the local Hugging Face cache")
      ->type_name("NAME|PATH")
      ->group(job);
  command
      .add_option("--config", args.configs,
                  "Settings from a trainer's own files: axolotl, TRL, "
                  "accelerate, DeepSpeed, LLaMA-Factory, torchtune, Megatron; "
                  "may be given several times")
      ->type_name("FILE")
      ->allow_extra_args(false)
      ->group(job);
  command.add_option("--gpu", args.gpu, "h100, a100-40g, rtx4090, mi300x, …")
      ->type_name("NAME")
      ->group(job);
  command.add_option("--gpus", args.gpus, "GPUs in all [1]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 17))
      ->group(job);
  command
      .add_option("--framework", args.framework,
                  "Whose code runs: trl, axolotl, llama-factory, unsloth, "
                  "litgpt, torchtune, torchtitan, megatron, deepspeed [trl]")
      ->type_name("NAME")
      ->group(job);
  command
      .add_option("--method", args.method,
                  "full, lora, qlora, dora, qdora, frozen [lora]")
      ->type_name("METHOD")
      ->group(job);
  if (!all) return;
  command.add_option("--lora-rank", args.lora_rank, "Rank of adapters [16]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 16))
      ->group(job);
  command
      .add_option("--lora-targets", args.lora_targets,
                  "all-linear, or q_proj,v_proj,… [all-linear]")
      ->type_name("LIST")
      ->group(job);
  command
      .add_flag("--lora-dropout", args.lora_dropout,
                "Adapters have a dropout above 0")
      ->group(job);
  const auto word = [&](const char* flag, std::optional<std::string>& value,
                        const std::string& help) {
    command.add_option(flag, value, help)->type_name("WORD")->group("Settings");
  };
  word("--base", args.base,
       "How a frozen base is stored: " +
           words_of(std::span<const Word<BaseStorage>>(kBases)));
  word("--precision", args.precision,
       "Of trained weights: " +
           words_of(std::span<const Word<Precision>>(kPrecisions)));
  word("--optimizer", args.optimizer,
       words_of(std::span<const Word<Optimizer>>(kOptimizers)));
  word("--sharding", args.sharding,
       words_of(std::span<const Word<Sharding>>(kShardings)) +
           " [fsdp if full, else ddp]");
  word("--offload", args.offload,
       "To the host: " + words_of(std::span<const Word<Offload>>(kOffloads)));
  word("--checkpointing", args.checkpointing,
       "Of activations: " +
           words_of(std::span<const Word<Checkpointing>>(kCheckpointings)));
  word("--attention", args.attention,
       words_of(std::span<const Word<Attention>>(kAttentions)));
  word("--kernels", args.kernels,
       words_of(std::span<const Word<Kernels>>(kKernels)) +
           " (Liger, Unsloth, torch.compile)");
  word("--loss", args.loss, words_of(std::span<const Word<Loss>>(kLosses)));
  word("--objective", args.objective,
       words_of(std::span<const Word<Objective>>(kObjectives)) +
           " [by the data]");
  word("--reference", args.reference,
       words_of(std::span<const Word<Referring>>(kReferences)) +
           ": for dpo, kto, grpo; none where its log-probabilities are "
           "precomputed or not used [model; grpo: none]");
  word("--packing", args.packing,
       words_of(std::span<const Word<plan::Packing>>(kPackings)) + " [padded]");
  word("--order", args.order,
       words_of(std::span<const Word<plan::Order>>(kOrders)) + " [random]");
  const auto count = [&](const char* flag, std::optional<std::uint64_t>& value,
                         const char* help) {
    command.add_option(flag, value, help)
        ->type_name("N")
        ->check(CLI::Range(1u, 1u << 16))
        ->group("Settings");
  };
  count("--accumulation", args.accumulation, "Micro-batches of a step [1]");
  count("--tp", args.tensor, "Tensor parallelism [1]");
  count("--pp", args.pipeline, "Pipeline stages [1]");
  count("--vpp", args.virtual_stages,
        "Chunks of layers that a stage takes turns with (interleaved) [1]");
  count("--cp", args.context, "Context parallelism [1]");
  count("--ep", args.expert, "Expert parallelism [1]");
  word("--sequence-parallel", args.sequence_parallel,
       "Whether tensor ranks share norms and hidden states, too: " +
           words_of(std::span<const Word<bool>>(kSwitch)) + " [on]");
  command
      .add_flag("--optimizer-in-backward", args.backward_step,
                "The optimizer steps inside the backward pass")
      ->group("Settings");
  command
      .add_flag("--activation-offload", args.activation_offload,
                "Saved activations wait on the host")
      ->group("Settings");
  command.add_option("--epochs", args.epochs, "Epochs of the cost [1]")
      ->type_name("X")
      ->check(CLI::Range(0.001, 100000.0))
      ->group("Settings");
  const auto rl = "RL (grpo)";
  command
      .add_option("--completion-budget", args.completion_budget,
                  "Most tokens that are generated for a prompt [512]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 24))
      ->group(rl);
  command
      .add_option("--completion-tokens", args.completion_tokens,
                  "Mean and P99 of the completions' lengths, as measured or "
                  "expected [all as long as the budget]")
      ->type_name("MEAN,P99")
      ->group(rl);
  command
      .add_option("--generations", args.generations,
                  "Completions of each prompt; a micro-batch counts "
                  "completions [1]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 20))
      ->group(rl);
  command
      .add_option("--engine", args.engine,
                  "What generates: trainer (the trained model itself), "
                  "colocated (vLLM on the same GPUs), elsewhere [trainer]")
      ->type_name("WORD")
      ->group(rl);
  command
      .add_option("--engine-memory", args.engine_memory,
                  "What a colocated engine takes of each GPU: a share, as "
                  "vLLM's gpu_memory_utilization, or 24GiB [0.3]")
      ->type_name("SHARE|SIZE")
      ->group(rl);
  command
      .add_option("--engine-tp", args.engine_tensor,
                  "GPUs that an engine is spread over [1]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 16))
      ->group(rl);
  command
      .add_option("--engine-sequences", args.engine_sequences,
                  "Sequences that an engine generates together [a step's]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 20))
      ->group(rl);
  command
      .add_flag("--engine-sleep", args.engine_sleep,
                "The engine gives its memory back while the model trains")
      ->group(rl);
  const auto facts = "Facts";
  command
      .add_option("--gpu-table", args.gpu_table,
                  "JSON with GPUs, or prices, of one's own")
      ->type_name("FILE")
      ->group(facts);
  command.add_option("--price", args.price, "US dollars per GPU-hour")
      ->type_name("USD")
      ->check(CLI::Range(0.0, 1e6))
      ->group(facts);
  command
      .add_option("--measured-peak", args.measured_peak,
                  "A peak that a run of this code had: 41.2GiB")
      ->type_name("SIZE")
      ->group(facts);
  command
      .add_option("--at", args.measured_at,
                  "The batch that it had: SEQUENCESxLENGTH [the largest]")
      ->type_name("BxL")
      ->group(facts);
  command
      .add_option("--measured-metric", args.measured_metric,
                  "What it counts: allocated (torch) or device (nvidia-smi) "
                  "[allocated]")
      ->type_name("METRIC")
      ->check(CLI::IsMember({"allocated", "device"}))
      ->group(facts);
  command
      .add_option("--measured-step", args.measured_step,
                  "Seconds that a step of this job took")
      ->type_name("S")
      ->check(CLI::Range(1e-6, 1e6))
      ->group(facts);
  command
      .add_option("--calibrate-from", args.calibrate_from,
                  "A snapshot of a run of this model and method: its peak and "
                  "step")
      ->type_name("FILE")
      ->group(facts);
}

}  // namespace trainsight::cli
