#include "trainsight/chat/presets.h"

#include <fmt/format.h>

#include <utility>

#include "chat/preset_table.h"
#include "chat/spans.h"

namespace trainsight::chat {
namespace {

class PresetRenderer final : public TemplateRenderer {
 public:
  PresetRenderer(const PresetRow& row, const TemplateVariables& variables)
      : row_(row), variables_(variables) {}

  Status render(const Conversation& conversation, const RenderOptions& options,
                Rendered& out) override {
    out.clear();
    out.mask_source = options.mask ? MaskSource::kPreset : MaskSource::kNone;
    out.omits_tools = conversation.tools != nullptr;
    conversation_ = &conversation;
    mask_ = options.mask;
    inside_ = false;
    first_instruction_ = true;
    system_ = -1;
    if (row_.prints_bos) literal(variables_.bos_token, -1, out);
    literal(row_.start, -1, out);
    const std::size_t count = conversation.messages.size();
    for (std::size_t i = 0; i < count; ++i) {
      const records::Message& message = conversation.messages[i];
      out.omits_tools = out.omits_tools || message.has_tool_calls;
      const auto index = static_cast<std::int32_t>(i);
      switch (row_.layout) {
        case PresetLayout::kTurns:
          turn(message, index, out);
          break;
        case PresetLayout::kSystemInUser:
          turn_with_system(message, index, out);
          break;
        case PresetLayout::kInstruction:
          instruction(message, index, out);
          break;
      }
    }
    if (options.add_generation_prompt) {
      literal(row_.generation_prompt, -1, out);
    }
    return {};
  }

 private:
  static bool is_system(const records::Message& message) {
    return message.role == records::Role::kSystem ||
           message.role == records::Role::kDeveloper;
  }
  static bool is_answer(const records::Message& message) {
    return message.role == records::Role::kAssistant ||
           message.role == records::Role::kCall;
  }

  [[nodiscard]] const Turn& turn_of(const records::Message& message) const {
    if (is_system(message)) return row_.system;
    if (is_answer(message)) return row_.assistant;
    return message.role == records::Role::kUser ? row_.user : row_.other;
  }

  void literal(std::string_view text, std::int32_t message,
               Rendered& out) const {
    Span span;
    span.message = message;
    append_span(text, span, out);
  }

  void header(const Turn& turn, const records::Message& message,
              std::int32_t index, Rendered& out) const {
    const std::size_t mark = turn.before.find(kRoleMark);
    literal(turn.before.substr(0, mark), index, out);
    if (mark == std::string_view::npos) return;
    literal(is_answer(message) ? row_.assistant_name : canonical_role(message),
            index, out);
    literal(turn.before.substr(mark + 1), index, out);
  }

  void content(const records::Message& message, std::int32_t index, bool trim,
               Rendered& out) const {
    Span span;
    span.message = index;
    span.kind = SpanKind::kContent;
    span.trained = mask_ && message.trained;
    append_content(*conversation_, message, trim, span, out);
  }

  void stop(const Turn& turn, const records::Message& message,
            std::int32_t index, Rendered& out) const {
    Span span;
    span.message = index;
    if (is_answer(message)) {
      span.kind = SpanKind::kStop;
      span.trained = mask_ && message.trained;
    }
    append_span(turn.stop, span, out);
    literal(turn.after, index, out);
  }

  void turn(const records::Message& message, std::int32_t index,
            Rendered& out) const {
    const Turn& form = turn_of(message);
    header(form, message, index, out);
    content(message, index, form.trim, out);
    stop(form, message, index, out);
  }

  void turn_with_system(const records::Message& message, std::int32_t index,
                        Rendered& out) {
    if (is_system(message)) {
      system_ = index;
      return;
    }
    const Turn& form = turn_of(message);
    header(form, message, index, out);
    if (system_ >= 0 && !is_answer(message)) {
      content(conversation_->messages[static_cast<std::size_t>(system_)],
              system_, /*trim=*/false, out);
      literal("\n\n", system_, out);
      system_ = -1;
    }
    content(message, index, form.trim, out);
    stop(form, message, index, out);
  }

  void instruction(const records::Message& message, std::int32_t index,
                   Rendered& out) {
    if (is_answer(message)) {
      inside_ = false;
      return turn(message, index, out);
    }
    if (!inside_) {
      if (row_.repeats_bos && !first_instruction_) {
        literal(variables_.bos_token, index, out);
      }
      literal(row_.user.before, index, out);
      first_instruction_ = false;
      inside_ = true;
    }
    if (is_system(message)) return turn(message, index, out);
    content(message, index, row_.user.trim, out);
    stop(row_.user, message, index, out);
    inside_ = false;
  }

  const PresetRow& row_;
  const TemplateVariables& variables_;
  const Conversation* conversation_ = nullptr;
  bool mask_ = false;
  bool inside_ = false;            ///< kInstruction: opened, not closed
  bool first_instruction_ = true;  ///< kInstruction
  std::int32_t system_ = -1;       ///< kSystemInUser: waits for a user turn
};

}  // namespace

std::vector<std::string_view> preset_names() {
  std::vector<std::string_view> names;
  for (const PresetRow& row : preset_table()) names.push_back(row.name);
  return names;
}

PresetTemplate::PresetTemplate(const PresetRow& row,
                               TemplateVariables variables)
    : row_(row),
      variables_(std::move(variables)),
      name_(fmt::format("preset {}", row.name)) {}

Result<std::unique_ptr<PresetTemplate>> PresetTemplate::make(
    std::string_view name, TemplateVariables variables) {
  const PresetRow* const row = find_preset(name);
  if (row == nullptr) {
    return Error{
        ErrorKind::kUsage, fmt::format("unknown chat template '{}'", name),
        fmt::format("presets are {}", fmt::join(preset_names(), ", "))};
  }
  return std::unique_ptr<PresetTemplate>(
      new PresetTemplate(*row, std::move(variables)));
}

std::unique_ptr<TemplateRenderer> PresetTemplate::make_renderer() const {
  return std::make_unique<PresetRenderer>(row_, variables_);
}

}  // namespace trainsight::chat
