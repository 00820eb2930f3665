// Jinja templates of any bytes: lexer, parser and evaluator under tiny limits.
//
// Checked: no crash, spans that cover the text, and the same text again from a
// renderer that has been used before.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "trainsight/chat/jinja_template.h"

namespace {

using trainsight::Status;
using trainsight::chat::Conversation;
using trainsight::chat::JinjaLimits;
using trainsight::chat::JinjaTemplate;
using trainsight::chat::Rendered;
using trainsight::chat::RenderOptions;
using trainsight::chat::Span;
using trainsight::chat::TemplateVariables;

trainsight::scan::Value text_value(std::string_view text) {
  trainsight::scan::Value value;
  value.kind = trainsight::scan::ValueKind::kText;
  value.encoding = trainsight::text::Encoding::kJsonEscaped;
  value.data = text.data();
  value.bytes = text.size();
  return value;
}

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  JinjaLimits limits;
  limits.source_bytes = 1 << 14;
  limits.steps = 20'000;
  limits.output_bytes = 1 << 14;
  limits.memory_bytes = 1 << 20;
  limits.depth = 60;
  TemplateVariables variables;
  variables.bos_token = "<s>";
  variables.arguments = {
      {"xs", R"([1, -2.5, "a\u00e9", null, {"k": [true]}])"}};
  variables.date = {2026, 7, 4, 15, 5, 9};
  const auto compiled = JinjaTemplate::compile(
      {reinterpret_cast<const char*>(data), size}, variables, limits);
  if (!compiled) return 0;

  const trainsight::scan::Value contents[] = {
      text_value("be brief"), text_value("  h\\u00e9 \\\"q\\\"\\n"),
      text_value("<think>\\nx</think>\\n\\nanswer")};
  trainsight::records::Message messages[3];
  messages[0].role = trainsight::records::Role::kSystem;
  messages[1].role = trainsight::records::Role::kUser;
  messages[2].role = trainsight::records::Role::kAssistant;
  for (std::size_t i = 0; i < 3; ++i) messages[i].content = &contents[i];
  messages[2].trained = true;
  const trainsight::scan::Value tools =
      text_value(R"([{\"function\":{\"name\":\"f\",\"n\":[1,2]}}])");
  Conversation conversation;
  conversation.messages = messages;
  conversation.tools = &tools;

  RenderOptions options;
  options.mask = true;
  const auto renderer = (*compiled)->make_renderer();
  Rendered first;
  Rendered second;
  const Status once = renderer->render(conversation, options, first);
  const Status again = renderer->render(conversation, options, second);
  require(once.has_value() == again.has_value());
  if (!once) return 0;
  require(first.text == second.text && first.spans == second.spans);
  std::uint64_t at = 0;
  for (const Span& span : first.spans) {
    require(span.begin == at && span.end > span.begin);
    at = span.end;
  }
  require(at == first.text.size());
  return 0;
}
