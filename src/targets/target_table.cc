#include "trainsight/targets/target_table.h"

#include <array>

namespace trainsight::targets {
namespace {

using Names = std::string_view;

// The notes behind every row: preflight.md sections 1 and 2.
constexpr Names kOpenAiColumns[] = {"messages",
                                    "tools",
                                    "functions",
                                    "parallel_tool_calls",
                                    "input",
                                    "preferred_output",
                                    "non_preferred_output"};
constexpr Names kOpenAiMessageKeys[] = {
    "role",       "content",      "name",   "function_call",
    "tool_calls", "tool_call_id", "weight", "refusal"};
constexpr Names kOpenAiRoles[] = {"system",    "developer", "user",
                                  "assistant", "tool",      "function"};
constexpr Names kTogetherColumns[] = {"text",
                                      "messages",
                                      "prompt",
                                      "completion",
                                      "input",
                                      "preferred_output",
                                      "non_preferred_output"};
constexpr Names kTogetherMessageKeys[] = {"role", "content", "weight"};
constexpr Names kChatRoles[] = {"system", "user", "assistant"};
constexpr Names kFireworksMessageKeys[] = {"role", "content", "weight"};
constexpr Names kMistralMessageKeys[] = {
    "role", "content", "text", "tool_calls", "name", "tool_call_id", "weight"};
constexpr Names kMistralRoles[] = {"system", "user", "assistant", "tool"};
constexpr Names kJsonLines[] = {"jsonl"};

// SFTTrainer, DPOTrainer and KTOTrainer: BOS as the tokenizer adds it, the EOS
// at the end of what is learnt, prompt and answer as one text. Prompts of
// GRPOTrainer end as they are. Held against 1.16.0 by tests/reference.
constexpr facts::PlainTexts trl_texts() {
  facts::PlainTexts plain;
  plain.adds_special_tokens = plain.appends_eos = plain.joined = true;
  plain.finds_prompt = true;
  return plain;
}

constexpr Target trl() {
  Target t;
  t.name = "trl";
  t.title = "TRL";
  t.source = "huggingface/trl 1.16.0";
  t.as_of = "2026-11";
  t.plain = t.plain_preferences = trl_texts();
  t.max_seq_len = 1024;
  t.drops_unlabelled = true;  // since PR #6320, without packing
  t.learns = Learns::kAllOfChats;
  t.packing_window_rows = 1000;
  return t;
}

constexpr Target axolotl() {
  Target t;
  t.name = "axolotl";
  t.title = "axolotl";
  t.source = "axolotl-ai-cloud/axolotl 0.19.0";
  t.as_of = "2026-11";
  t.plain.adds_special_tokens = t.plain.appends_eos = true;
  // Preferences are prepared by its TRL (1.9.0), which counts the prompt's
  // own tokens.
  t.plain_preferences = trl_texts();
  t.plain_preferences.label_start = facts::LabelStart::kPromptTokens;
  t.conversations.learns_contents = t.conversations.pairs_as_texts = true;
  t.rows = t.pairs = t.packed_rows = Overlong::kDrop;
  t.drops_unlabelled = true;  // since PR #3864
  t.packing_window_rows = 100'000;
  return t;
}

constexpr Target llama_factory() {
  Target t;
  t.name = "llama-factory";
  t.title = "LLaMA-Factory";
  t.source = "hiyouga/LLaMA-Factory @ ff6d4d1";
  t.as_of = "2026-08";
  t.rows = t.pairs = Overlong::kProportional;
  t.packed_rows = Overlong::kDrop;
  t.packing_window_rows = 1000;
  return t;
}

constexpr Target torchtune() {
  Target t;
  t.name = "torchtune";
  t.title = "torchtune";
  t.source = "pytorch/torchtune @ bd2a0fc (no longer maintained)";
  t.as_of = "2026-04";
  t.packed_rows = Overlong::kRaise;
  return t;
}

constexpr Target verl() {
  Target t;
  t.name = "verl";
  t.title = "verl";
  t.source = "verl-project/verl @ b178a3c";
  t.as_of = "2026-01";
  t.max_prompt_len = 512;
  t.rows = t.pairs = t.prompts = Overlong::kRaise;
  t.refused_formats = kJsonLines;
  return t;
}

constexpr Target openrlhf() {
  Target t;
  t.name = "openrlhf";
  t.title = "OpenRLHF";
  t.source = "OpenRLHF/OpenRLHF @ 3c3be62";
  t.as_of = "2026-08";
  t.prompts = Overlong::kDrop;
  return t;
}

constexpr Target ms_swift() {
  Target t;
  t.name = "ms-swift";
  t.title = "ms-swift";
  t.source = "modelscope/ms-swift @ 3602360";
  t.as_of = "2026-08";
  t.rows = t.pairs = t.packed_rows = Overlong::kDrop;
  return t;
}

constexpr Target megatron() {
  Target t;
  t.name = "megatron";
  t.title = "Megatron-Bridge";
  t.source = "NVIDIA-NeMo/Megatron-Bridge, packed-sequences.md";
  t.as_of = "2026-08";
  t.packed_rows = Overlong::kDrop;
  return t;
}

constexpr Target openai() {
  Target t;
  t.name = "openai";
  t.title = "OpenAI fine-tuning format";
  t.source = "openai/openai-cookbook, Chat_finetuning_data_prep.ipynb";
  t.as_of = "2026-08";
  t.minimum_rows = 10;
  t.columns = kOpenAiColumns;
  t.message_keys = kOpenAiMessageKeys;
  t.roles = kOpenAiRoles;
  t.needs_messages = true;
  return t;
}

constexpr Target together() {
  Target t;
  t.name = "together";
  t.title = "Together AI";
  t.source = "togethercomputer/together-python @ eba5e5f";
  t.as_of = "2025-12";
  t.minimum_rows = 1;
  t.columns = kTogetherColumns;
  t.message_keys = kTogetherMessageKeys;
  t.roles = kChatRoles;
  t.strict_alternation = true;
  return t;
}

constexpr Target fireworks() {
  Target t;
  t.name = "fireworks";
  t.title = "Fireworks AI";
  t.source = "docs.fireworks.ai/fine-tuning/fine-tuning-models";
  t.as_of = "2026-08";
  t.rows = t.pairs = t.packed_rows = Overlong::kDrop;  // cookbook issue #336
  t.minimum_rows = 3;
  t.message_keys = kFireworksMessageKeys;
  t.roles = kChatRoles;
  t.needs_messages = true;
  return t;
}

constexpr Target mistral() {
  Target t;
  t.name = "mistral";
  t.title = "mistral-finetune";
  t.source = "mistralai/mistral-finetune @ 1943535, utils/validate_data.py";
  t.as_of = "2026-06";
  t.packed_rows = t.rows = Overlong::kSplit;
  t.message_keys = kMistralMessageKeys;
  t.roles = kMistralRoles;
  return t;
}

constexpr std::array kTargets = {trl(),       axolotl(),   llama_factory(),
                                 torchtune(), verl(),      openrlhf(),
                                 ms_swift(),  megatron(),  openai(),
                                 together(),  fireworks(), mistral()};

}  // namespace

std::string_view name_of(Overlong policy) {
  switch (policy) {
    case Overlong::kTruncateStart:
      return "truncate";
    case Overlong::kTruncateEnd:
      return "truncate_keep_end";
    case Overlong::kProportional:
      return "truncate_proportional";
    case Overlong::kDrop:
      return "drop";
    case Overlong::kRaise:
      return "error";
    case Overlong::kSplit:
      return "split";
    case Overlong::kKeep:
      return "keep";
  }
  return "keep";
}

std::span<const Target> targets() { return kTargets; }

const Target* find_target(std::string_view name) {
  for (const Target& target : kTargets) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

}  // namespace trainsight::targets
