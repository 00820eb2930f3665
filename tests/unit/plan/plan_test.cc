#include "trainsight/plan/plan.h"

#include <catch2/catch.hpp>

#include "trainsight/models/model_table.h"

namespace trainsight::plan {
namespace {

using memory::Verdict;

Job job_of(std::string_view model, std::string_view gpu) {
  Job job;
  job.shape = models::find_builtin_model(model)->shape;
  job.counts = models::count_parameters(job.shape);
  job.gpu = *hardware::find_gpu(hardware::builtin_gpus(), gpu);
  job.settings.method = memory::Method::kLora;
  job.settings.checkpointing = memory::Checkpointing::kFull;
  return job;
}

// 999 rows of 200 tokens and one of 30,000.
DataSet one_long_row() {
  DataSet data;
  data.lengths = {{200, 999}, {30000, 1}};
  data.longest = {{"train.jsonl", 617, 30000}};
  return data;
}

TEST_CASE("one long row decides whether the job fits") {
  Job job = job_of("llama-3.1-8b", "a10g");
  DataSet data = one_long_row();
  Batches with(data, job.batching);
  CHECK(assess(job, with).verdict == Verdict::kOutOfMemory);
  data.lengths.pop_back();
  Batches without(data, job.batching);
  CHECK(assess(job, without).verdict == Verdict::kFits);
}

TEST_CASE("limits are the largest that fit") {
  const Job job = job_of("llama-3.1-8b", "h100");
  Batching b;
  b.max_seq_len = 2048;
  Job limited = job;
  limited.batching = b;
  Batches batches({}, b);
  const Limits limits = safe_limits(limited, batches);
  REQUIRE(limits.micro_batch > 1);
  REQUIRE(limits.length > 2048);
  const auto verdict_at = [&](std::uint64_t sequences, std::uint64_t length) {
    const memory::Peak peak = memory::predict_peak(
        job.shape, job.settings, {sequences, length}, job.coefficients);
    return memory::judge(memory::device_interval(peak),
                         job.gpu.usable_gib * 1024 * 1024 * 1024);
  };
  CHECK(verdict_at(limits.micro_batch, 2048) == Verdict::kFits);
  CHECK(verdict_at(limits.micro_batch + 1, 2048) != Verdict::kFits);
  CHECK(verdict_at(1, limits.length) == Verdict::kFits);
  CHECK(verdict_at(1, limits.length + 64) != Verdict::kFits);
}

TEST_CASE("rows above the limit are named with the step they come in") {
  Job job = job_of("llama-3.1-8b", "a10g");
  job.micro_batch = 2;
  job.accumulation = 5;
  const DataSet data = one_long_row();
  Batches batches(data, job.batching);
  const Outlook outlook = assess(job, batches);
  const Limits limits = safe_limits(job, batches);
  REQUIRE(limits.length >= 200);
  REQUIRE(limits.length < 30000);
  Exposure e = exposure_of(job, data, batches, limits, outlook);
  CHECK(e.rows == 1);
  REQUIRE(e.longest.size() == 1);
  CHECK(e.longest.front().line == 617);
  // One row among 1,000 stands at place (1000 + 1) / 2 on average; ten a step.
  CHECK(e.expected_step == 51);
  CHECK(e.expected_hours == Approx(51 * outlook.step.seconds.value / 3600));
  CHECK(e.tokens_cut == 30000.0 - static_cast<double>(limits.length));
  job.batching.order = Order::kFile;
  e = exposure_of(job, data, batches, limits, outlook);
  CHECK(e.expected_step == 62);  // line 617, ten rows a step
  job.batching.order = Order::kLongestFirst;
  e = exposure_of(job, data, batches, limits, outlook);
  CHECK(e.expected_step == 1);
}

TEST_CASE("a limit at the safe length leaves no row above it") {
  Job job = job_of("llama-3.1-8b", "a10g");
  job.batching.max_seq_len = 512;
  const DataSet data = one_long_row();
  Batches batches(data, job.batching);
  const Outlook outlook = assess(job, batches);
  CHECK(outlook.verdict == Verdict::kFits);
  CHECK(exposure_of(job, data, batches, safe_limits(job, batches), outlook)
            .rows == 0);
}

TEST_CASE("an epoch's steps, hours and price follow from the rows") {
  Job job = job_of("llama-3.2-1b", "h100");
  job.micro_batch = 4;
  job.accumulation = 5;
  job.batching.epochs = 3;
  job.gpu.price_low = job.gpu.price = job.gpu.price_high = 2;
  DataSet data;
  data.lengths = {{512, 1000}};
  Batches batches(data, job.batching);
  const Outlook o = assess(job, batches);
  CHECK(o.steps_per_epoch == 50);
  CHECK(o.epoch_hours.value == Approx(50 * o.step.seconds.value / 3600));
  CHECK(o.gpu_hours.value == Approx(3 * o.epoch_hours.value));
  CHECK(o.dollars.value == Approx(2 * o.gpu_hours.value));
  CHECK(o.useful_tokens_per_second == Approx(20 * 512 / o.step.seconds.value));
}

TEST_CASE("alternatives keep the global batch and are ranked") {
  Job job = job_of("llama-3.1-8b", "h100");
  job.gpus = 8;
  job.settings.ranks.data = 8;
  job.micro_batch = 2;
  job.accumulation = 4;
  job.batching.max_seq_len = 2048;
  DataSet data;
  data.lengths = {{300, 5000}, {1500, 200}};
  const auto found = alternatives(job, data, true);
  REQUIRE(found.size() > 500);
  Verdict last = Verdict::kFits;
  double hours = 0;
  for (const Alternative& a : found) {
    INFO(a.name);
    CHECK(a.outlook.verdict >= last);
    last = a.outlook.verdict;
    if (a.outlook.verdict == Verdict::kFits) {
      CHECK(a.reason.empty());
      CHECK(a.outlook.epoch_hours.value >= hours);
      hours = a.outlook.epoch_hours.value;
    } else {
      CHECK_FALSE(a.reason.empty());
    }
    if (a.job.batching.packing == Packing::kPadded) {
      const auto batch = static_cast<double>(a.job.global_batch());
      CHECK(batch >= 0.7 * 64);
      CHECK(batch <= 1.5 * 64);
    }
    CHECK(a.job.settings.ranks.data * a.job.settings.ranks.tensor == 8);
  }
}

TEST_CASE("remarks name the rule and its figures") {
  Job job = job_of("llama-3.1-8b", "a10g");
  job.settings.attention = memory::Attention::kEager;
  job.micro_batch = 4;
  DataSet data;
  data.lengths = {{200, 999}, {4000, 1}};
  Batches batches(data, job.batching);
  const Outlook o = assess(job, batches);
  const auto remarks =
      remarks_on(job, o, batches.typical_over_largest(job.micro_batch));
  std::vector<rules::RuleId> found;
  for (const Remark& remark : remarks) found.push_back(remark.rule);
  CHECK(found == std::vector<rules::RuleId>{rules::RuleId::kWorstBatch,
                                            rules::RuleId::kEagerAttention,
                                            rules::RuleId::kDoesNotFit});
  // 4 x 4,000 tokens; 4 x (200 x 996 / 1000 + 4000 x 4 / 1000) on average.
  CHECK(remarks.front().message ==
        "the largest batch has 16000 tokens, an average one 861");
  // Both sides of a pair are run.
  Job pairs = job;
  pairs.settings.objective = memory::Objective::kDpo;
  CHECK(remarks_on(pairs, assess(pairs, batches), 0.25).front().message ==
        "the largest batch has 32000 tokens, an average one 8000");
  job.settings.attention = memory::Attention::kFlash;
  const Outlook flash = assess(job, batches);
  const auto fewer = remarks_on(job, flash, 1);
  REQUIRE(fewer.size() == 2);
  CHECK(fewer.front().rule == rules::RuleId::kLargeVocabulary);
  job = job_of("llama-3.2-1b", "h200");
  CHECK(remarks_on(job, assess(job, batches), 1).empty() == false);
}

TEST_CASE("a method that was chosen is kept") {
  Job job = job_of("llama-3.1-8b", "h100");
  job.batching.max_seq_len = 2048;
  for (const Alternative& a : alternatives(job, {}, false)) {
    CHECK(method_name(a.job.settings) == "lora");
  }
}

Job grpo_job() {
  Job job = job_of("llama-3.1-8b", "h100");
  job.settings.objective = memory::Objective::kGrpo;
  job.settings.generation.engine = memory::Engine::kTrainer;
  job.micro_batch = 4;
  job.accumulation = 2;
  job.batching.completion_budget = 512;
  job.batching.generations = 4;
  return job;
}

TEST_CASE("a step of RL generates for all its micro-batches") {
  Job job = grpo_job();
  DataSet data;
  data.lengths = {{200, 1000}};
  Batches batches(data, job.batching);
  const Outlook o = assess(job, batches);
  // 4 x 2 sequences of 712 tokens, 131,072 bytes a token.
  CHECK(o.peak.term(memory::Term::kGeneration) == 131072.0 * 8 * 712);
  CHECK(o.step.generation.value > 0);
  CHECK(o.step.seconds.value > o.step.generation.value);
  // 1,000 prompts x 4 completions, eight a step.
  CHECK(o.steps_per_epoch == 500);
  job.settings.generation.engine = memory::Engine::kElsewhere;
  CHECK(assess(job, batches).step.generation.value == 0);
  // A reservation with room for less than a step's sequences queues them:
  // 16,060,522,496 bytes of weights and 93,323,264 a sequence.
  job.settings.generation = {
      memory::Engine::kColocated, 0, 0, 1, 16'500'000'000, true};
  CHECK(settings_for(job, {4, 712}).generation.concurrent == 4);
}

TEST_CASE("limits and rows above them are about prompts in RL") {
  Job job = grpo_job();
  job.gpu = *hardware::find_gpu(hardware::builtin_gpus(), "a10g");
  job.micro_batch = 1;
  job.accumulation = 8;
  job.settings.base = memory::BaseStorage::kNf4;
  const DataSet data = one_long_row();
  Batches batches(data, job.batching);
  const Outlook o = assess(job, batches);
  const Limits limits = safe_limits(job, batches);
  REQUIRE(limits.length > 512);
  const Exposure e = exposure_of(job, data, batches, limits, o);
  CHECK(e.length == limits.length - 512);
  CHECK(e.rows == 1);
  // Place (1000 + 1) / 2 of prompts; a step of 8 completions has 2 prompts.
  CHECK(e.expected_step == 251);
}

TEST_CASE("another method brings the reference that it needs") {
  Job job = job_of("llama-3.1-8b", "h200");
  job.settings.objective = memory::Objective::kDpo;
  job.compares = true;
  job.settings.reference = reference_of(true, job.settings.method);
  CHECK(job.settings.reference == memory::Reference::kAdapterOff);
  job.batching.max_seq_len = 1024;
  std::size_t full = 0;
  for (const Alternative& a : alternatives(job, {}, true)) {
    const bool is_full = a.job.settings.method == memory::Method::kFull;
    full += is_full ? 1 : 0;
    CHECK(a.job.settings.reference == (is_full
                                           ? memory::Reference::kSecondModel
                                           : memory::Reference::kAdapterOff));
  }
  CHECK(full > 0);
  CHECK(reference_of(false, memory::Method::kFull) == memory::Reference::kNone);
}

TEST_CASE("a job is told in a few words") {
  Job job = job_of("llama-3.1-8b", "h100");
  CHECK(words_of(job) == "lora r16");
  job.settings.base = memory::BaseStorage::kNf4;
  job.settings.adapter.rank = 64;
  job.settings.objective = memory::Objective::kDpo;
  job.settings.sharding = memory::Sharding::kFsdp;
  job.settings.ranks.tensor = 2;
  job.settings.ranks.context = 4;
  CHECK(words_of(job) == "qlora r64, dpo, FSDP, TP2, CP4");
  job.settings = {};
  CHECK(words_of(job) == "full");
}

}  // namespace
}  // namespace trainsight::plan
