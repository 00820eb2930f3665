#include "trainers/words.h"

#include <charconv>
#include <utility>

namespace trainsight::trainers {

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

Component component_of(std::string_view value) {
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
  return {std::move(model), std::move(method)};
}

}  // namespace trainsight::trainers
