// Spans, masks, messages of other shapes, refusals and limits of JinjaTemplate.
#include "trainsight/chat/jinja_template.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "unit/chat/conversation_builder.h"
#include "unit/chat/rendering.h"

namespace trainsight::chat {
namespace {

using Json = nlohmann::ordered_json;

std::unique_ptr<JinjaTemplate> compile(std::string_view source,
                                       TemplateVariables variables = {},
                                       JinjaLimits limits = {}) {
  auto compiled = JinjaTemplate::compile(source, std::move(variables), limits);
  INFO((compiled ? "" : compiled.error().message));
  REQUIRE(compiled);
  return std::move(*compiled);
}

std::string error_of(std::string_view source, JinjaLimits limits = {}) {
  const auto compiled = JinjaTemplate::compile(source, {}, limits);
  if (!compiled) return compiled.error().message;
  const Result<std::string> text = (*compiled)->render_json("{\"xs\":[1,2]}");
  return text ? "no error: " + *text : text.error().message;
}

ErrorKind kind_of(std::string_view source, JinjaLimits limits = {}) {
  const auto compiled = JinjaTemplate::compile(source, {}, limits);
  if (!compiled) return compiled.error().kind;
  const Result<std::string> text = (*compiled)->render_json("{\"xs\":[1,2]}");
  REQUIRE(!text);
  return text.error().kind;
}

const char* const kChatml =
    "{% for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + "
    "'<|im_end|>' + '\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

TEST_CASE("contents keep their message through joining") {
  const ConversationBuilder builder(
      Json::parse(R"([{"role":"user","content":"a \"b\"\n"},
                      {"role":"assistant","content":"c"}])"));
  CHECK(spans_of(*compile(kChatml), builder.conversation(), {}) ==
        "0 l|<|im_start|>user\n\n"
        "0 c|a \"b\"\n\n"
        "0 l|<|im_end|>\n\n"
        "1 l|<|im_start|>assistant\n\n"
        "1 c|c\n"
        "1 l|<|im_end|>\n\n");
}

TEST_CASE("contents keep their message through strip, split and slices") {
  const ConversationBuilder builder(
      Json::parse(R"([{"role":"user","content":" one|two "}])"));
  const std::string source =
      "{% set c = '<' + messages[0].content.strip() + '>' %}"
      "{{ c.split('|')[0] }},{{ c[1:4] }},{{ (' ' ~ c) | trim }},"
      "{{ messages[0].content | upper }},{{ c | replace('one', '1') }}";
  CHECK(spans_of(*compile(source), builder.conversation(), {}) ==
        "-1 l|<\n0 c|one\n-1 l|,\n0 c|one\n-1 l|,<\n0 c|one|two\n-1 l|>,\n"
        "0 c| ONE|TWO \n-1 l|,\n0 c|<1|two>\n");
}

TEST_CASE("a macro and a set block keep the messages of what they print") {
  const ConversationBuilder builder(Json::parse(
      R"([{"role":"user","content":"q"},{"role":"assistant","content":"r"}])"));
  const std::string source =
      "{% macro turn(m) %}[{{ m.content }}]{% endmacro %}"
      "{% for m in messages %}{{ turn(m) }}{% endfor %}"
      "{% set all %}{% for m in messages %}{{ m.content }}{% endfor %}"
      "{% endset %}={{ all }}";
  CHECK(spans_of(*compile(source), builder.conversation(), {}) ==
        "0 l|[\n0 c|q\n0 l|]\n1 l|[\n1 c|r\n1 l|]\n-1 l|=\n0 c|q\n1 c|r\n");
}

TEST_CASE("what the caller sets is there, and what it does not is undefined") {
  TemplateVariables variables;
  variables.bos_token = "<s>";
  variables.special_tokens = {{"pad_token", "<pad>"}};
  variables.arguments = {{"enable_thinking", "false"}, {"k", "[1, \"x\"]"}};
  const ConversationBuilder builder(Json::array());
  const std::string source =
      "{{ bos_token }}{{ eos_token is defined }}{{ pad_token }}"
      "{{ enable_thinking is false }}{{ k[1] }}{{ tools is none }}"
      "{{ documents is none }}{{ add_generation_prompt }}{{ messages|length }}";
  CHECK(spans_of(*compile(source, variables), builder.conversation(), {}) ==
        "-1 l|<s>False<pad>TruexTrueTrueFalse0\n");
  CHECK(compile(source)->free_names() ==
        std::vector<std::string>{"add_generation_prompt", "bos_token",
                                 "documents", "enable_thinking", "eos_token",
                                 "k", "messages", "pad_token", "tools"});
}

TEST_CASE("messages of the ShareGPT shape are seen as role and content") {
  const ConversationBuilder builder(Json::parse(
      R"([{"from":"human","value":"q","weight":1},{"from":"gpt","value":"a"}])"));
  const std::string source =
      "{% for m in messages %}{{ m.role }}={{ m.content }}{{ m.weight }};"
      "{% endfor %}";
  CHECK(spans_of(*compile(source), builder.conversation(), {}) ==
        "0 l|user=\n0 c|q1\n0 l|;\n1 l|assistant=\n1 c|a\n1 l|;\n");
}

TEST_CASE("tools come from an array or from its JSON text") {
  const std::string source = "{{ tools | tojson }}";
  const Json tools = Json::parse(R"([{"name":"f<é>","n":1}])");
  const Json none = Json::array();
  const ConversationBuilder array(none, tools);
  const ConversationBuilder text(none, Json(tools.dump()));
  const ConversationBuilder broken(none, Json("[1,"));
  const std::string expected = "-1 l|[{\"name\": \"f<é>\", \"n\": 1}]\n";
  CHECK(spans_of(*compile(source), array.conversation(), {}) == expected);
  CHECK(spans_of(*compile(source), text.conversation(), {}) == expected);
  CHECK(spans_of(*compile(source), broken.conversation(), {}) ==
        "error: line 0: 'tools' is not JSON");
}

TEST_CASE("generation blocks decide what is trained") {
  const ConversationBuilder builder(Json::parse(
      R"([{"role":"user","content":"q"},{"role":"assistant","content":"a"},
          {"role":"user","content":"r"},{"role":"assistant","content":"b"}])"));
  Conversation conversation = builder.conversation();
  std::vector<records::Message> messages(conversation.messages.begin(),
                                         conversation.messages.end());
  messages[1].trained = false;  // switched off in the data
  conversation.messages = messages;
  const std::string source =
      "{% for m in messages %}{% if m.role == 'assistant' %}<a>"
      "{% generation %}{{ m.content }}</a>{% endgeneration %}{% else %}"
      "<u>{{ m.content }}{% endif %}{% endfor %}";
  RenderOptions options;
  options.mask = true;
  CHECK(compile(source)->has_generation_blocks());
  CHECK(spans_of(*compile(source), conversation, options) ==
        "0 l|<u>\n0 c|q\n1 l|<a>\n1 cG|a\n1 lG|</a>\n"
        "2 l|<u>\n2 c|r\n3 l|<a>\n3 cTG|b\n3 lTG|</a>\n");
}

TEST_CASE("without generation blocks prefixes decide what is trained") {
  const ConversationBuilder builder(Json::parse(
      R"([{"role":"user","content":"q"},{"role":"assistant","content":"a"},
          {"role":"user","content":"r"},{"role":"assistant","content":"b"}])"));
  RenderOptions options;
  options.mask = true;
  const auto chatml = compile(kChatml);
  CHECK(spans_of(*chatml, builder.conversation(), options) ==
        "0 l|<|im_start|>user\n\n0 c|q\n0 l|<|im_end|>\n\n"
        "1 l|<|im_start|>assistant\n\n1 cT|a\n1 lT|<|im_end|>\n\n"
        "2 l|<|im_start|>user\n\n2 c|r\n2 l|<|im_end|>\n\n"
        "3 l|<|im_start|>assistant\n\n3 cT|b\n3 lT|<|im_end|>\n\n");
  Rendered out;
  REQUIRE(
      chatml->make_renderer()->render(builder.conversation(), options, out));
  CHECK(out.mask_source == MaskSource::kPrefixes);
}

TEST_CASE("where prefixes are none the contents are trained, and it is said") {
  const ConversationBuilder builder(Json::parse(
      R"([{"role":"user","content":"q"},{"role":"assistant","content":"a"}])"));
  RenderOptions options;
  options.mask = true;
  // The count in front makes every shorter rendering differ.
  const auto counted =
      compile("{{ messages | length }}" + std::string(kChatml));
  Rendered out;
  REQUIRE(
      counted->make_renderer()->render(builder.conversation(), options, out));
  CHECK(out.mask_source == MaskSource::kPrefixesBroken);
  CHECK(spans_of(*counted, builder.conversation(), options) ==
        "-1 l|2\n0 l|<|im_start|>user\n\n0 c|q\n0 l|<|im_end|>\n\n"
        "1 l|<|im_start|>assistant\n\n1 cT|a\n1 l|<|im_end|>\n\n");
}

TEST_CASE("what is not supported is refused by name and line") {
  CHECK(error_of("a\n{% include 'x' %}") ==
        "chat template: line 2: tag 'include'");
  CHECK(error_of("{{ 1 | nosuch }}") ==
        "chat template: line 1: filter 'nosuch'");
  CHECK(error_of("\n\n{{ 1 is nosuch }}") ==
        "chat template: line 3: test 'nosuch'");
  CHECK(error_of("{% for x in xs recursive %}{% endfor %}") ==
        "chat template: line 1: a recursive for loop");
  CHECK(error_of("{{ 'a'.format(1) }}") == "line 1: method 'format'");
  CHECK(error_of("{{ xs | batch(2) }}") == "line 1: filter 'batch'");
  CHECK(error_of("{{ strftime_now('%Y') }}") ==
        "line 1: 'strftime_now' needs a date, and none is given");
  CHECK(kind_of("{% include 'x' %}") == ErrorKind::kUnsupported);
  CHECK(kind_of("{{ xs | batch(2) }}") == ErrorKind::kUnsupported);
}

TEST_CASE("what jinja2 raises is an error of the data, with its line") {
  CHECK(error_of("\n{{ raise_exception('no tools') }}") == "line 2: no tools");
  CHECK(error_of("{{ x.y }}") == "line 1: 'x' is undefined, so it has no 'y'");
  CHECK(error_of("{{ 'a' + 1 }}") == "line 1: unsupported operands of '+'");
  CHECK(error_of("{% if %}") ==
        "chat template: line 1: the tag ends too early");
  CHECK(error_of("{{ xs.append(3) }}") ==
        "line 1: the sandbox lets no template change a list or dict");
  CHECK(kind_of("{{ x.y }}") == ErrorKind::kCorrupt);
}

TEST_CASE("every bound of the sandbox is an error, and none is passed") {
  JinjaLimits limits;
  limits.source_bytes = 1000;
  limits.steps = 10'000;
  limits.output_bytes = 1000;
  limits.memory_bytes = 1 << 20;
  limits.depth = 60;
  const std::string cases[] = {
      "{% for a in range(1000) %}{% for b in range(1000) %}{% endfor %}"
      "{% endfor %}",
      "{{ 'x' * 1001 }}",
      "{{ 'x' * 9000000000 }}",
      "{% for a in range(300) %}12345{% endfor %}",
      "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
      "{% set ns = namespace(l=[1]) %}{% for i in range(100) %}"
      "{% set ns.l = ns.l + ns.l %}{% endfor %}",
      "{% set ns = namespace(s='x') %}{% for i in range(100) %}"
      "{% set ns.s = ns.s + ns.s %}{% endfor %}",
      "{% set ns = namespace(l=[]) %}{% for i in range(100) %}"
      "{% set ns.l = [ns.l] %}{% endfor %}{{ ns.l }}",
      std::string(1001, 'a'),
      std::string(400, '(') + "1" + std::string(400, ')'),
  };
  for (const std::string& source : cases) {
    INFO(source.substr(0, 80));
    const std::string wrapped =
        source[0] == '(' ? "{{ " + source + " }}" : source;
    CHECK(kind_of(wrapped, limits) == ErrorKind::kLimit);
  }
}

TEST_CASE("a renderer gives the same bytes again after a failure") {
  const auto chatml = compile(kChatml);
  const auto renderer = chatml->make_renderer();
  const ConversationBuilder good(
      Json::parse(R"([{"role":"user","content":"q"}])"));
  const ConversationBuilder bad(Json::parse(R"([{"role":"user"}])"));
  Rendered first;
  Rendered failed;
  Rendered second;
  REQUIRE(renderer->render(good.conversation(), {}, first));
  CHECK(!renderer->render(bad.conversation(), {}, failed));
  REQUIRE(renderer->render(good.conversation(), {}, second));
  CHECK(first.text == second.text);
  CHECK(first.spans == second.spans);
}

}  // namespace
}  // namespace trainsight::chat
