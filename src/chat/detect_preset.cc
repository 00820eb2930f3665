// Which preset a template's markers point to, and where the two differ.
#include <fmt/format.h>

#include <algorithm>

#include "trainsight/chat/presets.h"
#include "trainsight/records/sample.h"

namespace trainsight::chat {
namespace {

// A preset is meant when the template has all of `present` and not `absent`.
// The first row that fits decides, so narrower rows stand before wider ones.
// Source of most markers: ggml-org/llama.cpp, src/llama-chat.cpp.
struct MarkerRow {
  std::string_view preset;
  std::string_view present[3];
  std::string_view absent;
};

constexpr MarkerRow kRows[] = {
    {"phi4", {"<|im_start|>", "<|im_sep|>", ""}, ""},
    {"smolvlm", {"<|im_start|>", "<end_of_utterance>", ""}, ""},
    {"chatml", {"<|im_start|>", "", ""}, ""},
    {"mistral-v7-tekken", {"'[SYSTEM_PROMPT]'", "", ""}, ""},
    {"mistral-v7-tekken", {"\"[SYSTEM_PROMPT]\"", "", ""}, ""},
    {"mistral-v7", {"[SYSTEM_PROMPT]", "", ""}, ""},
    {"llama2-bos", {"[INST]", "<<SYS>>", "bos_token + '[INST]"}, ""},
    {"llama2", {"[INST]", "<<SYS>>", ""}, ""},
    {"mistral-v1", {"' [INST] '", "", ""}, ""},
    {"mistral-v1", {"\" [INST] \"", "", ""}, ""},
    {"mistral-v3-tekken", {"\"[INST]\"", "", ""}, ""},
    {"mistral-v3-tekken", {"'[INST]'", "", ""}, ""},
    {"mistral-v3", {"[INST]", "", ""}, ""},
    {"phi3", {"<|assistant|>", "<|end|>", ""}, ""},
    {"glm4", {"[gMASK]", "<sop>", ""}, ""},
    {"zephyr", {"<|user|>", "<|endoftext|>", ""}, ""},
    {"zephyr", {"<|user|>", "eos_token", "<|assistant|>"}, "</s>"},
    {"falcon3", {"<|user|>", "<|assistant|>", ""}, ""},
    {"gemma", {"<start_of_turn>", "", ""}, ""},
    {"llama3", {"<|start_header_id|>", "<|end_header_id|>", ""}, ""},
    {"llama4", {"<|header_start|>", "<|header_end|>", ""}, ""},
    {"command-r", {"<|START_OF_TURN_TOKEN|>", "<|USER_TOKEN|>", ""}, ""},
    {"vicuna", {"USER: ", "ASSISTANT: ", ""}, ""},
    {"deepseek3", {"<｜User｜>", "<｜Assistant｜>", ""}, ""},
    {"deepseek2", {"'User: '", "'Assistant: '", ""}, ""},
    {"exaone3", {"[|system|]", "[|assistant|]", "[|endofturn|]"}, ""},
    {"granite", {"<|start_of_role|>", "<|end_of_role|>", ""}, ""},
};

// One message of a probe.
struct ProbeMessage {
  records::Role role;
  std::string_view text;
};

// A conversation that two templates are compared on.
struct Probe {
  std::string_view what;  ///< "differs …"
  ProbeMessage messages[4];
  std::size_t count;
  bool generation_prompt;
  bool tools;
};

constexpr records::Role kSystem = records::Role::kSystem;
constexpr records::Role kUser = records::Role::kUser;
constexpr records::Role kAssistant = records::Role::kAssistant;

constexpr Probe kProbes[] = {
    {"in a plain question and answer",
     {{kUser, "Why?"}, {kAssistant, "So."}},
     2,
     false,
     false},
    {"before a generated answer", {{kUser, "Why?"}}, 1, true, false},
    {"with a system message",
     {{kSystem, "Be brief."}, {kUser, "Why?"}, {kAssistant, "So."}},
     3,
     false,
     false},
    {"in later turns",
     {{kUser, "Why?"},
      {kAssistant, "So."},
      {kUser, "How?"},
      {kAssistant, "Thus."}},
     4,
     false,
     false},
    {"where contents begin or end with white space",
     {{kUser, "  Why?\n"}, {kAssistant, "\n So. \n"}},
     2,
     false,
     false},
    {"where an answer has a <think> block",
     {{kUser, "Why?"}, {kAssistant, "<think>\nHm.\n</think>\n\nSo."}},
     2,
     false,
     false},
    {"with tools", {{kUser, "Why?"}, {kAssistant, "So."}}, 2, false, true},
};

constexpr std::string_view kProbeTools =
    R"([{"type":"function","function":{"name":"f","description":"d",)"
    R"("parameters":{"type":"object","properties":{}}}}])";

scan::Value text_value(std::string_view text) {
  scan::Value value;
  value.kind = scan::ValueKind::kText;
  value.data = text.data();
  value.bytes = text.size();
  return value;
}

}  // namespace

std::string_view detect_preset(std::string_view source) {
  const auto has = [source](std::string_view marker) {
    return source.find(marker) != std::string_view::npos;
  };
  const MarkerRow* const row = std::find_if(
      std::begin(kRows), std::end(kRows), [&has](const MarkerRow& r) {
        return std::all_of(std::begin(r.present), std::end(r.present), has) &&
               (r.absent.empty() || !has(r.absent));
      });
  return row == std::end(kRows) ? std::string_view() : row->preset;
}

std::vector<std::string> control_markers_of(const ChatTemplate& chat_template) {
  std::vector<std::string> markers;
  const scan::Value contents[] = {text_value("Why?"), text_value("So.")};
  records::Message messages[2];
  messages[0].role = kUser;
  messages[1].role = kAssistant;
  for (std::size_t i = 0; i < 2; ++i) messages[i].content = &contents[i];
  Conversation conversation;
  conversation.messages = messages;
  Rendered out;
  if (!chat_template.make_renderer()->render(conversation, {}, out)) return {};
  const std::string_view text = out.text;
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos; ++at) {
    const std::size_t end = text.find_first_of("<> \n", at + 1);
    if (end == text.npos || text[end] != '>') continue;
    std::string marker(text.substr(at, end + 1 - at));
    if (marker.size() > 3 &&
        std::find(markers.begin(), markers.end(), marker) == markers.end()) {
      markers.push_back(std::move(marker));
    }
  }
  return markers;
}

std::vector<std::string> differences_of(const ChatTemplate& preset,
                                        const JinjaTemplate& own) {
  std::vector<std::string> differences;
  const std::unique_ptr<TemplateRenderer> a = preset.make_renderer();
  const std::unique_ptr<TemplateRenderer> b = own.make_renderer();
  Rendered of_preset;
  Rendered of_own;
  for (const Probe& probe : kProbes) {
    scan::Value contents[4];
    records::Message messages[4];
    for (std::size_t i = 0; i < probe.count; ++i) {
      contents[i] = text_value(probe.messages[i].text);
      messages[i].role = probe.messages[i].role;
      messages[i].content = &contents[i];
    }
    const scan::Value tools = text_value(kProbeTools);
    Conversation conversation;
    conversation.messages = {messages, probe.count};
    if (probe.tools) conversation.tools = &tools;
    RenderOptions options;
    options.add_generation_prompt = probe.generation_prompt;
    const Status preset_status = a->render(conversation, options, of_preset);
    const Status own_status = b->render(conversation, options, of_own);
    if (!own_status) {
      differences.push_back(fmt::format("{} (the model's own template: {})",
                                        probe.what,
                                        own_status.error().message));
    } else if (!preset_status || of_preset.text != of_own.text) {
      differences.emplace_back(probe.what);
    }
  }
  return differences;
}

}  // namespace trainsight::chat
