#include "trainsight/chat/presets.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "unit/chat/conversation_builder.h"
#include "unit/chat/rendering.h"

namespace trainsight::chat {
namespace {

using Json = nlohmann::ordered_json;

std::unique_ptr<PresetTemplate> preset(std::string_view name) {
  TemplateVariables variables;
  variables.bos_token = "<s>";
  auto made = PresetTemplate::make(name, variables);
  REQUIRE(made);
  return std::move(*made);
}

// Two turns with a system text; contents with white space around them.
std::string text_of(std::string_view name) {
  const ConversationBuilder builder(Json::parse(
      R"([{"role":"system","content":"S"},{"role":"user","content":" q "},
          {"role":"assistant","content":" a "},{"role":"user","content":"r"},
          {"role":"assistant","content":"b"}])"));
  RenderOptions options;
  options.add_generation_prompt = true;
  Rendered out;
  REQUIRE(preset(name)->make_renderer()->render(builder.conversation(), options,
                                                out));
  return out.text;
}

TEST_CASE("each preset writes the strings of its family") {
  struct Case {
    std::string_view name;
    std::string_view text;
  };
  static constexpr Case kCases[] = {
      {"chatml",
       "<|im_start|>system\nS<|im_end|>\n<|im_start|>user\n q <|im_end|>\n"
       "<|im_start|>assistant\n a <|im_end|>\n<|im_start|>user\nr<|im_end|>\n"
       "<|im_start|>assistant\nb<|im_end|>\n<|im_start|>assistant\n"},
      {"llama3",
       "<s><|start_header_id|>system<|end_header_id|>\n\nS<|eot_id|>"
       "<|start_header_id|>user<|end_header_id|>\n\nq<|eot_id|>"
       "<|start_header_id|>assistant<|end_header_id|>\n\na<|eot_id|>"
       "<|start_header_id|>user<|end_header_id|>\n\nr<|eot_id|>"
       "<|start_header_id|>assistant<|end_header_id|>\n\nb<|eot_id|>"
       "<|start_header_id|>assistant<|end_header_id|>\n\n"},
      {"llama4",
       "<s><|header_start|>system<|header_end|>\n\nS<|eot|>"
       "<|header_start|>user<|header_end|>\n\nq<|eot|>"
       "<|header_start|>assistant<|header_end|>\n\na<|eot|>"
       "<|header_start|>user<|header_end|>\n\nr<|eot|>"
       "<|header_start|>assistant<|header_end|>\n\nb<|eot|>"
       "<|header_start|>assistant<|header_end|>\n\n"},
      {"gemma",
       "<s><start_of_turn>user\nS\n\nq<end_of_turn>\n"
       "<start_of_turn>model\na<end_of_turn>\n"
       "<start_of_turn>user\nr<end_of_turn>\n"
       "<start_of_turn>model\nb<end_of_turn>\n<start_of_turn>model\n"},
      {"llama2",
       "<s>[INST] <<SYS>>\nS\n<</SYS>>\n\n q  [/INST] a </s>"
       "[INST] r [/INST]b</s>"},
      {"llama2-bos",
       "<s>[INST] <<SYS>>\nS\n<</SYS>>\n\n q  [/INST] a </s>"
       "<s>[INST] r [/INST]b</s>"},
      {"mistral-v1",
       "<s> [INST] S\n\n q  [/INST]  a </s> [INST] r [/INST] b</s>"},
      {"mistral-v3", "<s>[INST] S\n\n q [/INST] a</s>[INST] r[/INST] b</s>"},
      {"mistral-v3-tekken",
       "<s>[INST]S\n\n q [/INST] a </s>[INST]r[/INST]b</s>"},
      {"mistral-v7",
       "<s>[SYSTEM_PROMPT] S[/SYSTEM_PROMPT][INST]  q [/INST]  a </s>"
       "[INST] r[/INST] b</s>"},
      {"mistral-v7-tekken",
       "<s>[SYSTEM_PROMPT]S[/SYSTEM_PROMPT][INST] q [/INST] a </s>"
       "[INST]r[/INST]b</s>"},
      {"phi3",
       "<|system|>\nS<|end|>\n<|user|>\n q <|end|>\n<|assistant|>\n a <|end|>\n"
       "<|user|>\nr<|end|>\n<|assistant|>\nb<|end|>\n<|assistant|>\n"},
      {"phi4",
       "<|im_start|>system<|im_sep|>S<|im_end|><|im_start|>user<|im_sep|> q "
       "<|im_end|><|im_start|>assistant<|im_sep|> a <|im_end|>"
       "<|im_start|>user<|im_sep|>r<|im_end|>"
       "<|im_start|>assistant<|im_sep|>b<|im_end|>"
       "<|im_start|>assistant<|im_sep|>"},
      {"deepseek2",
       "<s>S\n\nUser:  q \n\nAssistant:  a <｜end▁of▁sentence｜>"
       "User: r\n\nAssistant: b<｜end▁of▁sentence｜>Assistant:"},
      {"deepseek3",
       "<s>S<｜User｜> q <｜Assistant｜> a <｜end▁of▁sentence｜>"
       "<｜User｜>r<｜Assistant｜>b<｜end▁of▁sentence｜><｜Assistant｜>"},
      {"command-r",
       "<s><|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>S<|END_OF_TURN_TOKEN|>"
       "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>q<|END_OF_TURN_TOKEN|>"
       "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>a<|END_OF_TURN_TOKEN|>"
       "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>r<|END_OF_TURN_TOKEN|>"
       "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>b<|END_OF_TURN_TOKEN|>"
       "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"},
      {"glm4",
       "[gMASK]<sop><|system|>\nS<|user|>\n q <|assistant|>\n a <|user|>\nr"
       "<|assistant|>\nb<|assistant|>\n"},
      {"zephyr",
       "<|system|>\nS<|endoftext|>\n<|user|>\n q <|endoftext|>\n"
       "<|assistant|>\n a <|endoftext|>\n<|user|>\nr<|endoftext|>\n"
       "<|assistant|>\nb<|endoftext|>\n<|assistant|>\n"},
      {"falcon3",
       "<|system|>\nS\n<|user|>\n q \n<|assistant|>\n a \n<|user|>\nr\n"
       "<|assistant|>\nb\n<|assistant|>\n"},
      {"granite",
       "<|start_of_role|>system<|end_of_role|>S<|end_of_text|>\n"
       "<|start_of_role|>user<|end_of_role|> q <|end_of_text|>\n"
       "<|start_of_role|>assistant<|end_of_role|> a <|end_of_text|>\n"
       "<|start_of_role|>user<|end_of_role|>r<|end_of_text|>\n"
       "<|start_of_role|>assistant<|end_of_role|>b<|end_of_text|>\n"
       "<|start_of_role|>assistant<|end_of_role|>\n"},
      {"vicuna",
       "<s>S\n\nUSER:  q \nASSISTANT:  a </s>\nUSER: r\nASSISTANT: b</s>\n"
       "ASSISTANT:"},
      {"smolvlm",
       "<|im_start|>S\n\nUser:  q <end_of_utterance>\n"
       "Assistant:  a <end_of_utterance>\nUser: r<end_of_utterance>\n"
       "Assistant: b<end_of_utterance>\nAssistant:"},
      {"exaone3",
       "[|system|]S[|endofturn|]\n[|user|]q\n[|assistant|]a[|endofturn|]\n"
       "[|user|]r\n[|assistant|]b[|endofturn|]\n[|assistant|]"},
  };
  std::set<std::string_view> covered;
  for (const Case& c : kCases) {
    INFO(c.name);
    CHECK(text_of(c.name) == c.text);
    covered.insert(c.name);
  }
  // Every row of the table has its case.
  const std::vector<std::string_view> names = preset_names();
  CHECK(covered == std::set<std::string_view>(names.begin(), names.end()));
}

TEST_CASE("a preset's mask holds answers and their stops, no headers") {
  ConversationBuilder builder(Json::parse(
      R"([{"role":"user","content":"q"},{"role":"assistant","content":"a"},
          {"role":"user","content":"r"},{"role":"assistant","content":"b"}])"));
  builder.messages()[1].trained = false;
  RenderOptions options;
  options.mask = true;
  CHECK(spans_of(*preset("chatml"), builder.conversation(), options) ==
        "0 l|<|im_start|>user\n\n0 c|q\n0 l|<|im_end|>\n\n"
        "1 l|<|im_start|>assistant\n\n1 c|a\n1 s|<|im_end|>\n1 l|\n\n"
        "2 l|<|im_start|>user\n\n2 c|r\n2 l|<|im_end|>\n\n"
        "3 l|<|im_start|>assistant\n\n3 cT|b\n3 sT|<|im_end|>\n3 l|\n\n");
}

TEST_CASE("parts are joined, null is nothing, and omitted tools are said") {
  const ConversationBuilder builder(
      Json::parse(
          R"([{"role":"user","content":[{"type":"text","text":"a\n"},
               {"type":"image"},{"type":"text","text":"b"}]},
              {"role":"assistant","content":null,"tool_calls":[]}])"),
      Json::parse(R"([{"name":"f"}])"));
  Rendered out;
  REQUIRE(preset("chatml")->make_renderer()->render(builder.conversation(), {},
                                                    out));
  CHECK(out.text ==
        "<|im_start|>user\na\nb<|im_end|>\n<|im_start|>assistant\n"
        "<|im_end|>\n");
  CHECK(out.omits_tools);
}

TEST_CASE("no template joins the contents") {
  const ConversationBuilder builder(Json::parse(
      R"([{"role":"user","content":" q "},{"role":"assistant","content":"a"}])"));
  RenderOptions options;
  options.mask = true;
  CHECK(spans_of(NoTemplate(), builder.conversation(), options) ==
        "0 c| q \n1 cT|a\n");
}

TEST_CASE("an unknown preset is an error that names the known ones") {
  const auto made = PresetTemplate::make("chatlm");
  REQUIRE(!made);
  CHECK(made.error().kind == ErrorKind::kUsage);
  CHECK(made.error().message == "unknown chat template 'chatlm'");
  CHECK(made.error().hint.substr(0, 28) == "presets are chatml, llama3, ");
}

TEST_CASE("markers of a template name its preset") {
  CHECK(detect_preset("{{ '<|im_start|>' }}") == "chatml");
  CHECK(detect_preset("{{ '<|im_start|>' }}<|im_sep|>") == "phi4");
  CHECK(detect_preset("' [INST] ' + x") == "mistral-v1");
  CHECK(detect_preset("{{ '[INST] ' + x }}") == "mistral-v3");
  CHECK(detect_preset("{{ \"[INST]\" + x }}") == "mistral-v3-tekken");
  CHECK(detect_preset("[INST] <<SYS>>") == "llama2");
  CHECK(detect_preset("[SYSTEM_PROMPT] [INST]") == "mistral-v7");
  CHECK(detect_preset("<|user|> <|assistant|> <|end|>") == "phi3");
  CHECK(detect_preset("### Instruction:") == "");
}

}  // namespace
}  // namespace trainsight::chat
