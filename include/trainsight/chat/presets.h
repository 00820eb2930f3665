// Presets: the fixed renderers of well-known chat formats.
//
// A preset writes exactly what its row of the table says: headers, contents,
// stops. It knows no tools, no thinking blocks and no default system prompt;
// what it leaves out against a model's own template, differences_of() says.
//
// Source of the strings: ggml-org/llama.cpp, src/llama-chat.cpp, and the chat
// templates of the models named. BOS is printed where the family's template
// prints it and the tokenizer has one.
#ifndef TRAINSIGHT_CHAT_PRESETS_H_
#define TRAINSIGHT_CHAT_PRESETS_H_

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/chat/chat_template.h"
#include "trainsight/chat/jinja_template.h"
#include "trainsight/core/result.h"

namespace trainsight::chat {

struct PresetRow;

/// Names of all presets, in the table's order.
std::vector<std::string_view> preset_names();

class PresetTemplate final : public ChatTemplate {
 public:
  /// Errors: kUsage with the known names as a hint.
  static Result<std::unique_ptr<PresetTemplate>> make(
      std::string_view name, TemplateVariables variables = {});

  /// "preset chatml".
  [[nodiscard]] std::string_view name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<TemplateRenderer> make_renderer()
      const override;

 private:
  PresetTemplate(const PresetRow& row, TemplateVariables variables);
  const PresetRow& row_;
  TemplateVariables variables_;
  std::string name_;
};

/// The preset whose format `template_source` writes, by the markers in it;
/// empty when none fits. A guess: differences_of() checks it.
std::string_view detect_preset(std::string_view template_source);

/// What `chat_template` writes of its own in the form of a control token,
/// "<|im_start|>" or "<start_of_turn>", each once, in the order of a short
/// conversation; empty when it rejects that.
std::vector<std::string> control_markers_of(const ChatTemplate& chat_template);

/// What a preset does otherwise than the model's own template, as short
/// phrases ("with a system message"); empty when a set of probing
/// conversations renders to the same bytes.
std::vector<std::string> differences_of(const ChatTemplate& preset,
                                        const JinjaTemplate& own);

}  // namespace trainsight::chat

#endif  // TRAINSIGHT_CHAT_PRESETS_H_
