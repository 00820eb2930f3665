// Settings of a job out of trainers' own files (plan_args.h).
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <utility>

#include "plan_args.h"
#include "trainsight/io/files.h"

namespace trainsight::cli {
namespace {

// Fills in a setting that no flag gave.
void fill(std::optional<std::string>& value, const std::string& word) {
  if (!value) value = word;
}
void fill(std::optional<std::uint64_t>& value, const std::string& word) {
  std::uint64_t number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  if (!value && number > 0) value = number;
}
void fill(std::optional<double>& value, const std::string& word) {
  double number = 0;
  std::from_chars(word.data(), word.data() + word.size(), number);
  if (!value && number > 0) value = number;
}

void fill(trainers::Setting setting, const std::string& word, JobArgs& args,
          ScanArgs& scan) {
  using S = trainers::Setting;
  switch (setting) {
    case S::kModel:
      if (args.model.empty()) args.model = word;
      return;
    case S::kMethod:
      return fill(args.method, word);
    case S::kBase:
      return fill(args.base, word);
    case S::kPrecision:
      return fill(args.precision, word);
    case S::kOptimizer:
      return fill(args.optimizer, word);
    case S::kSharding:
      return fill(args.sharding, word);
    case S::kOffload:
      return fill(args.offload, word);
    case S::kCheckpointing:
      return fill(args.checkpointing, word);
    case S::kAttention:
      return fill(args.attention, word);
    case S::kKernels:
      return fill(args.kernels, word);
    case S::kLoss:
      return fill(args.loss, word);
    case S::kObjective:
      return fill(args.objective, word);
    case S::kPacking:
      return fill(args.packing, word);
    case S::kOrder:
      return fill(args.order, word);
    case S::kLoraRank:
      return fill(args.lora_rank, word);
    case S::kLoraTargets:
      return fill(args.lora_targets, word);
    case S::kLoraDropout:
      args.lora_dropout = true;
      return;
    case S::kMaxSeqLen:
      return fill(scan.max_seq_len, word);
    case S::kMicroBatch:
      return fill(scan.micro_batch, word);
    case S::kAccumulation:
      return fill(args.accumulation, word);
    case S::kPadToMultipleOf:
      return fill(scan.pad_to_multiple_of, word);
    case S::kEpochs:
      return fill(args.epochs, word);
    case S::kGpus:
      return fill(args.gpus, word);
    case S::kTensor:
      return fill(args.tensor, word);
    case S::kPipeline:
      return fill(args.pipeline, word);
    case S::kContext:
      return fill(args.context, word);
    case S::kExpert:
      return fill(args.expert, word);
    case S::kSequenceParallel:
      return fill(args.sequence_parallel, word);
    case S::kVirtualStages:
      return fill(args.virtual_stages, word);
    case S::kGlobalBatch:
    case S::kChunkLayers:
      return;  // see accumulate() and interleave()
    case S::kBackwardStep:
      args.backward_step = true;
      return;
    case S::kActivationOffload:
      args.activation_offload = true;
      return;
    case S::kReference:
      return fill(args.reference, word);
    case S::kCompletionBudget:
      return fill(args.completion_budget, word);
    case S::kGenerations:
      return fill(args.generations, word);
    case S::kEngine:
      return fill(args.engine, word);
    case S::kEngineMemory:
      return fill(args.engine_memory, word);
    case S::kEngineTensor:
      return fill(args.engine_tensor, word);
    case S::kEngineSleep:
      args.engine_sleep = true;
      return;
  }
}

// Micro-batches of a step, from what all ranks take together.
void accumulate(const trainers::TrainerConfig& config, JobArgs& args,
                const ScanArgs& scan, ConfigUse& use) {
  const auto found = config.settings.find(trainers::Setting::kGlobalBatch);
  if (found == config.settings.end() || args.accumulation) return;
  std::optional<std::uint64_t> all;
  fill(all, found->second);
  const std::uint64_t copy = args.tensor.value_or(1) *
                             args.pipeline.value_or(1) *
                             args.context.value_or(1);
  const std::uint64_t copies =
      std::max<std::uint64_t>(args.gpus.value_or(1) / copy, 1);
  args.accumulation = std::clamp<std::uint64_t>(
      all.value_or(1) / (copies * scan.micro_batch.value_or(1)), 1, 1u << 16);
  use.defaulted.push_back("accumulation " + std::to_string(*args.accumulation));
}

// Virtual stages, from the layers of one.
void interleave(const trainers::TrainerConfig& config, JobArgs& args,
                ConfigUse& use) {
  const auto found = config.settings.find(trainers::Setting::kChunkLayers);
  const auto layers = config.shape.find("num-layers");
  if (found == config.settings.end() || layers == config.shape.end() ||
      args.virtual_stages) {
    return;
  }
  std::optional<std::uint64_t> chunk;
  fill(chunk, found->second);
  const std::uint64_t stages =
      layers->second / (chunk.value_or(1) * args.pipeline.value_or(1));
  args.virtual_stages = std::clamp<std::uint64_t>(stages, 1, 1u << 16);
  use.defaulted.push_back("vpp " + std::to_string(*args.virtual_stages));
}

}  // namespace

Result<ConfigUse> apply_configs(JobArgs& args, ScanArgs& scan) {
  ConfigUse use;
  trainers::TrainerConfig all;
  for (const std::string& path : args.configs) {
    auto bytes = io::read_file(path, trainers::kMostConfigBytes);
    if (!bytes) return bytes.error();
    auto config = trainers::parse_trainer_config(*bytes, path);
    if (!config) return config.error();
    for (const std::string& data : config->datasets) {
      std::error_code error;
      const std::filesystem::path beside =
          std::filesystem::path(path).parent_path() / data;
      if (std::filesystem::exists(data, error)) {
        use.datasets.push_back(data);
      } else if (std::filesystem::exists(beside, error)) {
        use.datasets.push_back(beside.string());
      } else {
        use.elsewhere.push_back(data);
      }
    }
    trainers::merge(*config, all);
  }
  if (!all.trainer.empty()) fill(args.framework, all.trainer);
  // A flag goes before a default, as before what a file says.
  for (const auto& [setting, word] : all.defaulted) {
    JobArgs before = args;
    ScanArgs scan_before = scan;
    fill(setting, word, before, scan_before);
    const bool taken =
        !(before == args) || scan_before.micro_batch != scan.micro_batch;
    if (taken) {
      use.defaulted.push_back(std::string(trainers::name_of(setting)) + ' ' +
                              word);
    }
  }
  for (const auto& [setting, word] : all.settings) {
    fill(setting, word, args, scan);
  }
  accumulate(all, args, scan, use);
  interleave(all, args, use);
  if (args.model.empty()) args.shape = all.shape;
  use.read = std::move(all.read);
  use.ignored = std::move(all.ignored);
  return use;
}

}  // namespace trainsight::cli
