#include "chat/jinja/parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "chat/jinja/expression_parser.h"

namespace trainsight::chat::jinja {
namespace {

class Parser : public ExpressionParser {
 public:
  using ExpressionParser::ExpressionParser;

  Block parse_template() {
    Block body = parse_block({});
    if (!failed() && current().type != TokenType::kEnd) fail_unexpected();
    return body;
  }

 private:
  using Names = std::initializer_list<std::string_view>;

  // Statements up to a tag named in `ends`; that tag's name is current after.
  Block parse_block(Names ends) {
    Block block;
    if (!enter()) return block;
    while (!failed() && current().type != TokenType::kEnd) {
      const Token token = current();
      if (token.type == TokenType::kData) {
        Stmt stmt = make(StmtKind::kText);
        stmt.text = token.text;
        block.push_back(std::move(stmt));
        next();
      } else if (token.type == TokenType::kVariableBegin) {
        next();
        Stmt stmt = make(StmtKind::kPrint);
        stmt.exprs.push_back(parse_tuple());
        expect(TokenType::kVariableEnd, "'}}'");
        block.push_back(std::move(stmt));
      } else {
        next();  // {%
        if (current().type == TokenType::kName &&
            std::find(ends.begin(), ends.end(), current().text) != ends.end()) {
          leave();
          return block;
        }
        parse_statement(block);
        expect(TokenType::kBlockEnd, "'%}'");
      }
    }
    if (!failed() && ends.size() > 0) {
      fail(ErrorKind::kCorrupt,
           fmt::format("'{}' is missing", *(ends.end() - 1)));
    }
    leave();
    return block;
  }

  // `%}` statements and the end tag named last in `ends`, without its `%}`.
  Block parse_body(std::string_view end) {
    expect(TokenType::kBlockEnd, "'%}'");
    Block body = parse_block({end});
    next();
    return body;
  }

  Stmt make(StmtKind kind) {
    Stmt stmt;
    stmt.kind = kind;
    stmt.line = current().line;
    return stmt;
  }

  void parse_statement(Block& out) {
    struct Row {
      std::string_view name;
      Stmt (Parser::*parse)();
    };
    static constexpr Row kRows[] = {
        {"if", &Parser::parse_if},
        {"for", &Parser::parse_for},
        {"set", &Parser::parse_set},
        {"macro", &Parser::parse_macro},
        {"call", &Parser::parse_call_block},
        {"filter", &Parser::parse_filter_block},
        {"with", &Parser::parse_with},
        {"print", &Parser::parse_print},
        {"generation", &Parser::parse_generation},
        {"break", &Parser::parse_break},
        {"continue", &Parser::parse_continue},
    };
    if (current().type != TokenType::kName) return fail_unexpected();
    const std::string_view tag = current().text;
    const Row* const row =
        std::find_if(std::begin(kRows), std::end(kRows),
                     [tag](const Row& r) { return r.name == tag; });
    if (row == std::end(kRows)) {
      const bool stray =
          tag.substr(0, 3) == "end" || tag == "else" || tag == "elif";
      return fail(stray ? ErrorKind::kCorrupt : ErrorKind::kUnsupported,
                  fmt::format("{}tag '{}'", stray ? "unexpected " : "", tag));
    }
    next();
    Stmt stmt = (this->*row->parse)();
    out.push_back(std::move(stmt));
  }

  Stmt parse_if() {
    Stmt stmt = make(StmtKind::kIf);
    stmt.exprs.push_back(parse_tuple(/*with_condition=*/false));
    while (!failed()) {
      expect(TokenType::kBlockEnd, "'%}'");
      stmt.bodies.push_back(parse_block({"elif", "else", "endif"}));
      if (skip_name("elif")) {
        stmt.exprs.push_back(parse_tuple(/*with_condition=*/false));
        continue;
      }
      if (skip_name("else")) {
        stmt.has_else = true;
        stmt.bodies.push_back(parse_body("endif"));
      } else {
        next();  // endif
      }
      break;
    }
    return stmt;
  }

  Stmt parse_for() {
    Stmt stmt = make(StmtKind::kFor);
    stmt.targets.push_back(parse_target());
    if (!skip_name("in")) fail(ErrorKind::kCorrupt, "expected 'in'");
    stmt.exprs.push_back(parse_tuple(/*with_condition=*/false));
    if (skip_name("if")) {
      stmt.has_condition = true;
      stmt.condition_target = stmt.targets[0];
      stmt.exprs.push_back(parse_expression());
    }
    if (at_name("recursive")) {
      fail(ErrorKind::kUnsupported, "a recursive for loop");
    }
    expect(TokenType::kBlockEnd, "'%}'");
    ++loops_;
    stmt.bodies.push_back(parse_block({"else", "endfor"}));
    --loops_;
    if (skip_name("else")) {
      stmt.has_else = true;
      stmt.bodies.push_back(parse_body("endfor"));
    } else {
      next();  // endfor
    }
    return stmt;
  }

  Stmt parse_set() {
    Stmt stmt = make(StmtKind::kSet);
    stmt.targets.push_back(parse_target());
    if (skip_operator("=")) {
      stmt.exprs.push_back(parse_tuple());
      return stmt;
    }
    stmt.kind = StmtKind::kSetBlock;
    if (skip_operator("|")) stmt.exprs.push_back(parse_captured_filters());
    stmt.bodies.push_back(parse_detached_body("endset"));
    return stmt;
  }

  // A body that break and continue cannot leave.
  Block parse_detached_body(std::string_view end) {
    const int loops = std::exchange(loops_, 0);
    Block body = parse_body(end);
    loops_ = loops;
    return body;
  }

  void parse_signature(Function& function) {
    expect_operator("(");
    while (!failed() && !at_operator(")")) {
      if (!function.parameters.empty()) expect_operator(",");
      if (failed() || at_operator(")")) break;
      function.parameters.push_back(parse_target(/*only_name=*/true).name);
      if (skip_operator("=")) {
        function.defaults.push_back(parse_expression());
      } else if (!function.defaults.empty()) {
        fail(ErrorKind::kCorrupt, "a parameter without default follows one");
      }
    }
    expect_operator(")");
  }

  Stmt parse_macro() {
    Stmt stmt = make(StmtKind::kMacro);
    stmt.function.emplace_back();
    Function& function = stmt.function[0];
    stmt.targets.push_back(parse_target(/*only_name=*/true));
    function.name = stmt.targets[0].name;
    parse_signature(function);
    function.body = parse_detached_body("endmacro");
    return stmt;
  }

  Stmt parse_call_block() {
    Stmt stmt = make(StmtKind::kCallBlock);
    stmt.function.emplace_back();
    Function& function = stmt.function[0];
    function.name = "caller";
    if (at_operator("(")) parse_signature(function);
    stmt.exprs.push_back(parse_expression());
    if (!failed() && stmt.exprs[0].kind != ExprKind::kCall) {
      fail(ErrorKind::kCorrupt, "a call block needs a call");
    }
    function.body = parse_detached_body("endcall");
    return stmt;
  }

  Stmt parse_filter_block() {
    Stmt stmt = make(StmtKind::kFilterBlock);
    stmt.exprs.push_back(parse_captured_filters());
    stmt.bodies.push_back(parse_detached_body("endfilter"));
    return stmt;
  }

  Stmt parse_with() {
    Stmt stmt = make(StmtKind::kWith);
    while (!failed() && current().type != TokenType::kBlockEnd) {
      if (!stmt.targets.empty()) expect_operator(",");
      stmt.targets.push_back(parse_single_target());
      expect_operator("=");
      stmt.exprs.push_back(parse_expression());
    }
    stmt.bodies.push_back(parse_body("endwith"));
    return stmt;
  }

  Target parse_single_target() { return parse_target(/*only_name=*/true); }

  Stmt parse_print() {
    Stmt stmt = make(StmtKind::kPrint);
    while (!failed() && current().type != TokenType::kBlockEnd) {
      if (!stmt.exprs.empty()) expect_operator(",");
      stmt.exprs.push_back(parse_expression());
    }
    return stmt;
  }

  Stmt parse_generation() {
    Stmt stmt = make(StmtKind::kGeneration);
    program().has_generation = true;
    stmt.bodies.push_back(parse_detached_body("endgeneration"));
    return stmt;
  }

  Stmt parse_break() { return parse_jump(StmtKind::kBreak); }
  Stmt parse_continue() { return parse_jump(StmtKind::kContinue); }

  Stmt parse_jump(StmtKind kind) {
    if (loops_ == 0) {
      fail(ErrorKind::kCorrupt, "break or continue outside of a loop");
    }
    return make(kind);
  }

  int loops_ = 0;
};

}  // namespace

Status parse(std::string_view source, Program& program) {
  Result<std::vector<Token>> tokens = tokenize(source, program.texts);
  if (!tokens) return tokens.error();
  Parser parser(std::move(tokens).value(), program);
  program.body = parser.parse_template();
  if (parser.failed()) return parser.error();
  return {};
}

}  // namespace trainsight::chat::jinja
