#include "chat/jinja/expression_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "chat/jinja/builtins.h"
#include "chat/jinja/parser.h"

namespace trainsight::chat::jinja {

bool ExpressionParser::skip_operator(std::string_view op) {
  if (!at_operator(op)) return false;
  next();
  return true;
}

bool ExpressionParser::skip_name(std::string_view name) {
  if (!at_name(name)) return false;
  next();
  return true;
}

void ExpressionParser::expect_operator(std::string_view op) {
  if (skip_operator(op)) return;
  fail(ErrorKind::kCorrupt, fmt::format("expected '{}'", op));
}

void ExpressionParser::expect(TokenType type, std::string_view what) {
  if (current().type == type) {
    next();
    return;
  }
  fail(ErrorKind::kCorrupt, fmt::format("expected {}", what));
}

std::string_view ExpressionParser::expect_name() {
  const Token token = current();
  if (token.type != TokenType::kName) {
    fail(ErrorKind::kCorrupt, "expected a name");
    return {};
  }
  next();
  return token.text;
}

void ExpressionParser::fail(ErrorKind kind, std::string message) {
  if (failed_) return;
  failed_ = true;
  error_ = Error{kind, fmt::format("line {}: {}", current().line, message), ""};
  at_ = tokens_.size() - 1;
}

void ExpressionParser::fail_unexpected() {
  const Token& token = current();
  switch (token.type) {
    case TokenType::kEnd:
      return fail(ErrorKind::kCorrupt, "the template ends inside a tag");
    case TokenType::kBlockEnd:
    case TokenType::kVariableEnd:
      return fail(ErrorKind::kCorrupt, "the tag ends too early");
    default:
      return fail(ErrorKind::kCorrupt,
                  fmt::format("unexpected '{}'", token.text));
  }
}

bool ExpressionParser::enter() {
  if (++nesting_ <= kMaxSourceDepth) return true;
  fail(ErrorKind::kLimit,
       fmt::format("nested more than {} deep", kMaxSourceDepth));
  return false;
}

Expr ExpressionParser::make(ExprKind kind, std::uint32_t line) const {
  Expr node;
  node.kind = kind;
  node.line = line;
  return node;
}

void ExpressionParser::add_kid(Expr& parent, Expr kid) {
  parent.depth = std::max(parent.depth, kid.depth + 1);
  if (parent.depth > kMaxSourceDepth) {
    fail(ErrorKind::kLimit,
         fmt::format("expression over {} levels deep", kMaxSourceDepth));
  }
  parent.kids.push_back(std::move(kid));
}

Expr ExpressionParser::join(ExprKind kind, std::uint32_t line, Expr left,
                            Expr right) {
  Expr node = make(kind, line);
  node.kids.reserve(2);
  add_kid(node, std::move(left));
  add_kid(node, std::move(right));
  return node;
}

Expr ExpressionParser::parse_expression(bool with_condition) {
  if (!enter()) return {};
  Expr node = parse_or();
  while (with_condition && !failed_ && at_name("if")) {
    const std::uint32_t line = current().line;
    next();
    Expr test = parse_or();
    Expr otherwise = make(ExprKind::kMissing, line);
    if (skip_name("else")) otherwise = parse_expression();
    Expr chosen = join(ExprKind::kIf, line, std::move(node), std::move(test));
    add_kid(chosen, std::move(otherwise));
    node = std::move(chosen);
  }
  leave();
  return node;
}

Expr ExpressionParser::parse_or() {
  Expr left = parse_and();
  while (at_name("or")) {
    const std::uint32_t line = current().line;
    next();
    left = join(ExprKind::kOr, line, std::move(left), parse_and());
  }
  return left;
}

Expr ExpressionParser::parse_and() {
  Expr left = parse_not();
  while (at_name("and")) {
    const std::uint32_t line = current().line;
    next();
    left = join(ExprKind::kAnd, line, std::move(left), parse_not());
  }
  return left;
}

Expr ExpressionParser::parse_not() {
  if (!at_name("not")) return parse_compare();
  if (!enter()) return {};
  Expr node = make(ExprKind::kNot, current().line);
  next();
  add_kid(node, parse_not());
  leave();
  return node;
}

Expr ExpressionParser::parse_compare() {
  struct Operator {
    std::string_view text;
    CompareOp op;
  };
  static constexpr Operator kOperators[] = {
      {"==", CompareOp::kEqual},  {"!=", CompareOp::kNotEqual},
      {"<", CompareOp::kLess},    {"<=", CompareOp::kLessEqual},
      {">", CompareOp::kGreater}, {">=", CompareOp::kGreaterEqual},
  };
  Expr node = make(ExprKind::kCompare, current().line);
  add_kid(node, parse_sum());
  while (!failed_) {
    if (current().type == TokenType::kOperator) {
      const Operator* const found = std::find_if(
          std::begin(kOperators), std::end(kOperators),
          [this](const Operator& o) { return o.text == current().text; });
      if (found == std::end(kOperators)) break;
      node.operators.push_back(found->op);
      next();
    } else if (at_name("in")) {
      node.operators.push_back(CompareOp::kIn);
      next();
    } else if (at_name("not") && look().type == TokenType::kName &&
               look().text == "in") {
      node.operators.push_back(CompareOp::kNotIn);
      next();
      next();
    } else {
      break;
    }
    add_kid(node, parse_sum());
  }
  if (node.operators.empty()) {
    Expr only = std::move(node.kids[0]);
    return only;
  }
  return node;
}

Expr ExpressionParser::parse_sum() {
  Expr left = parse_concat();
  while (at_operator("+") || at_operator("-")) {
    const ExprKind kind =
        at_operator("+") ? ExprKind::kAdd : ExprKind::kSubtract;
    const std::uint32_t line = current().line;
    next();
    left = join(kind, line, std::move(left), parse_concat());
  }
  return left;
}

Expr ExpressionParser::parse_concat() {
  Expr first = parse_product();
  if (!at_operator("~")) return first;
  Expr node = make(ExprKind::kConcat, current().line);
  add_kid(node, std::move(first));
  while (skip_operator("~")) add_kid(node, parse_product());
  return node;
}

Expr ExpressionParser::parse_product() {
  Expr left = parse_power();
  while (current().type == TokenType::kOperator) {
    ExprKind kind;
    if (at_operator("*")) {
      kind = ExprKind::kMultiply;
    } else if (at_operator("/")) {
      kind = ExprKind::kDivide;
    } else if (at_operator("//")) {
      kind = ExprKind::kFloorDivide;
    } else if (at_operator("%")) {
      kind = ExprKind::kModulo;
    } else {
      break;
    }
    const std::uint32_t line = current().line;
    next();
    left = join(kind, line, std::move(left), parse_power());
  }
  return left;
}

Expr ExpressionParser::parse_power() {
  Expr left = parse_unary();
  while (at_operator("**")) {
    const std::uint32_t line = current().line;
    next();
    left = join(ExprKind::kPower, line, std::move(left), parse_unary());
  }
  return left;
}

Expr ExpressionParser::parse_unary(bool with_filter) {
  Expr node;
  if (at_operator("-") || at_operator("+")) {
    if (!enter()) return {};
    node = make(at_operator("-") ? ExprKind::kNegate : ExprKind::kPlus,
                current().line);
    next();
    add_kid(node, parse_unary(/*with_filter=*/false));
    leave();
  } else {
    node = parse_primary();
  }
  node = parse_postfix(std::move(node));
  if (with_filter) node = parse_filter_or_test(std::move(node));
  return node;
}

Expr ExpressionParser::parse_number() {
  const Token token = current();
  Expr node = make(ExprKind::kConstant, token.line);
  const char* const begin = token.text.data();
  const char* const end = begin + token.text.size();
  if (token.type == TokenType::kInteger) {
    std::int64_t value = 0;
    if (std::from_chars(begin, end, value).ec != std::errc()) {
      fail(ErrorKind::kUnsupported, "integer over 64 bits");
    }
    node.constant = Val::of(value);
  } else {
    double value = 0;
    if (std::from_chars(begin, end, value).ec != std::errc()) {
      fail(ErrorKind::kUnsupported, "number out of range");
    }
    node.constant = Val::of(value);
  }
  next();
  return node;
}

Expr ExpressionParser::parse_primary() {
  const Token token = current();
  Expr node = make(ExprKind::kConstant, token.line);
  switch (token.type) {
    case TokenType::kName:
      next();
      if (token.text == "true" || token.text == "True") {
        node.constant = Val::of(true);
      } else if (token.text == "false" || token.text == "False") {
        node.constant = Val::of(false);
      } else if (token.text == "none" || token.text == "None") {
        node.constant = Val::none();
      } else {
        node.kind = ExprKind::kName;
        node.name = token.text;
      }
      return node;
    case TokenType::kString: {
      next();
      std::string_view text = token.text;
      if (current().type == TokenType::kString) {
        std::string joined(text);
        for (; current().type == TokenType::kString; next()) {
          joined += current().text;
        }
        program_.texts.push_back(std::move(joined));
        text = program_.texts.back();
      }
      node.constant = Val::text(text);
      return node;
    }
    case TokenType::kInteger:
    case TokenType::kFloat:
      return parse_number();
    default:
      break;
  }
  if (skip_operator("(")) {
    Expr inside = parse_tuple(/*with_condition=*/true, /*in_parentheses=*/true);
    expect_operator(")");
    return inside;
  }
  if (at_operator("[")) return parse_list();
  if (at_operator("{")) return parse_dict();
  fail_unexpected();
  return node;
}

Expr ExpressionParser::parse_list() {
  Expr node = make(ExprKind::kList, current().line);
  next();
  while (!failed_ && !at_operator("]")) {
    if (!node.kids.empty()) expect_operator(",");
    if (at_operator("]")) break;
    add_kid(node, parse_expression());
  }
  expect_operator("]");
  return node;
}

Expr ExpressionParser::parse_dict() {
  Expr node = make(ExprKind::kDict, current().line);
  next();
  while (!failed_ && !at_operator("}")) {
    if (!node.kids.empty()) expect_operator(",");
    if (at_operator("}")) break;
    add_kid(node, parse_expression());
    expect_operator(":");
    add_kid(node, parse_expression());
  }
  expect_operator("}");
  return node;
}

bool ExpressionParser::at_tuple_end() const {
  return current().type == TokenType::kBlockEnd ||
         current().type == TokenType::kVariableEnd ||
         current().type == TokenType::kEnd || at_operator(")") ||
         at_name("recursive");
}

Expr ExpressionParser::parse_tuple(bool with_condition, bool in_parentheses) {
  const std::uint32_t line = current().line;
  Expr node = make(ExprKind::kTuple, line);
  bool is_tuple = false;
  while (!failed_) {
    if (!node.kids.empty()) {
      if (!skip_operator(",")) break;
      is_tuple = true;
    }
    if (at_tuple_end()) break;
    add_kid(node, parse_expression(with_condition));
  }
  if (failed_) return node;
  if (node.kids.empty() && !in_parentheses) {
    fail_unexpected();
    return node;
  }
  if (is_tuple || node.kids.empty()) return node;
  Expr only = std::move(node.kids[0]);
  return only;
}

Expr ExpressionParser::parse_postfix(Expr node) {
  while (!failed_) {
    if (at_operator(".")) {
      node = parse_attribute(std::move(node));
    } else if (at_operator("[")) {
      node = parse_subscript(std::move(node));
    } else if (at_operator("(")) {
      node = parse_call(std::move(node));
    } else {
      break;
    }
  }
  return node;
}

Expr ExpressionParser::parse_attribute(Expr object) {
  next();
  if (current().type == TokenType::kInteger) {
    Expr node = make(ExprKind::kItem, current().line);
    add_kid(node, std::move(object));
    add_kid(node, parse_number());
    return node;
  }
  Expr node = make(ExprKind::kAttribute, current().line);
  node.name = expect_name();
  add_kid(node, std::move(object));
  return node;
}

Expr ExpressionParser::parse_subscript(Expr object) {
  const std::uint32_t line = current().line;
  next();
  Expr bounds[3] = {make(ExprKind::kMissing, line),
                    make(ExprKind::kMissing, line),
                    make(ExprKind::kMissing, line)};
  std::size_t part = 0;
  bool is_slice = false;
  while (!failed_) {
    if (skip_operator(":")) {
      is_slice = true;
      if (++part > 2) fail_unexpected();
      continue;
    }
    if (at_operator("]")) break;
    if (at_operator(",")) {
      fail(ErrorKind::kUnsupported, "a tuple as an index");
      break;
    }
    if (bounds[part].kind != ExprKind::kMissing) {
      fail_unexpected();
      break;
    }
    bounds[part] = parse_expression();
  }
  expect_operator("]");
  if (!failed_ && !is_slice && bounds[0].kind == ExprKind::kMissing) {
    fail_unexpected();
  }
  Expr node = make(is_slice ? ExprKind::kSlice : ExprKind::kItem, line);
  add_kid(node, std::move(object));
  add_kid(node, std::move(bounds[0]));
  if (is_slice) {
    add_kid(node, std::move(bounds[1]));
    add_kid(node, std::move(bounds[2]));
  }
  return node;
}

// `( a, b, name=c )` appended to node.kids and node.keywords.
void ExpressionParser::parse_arguments(Expr& node) {
  expect_operator("(");
  bool first = true;
  while (!failed_ && !at_operator(")")) {
    if (!first) expect_operator(",");
    first = false;
    if (at_operator(")")) break;
    if (at_operator("*") || at_operator("**")) {
      fail(ErrorKind::kUnsupported,
           fmt::format("'{}' before an argument", current().text));
      break;
    }
    if (current().type == TokenType::kName &&
        look().type == TokenType::kOperator && look().text == "=") {
      node.keywords.push_back(current().text);
      next();
      next();
    } else if (!node.keywords.empty()) {
      fail(ErrorKind::kCorrupt, "positional argument after a named one");
      break;
    }
    add_kid(node, parse_expression());
  }
  expect_operator(")");
}

Expr ExpressionParser::parse_call(Expr callee) {
  Expr node = make(ExprKind::kCall, current().line);
  add_kid(node, std::move(callee));
  parse_arguments(node);
  return node;
}

Expr ExpressionParser::parse_filter_or_test(Expr node) {
  while (!failed_) {
    if (at_operator("|")) {
      next();
      node = parse_filter(std::move(node));
    } else if (at_name("is")) {
      node = parse_test(std::move(node));
    } else if (at_operator("(")) {
      node = parse_call(std::move(node));
    } else {
      break;
    }
  }
  return node;
}

Expr ExpressionParser::parse_filter(Expr value) {
  Expr node = make(ExprKind::kFilter, current().line);
  node.name = expect_name();
  const int row = find_filter(node.name);
  if (row < 0 && !failed_) {
    fail(ErrorKind::kUnsupported, fmt::format("filter '{}'", node.name));
  }
  node.id = static_cast<std::uint16_t>(std::max(row, 0));
  add_kid(node, std::move(value));
  if (at_operator("(")) parse_arguments(node);
  return node;
}

Expr ExpressionParser::parse_filters(Expr node) {
  while (skip_operator("|")) node = parse_filter(std::move(node));
  return node;
}

Expr ExpressionParser::parse_captured_filters() {
  Expr captured = make(ExprKind::kCaptured, current().line);
  return parse_filters(parse_filter(std::move(captured)));
}

Expr ExpressionParser::parse_test(Expr value) {
  next();  // is
  const bool negated = skip_name("not");
  Expr node = make(ExprKind::kTest, current().line);
  node.name = expect_name();
  const int row = find_test(node.name);
  if (row < 0 && !failed_) {
    fail(ErrorKind::kUnsupported, fmt::format("test '{}'", node.name));
  }
  node.id = static_cast<std::uint16_t>(std::max(row, 0));
  add_kid(node, std::move(value));
  const TokenType type = current().type;
  if (at_operator("(")) {
    parse_arguments(node);
  } else if (type == TokenType::kString || type == TokenType::kInteger ||
             type == TokenType::kFloat || at_operator("[") ||
             at_operator("{") ||
             (type == TokenType::kName && !at_name("else") && !at_name("or") &&
              !at_name("and") && !at_name("is"))) {
    add_kid(node, parse_postfix(parse_primary()));
  } else if (at_name("is")) {
    fail(ErrorKind::kCorrupt, "tests cannot be chained with is");
  }
  if (!negated) return node;
  Expr inverse = make(ExprKind::kNot, node.line);
  add_kid(inverse, std::move(node));
  return inverse;
}

Target ExpressionParser::parse_target(bool only_name) {
  Target target;
  if (!enter()) return target;
  std::vector<Target> parts;
  bool is_tuple = false;
  while (!failed_) {
    Target part;
    if (!only_name && at_operator("(")) {
      next();
      part = parse_target();
      expect_operator(")");
    } else {
      part.name = expect_name();
      static constexpr std::string_view kReserved[] = {"true", "false", "none",
                                                       "True", "False", "None"};
      if (std::find(std::begin(kReserved), std::end(kReserved), part.name) !=
          std::end(kReserved)) {
        fail(ErrorKind::kCorrupt,
             fmt::format("cannot assign to '{}'", part.name));
      }
      if (!only_name && skip_operator(".")) {
        part.kind = Target::Kind::kAttribute;
        part.attribute = expect_name();
      }
    }
    parts.push_back(std::move(part));
    if (only_name || !skip_operator(",")) break;
    is_tuple = true;
    if (at_name("in") || at_operator("=") || at_operator(")")) break;
  }
  leave();
  if (failed_) return target;
  if (!is_tuple) {
    Target only = std::move(parts[0]);
    return only;
  }
  target.kind = Target::Kind::kTuple;
  target.parts = std::move(parts);
  return target;
}

}  // namespace trainsight::chat::jinja
