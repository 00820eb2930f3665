#include "trainers/defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "trainers/words.h"

namespace trainsight::trainers {
namespace {

// Whether a file of TRL or axolotl lets vLLM generate; its mode says nothing
// where it does not.
bool uses_vllm(const std::vector<FlatValue>& values) {
  return std::any_of(values.begin(), values.end(), [](const FlatValue& v) {
    return (v.key == "use_vllm" || v.key == "trl.use_vllm") && is_true(v.value);
  });
}

// Takes a setting back: its keys say nothing to this job.
void drop(Setting setting, TrainerConfig& config) {
  if (config.settings.erase(setting) == 0) return;
  const std::string start = fmt::format("{} ", name_of(setting));
  std::erase_if(config.read, [&](const ReadKey& key) {
    if (!key.meaning.starts_with(start)) return false;
    config.ignored.push_back(key.key);
    return true;
  });
}

}  // namespace

void add_generation(Trainer trainer, const std::vector<FlatValue>& values,
                    TrainerConfig& config) {
  auto& s = config.settings;
  const bool generates =
      std::any_of(s.begin(), s.end(), [](const auto& setting) {
        return setting.first == Setting::kCompletionBudget ||
               setting.first == Setting::kGenerations ||
               setting.first == Setting::kEngine;
      });
  const auto objective = s.find(Setting::kObjective);
  const bool is_rl =
      objective == s.end() ? generates : objective->second == "grpo";
  if (!is_rl) {
    // "vllm.tensor_parallel_size" of a file that trains on answers.
    for (const Setting setting :
         {Setting::kCompletionBudget, Setting::kGenerations, Setting::kEngine,
          Setting::kEngineMemory, Setting::kEngineTensor,
          Setting::kEngineSleep}) {
      drop(setting, config);
    }
    return;
  }
  s[Setting::kObjective] = "grpo";
  if (!uses_vllm(values)) {
    drop(Setting::kEngine, config);
    s[Setting::kEngine] = "trainer";
    config.defaulted[Setting::kEngine] = "trainer";
  }
  if (s[Setting::kEngine] != "colocated") {
    drop(Setting::kEngineMemory, config);
    drop(Setting::kEngineTensor, config);
    drop(Setting::kEngineSleep, config);
  }
  // TRL's defaults; axolotl passes them on.
  if (trainer == Trainer::kTrl || trainer == Trainer::kAxolotl) {
    for (const auto& [setting, word] :
         {std::pair{Setting::kGenerations, "8"},
          std::pair{Setting::kReference, "none"}}) {
      if (s.try_emplace(setting, word).second) {
        config.defaulted.emplace(setting, word);
      }
    }
  }
}

void add_defaults(Trainer trainer, TrainerConfig& config) {
  auto& s = config.settings;
  const auto silent = [&](Setting setting) { return s.count(setting) == 0; };
  const auto assume = [&](Setting setting, std::string word) {
    if (s.try_emplace(setting, word).second) {
      config.defaulted.try_emplace(setting, std::move(word));
    }
  };
  const bool quantised = !silent(Setting::kBase);
  switch (trainer) {
    case Trainer::kMegatron:
      assume(Setting::kMethod, "full");
      if (!silent(Setting::kTensor)) assume(Setting::kSequenceParallel, "off");
      // Its data sets join documents and cut them at the length.
      if (!silent(Setting::kMaxSeqLen)) assume(Setting::kPacking, "packed");
      break;
    case Trainer::kAxolotl: {
      assume(Setting::kMethod, "full");
      // pad_to_sequence_len: every row as long as sequence_len.
      const auto pad = s.find(Setting::kPadToMultipleOf);
      if (pad != s.end() && !silent(Setting::kMaxSeqLen)) {
        pad->second = s[Setting::kMaxSeqLen];
      } else if (pad != s.end()) {
        s.erase(pad);
      }
      break;
    }
    case Trainer::kLlamaFactory:
      assume(Setting::kMethod, "lora");
      if (s[Setting::kMethod] == "lora") assume(Setting::kLoraRank, "8");
      if (!silent(Setting::kMaxSeqLen) &&
          std::any_of(config.read.begin(), config.read.end(),
                      [](const ReadKey& key) {
                        return key.key == "stage" && key.value == "pt";
                      })) {
        assume(Setting::kPacking, "packed");
      }
      break;
    case Trainer::kTrl:
      assume(Setting::kMethod, quantised ? "lora" : "full");
      assume(Setting::kMicroBatch, "8");
      // A model that is named is loaded in 32 bits unless its type is said.
      if (s[Setting::kMethod] == "lora" &&
          (silent(Setting::kPrecision) || s[Setting::kPrecision] == "mixed")) {
        assume(Setting::kBase, "32bit");
      }
      break;
    case Trainer::kTorchtune:
    case Trainer::kAccelerate:
    case Trainer::kDeepSpeed:
      break;
  }
  // Liger's switch stands for kernels and loss.
  const auto loss = s.find(Setting::kLoss);
  if (loss != s.end() && loss->second == "fused" &&
      trainer != Trainer::kAxolotl) {
    s.try_emplace(Setting::kKernels, "fused");
  }
  // Under FSDP accelerate keeps trained weights in 32 bits; else the trainer's
  // own file decides.
  if (trainer == Trainer::kAccelerate &&
      (s.count(Setting::kSharding) == 0 ||
       !s[Setting::kSharding].starts_with("fsdp"))) {
    s.erase(Setting::kPrecision);
    std::erase_if(config.read, [](const ReadKey& key) {
      return key.key == "mixed_precision";
    });
  }
  const bool is_full =
      s.count(Setting::kMethod) != 0 && s[Setting::kMethod] == "full";
  if (!is_full && trainer != Trainer::kDeepSpeed &&
      trainer != Trainer::kAccelerate) {
    s.erase(Setting::kPrecision);
  }
}

}  // namespace trainsight::trainers
