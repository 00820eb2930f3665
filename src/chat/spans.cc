#include "chat/spans.h"

#include <vector>

#include "chat/jinja/python_text.h"
#include "trainsight/text/json_text.h"

namespace trainsight::chat {

void append_span(std::string_view text, Span span, Rendered& out) {
  if (text.empty()) return;
  span.begin = out.text.size();
  out.text += text;
  span.end = out.text.size();
  if (!out.spans.empty()) {
    Span& last = out.spans.back();
    Span joined = span;
    joined.begin = last.begin;
    last.end = span.end;
    if (last == joined) return;
    last.end = span.begin;
  }
  out.spans.push_back(span);
}

void append_content(const Conversation& conversation,
                    const records::Message& message, bool trim, Span span,
                    Rendered& out) {
  const std::size_t begin = out.text.size();
  if (message.content != nullptr &&
      message.content->is(scan::ValueKind::kText)) {
    text::append_unescaped(message.content->text(), out.text);
  } else {
    for (std::uint32_t i = 0; i < message.piece_count; ++i) {
      const std::size_t at = message.first_piece + i;
      if (at >= conversation.pieces.size()) break;
      text::append_unescaped(conversation.pieces[at].text, out.text);
    }
  }
  if (trim) {
    const std::string_view content = std::string_view(out.text).substr(begin);
    const auto [from, to] = jinja::stripped(content, true, true);
    out.text.erase(begin + to);
    out.text.erase(begin, from);
  }
  if (out.text.size() == begin) return;
  span.begin = begin;
  span.end = out.text.size();
  out.spans.push_back(span);
}

void mark_trained(std::uint64_t begin, std::uint64_t end, Rendered& out) {
  if (begin >= end) return;
  std::vector<Span> spans;
  spans.reserve(out.spans.size() + 2);
  for (const Span& span : out.spans) {
    if (span.end <= begin || span.begin >= end) {
      spans.push_back(span);
      continue;
    }
    Span part = span;
    if (span.begin < begin) {
      part.end = begin;
      spans.push_back(part);
    }
    part = span;
    part.begin = span.begin < begin ? begin : span.begin;
    part.end = span.end > end ? end : span.end;
    part.trained = true;
    spans.push_back(part);
    if (span.end > end) {
      part = span;
      part.begin = end;
      spans.push_back(part);
    }
  }
  out.spans = std::move(spans);
}

std::string_view canonical_role(const records::Message& message) {
  switch (message.role) {
    case records::Role::kSystem:
      return "system";
    case records::Role::kDeveloper:
      return "developer";
    case records::Role::kUser:
      return "user";
    case records::Role::kAssistant:
    case records::Role::kCall:
      return "assistant";
    case records::Role::kTool:
      return "tool";
    default:
      return message.role_name;
  }
}

}  // namespace trainsight::chat
