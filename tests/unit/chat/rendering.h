// Renders a conversation and writes its spans down, for comparing whole.
#ifndef TRAINSIGHT_TESTS_UNIT_CHAT_RENDERING_H_
#define TRAINSIGHT_TESTS_UNIT_CHAT_RENDERING_H_

#include <string>

#include "trainsight/chat/chat_template.h"

namespace trainsight::chat {

/// One line a span: "message kind flags|text", with kind l(iteral), c(ontent)
/// or s(top) and flags T(rained), G(eneration); or "error: …".
inline std::string spans_of(const ChatTemplate& chat_template,
                            const Conversation& conversation,
                            const RenderOptions& options) {
  Rendered out;
  const Status status =
      chat_template.make_renderer()->render(conversation, options, out);
  if (!status) return "error: " + status.error().message;
  std::string lines;
  std::uint64_t at = 0;
  for (const Span& span : out.spans) {
    if (span.begin != at || span.end <= span.begin) return "spans have gaps";
    at = span.end;
    lines += std::to_string(span.message) + " ";
    lines += span.kind == SpanKind::kLiteral   ? 'l'
             : span.kind == SpanKind::kContent ? 'c'
                                               : 's';
    if (span.trained) lines += 'T';
    if (span.generation) lines += 'G';
    lines += "|" + out.text.substr(span.begin, span.end - span.begin) + "\n";
  }
  if (at != out.text.size()) return "spans end too early";
  return lines;
}

}  // namespace trainsight::chat

#endif  // TRAINSIGHT_TESTS_UNIT_CHAT_RENDERING_H_
