#include "trainers/key_reader.h"

#include <cstdint>
#include <optional>
#include <utility>

#include "trainers/words.h"

namespace trainsight::trainers {
namespace {

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

}  // namespace

Status KeyReader::read(const FlatValue& value) {
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

Status KeyReader::set(const KeyRow& row, const FlatValue& value,
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

Status KeyReader::apply(const KeyRow& row, const FlatValue& value) {
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
    case Reading::kComponent: {
      Component component = component_of(text);
      config_.settings[Setting::kModel] = std::move(component.model);
      config_.settings[Setting::kMethod] = std::move(component.method);
    }
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

}  // namespace trainsight::trainers
