#include "chat/jinja/scopes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace trainsight::chat::jinja {
namespace {

// The slots of one function; null `macro` for the template itself.
struct FunctionScope {
  std::uint32_t slot_count = 0;
  Function* macro = nullptr;
};

struct Scope {
  struct Variable {
    std::string_view name;
    std::uint32_t slot;
  };
  Scope* parent = nullptr;
  FunctionScope* function = nullptr;
  bool is_function_top = false;
  std::vector<Variable> variables;

  [[nodiscard]] const Variable* find(std::string_view name) const {
    const auto at =
        std::find_if(variables.begin(), variables.end(),
                     [name](const Variable& v) { return v.name == name; });
    return at == variables.end() ? nullptr : &*at;
  }
  std::uint32_t declare(std::string_view name) {
    if (const Variable* const known = find(name)) return known->slot;
    variables.push_back({name, function->slot_count});
    return function->slot_count++;
  }
};

void collect_names(const Target& target, std::vector<std::string_view>& out) {
  if (target.kind == Target::Kind::kName) out.push_back(target.name);
  for (const Target& part : target.parts) collect_names(part, out);
}

// Names that `block` sets in its own scope.
void collect_stores(const Block& block, std::vector<std::string_view>& out) {
  for (const Stmt& stmt : block) {
    switch (stmt.kind) {
      case StmtKind::kSet:
      case StmtKind::kSetBlock:
      case StmtKind::kMacro:
        for (const Target& target : stmt.targets) collect_names(target, out);
        break;
      case StmtKind::kIf:
        for (const Block& body : stmt.bodies) collect_stores(body, out);
        break;
      default:
        break;
    }
  }
}

class Resolver {
 public:
  explicit Resolver(Program& program) : program_(program) {}

  Status run() {
    FunctionScope function;
    Scope root;
    root.function = &function;
    root.is_function_top = true;
    declare_stores(program_.body, root, program_.starts);
    resolve(program_.body, root);
    program_.slot_count = function.slot_count;
    if (failed_) return error_;
    return {};
  }

 private:
  NameRef context(std::string_view name) {
    std::vector<std::string_view>& names = program_.context_names;
    const auto at = std::find(names.begin(), names.end(), name);
    const auto index = static_cast<std::uint32_t>(at - names.begin());
    if (at == names.end()) names.push_back(name);
    return {NameRef::kContext, index};
  }

  NameRef look_up(std::string_view name, Scope* scope, std::uint32_t line) {
    std::uint32_t hops = 0;
    for (; scope != nullptr; scope = scope->parent) {
      if (const Scope::Variable* const found = scope->find(name)) {
        return {hops, found->slot};
      }
      if (!scope->is_function_top) continue;
      if (Function* const macro = scope->function->macro) {
        if (name == "caller") {
          macro->uses_caller = true;
          macro->caller_slot = scope->declare(name);
          return {hops, macro->caller_slot};
        }
        if (name == "varargs" || name == "kwargs") {
          refuse(name, line);
          return {};
        }
      }
      ++hops;
    }
    if (name == "self") refuse(name, line);
    return context(name);
  }

  void refuse(std::string_view name, std::uint32_t line) {
    if (failed_) return;
    failed_ = true;
    error_ = Error{ErrorKind::kUnsupported,
                   fmt::format("line {}: name '{}'", line, name), ""};
  }

  // Declares what `block` sets in `scope`; those that were not there before
  // begin with the outer value.
  void declare_stores(const Block& block, Scope& scope,
                      std::vector<SlotStart>& starts) {
    std::vector<std::string_view> names;
    collect_stores(block, names);
    for (const std::string_view name : names) {
      if (scope.find(name) != nullptr) continue;
      NameRef outer = look_up(name, scope.parent, 0);
      // A function's slots are started from inside it, one level deeper.
      if (scope.is_function_top && outer.hops != NameRef::kContext) {
        ++outer.hops;
      }
      starts.push_back({scope.declare(name), outer});
    }
  }

  Scope inner(Scope& parent) {
    Scope scope;
    scope.parent = &parent;
    scope.function = parent.function;
    return scope;
  }

  void declare(const Target& target, Scope& scope) {
    std::vector<std::string_view> names;
    collect_names(target, names);
    for (const std::string_view name : names) scope.declare(name);
  }

  void resolve(Target& target, Scope& scope, std::uint32_t line) {
    if (target.kind != Target::Kind::kTuple) {
      target.ref = look_up(target.name, &scope, line);
    }
    for (Target& part : target.parts) resolve(part, scope, line);
  }

  void resolve(Expr& expr, Scope& scope) {
    if (expr.kind == ExprKind::kName) {
      expr.ref = look_up(expr.name, &scope, expr.line);
    }
    for (Expr& kid : expr.kids) resolve(kid, scope);
  }

  void resolve(Block& block, Scope& scope) {
    for (Stmt& stmt : block) resolve(stmt, scope);
  }

  void resolve_scope(Block& body, Scope& scope,
                     std::vector<SlotStart>& starts) {
    declare_stores(body, scope, starts);
    resolve(body, scope);
  }

  void resolve(Stmt& stmt, Scope& scope) {
    switch (stmt.kind) {
      case StmtKind::kFor:
        return resolve_for(stmt, scope);
      case StmtKind::kWith: {
        for (Expr& expr : stmt.exprs) resolve(expr, scope);
        Scope body = inner(scope);
        for (Target& target : stmt.targets) {
          declare(target, body);
          resolve(target, body, stmt.line);
        }
        return resolve_scope(stmt.bodies[0], body, stmt.starts);
      }
      case StmtKind::kMacro:
      case StmtKind::kCallBlock:
        for (Target& target : stmt.targets) resolve(target, scope, stmt.line);
        for (Expr& expr : stmt.exprs) resolve(expr, scope);
        return resolve_function(stmt.function[0], scope);
      case StmtKind::kSetBlock:
      case StmtKind::kFilterBlock:
      case StmtKind::kGeneration: {
        for (Target& target : stmt.targets) resolve(target, scope, stmt.line);
        for (Expr& expr : stmt.exprs) resolve(expr, scope);
        Scope body = inner(scope);
        return resolve_scope(stmt.bodies[0], body, stmt.starts);
      }
      default:
        for (Target& target : stmt.targets) resolve(target, scope, stmt.line);
        for (Expr& expr : stmt.exprs) resolve(expr, scope);
        for (Block& body : stmt.bodies) resolve(body, scope);
        return;
    }
  }

  void resolve_for(Stmt& stmt, Scope& scope) {
    resolve(stmt.exprs[0], scope);
    if (stmt.has_condition) {
      Scope condition = inner(scope);
      declare(stmt.condition_target, condition);
      resolve(stmt.condition_target, condition, stmt.line);
      resolve(stmt.exprs[1], condition);
    }
    Scope body = inner(scope);
    stmt.loop_slot = body.declare("loop");
    declare(stmt.targets[0], body);
    resolve(stmt.targets[0], body, stmt.line);
    resolve_scope(stmt.bodies[0], body, stmt.starts);
    if (stmt.has_else) {
      Scope otherwise = inner(scope);
      resolve_scope(stmt.bodies[1], otherwise, stmt.else_starts);
    }
  }

  void resolve_function(Function& function, Scope& parent) {
    FunctionScope slots;
    slots.macro = &function;
    Scope scope;
    scope.parent = &parent;
    scope.function = &slots;
    scope.is_function_top = true;
    for (const std::string_view parameter : function.parameters) {
      function.parameter_slots.push_back(scope.declare(parameter));
    }
    for (Expr& value : function.defaults) resolve(value, scope);
    resolve_scope(function.body, scope, function.starts);
    function.slot_count = slots.slot_count;
  }

  Program& program_;
  bool failed_ = false;
  Error error_;
};

}  // namespace

Status resolve_names(Program& program) { return Resolver(program).run(); }

}  // namespace trainsight::chat::jinja
