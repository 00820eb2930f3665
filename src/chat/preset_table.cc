#include "chat/preset_table.h"

#include <algorithm>

namespace trainsight::chat {
namespace {

constexpr PresetLayout kTurns = PresetLayout::kTurns;
constexpr PresetLayout kInstruction = PresetLayout::kInstruction;

// A format that writes every role alike, the role's name in the header.
constexpr PresetRow uniform(std::string_view name, bool prints_bos,
                            std::string_view start, const Turn& turn,
                            std::string_view generation_prompt) {
  PresetRow row;
  row.name = name;
  row.prints_bos = prints_bos;
  row.start = start;
  row.system = row.user = row.assistant = row.other = turn;
  row.generation_prompt = generation_prompt;
  return row;
}

constexpr PresetRow gemma() {
  PresetRow row = uniform("gemma", true, "",
                          {"<start_of_turn>\1\n", "<end_of_turn>", "\n", true},
                          "<start_of_turn>model\n");
  row.layout = PresetLayout::kSystemInUser;
  row.assistant_name = "model";
  return row;
}

constexpr PresetRow kRows[] = {
    uniform("chatml", false, "", {"<|im_start|>\1\n", "<|im_end|>", "\n"},
            "<|im_start|>assistant\n"),
    uniform(
        "llama3", true, "",
        {"<|start_header_id|>\1<|end_header_id|>\n\n", "<|eot_id|>", "", true},
        "<|start_header_id|>assistant<|end_header_id|>\n\n"),
    uniform("llama4", true, "",
            {"<|header_start|>\1<|header_end|>\n\n", "<|eot|>", "", true},
            "<|header_start|>assistant<|header_end|>\n\n"),
    gemma(),
    {"llama2",
     kInstruction,
     true,
     false,
     "",
     "",
     {"<<SYS>>\n", "", "\n<</SYS>>\n\n"},
     {"[INST] ", "", " [/INST]"},
     {"", "</s>", ""},
     {"[INST] ", "", " [/INST]"},
     ""},
    {"llama2-bos",
     kInstruction,
     true,
     true,
     "",
     "",
     {"<<SYS>>\n", "", "\n<</SYS>>\n\n"},
     {"[INST] ", "", " [/INST]"},
     {"", "</s>", ""},
     {"[INST] ", "", " [/INST]"},
     ""},
    {"mistral-v1",
     kInstruction,
     true,
     false,
     "",
     "",
     {"", "", "\n\n"},
     {" [INST] ", "", " [/INST]"},
     {" ", "</s>", ""},
     {" [INST] ", "", " [/INST]"},
     ""},
    {"mistral-v3",
     kInstruction,
     true,
     false,
     "",
     "",
     {"", "", "\n\n"},
     {"[INST] ", "", "[/INST]"},
     {" ", "</s>", "", true},
     {"[INST] ", "", "[/INST]"},
     ""},
    {"mistral-v3-tekken",
     kInstruction,
     true,
     false,
     "",
     "",
     {"", "", "\n\n"},
     {"[INST]", "", "[/INST]"},
     {"", "</s>", ""},
     {"[INST]", "", "[/INST]"},
     ""},
    {"mistral-v7",
     kTurns,
     true,
     false,
     "",
     "",
     {"[SYSTEM_PROMPT] ", "", "[/SYSTEM_PROMPT]"},
     {"[INST] ", "", "[/INST]"},
     {" ", "</s>", ""},
     {"[INST] ", "", "[/INST]"},
     ""},
    {"mistral-v7-tekken",
     kTurns,
     true,
     false,
     "",
     "",
     {"[SYSTEM_PROMPT]", "", "[/SYSTEM_PROMPT]"},
     {"[INST]", "", "[/INST]"},
     {"", "</s>", ""},
     {"[INST]", "", "[/INST]"},
     ""},
    uniform("phi3", false, "", {"<|\1|>\n", "<|end|>", "\n"},
            "<|assistant|>\n"),
    uniform("phi4", false, "", {"<|im_start|>\1<|im_sep|>", "<|im_end|>", ""},
            "<|im_start|>assistant<|im_sep|>"),
    {"deepseek2",
     kTurns,
     true,
     false,
     "",
     "",
     {"", "", "\n\n"},
     {"User: ", "", "\n\n"},
     {"Assistant: ", "<｜end▁of▁sentence｜>", ""},
     {"User: ", "", "\n\n"},
     "Assistant:"},
    // llama.cpp puts "\n\n" behind the system text; the models' own templates
    // print it bare, and those decide.
    {"deepseek3",
     kTurns,
     true,
     false,
     "",
     "",
     {"", "", ""},
     {"<｜User｜>", "", ""},
     {"<｜Assistant｜>", "<｜end▁of▁sentence｜>", ""},
     {"<｜User｜>", "", ""},
     "<｜Assistant｜>"},
    {"command-r",
     kTurns,
     true,
     false,
     "",
     "",
     {"<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "",
      true},
     {"<|START_OF_TURN_TOKEN|><|USER_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "",
      true},
     {"<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "",
      true},
     {"<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "",
      true},
     "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"},
    uniform("glm4", false, "[gMASK]<sop>", {"<|\1|>\n", "", ""},
            "<|assistant|>\n"),
    uniform("zephyr", false, "", {"<|\1|>\n", "<|endoftext|>", "\n"},
            "<|assistant|>\n"),
    uniform("falcon3", false, "", {"<|\1|>\n", "", "\n"}, "<|assistant|>\n"),
    uniform("granite", false, "",
            {"<|start_of_role|>\1<|end_of_role|>", "<|end_of_text|>", "\n"},
            "<|start_of_role|>assistant<|end_of_role|>\n"),
    {"vicuna",
     kTurns,
     true,
     false,
     "",
     "",
     {"", "", "\n\n"},
     {"USER: ", "", "\n"},
     {"ASSISTANT: ", "</s>", "\n"},
     {"USER: ", "", "\n"},
     "ASSISTANT:"},
    {"smolvlm",
     kTurns,
     false,
     false,
     "<|im_start|>",
     "",
     {"", "", "\n\n"},
     {"User: ", "", "<end_of_utterance>\n"},
     {"Assistant: ", "<end_of_utterance>", "\n"},
     {"User: ", "", "<end_of_utterance>\n"},
     "Assistant:"},
    {"exaone3",
     kTurns,
     false,
     false,
     "",
     "",
     {"[|system|]", "", "[|endofturn|]\n", true},
     {"[|user|]", "", "\n", true},
     {"[|assistant|]", "[|endofturn|]", "\n", true},
     {"[|user|]", "", "\n", true},
     "[|assistant|]"},
};

}  // namespace

std::span<const PresetRow> preset_table() { return kRows; }

const PresetRow* find_preset(std::string_view name) {
  const PresetRow* const row =
      std::find_if(std::begin(kRows), std::end(kRows),
                   [name](const PresetRow& r) { return r.name == name; });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace trainsight::chat
