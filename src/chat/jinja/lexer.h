// Lexer: a template's source as tokens, with Jinja's white-space rules applied.
//
// Source: jinja2 3.1 documentation, "White space control" and "Escaping";
// trim_blocks, lstrip_blocks on, keep_trailing_newline off, as transformers
// sets them. Pure.
#ifndef TRAINSIGHT_CHAT_JINJA_LEXER_H_
#define TRAINSIGHT_CHAT_JINJA_LEXER_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::chat::jinja {

enum class TokenType : std::uint8_t {
  kData,           ///< text outside of tags
  kBlockBegin,     ///< {%
  kBlockEnd,       ///< %}
  kVariableBegin,  ///< {{
  kVariableEnd,    ///< }}
  kName,
  kString,  ///< without quotes, escapes decoded
  kInteger,
  kFloat,
  kOperator,
  kEnd,  ///< always the last token
};

struct Token {
  TokenType type = TokenType::kEnd;
  std::uint32_t line = 1;
  std::string_view text;
};

/// Tokens of `source`; their texts live in `texts`. Errors: kCorrupt.
Result<std::vector<Token>> tokenize(std::string_view source,
                                    std::deque<std::string>& texts);

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_LEXER_H_
