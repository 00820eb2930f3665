// Choosing the template of a run from what the user typed and what the
// tokenizer brings.
#ifndef TRAINSIGHT_CHAT_SELECT_TEMPLATE_H_
#define TRAINSIGHT_CHAT_SELECT_TEMPLATE_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/chat/chat_template.h"
#include "trainsight/core/result.h"

namespace trainsight::chat {

/// How far rendered lengths can be trusted; printed beside the template.
enum class TemplateExactness : std::uint8_t {
  kExact,   ///< the model's own template, or none on purpose
  kPreset,  ///< a preset; `notes` says where it differs from the model's own
};

struct SelectedTemplate {
  std::unique_ptr<ChatTemplate> chat_template;
  TemplateExactness exactness = TemplateExactness::kExact;
  /// What the report says: differences of a preset, why it was taken.
  std::vector<std::string> notes;
  /// For rows that chat_template refuses with kUnsupported: the preset whose
  /// markers the model's template has. Null without one.
  std::unique_ptr<ChatTemplate> fallback;
};

/// `choice`: "none", "auto", "jinja", or a preset's name. `source` is the
/// model's own template, empty without one.
///
/// auto: the own template; where it uses what we lack, the preset of its
/// markers, with a note; without a template, none. jinja: the own template or
/// an error. Errors: kUsage (unknown name), kNotFound (jinja without a
/// template), and those of JinjaTemplate::compile.
Result<SelectedTemplate> select_template(std::string_view choice,
                                         std::string_view source,
                                         const TemplateVariables& variables);

}  // namespace trainsight::chat

#endif  // TRAINSIGHT_CHAT_SELECT_TEMPLATE_H_
