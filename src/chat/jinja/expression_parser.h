// ExpressionParser: the part of the parser that reads expressions, and the
// cursor over the tokens that both parts share.
//
// The first failure is kept and moves the cursor to the end, so that every loop
// over tokens stops; callers look at failed() where it matters.
#ifndef TRAINSIGHT_CHAT_JINJA_EXPRESSION_PARSER_H_
#define TRAINSIGHT_CHAT_JINJA_EXPRESSION_PARSER_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "chat/jinja/ast.h"
#include "chat/jinja/lexer.h"
#include "trainsight/core/result.h"

namespace trainsight::chat::jinja {

class ExpressionParser {
 public:
  ExpressionParser(std::vector<Token> tokens, Program& program)
      : tokens_(std::move(tokens)), program_(program) {}

  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] const Error& error() const { return error_; }

 protected:
  // The cursor.
  [[nodiscard]] const Token& current() const { return tokens_[at_]; }
  [[nodiscard]] const Token& look() const {
    return tokens_[at_ + 1 < tokens_.size() ? at_ + 1 : at_];
  }
  void next() {
    if (at_ + 1 < tokens_.size()) ++at_;
  }
  [[nodiscard]] bool at_operator(std::string_view op) const {
    return current().type == TokenType::kOperator && current().text == op;
  }
  [[nodiscard]] bool at_name(std::string_view name) const {
    return current().type == TokenType::kName && current().text == name;
  }
  bool skip_operator(std::string_view op);
  bool skip_name(std::string_view name);
  void expect_operator(std::string_view op);
  void expect(TokenType type, std::string_view what);
  std::string_view expect_name();

  void fail(ErrorKind kind, std::string message);
  void fail_unexpected();
  /// Counts a nesting level; false (and failed) when there are too many.
  bool enter();
  void leave() { --nesting_; }

  // Expressions.
  Expr parse_expression(bool with_condition = true);
  /// One expression, or a tuple where commas follow.
  Expr parse_tuple(bool with_condition = true, bool in_parentheses = false);
  /// `| filter | filter` applied to `node`.
  Expr parse_filters(Expr node);
  /// `upper | trim`, without the first bar, applied to the captured text.
  Expr parse_captured_filters();
  Target parse_target(bool only_name = false);

  Program& program() { return program_; }

 private:
  Expr make(ExprKind kind, std::uint32_t line) const;
  Expr join(ExprKind kind, std::uint32_t line, Expr left, Expr right);
  void add_kid(Expr& parent, Expr kid);

  Expr parse_or();
  Expr parse_and();
  Expr parse_not();
  Expr parse_compare();
  Expr parse_sum();
  Expr parse_concat();
  Expr parse_product();
  Expr parse_power();
  Expr parse_unary(bool with_filter = true);
  Expr parse_primary();
  Expr parse_postfix(Expr node);
  Expr parse_filter_or_test(Expr node);
  Expr parse_filter(Expr node);
  Expr parse_test(Expr node);
  Expr parse_attribute(Expr node);
  Expr parse_subscript(Expr node);
  Expr parse_call(Expr node);
  Expr parse_list();
  Expr parse_dict();
  Expr parse_number();
  void parse_arguments(Expr& node);
  [[nodiscard]] bool at_tuple_end() const;

  std::vector<Token> tokens_;
  Program& program_;
  std::size_t at_ = 0;
  std::uint32_t nesting_ = 0;
  bool failed_ = false;
  Error error_;
};

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_EXPRESSION_PARSER_H_
