// Parser: tokens to a Program, names not yet resolved.
//
// Grammar and precedence are jinja2 3.1's: `~` binds tighter than `+`, a filter
// tighter than any operator but unary minus, `if … else` loosest. Statements
// that we lack are refused with their name and line. Pure.
#ifndef TRAINSIGHT_CHAT_JINJA_PARSER_H_
#define TRAINSIGHT_CHAT_JINJA_PARSER_H_

#include <string_view>

#include "chat/jinja/ast.h"
#include "trainsight/core/result.h"

namespace trainsight::chat::jinja {

/// Nesting of expressions and of statements that a template may have.
inline constexpr std::uint32_t kMaxSourceDepth = 150;

/// Parses `source` into `program.body`. Errors: kCorrupt (no template),
/// kUnsupported, kLimit (nested too deeply).
Status parse(std::string_view source, Program& program);

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_PARSER_H_
