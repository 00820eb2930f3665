#include "trainsight/trainers/config.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "trainers/flat_file.h"
#include "trainers/key_table.h"

namespace trainsight::trainers {
namespace {

constexpr std::string_view kNames[kSettingCount] = {
    "model",
    "method",
    "base",
    "precision",
    "optimizer",
    "sharding",
    "offload",
    "checkpointing",
    "attention",
    "kernels",
    "loss",
    "objective",
    "packing",
    "order",
    "lora-rank",
    "lora-targets",
    "lora-dropout",
    "max-seq-len",
    "micro-batch",
    "accumulation",
    "pad-to-multiple-of",
    "epochs",
    "gpus",
    "tp",
    "pp",
    "cp",
    "ep",
    "sequence-parallel",
    "vpp",
    "chunk-layers",
    "global-batch",
    "backward-step",
    "activation-offload",
    "reference",
    "completion-budget",
    "generations",
    "engine",
    "engine-memory",
    "engine-tp",
    "engine-sleep",
};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool contains(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool is_true(std::string_view value) {
  const std::string word = lower(value);
  return word == "true" || word == "yes" || word == "on" || word == "1";
}
bool is_false(std::string_view value) {
  const std::string word = lower(value);
  return word == "false" || word == "no" || word == "off" || word == "0";
}

std::optional<double> number_of(std::string_view value) {
  double number = 0;
  const auto [end, fault] =
      std::from_chars(value.data(), value.data() + value.size(), number);
  if (fault != std::errc() || end != value.data() + value.size()) {
    return std::nullopt;
  }
  return number;
}

// The word for an optimizer; empty when nothing like it is known.
std::string_view optimizer_word(std::string_view value) {
  const std::string name = lower(value);
  const bool paged = contains(name, "paged");
  const bool eight = contains(name, "8bit") || contains(name, "8_bit");
  if (contains(name, "adamw") || contains(name, "adam")) {
    if (paged) return eight ? "paged-adamw8bit" : "paged-adamw";
    if (eight || contains(name, "bnb")) return "adamw8bit";
    return contains(name, "fused") ? "adamw-fused" : "adamw";
  }
  for (const std::string_view word : {"adafactor", "lion", "muon", "sgd"}) {
    if (contains(name, word)) return word;
  }
  return "";
}

std::string_view attention_word(std::string_view value) {
  const std::string name = lower(value);
  if (contains(name, "flash") || contains(name, "fa2") ||
      contains(name, "fa3")) {
    return "flash";
  }
  if (name == "sdpa" || name == "auto") return "sdpa";
  if (name == "eager" || name == "disabled") return "eager";
  return "";
}

std::string targets_word(std::string_view value) {
  if (value == "all" || value == "all-linear") return "all-linear";
  std::string word(value);
  std::erase(word, ' ');
  // torchtune names one projection otherwise.
  const std::size_t at = word.find("output_proj");
  if (at != std::string::npos) word.replace(at, 11, "o_proj");
  return word;
}

std::string_view objective_word(std::string_view value) {
  const std::string name = lower(value);
  for (const std::string_view word :
       {"simpo", "orpo", "kto", "grpo", "dpo", "sft"}) {
    if (name == word) return word;
  }
  if (name == "pt" || name == "sigmoid" || name == "hinge") {
    return name == "pt" ? "sft" : "dpo";
  }
  return name == "ipo" ? "dpo" : "";
}

std::string_view stage_word(std::string_view value) {
  if (value == "1") return "zero1";
  if (value == "2") return "zero2";
  if (value == "3") return "zero3";
  return value == "0" ? "ddp" : "";
}

// torchtune.models.llama3_1.qlora_llama3_1_8b: the method and the model.
void read_component(std::string_view value, TrainerConfig& config) {
  const std::size_t dot = value.rfind('.');
  std::string name(dot == std::string_view::npos ? value
                                                 : value.substr(dot + 1));
  std::string method = "full";
  for (const std::string_view prefix : {"qlora_", "lora_", "dora_"}) {
    if (name.starts_with(prefix)) {
      method = prefix.substr(0, prefix.size() - 1);
      name.erase(0, prefix.size());
    }
  }
  // llama3_1_8b: a family with its number, a version, a size.
  std::string model;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    const bool is_digit = c >= '0' && c <= '9';
    const bool after_letter = i > 0 && name[i - 1] >= 'a' && name[i - 1] <= 'z';
    const bool keeps = name.starts_with("qwen");
    if (is_digit && after_letter && !keeps && model.find('-') == model.npos) {
      model += '-';
    }
    if (c == '_') {
      // A version's point stands between digits, before the size.
      const bool between = i > 0 && i + 2 < name.size() && name[i - 1] >= '0' &&
                           name[i - 1] <= '9' && name[i + 1] >= '0' &&
                           name[i + 1] <= '9' && name[i + 2] == '_';
      model += between ? '.' : '-';
    } else {
      model += c;
    }
  }
  config.settings[Setting::kModel] = model;
  config.settings[Setting::kMethod] = method;
}

class Reader {
 public:
  Reader(Trainer trainer, std::string_view name, bool generates,
         TrainerConfig& config)
      : trainer_(trainer),
        name_(name),
        generates_(generates),
        config_(config) {}

  Status read(const FlatValue& value);

 private:
  Status apply(const KeyRow& row, const FlatValue& value);
  Status set(const KeyRow& row, const FlatValue& value, std::string word);
  Error bad(const FlatValue& value, std::string_view expected) const {
    return Error{ErrorKind::kUsage,
                 fmt::format("{}: {}: \"{}\" is no {}", name_, value.key,
                             value.value.substr(0, 80), expected),
                 ""};
  }

  Trainer trainer_;
  std::string_view name_;
  bool generates_;  ///< the file has keys of generation
  TrainerConfig& config_;
};

// "datasets[12].path" as the table writes it.
std::string table_key(std::string_view key) {
  std::string out;
  bool inside = false;
  for (const char c : key) {
    if (c == ']') inside = false;
    if (!inside) out += c;
    if (c == '[') inside = true;
  }
  return out;
}

Status Reader::read(const FlatValue& value) {
  const std::string key = table_key(value.key);
  bool known = false;
  for (const KeyRow& row : key_rows()) {
    if (row.trainer != trainer_ || row.key != key) continue;
    known = true;
    if (value.value.empty() || value.value == "null" || value.value == "~") {
      continue;
    }
    if (Status status = apply(row, value); !status) return status;
  }
  if (!known) config_.ignored.push_back(value.key);
  return {};
}

Status Reader::set(const KeyRow& row, const FlatValue& value,
                   std::string word) {
  if (word.empty()) {
    config_.ignored.push_back(value.key);
    return {};
  }
  config_.read.push_back(
      {value.key, value.value.substr(0, 80),
       fmt::format("{} {}", name_of(row.setting), word.substr(0, 80))});
  config_.settings[row.setting] = std::move(word);
  return {};
}

Status Reader::apply(const KeyRow& row, const FlatValue& value) {
  const std::string& text = value.value;
  const auto word = [&](std::string_view found) {
    return set(row, value, std::string(found));
  };
  const auto if_word = [&](bool holds) {
    if (holds) return word(row.word);
    config_.read.push_back({value.key, text.substr(0, 80), "as by default"});
    return Status();
  };
  switch (row.reading) {
    case Reading::kWord:
      // axolotl's fsdp is a list of words.
      return word(row.setting == Setting::kSharding ? "fsdp" : text);
    case Reading::kWholeNumber: {
      const auto number = number_of(text);
      if (!number || *number < 1 || *number > 1e9 ||
          *number != static_cast<double>(static_cast<std::uint64_t>(*number))) {
        // -1 and "auto" leave the choice to the program.
        if (text == "auto" || text == "-1") return word("");
        return bad(value, "whole number above 0");
      }
      return word(fmt::format("{}", static_cast<std::uint64_t>(*number)));
    }
    case Reading::kNumber: {
      const auto number = number_of(text);
      if (!number || !(*number > 0) || *number > 1e6) {
        return bad(value, "number above 0");
      }
      return word(fmt::format("{:g}", *number));
    }
    case Reading::kIfTrue:
      // "gradient_checkpointing: unsloth" turns it on, too.
      if (!is_true(text) && !is_false(text)) {
        if (row.setting == Setting::kCheckpointing) {
          return word(contains(lower(text), "offload") ||
                              contains(lower(text), "unsloth")
                          ? "offloaded"
                          : row.word);
        }
        return text == "auto" ? word("") : bad(value, "truth value");
      }
      if (is_false(text) && row.setting == Setting::kMethod) return {};
      // A mode that stands before the switch goes before its default.
      if (row.setting == Setting::kEngine && is_true(text) &&
          config_.settings.count(Setting::kEngine) != 0) {
        return word(config_.settings[Setting::kEngine]);
      }
      return if_word(is_true(text));
    case Reading::kIfFalse:
      if (is_false(text)) return word(row.word);
      return {};
    case Reading::kIfPositive: {
      const auto number = number_of(text);
      if (!number) return bad(value, "number");
      return if_word(*number > 0);
    }
    case Reading::kAdapter:
      return word(text == "qlora" || text == "lora" ? text : "");
    case Reading::kFinetuning:
      return word(text == "freeze"                   ? "frozen"
                  : text == "full" || text == "lora" ? text
                                                     : "");
    case Reading::kBits:
      return word(text == "4" ? "nf4" : text == "8" ? "int8" : "");
    case Reading::kOptimizer: {
      const std::string_view known = optimizer_word(text);
      if (known.empty()) {  // one of the many with two states
        config_.settings.try_emplace(row.setting, "adamw");
        config_.defaulted.try_emplace(row.setting, "adamw");
      }
      return word(known);
    }
    case Reading::kAttention:
      return word(attention_word(text));
    case Reading::kTargets:
      return word(targets_word(text));
    case Reading::kObjective:
      return word(objective_word(text));
    case Reading::kDeepSpeedFile: {
      const std::string file = lower(text);
      for (const char stage : {'1', '2', '3'}) {
        for (const std::string_view form : {"zero", "z", "zero_", "stage"}) {
          if (contains(file, std::string(form) + stage)) {
            return word(stage_word(std::string_view(&stage, 1)));
          }
        }
      }
      return word("zero2");
    }
    case Reading::kStage:
      return word(stage_word(text));
    case Reading::kDevice:
      return if_word(text == "cpu" || text == "nvme");
    case Reading::kDistributed:
      return word(text == "FSDP"        ? "fsdp"
                  : text == "DEEPSPEED" ? "zero2"
                  : text == "MULTI_GPU" ? "ddp"
                                        : "");
    case Reading::kStrategy: {
      const std::string name = lower(text);
      if (name == "full_shard" || name == "1" || name == "true") {
        return word("fsdp");
      }
      if (name == "shard_grad_op" || name == "2" || name == "false") {
        return word("fsdp-grad-op");
      }
      return word(name == "no_shard" || name == "3" ? "ddp" : "fsdp");
    }
    case Reading::kDtype: {
      const std::string name = lower(text);
      // "auto" is the checkpoint's type: 16 bits for all but a few.
      return word(name == "bfloat16" || name == "bf16" || name == "float16" ||
                          name == "fp16" || name == "auto"
                      ? "pure16"
                  : name == "float32" || name == "fp32" ? "mixed"
                                                        : "");
    }
    case Reading::kMixedPrecision:
      return word(text == "bf16" || text == "fp16" ? "mixed" : "");
    case Reading::kPlugins: {
      const std::string name = lower(text);
      if (contains(name, "liger")) {
        config_.settings[Setting::kKernels] = "fused";
      }
      return word(contains(name, "cut_cross_entropy") ||
                          contains(name, "cutcrossentropy")
                      ? "fused"
                      : "");
    }
    case Reading::kComponent:
      read_component(text, config_);
      config_.read.push_back(
          {value.key, text.substr(0, 80),
           fmt::format("model {}, method {}",
                       config_.settings[Setting::kModel].substr(0, 80),
                       config_.settings[Setting::kMethod])});
      return {};
    case Reading::kLossComponent:
      return word(contains(text, "Chunked") || contains(text, "LinearCross")
                      ? "chunked"
                      : "upcast");
    case Reading::kRecompute:
      // Selective recomputation saves the scores, which flash never keeps.
      return word(text == "full" ? "full" : text == "selective" ? "none" : "");
    case Reading::kShape: {
      const auto number =
          is_true(text) ? std::optional<double>(1) : number_of(text);
      if (!number || *number < 1 || *number > 1e9) {
        return bad(value, "size");
      }
      config_.shape[value.key] = static_cast<std::uint64_t>(*number);
      config_.read.push_back(
          {value.key, text.substr(0, 80),
           fmt::format("{} {}", value.key, config_.shape[value.key])});
      return {};
    }
    case Reading::kPromptLength: {
      const auto number = number_of(text);
      if (!number || !(*number >= 1) || *number > 1e9) {
        return bad(value, "whole number above 0");
      }
      return word(generates_
                      ? fmt::format("{}", static_cast<std::uint64_t>(*number))
                      : "");
    }
    case Reading::kVllmMode:
      return word(text == "colocate" ? "colocated"
                  : text == "server" ? "elsewhere"
                                     : "");
    case Reading::kShare: {
      const auto number = number_of(text);
      if (!number || !(*number > 0) || *number > 1) {
        return bad(value, "share of a GPU");
      }
      return word(fmt::format("{:g}", *number));
    }
    case Reading::kBeta: {
      const auto number = number_of(text);
      if (!number) return bad(value, "number");
      return word(*number == 0 ? "none" : "model");
    }
    case Reading::kDataset:
      config_.datasets.push_back(text);
      config_.read.push_back({value.key, text.substr(0, 80), "data"});
      return {};
  }
  return {};
}

// Which trainer writes such keys.
std::optional<Trainer> trainer_of(const std::vector<FlatValue>& values) {
  const auto has = [&](std::string_view key) {
    return std::any_of(values.begin(), values.end(), [&](const FlatValue& v) {
      return v.key == key ||
             (v.key.starts_with(key) && v.key.size() > key.size() &&
              (v.key[key.size()] == '.' || v.key[key.size()] == '['));
    });
  };
  if (has("model._component_")) return Trainer::kTorchtune;
  if (has("base_model")) return Trainer::kAxolotl;
  if (has("model_name_or_path") || has("model_name")) {
    return has("cutoff_len") || has("finetuning_type") || has("stage")
               ? Trainer::kLlamaFactory
               : Trainer::kTrl;
  }
  if (has("distributed_type") || has("compute_environment")) {
    return Trainer::kAccelerate;
  }
  if (has("zero_optimization") || has("train_micro_batch_size_per_gpu")) {
    return Trainer::kDeepSpeed;
  }
  if (has("num-layers") || has("micro-batch-size")) return Trainer::kMegatron;
  if (has("per_device_train_batch_size")) return Trainer::kTrl;
  return std::nullopt;
}

std::string_view profile_of(Trainer trainer) {
  switch (trainer) {
    case Trainer::kAxolotl:
      return "axolotl";
    case Trainer::kLlamaFactory:
      return "llama-factory";
    case Trainer::kTrl:
      return "trl";
    case Trainer::kTorchtune:
      return "torchtune";
    case Trainer::kMegatron:
      return "megatron";
    case Trainer::kAccelerate:
    case Trainer::kDeepSpeed:
      return "";  // part of another's run
  }
  return "";
}

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

// Of keys that only RL has: the objective, and what is generated with.
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

// What a trainer does when its file is silent, where the profile is not enough.
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

}  // namespace

std::string_view name_of(Setting setting) {
  return kNames[static_cast<std::size_t>(setting)];
}

Result<TrainerConfig> parse_trainer_config(std::string_view text,
                                           std::string_view name) {
  if (text.size() > kMostConfigBytes) {
    return Error{
        ErrorKind::kLimit,
        fmt::format("{}: longer than {} bytes", name, kMostConfigBytes), ""};
  }
  std::vector<FlatValue> values;
  auto yaml = flatten_yaml(text, name);
  if (yaml) {
    values = *std::move(yaml);
  } else {
    values = flatten_arguments(text);
    if (trainer_of(values) != Trainer::kMegatron) return yaml.error();
  }
  // Megatron's YAML uses underscores.
  std::optional<Trainer> trainer = trainer_of(values);
  if (!trainer) {
    std::vector<FlatValue> dashed = values;
    for (FlatValue& value : dashed) {
      std::replace(value.key.begin(), value.key.end(), '_', '-');
    }
    if (trainer_of(dashed) == Trainer::kMegatron) {
      values = std::move(dashed);
      trainer = Trainer::kMegatron;
    }
  }
  if (!trainer) {
    return Error{ErrorKind::kUnsupported,
                 fmt::format("{}: no known trainer writes such keys", name),
                 "known: axolotl, TRL, accelerate, DeepSpeed, LLaMA-Factory, "
                 "torchtune, Megatron arguments"};
  }
  TrainerConfig config;
  config.trainer = profile_of(*trainer);
  const bool generates =
      std::any_of(values.begin(), values.end(), [](const FlatValue& v) {
        return v.key == "max_completion_length" || v.key == "num_generations" ||
               v.key == "use_vllm";
      });
  Reader reader(*trainer, name, generates, config);
  for (const FlatValue& value : values) {
    if (Status status = reader.read(value); !status) return status.error();
  }
  add_defaults(*trainer, config);
  add_generation(*trainer, values, config);
  return config;
}

void merge(const TrainerConfig& more, TrainerConfig& into) {
  if (into.trainer.empty()) into.trainer = more.trainer;
  for (const auto& [setting, word] : more.settings) {
    into.settings[setting] = word;
    into.defaulted.erase(setting);
  }
  for (const auto& [setting, word] : more.defaulted) {
    into.defaulted[setting] = word;
  }
  for (const auto& [key, size] : more.shape) into.shape[key] = size;
  into.datasets.insert(into.datasets.end(), more.datasets.begin(),
                       more.datasets.end());
  into.read.insert(into.read.end(), more.read.begin(), more.read.end());
  into.ignored.insert(into.ignored.end(), more.ignored.begin(),
                      more.ignored.end());
}

}  // namespace trainsight::trainers
