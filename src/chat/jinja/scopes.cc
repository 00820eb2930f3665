#include "chat/jinja/scopes.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace trainsight::chat::jinja {
namespace {

// Names of one scope, and of the context.
constexpr std::size_t kMaxNames = 2000;

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

bool stores(const Target& target, std::string_view name) {
  if (target.kind == Target::Kind::kName) return target.name == name;
  return std::any_of(target.parts.begin(), target.parts.end(),
                     [name](const Target& part) { return stores(part, name); });
}

bool loads(const Target& target, std::string_view name) {
  if (target.kind == Target::Kind::kAttribute) return target.name == name;
  return std::any_of(target.parts.begin(), target.parts.end(),
                     [name](const Target& part) { return loads(part, name); });
}

bool loads(const Expr& expr, std::string_view name) {
  if (expr.kind == ExprKind::kName) return expr.name == name;
  return std::any_of(expr.kids.begin(), expr.kids.end(),
                     [name](const Expr& kid) { return loads(kid, name); });
}

enum class Use : std::uint8_t { kNone, kLoad, kStore };

Use first_use(const Block& block, std::string_view name);

// jinja2 sees an if as three branches: its body, all its elifs, its else. A
// name that some branches set and others do not keeps its outer value.
Use first_use_in_if(const Stmt& stmt, std::string_view name) {
  if (loads(stmt.exprs[0], name)) return Use::kLoad;
  const std::size_t guarded = stmt.exprs.size();
  const Use body = first_use(stmt.bodies[0], name);
  const Use otherwise =
      stmt.has_else ? first_use(stmt.bodies.back(), name) : Use::kNone;
  Use elifs = Use::kNone;
  for (std::size_t i = 1; i < guarded && elifs == Use::kNone; ++i) {
    // An elif of its own sets the name in one branch of three.
    const bool used = loads(stmt.exprs[i], name) ||
                      first_use(stmt.bodies[i], name) != Use::kNone;
    if (used) elifs = Use::kLoad;
  }
  if (body == Use::kNone && otherwise == Use::kNone && elifs == Use::kNone) {
    return Use::kNone;
  }
  const bool all_store =
      body == Use::kStore && otherwise == Use::kStore && elifs == Use::kStore;
  return all_store ? Use::kStore : Use::kLoad;
}

// Whether `block` itself (scopes inside it left out) first reads or sets
// `name`.
Use first_use(const Block& block, std::string_view name) {
  for (const Stmt& stmt : block) {
    if (stmt.kind == StmtKind::kIf) {
      const Use use = first_use_in_if(stmt, name);
      if (use != Use::kNone) return use;
      continue;
    }
    // Of a loop only what is iterated is outside its own scopes.
    const std::size_t outside =
        stmt.kind == StmtKind::kFor ? 1 : stmt.exprs.size();
    const bool reads_exprs = stmt.kind != StmtKind::kSetBlock;
    for (std::size_t i = 0; reads_exprs && i < outside; ++i) {
      if (loads(stmt.exprs[i], name)) return Use::kLoad;
    }
    const bool sets = stmt.kind == StmtKind::kSet ||
                      stmt.kind == StmtKind::kSetBlock ||
                      stmt.kind == StmtKind::kMacro;
    for (const Target& target : stmt.targets) {
      if (!sets) break;
      if (loads(target, name)) return Use::kLoad;
      if (stores(target, name)) return Use::kStore;
    }
  }
  return Use::kNone;
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
    if (names.size() > kMaxNames) too_many_names();
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

  // Look-ups are linear in a scope's names, so these are bounded.
  void too_many_names() {
    if (failed_) return;
    failed_ = true;
    error_ = Error{ErrorKind::kLimit,
                   fmt::format("more than {} names", kMaxNames), ""};
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
      if (scope.variables.size() > kMaxNames) too_many_names();
      if (failed_) return;
      if (scope.find(name) != nullptr) continue;
      NameRef outer = look_up(name, scope.parent, 0);
      // A name that no outer scope has is the context's only where it is read
      // before it is set, or set on some ways only.
      if (outer.hops == NameRef::kContext &&
          first_use(block, name) == Use::kStore) {
        outer.hops = NameRef::kNowhere;
      }
      // A function's slots are started from inside it, one level deeper.
      if (scope.is_function_top && outer.hops < NameRef::kNowhere) {
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
    for (Stmt& stmt : block) {
      if (failed_) return;
      resolve(stmt, scope);
    }
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
