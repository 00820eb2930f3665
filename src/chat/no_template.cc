#include "chat/spans.h"
#include "trainsight/chat/chat_template.h"

namespace trainsight::chat {
namespace {

class NoRenderer final : public TemplateRenderer {
 public:
  Status render(const Conversation& conversation, const RenderOptions& options,
                Rendered& out) override {
    out.clear();
    out.mask_source = options.mask ? MaskSource::kPreset : MaskSource::kNone;
    out.omits_tools = conversation.tools != nullptr;
    for (std::size_t i = 0; i < conversation.messages.size(); ++i) {
      const records::Message& message = conversation.messages[i];
      out.omits_tools = out.omits_tools || message.has_tool_calls;
      Span span;
      span.message = static_cast<std::int32_t>(i);
      span.kind = SpanKind::kContent;
      span.trained = options.mask && message.trained;
      append_content(conversation, message, /*trim=*/false, span, out);
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<TemplateRenderer> NoTemplate::make_renderer() const {
  return std::make_unique<NoRenderer>();
}

}  // namespace trainsight::chat
