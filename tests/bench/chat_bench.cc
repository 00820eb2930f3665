// Rendered conversations a second: presets and Jinja templates.
//
// Data: the same short conversation (system, user, assistant; about 260 bytes
// of contents, one of the three with JSON escapes) again and again, so the
// figures are of rendering, not of memory. The Jinja text must be the preset's.
// Best and worst of five rounds. Usage: chat_bench [TEMPLATE_FILE]
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>

#include "trainsight/chat/jinja_template.h"
#include "trainsight/chat/presets.h"

namespace {

using namespace trainsight;  // NOLINT: a program of its own

constexpr std::string_view kChatml =
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' "
    "+ message['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}";

scan::Value text_value(std::string_view text) {
  scan::Value value;
  value.kind = scan::ValueKind::kText;
  value.encoding = text::Encoding::kJsonEscaped;
  value.data = text.data();
  value.bytes = text.size();
  return value;
}

std::string measure(const char* name, const chat::ChatTemplate& chat_template,
                    const chat::Conversation& conversation,
                    const chat::RenderOptions& options) {
  constexpr int kRows = 100'000;
  const std::unique_ptr<chat::TemplateRenderer> renderer =
      chat_template.make_renderer();
  chat::Rendered out;
  double best = 0;
  double worst = 1e300;
  for (int round = 0; round < 5; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kRows; ++i) {
      const Status status = renderer->render(conversation, options, out);
      if (!status) {
        std::printf("%-28s %s\n", name, status.error().message.c_str());
        return "";
      }
    }
    const std::chrono::duration<double> took =
        std::chrono::steady_clock::now() - begin;
    best = std::max(best, kRows / took.count());
    worst = std::min(worst, kRows / took.count());
  }
  std::printf("%-28s %9.0f rows/s (worst %9.0f), %zu bytes a row\n", name, best,
              worst, out.text.size());
  return out.text;
}

}  // namespace

int main(int argc, char** argv) {
  const scan::Value contents[] = {
      text_value("You are a helpful assistant that answers briefly."),
      text_value(
          "Write a function that adds two numbers.\\nUse C++ and explain "
          "\\\"why\\\" it works, in one sentence."),
      text_value("int add(int a, int b) { return a + b; } It works because the "
                 "sum of two ints is an int as long as it does not overflow.")};
  constexpr records::Role kRoles[] = {
      records::Role::kSystem, records::Role::kUser, records::Role::kAssistant};
  records::Message messages[3];
  for (std::size_t i = 0; i < 3; ++i) {
    messages[i].role = kRoles[i];
    messages[i].content = &contents[i];
    messages[i].trained = i == 2;
  }
  chat::Conversation conversation;
  conversation.messages = messages;
  chat::RenderOptions plain;
  chat::RenderOptions masked;
  masked.mask = true;

  const auto preset = chat::PresetTemplate::make("chatml");
  const auto jinja = chat::JinjaTemplate::compile(kChatml);
  if (!preset || !jinja) return 1;
  const std::string by_preset =
      measure("preset chatml", **preset, conversation, plain);
  const std::string by_jinja =
      measure("jinja chatml", **jinja, conversation, plain);
  measure("preset chatml, mask", **preset, conversation, masked);
  measure("jinja chatml, mask", **jinja, conversation, masked);
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i]);
    const std::string source{std::istreambuf_iterator<char>(file), {}};
    const auto own = chat::JinjaTemplate::compile(source);
    if (!own) {
      std::printf("%s: %s\n", argv[i], own.error().message.c_str());
      continue;
    }
    measure(argv[i], **own, conversation, plain);
  }
  if (by_preset != by_jinja) {
    std::puts("WRONG: preset and template differ");
    return 1;
  }
  return 0;
}
