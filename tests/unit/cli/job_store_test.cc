#include "cli/job_store.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "trainsight/manifest/read.h"
#include "trainsight/manifest/write.h"
#include "trainsight/models/model_table.h"

namespace trainsight::cli {
namespace {

// Every member that a manifest can keep, with a value that is no default.
JobArgs full_args() {
  JobArgs a;
  a.model = "llama-3.1-8b";
  a.gpu = "h100";
  a.gpus = 16;
  a.price = 2.5;
  a.framework = "megatron";
  a.method = "full";
  a.base = "16bit";
  a.precision = "megatron";
  a.optimizer = "adamw8bit";
  a.sharding = "zero1";
  a.offload = "optimizer";
  a.checkpointing = "selective";
  a.attention = "sdpa";
  a.kernels = "fused";
  a.loss = "chunked";
  a.objective = "grpo";
  a.reference = "model";
  a.packing = "padding-free";
  a.order = "file";
  a.lora_rank = 64;
  a.lora_targets = "q_proj,v_proj";
  a.lora_dropout = true;
  a.backward_step = true;
  a.activation_offload = true;
  a.accumulation = 8;
  a.epochs = 2.5;
  a.tensor = 2;
  a.pipeline = 4;
  a.context = 2;
  a.expert = 2;
  a.virtual_stages = 2;
  a.sequence_parallel = "off";
  a.completion_budget = 1u << 20;
  a.completion_tokens = "200,900";
  a.generations = 100000;
  a.engine = "colocated";
  a.engine_memory = "24GiB";
  a.engine_tensor = 2;
  a.engine_sequences = 512;
  a.engine_sleep = true;
  a.measured_peak = "41.2GiB";
  a.measured_at = "4x2048";
  a.measured_metric = "device";
  a.measured_step = 1.25;
  return a;
}

plan::Job job_of(std::string_view model) {
  plan::Job job;
  job.shape = models::find_builtin_model(model)->shape;
  job.gpu = *hardware::find_gpu(hardware::builtin_gpus(), "h100");
  return job;
}

// The training section as another process reads it.
manifest::Training written_and_read(const manifest::Training& training) {
  manifest::Manifest m;
  m.dataset.files.push_back({});
  m.dataset.files.back().path = "train.jsonl";
  m.training = training;
  const auto read = manifest::parse_manifest(manifest::to_json(m), "m.json",
                                             manifest::Depth::kAll);
  if (!read) FAIL(read.error().message);
  CHECK(read->training == training);
  return read->training;
}

JobArgs restored(const manifest::Training& training, JobArgs flags = {}) {
  const auto taken = restore_job(training, flags);
  if (!taken) FAIL(taken.error().message);
  return flags;
}

std::string error_of(const manifest::Training& training) {
  JobArgs args;
  const auto taken = restore_job(training, args);
  REQUIRE_FALSE(taken);
  CHECK(taken.error().kind == ErrorKind::kUsage);
  return taken.error().message;
}

TEST_CASE("a job that was stored is the job that is read") {
  const JobArgs args = full_args();
  manifest::Training training;
  store_job(args, job_of("llama-3.1-8b"), training);
  CHECK(restored(written_and_read(training)) == args);
  // A built-in model and GPU are known wherever the manifest goes.
  CHECK(training.model_shape.empty());
  CHECK(training.gpu_figures.empty());
}

TEST_CASE("a job without flags has one GPU and LoRA") {
  manifest::Training training;
  store_job({}, job_of("gpt2"), training);
  const JobArgs args = restored(written_and_read(training));
  CHECK(args.method == "lora");
  CHECK(args.gpus == 1);
  CHECK(training.settings.empty());
}

TEST_CASE("sizes of a model of one's own and a GPU's figures are kept") {
  JobArgs args;
  args.shape = {{"hidden-size", 4096}};  // Megatron's arguments
  args.gpu = "mine";
  args.gpu_table = "gpus.json";
  plan::Job job = job_of("deepseek-v3");
  job.shape.name = "megatron arguments";
  job.gpu.name = "mine";
  job.gpu.usable_gib = 47.5;
  job.gpu.has_bf16 = false;
  manifest::Training training;
  store_job(args, job, training);
  const JobArgs read = restored(written_and_read(training));
  CHECK(read.model == "megatron arguments");
  CHECK(read.model_shape.at("latent_kv_rank") == 512);
  CHECK(read.gpu_figures.at("usable_gib") == 47.5);
  CHECK(read.gpu_figures.at("has_bf16") == 0);
  // Neither a Megatron file nor a table is at hand here.
  const auto resolved =
      resolve_job(read, records::SampleType::kUnknown, Environment());
  REQUIRE(resolved);
  CHECK(resolved->job.counts.total ==
        models::count_parameters(job.shape).total);
  CHECK(resolved->job.gpu.usable_gib == 47.5);
  CHECK(resolved->job.gpu.tflops_16bit == job.gpu.tflops_16bit);
  CHECK_FALSE(resolved->job.gpu.has_bf16);
}

TEST_CASE("flags go before what is stored") {
  manifest::Training training;
  JobArgs args = full_args();
  args.method = "qlora";
  args.base = "nf4-double";
  store_job(args, job_of("llama-3.1-8b"), training);
  training.model_shape = {{"hidden", 1}};
  training.gpu_figures = {{"usable_gib", 1}};
  JobArgs flags;
  flags.model = "gpt2";
  flags.gpu = "t4";
  flags.method = "lora";
  flags.tensor = 1;
  const JobArgs read = restored(training, flags);
  CHECK(read.model == "gpt2");
  CHECK(read.model_shape.empty());
  CHECK(read.gpu == "t4");
  CHECK(read.gpu_figures.empty());
  CHECK(read.tensor == 1);
  CHECK(read.pipeline == 4);
  // Another method is held in another way, and has another peak.
  CHECK_FALSE(read.base);
  CHECK_FALSE(read.precision);
  CHECK(read.measured_peak.empty());
  CHECK_FALSE(read.measured_step);
}

TEST_CASE("a measured peak outlives another GPU, a measured step does not") {
  manifest::Training training;
  store_job(full_args(), job_of("llama-3.1-8b"), training);
  JobArgs flags;
  flags.gpu = "a100";
  flags.price = 1;
  const JobArgs read = restored(training, flags);
  CHECK(read.measured_peak == "41.2GiB");
  CHECK(read.measured_at == "4x2048");
  CHECK_FALSE(read.measured_step);
  CHECK(read.price == 1);
}

TEST_CASE("what was taken over is told, in the words of the flags") {
  manifest::Training training;
  JobArgs args;
  args.model = "gpt2";
  args.gpu = "h100";
  args.lora_rank = 8;
  store_job(args, job_of("gpt2"), training);
  JobArgs flags;
  flags.gpu = "t4";
  const auto taken = restore_job(training, flags);
  REQUIRE(taken);
  std::vector<std::string> told;
  for (const StoredSetting& s : *taken) told.push_back(s.name + ' ' + s.value);
  CHECK(told == std::vector<std::string>{"model gpt2", "method lora", "gpus 1",
                                         "lora_rank 8"});
}

TEST_CASE("a damaged job is refused with the member's name") {
  manifest::Training t;
  t.settings = {{"lora_rnk", "8"}};
  CHECK(error_of(t) == "training.settings: unknown \"lora_rnk\"");
  for (const char* bad :
       {"0", "-1", "8x", "", "65537", "99999999999999999999"}) {
    t.settings = {{"lora_rank", bad}};
    CHECK(error_of(t) ==
          "training.settings.lora_rank: must be from 1 to 65536");
  }
  t.settings = {{"lora_dropout", "yes"}};
  CHECK(error_of(t) ==
        "training.settings.lora_dropout: must be \"true\" or \"false\"");
  t.settings = {{"price", "nan"}};
  CHECK(error_of(t) ==
        "training.settings.price: must be a number from 0 to 1000000");
  t.settings = {{"measured_step", "-1"}};
  CHECK(error_of(t) == "training.settings.measured_step: must be seconds");
  t.settings = {{"measured_metric", "guessed"}};
  CHECK(error_of(t) ==
        "training.settings.measured_metric: must be \"allocated\" or "
        "\"device\"");
  t.settings.clear();
  t.world_size = (1u << 17) + 1;
  CHECK(error_of(t) == "training.world_size: must be from 1 to 131072");
  t.world_size.reset();
  t.accumulation = 1u << 17;
  CHECK(error_of(t) == "training.accumulation: must be from 1 to 65536");
  t.accumulation.reset();
  t.epochs = -1;
  CHECK(error_of(t) ==
        "training.epochs: must be a number from 0.001 to 100000");
}

TEST_CASE("damaged sizes and figures are refused when the job is made") {
  const auto error = [](const JobArgs& args) {
    const auto job =
        resolve_job(args, records::SampleType::kUnknown, Environment());
    REQUIRE_FALSE(job);
    return job.error().message;
  };
  JobArgs args;
  args.model = "mine";
  args.gpu = "h100";
  args.model_shape = {{"hidden", 64}, {"hieght", 2}};
  CHECK(error(args) == "training.model_shape: unknown \"hieght\"");
  args.model_shape = {{"tied_head", 2}};
  CHECK(error(args) == "training.model_shape: tied_head: must be from 0 to 1");
  args.model_shape = {{"hidden", 64}};
  CHECK(error(args).starts_with("training.model_shape: "));
  args.model_shape.clear();
  args.model = "gpt2";
  args.gpu_figures = {{"usable_gib", 80}};
  CHECK(error(args) ==
        "training.gpu_figures: usable_gib and tflops_16bit are needed");
  args.gpu_figures = {{"usable", 80}};
  CHECK(error(args) == "training.gpu_figures: unknown \"usable\"");
}

TEST_CASE("a copied job is the whole job") {
  manifest::Training from, to;
  store_job(full_args(), job_of("llama-3.1-8b"), from);
  from.model_shape = {{"hidden", 64}};
  from.gpu_figures = {{"usable_gib", 80}};
  copy_job(from, to);
  CHECK(to == from);
}

}  // namespace
}  // namespace trainsight::cli
