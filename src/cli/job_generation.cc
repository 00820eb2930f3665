#include "job_generation.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <utility>
#include <vector>

#include "job_words.h"
#include "trainsight/batching/padding.h"
#include "trainsight/memory/terms.h"

namespace trainsight::cli {
namespace {

using namespace words;  // NOLINT: one word is what this file needs
using memory::Engine;

constexpr double kGiB = 1024.0 * 1024 * 1024;
// TRL 1.16, trainer/grpo_config.py: max_completion_length,
// vllm_gpu_memory_utilization.
constexpr std::uint64_t kDefaultBudget = 512;
constexpr double kDefaultShare = 0.3;
constexpr std::uint64_t kMostBudget = 1u << 24;

// Bytes of a GPU that "0.3" or "24GiB" are.
Result<double> engine_bytes(const std::string& text, double usable_bytes) {
  double share = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, share);
  if (fault == std::errc() && stop == end && share > 0 && share <= 1) {
    return share * usable_bytes;
  }
  auto bytes = parse_bytes(text);
  if (!bytes || *bytes < 1 << 20) {  // "1.5" is neither
    return Error{
        ErrorKind::kUsage,
        fmt::format("--engine-memory: \"{}\" is no share or size", text),
        "write 0.3, or 24GiB"};
  }
  return *bytes;
}

// "MEAN,P99" as lengths of completions, cut at the budget.
Result<std::vector<stats::LengthMass>> completions_of(const std::string& words,
                                                      std::uint64_t budget) {
  double mean = 0, p99 = 0;
  const char* const end = words.data() + words.size();
  const auto first = std::from_chars(words.data(), end, mean);
  const bool has_comma =
      first.ec == std::errc() && first.ptr != end && *first.ptr == ',';
  const auto second =
      has_comma ? std::from_chars(first.ptr + 1, end, p99) : first;
  if (!has_comma || second.ec != std::errc() || second.ptr != end) {
    return Error{ErrorKind::kUsage,
                 "--completion-tokens needs a mean and a P99",
                 "for instance --completion-tokens 300,1500"};
  }
  auto counts = batching::completion_counts(mean, p99,
                                            static_cast<std::uint32_t>(budget));
  if (!counts) return counts.error().with_context("--completion-tokens");
  std::vector<stats::LengthMass> lengths;
  lengths.reserve(counts->size());
  for (const batching::LengthCount& one : *counts) {
    lengths.push_back({static_cast<double>(one.length), one.count});
  }
  return lengths;
}

}  // namespace

bool generates(const JobArgs& args) {
  return args.completion_budget || args.completion_tokens || args.generations ||
         args.engine || args.engine_memory || args.engine_tensor ||
         args.engine_sequences || args.engine_sleep;
}

Status set_engine(const JobArgs& args, plan::Job& job) {
  if (job.settings.objective != Objective::kGrpo) {
    if (!generates(args)) return {};
    return Error{ErrorKind::kUsage,
                 "completions are generated in RL only, and the objective is "
                 "another",
                 "--objective grpo, or leave the flags of generation away"};
  }
  memory::Generation& g = job.settings.generation;
  g.engine = args.engine_memory || args.engine_tensor || args.engine_sleep
                 ? Engine::kColocated
                 : Engine::kTrainer;
  if (Status status = set_word("--engine", args.engine, kEngines, g.engine);
      !status) {
    return status;
  }
  if (g.engine == Engine::kElsewhere) return {};
  g.concurrent = args.engine_sequences.value_or(0);
  if (g.engine == Engine::kTrainer) return {};
  g.sleeps = args.engine_sleep;
  g.tensor = args.engine_tensor.value_or(1);
  if (job.gpus % g.tensor != 0) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} GPUs are no multiple of --engine-tp {}",
                             job.gpus, g.tensor),
                 ""};
  }
  const double usable = job.gpu.usable_gib * kGiB;
  double reserved = kDefaultShare * usable;
  if (args.engine_memory) {
    auto bytes = engine_bytes(*args.engine_memory, usable);
    if (!bytes) return bytes.error();
    reserved = *bytes;
  }
  g.reserved_bytes = static_cast<std::uint64_t>(reserved);
  return {};
}

Status set_completions(const JobArgs& args, plan::Job& job) {
  if (job.settings.objective != Objective::kGrpo) return {};
  plan::Batching& batching = job.batching;
  if (batching.packing == plan::Packing::kPacked) {
    return Error{ErrorKind::kUsage, "prompts of RL are not packed",
                 "--packing padded"};
  }
  batching.generations = args.generations.value_or(1);
  const bool only_lengths = args.completion_tokens && !args.completion_budget;
  batching.completion_budget = args.completion_budget.value_or(
      only_lengths ? kMostBudget : kDefaultBudget);
  if (batching.completion_budget > kMostBudget) {
    return Error{ErrorKind::kUsage,
                 fmt::format("--completion-budget: above {}", kMostBudget), ""};
  }
  if (args.completion_tokens) {
    auto lengths =
        completions_of(*args.completion_tokens, batching.completion_budget);
    if (!lengths) return lengths.error();
    batching.completions = *std::move(lengths);
    if (only_lengths) {
      batching.completion_budget =
          static_cast<std::uint64_t>(batching.completions.back().length);
    }
  }
  return {};
}

std::vector<std::string> generation_notes(const JobArgs& args,
                                          const plan::Job& job,
                                          const memory::Batch& largest,
                                          bool about_time) {
  if (job.settings.objective != Objective::kGrpo) return {};
  std::vector<std::string> notes;
  const memory::Generation& g = job.settings.generation;
  switch (g.engine) {
    case Engine::kElsewhere:
      notes.emplace_back(
          "generation runs elsewhere: neither its memory nor its time is "
          "counted");
      break;
    case Engine::kTrainer:
      notes.emplace_back(
          "the trained model generates by itself, all completions of a step "
          "together; vLLM beside it: --engine colocated");
      break;
    case Engine::kColocated: {
      const memory::Settings wanted = plan::settings_for(job, largest);
      const std::uint64_t of_step =
          g.concurrent != 0 ? g.concurrent
                            : largest.sequences * job.accumulation * g.tensor;
      notes.push_back(fmt::format(
          "the engine takes {:.1f} GiB of each GPU{}, {}",
          static_cast<double>(g.reserved_bytes) / kGiB,
          args.engine_memory ? "" : " (0.3 of it, TRL's default)",
          g.sleeps ? "except while the model trains"
                   : "while the model trains, too: --engine-sleep"));
      const double weights = memory::engine_weight_bytes(job.counts, wanted);
      const double needed =
          weights + memory::kv_cache_bytes_per_token(job.shape) *
                        static_cast<double>(largest.length) /
                        static_cast<double>(g.tensor);
      if (static_cast<double>(g.reserved_bytes) < needed) {
        notes.push_back(fmt::format(
            "that is less than its weights and one sequence need, {:.1f} GiB: "
            "it would not start; --engine-memory, --engine-tp",
            needed / kGiB));
      } else if (wanted.generation.concurrent < of_step) {
        notes.push_back(fmt::format(
            "its cache has room for {} of a step's {} sequences at full length",
            wanted.generation.concurrent, of_step));
      }
      break;
    }
  }
  if (!args.completion_budget && !args.completion_tokens) {
    notes.push_back(fmt::format(
        "no --completion-budget given: {} tokens, as TRL", kDefaultBudget));
  }
  if (about_time && g.engine != Engine::kElsewhere && !args.completion_tokens) {
    notes.emplace_back(
        "every completion is taken to be as long as the budget: times are "
        "upper bounds; --completion-tokens MEAN,P99");
  }
  if (about_time && !args.generations) {
    notes.emplace_back("one completion of each prompt; --generations");
  }
  return notes;
}

}  // namespace trainsight::cli
