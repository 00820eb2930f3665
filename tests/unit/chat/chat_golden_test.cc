// Real templates on real conversations: the shared folder's chat_golden.jsonl,
// rendered by another implementation.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "trainsight/chat/jinja_template.h"
#include "trainsight/chat/presets.h"
#include "unit/chat/conversation_builder.h"

namespace trainsight::chat {
namespace {

using Json = nlohmann::ordered_json;

std::string shared_folder() {
  const char* const path = std::getenv("TRAINSIGHT_SHARED");
  return std::string(path != nullptr ? path : "../shared") + "/tokenizers/";
}

std::string token_of(const Json& config, const char* name) {
  const auto found = config.find(name);
  if (found == config.end() || found->is_null()) return "";
  return found->is_object() ? found->at("content").get<std::string>()
                            : found->get<std::string>();
}

struct Model {
  std::unique_ptr<JinjaTemplate> own;
  std::unique_ptr<TemplateRenderer> renderer;
  std::unique_ptr<PresetTemplate> preset;
  std::unique_ptr<TemplateRenderer> preset_renderer;
};

Model load(const std::string& name, const std::string& preset_name) {
  std::ifstream file(shared_folder() + name + "/tokenizer_config.json");
  const Json config = Json::parse(file);
  TemplateVariables variables;
  variables.bos_token = token_of(config, "bos_token");
  variables.eos_token = token_of(config, "eos_token");
  const std::string source = config.at("chat_template");
  CHECK(detect_preset(source) == preset_name);
  Model model;
  auto own = JinjaTemplate::compile(source, variables);
  INFO((own ? "" : own.error().message));
  REQUIRE(own);
  model.own = std::move(*own);
  model.renderer = model.own->make_renderer();
  auto preset = PresetTemplate::make(preset_name, variables);
  REQUIRE(preset);
  model.preset = std::move(*preset);
  model.preset_renderer = model.preset->make_renderer();
  return model;
}

void check_spans(const Rendered& rendered) {
  std::uint64_t at = 0;
  for (const Span& span : rendered.spans) {
    REQUIRE(span.begin == at);
    REQUIRE(span.end > span.begin);
    at = span.end;
  }
  REQUIRE(at == rendered.text.size());
}

TEST_CASE("the models' own templates render chat_golden.jsonl to the byte") {
  std::ifstream file(shared_folder() + "chat_golden.jsonl");
  if (!file) {
    std::puts("SKIPPED: chat_golden.jsonl is not there");
    return;
  }
  const std::map<std::string, std::string> presets = {
      {"qwen3", "chatml"},
      {"llama3.1", "llama3"},
      {"gemma3", "gemma"},
      {"gemma1", "gemma"},
      {"deepseek-v3", "deepseek3"}};
  std::map<std::string, Model> models;
  std::map<std::string, Json> conversations;
  int rows = 0;
  int preset_differences = 0;
  std::string line;
  while (std::getline(file, line)) {
    const Json row = Json::parse(line);
    const std::string name = row.at("tokenizer");
    if (models.find(name) == models.end()) {
      models.emplace(name, load(name, presets.at(name)));
    }
    const Model& model = models.at(name);
    // A row of an error does not repeat its messages.
    const std::string id = row.at("id");
    if (row.contains("messages")) conversations[id] = row.at("messages");
    const ConversationBuilder builder(conversations.at(id));
    RenderOptions options;
    options.add_generation_prompt = row.at("add_generation_prompt");
    Rendered rendered;
    const Status status =
        model.renderer->render(builder.conversation(), options, rendered);
    INFO(name << " " << id);
    ++rows;
    if (row.contains("error")) {
      REQUIRE(!status);
      CHECK(status.error().kind == ErrorKind::kCorrupt);
      CHECK(status.error().message ==
            "line 1: " + row.at("error").get<std::string>());
      continue;
    }
    INFO((status ? std::string() : status.error().message));
    REQUIRE(status);
    CHECK(rendered.text == row.at("text").get<std::string>());
    check_spans(rendered);

    // The preset agrees wherever the template does nothing of its own: Qwen3
    // adds an empty thinking block to a last answer and moves a given one.
    Rendered by_preset;
    REQUIRE(model.preset_renderer->render(builder.conversation(), options,
                                          by_preset));
    check_spans(by_preset);
    if (by_preset.text != rendered.text) {
      ++preset_differences;
      CHECK(name == "qwen3");
    }
  }
  CHECK(rows == 120);
  // All but the question alone and the answer with its own thinking block.
  CHECK(preset_differences == 20);
}

}  // namespace
}  // namespace trainsight::chat
