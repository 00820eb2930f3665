#include "trainsight/chat/select_template.h"

#include <catch2/catch.hpp>
#include <string>

namespace trainsight::chat {
namespace {

// ChatML with a default system prompt.
const char* const kSource =
    "{% if messages[0].role != 'system' %}<|im_start|>system\n"
    "Help.<|im_end|>\n{% endif %}{% for m in messages %}"
    "{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}"
    "{{ '<|im_start|>assistant\\n' }}{% endif %}";

TEST_CASE("auto takes the model's own template, with a preset to fall back") {
  const auto selected = select_template("auto", kSource, {});
  REQUIRE(selected);
  CHECK(selected->chat_template->name() == "jinja");
  CHECK(selected->exactness == TemplateExactness::kExact);
  CHECK(selected->notes.empty());
  REQUIRE(selected->fallback);
  CHECK(selected->fallback->name() == "preset chatml");
}

TEST_CASE("auto without a template is none, and says so") {
  const auto selected = select_template("auto", "", {});
  REQUIRE(selected);
  CHECK(selected->chat_template->name() == "none");
  CHECK(selected->notes ==
        std::vector<std::string>{
            "the tokenizer brings no chat template: contents are joined"});
}

TEST_CASE("auto falls back to the preset of a template that we cannot run") {
  const auto selected =
      select_template("auto", std::string(kSource) + "{% include 'x' %}", {});
  REQUIRE(selected);
  CHECK(selected->chat_template->name() == "preset chatml");
  CHECK(selected->exactness == TemplateExactness::kPreset);
  CHECK(selected->notes ==
        std::vector<std::string>{
            "preset chatml could not be compared with the model's own "
            "template (chat template: line 3: tag 'include')"});
}

TEST_CASE("a preset that differs from the model's own template says where") {
  const auto selected = select_template("chatml", kSource, {});
  REQUIRE(selected);
  CHECK(selected->exactness == TemplateExactness::kPreset);
  const std::string head =
      "preset chatml differs from the model's own template ";
  CHECK(selected->notes ==
        std::vector<std::string>{
            head + "in a plain question and answer",
            head + "before a generated answer", head + "in later turns",
            head + "where contents begin or end with white space",
            head + "where an answer has a <think> block", head + "with tools"});
}

TEST_CASE("wrong choices are errors of their kind") {
  CHECK(select_template("nosuch", kSource, {}).error().kind ==
        ErrorKind::kUsage);
  CHECK(select_template("jinja", "", {}).error().kind == ErrorKind::kNotFound);
  // A template of no known marker: what to do about it is said.
  const auto unknown =
      select_template("auto", "{{ messages | frobnicate }}", {});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().hint ==
        "name a preset (chatml, llama3, gemma, …), or none to join the "
        "contents");
  CHECK(select_template("jinja", "{% include 'x' %}", {}).error().kind ==
        ErrorKind::kUnsupported);
  CHECK(select_template("none", kSource, {})->chat_template->name() == "none");
}

}  // namespace
}  // namespace trainsight::chat
