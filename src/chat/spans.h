// Building and splitting the spans of a Rendered; shared by the templates.
#ifndef TRAINSIGHT_CHAT_SPANS_H_
#define TRAINSIGHT_CHAT_SPANS_H_

#include <cstdint>
#include <string_view>

#include "trainsight/chat/chat_template.h"
#include "trainsight/chat/rendered.h"

namespace trainsight::chat {

/// Appends `text` with the kind, message and flags of `span`; a span that
/// differs from the last one in nothing but its place is joined to it.
void append_span(std::string_view text, Span span, Rendered& out);

/// Appends the content of `message` (parts joined; nothing for null), without
/// the white space around it when `trim`.
void append_content(const Conversation& conversation,
                    const records::Message& message, bool trim, Span span,
                    Rendered& out);

/// The role's name in today's templates; the written name where it is unknown.
std::string_view canonical_role(const records::Message& message);

}  // namespace trainsight::chat

#endif  // TRAINSIGHT_CHAT_SPANS_H_
