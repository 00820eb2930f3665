#include "trainsight/chat/select_template.h"

#include <fmt/format.h>

#include <utility>

#include "trainsight/chat/jinja_template.h"
#include "trainsight/chat/presets.h"

namespace trainsight::chat {
namespace {

Result<SelectedTemplate> select_preset(std::string_view name,
                                       std::string_view source,
                                       const TemplateVariables& variables) {
  Result<std::unique_ptr<PresetTemplate>> preset =
      PresetTemplate::make(name, variables);
  if (!preset) return preset.error();
  SelectedTemplate selected;
  selected.exactness = TemplateExactness::kPreset;
  if (!source.empty()) {
    const Result<std::unique_ptr<JinjaTemplate>> own =
        JinjaTemplate::compile(source, variables);
    if (!own) {
      selected.notes.push_back(
          fmt::format("preset {} could not be compared with the model's own "
                      "template ({})",
                      name, own.error().message));
    } else {
      const std::vector<std::string> differences =
          differences_of(**preset, **own);
      if (differences.empty()) {
        selected.notes.push_back(fmt::format(
            "preset {} writes what the model's own template writes on all "
            "probing conversations",
            name));
      }
      for (const std::string& difference : differences) {
        selected.notes.push_back(
            fmt::format("preset {} differs from the model's own template {}",
                        name, difference));
      }
    }
  }
  selected.chat_template = std::move(*preset);
  return selected;
}

}  // namespace

Result<SelectedTemplate> select_template(std::string_view choice,
                                         std::string_view source,
                                         const TemplateVariables& variables) {
  SelectedTemplate selected;
  const bool automatic = choice == "auto";
  if (choice == "none" || (automatic && source.empty())) {
    selected.chat_template = std::make_unique<NoTemplate>();
    if (automatic) {
      selected.notes.emplace_back(
          "the tokenizer brings no chat template: contents are joined");
    }
    return selected;
  }
  if (!automatic && choice != "jinja") {
    return select_preset(choice, source, variables);
  }
  if (source.empty()) {
    return Error{ErrorKind::kNotFound, "the tokenizer brings no chat template",
                 "name a preset, or a tokenizer folder with a template"};
  }
  const std::string_view marked = detect_preset(source);
  Result<std::unique_ptr<JinjaTemplate>> own =
      JinjaTemplate::compile(source, variables);
  if (own) {
    selected.chat_template = std::move(*own);
    if (automatic && !marked.empty()) {
      Result<std::unique_ptr<PresetTemplate>> preset =
          PresetTemplate::make(marked, variables);
      if (preset) selected.fallback = std::move(*preset);
    }
    return selected;
  }
  if (!automatic || marked.empty()) {
    Error error = own.error();
    if (error.hint.empty()) {
      error.hint =
          "name a preset (chatml, llama3, gemma, …), or none to join the "
          "contents";
    }
    return error;
  }
  return select_preset(marked, source, variables);
}

}  // namespace trainsight::chat
