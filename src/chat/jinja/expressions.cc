// Expressions: names, calls of builtins, and what is neither.
#include <fmt/format.h>

#include <utility>

#include "chat/jinja/evaluator.h"

namespace trainsight::chat::jinja {

Val Evaluator::eval(const Expr& expr) {
  if (expr.kind == ExprKind::kConstant) return expr.constant;
  if (expr.kind == ExprKind::kName) return eval_name(expr.ref, expr.name);
  if (!charge(1) || !enter()) return {};
  const Val value = eval_inner(expr);
  leave();
  return value;
}

Val* Evaluator::slot(const NameRef& ref) {
  Frame* frame = frame_;
  for (std::uint32_t i = 0; i < ref.hops; ++i) frame = frame->parent;
  return frame->slots + ref.index;
}

Val Evaluator::eval_name(const NameRef& ref, std::string_view name) {
  const Val& value =
      ref.hops == NameRef::kContext ? context_[ref.index] : *slot(ref);
  if (value.is(Kind::kUndefined) && value.size == 0) {
    return Val::undefined(name);
  }
  return value;
}

Val* Evaluator::eval_all(const Expr& expr, std::size_t first) {
  Val* const values = make<Val>(expr.kids.size() - first);
  if (values == nullptr) return nullptr;
  for (std::size_t i = first; i < expr.kids.size(); ++i) {
    values[i - first] = eval(expr.kids[i]);
    if (failed_) return nullptr;
  }
  return values;
}

Val Evaluator::eval_inner(const Expr& expr) {
  switch (expr.kind) {
    case ExprKind::kConstant:
    case ExprKind::kName:
    case ExprKind::kMissing:
      return {};
    case ExprKind::kCaptured:
      return *captured_;
    case ExprKind::kTuple:
    case ExprKind::kList: {
      Val* const items = eval_all(expr, 0);
      if (items == nullptr) return {};
      return make_seq(
          expr.kind == ExprKind::kList ? SeqType::kList : SeqType::kTuple,
          items, static_cast<std::uint32_t>(expr.kids.size()));
    }
    case ExprKind::kDict:
      return eval_dict(expr);
    case ExprKind::kAttribute: {
      const Val object = eval(expr.kids[0]);
      return failed_ ? Val() : attribute(object, expr.name);
    }
    case ExprKind::kItem: {
      const Val object = eval(expr.kids[0]);
      const Val key = failed_ ? Val() : eval(expr.kids[1]);
      return failed_ ? Val() : item(object, key);
    }
    case ExprKind::kSlice: {
      const Val object = eval(expr.kids[0]);
      Val bounds[3];
      for (std::size_t i = 0; i < 3 && !failed_; ++i) {
        const Expr& bound = expr.kids[i + 1];
        bounds[i] =
            bound.kind == ExprKind::kMissing ? Val::none() : eval(bound);
      }
      return failed_ ? Val() : slice(object, bounds[0], bounds[1], bounds[2]);
    }
    case ExprKind::kCall:
      return eval_call(expr);
    case ExprKind::kFilter:
      return eval_builtin(expr, filters()[expr.id], "filter");
    case ExprKind::kTest:
      return eval_builtin(expr, tests()[expr.id], "test");
    case ExprKind::kNot: {
      const Val value = eval(expr.kids[0]);
      return failed_ ? Val() : Val::of(!truth(value));
    }
    case ExprKind::kNegate: {
      const Val value = eval(expr.kids[0]);
      return failed_ ? Val() : negate(value);
    }
    case ExprKind::kPlus: {
      const Val value = eval(expr.kids[0]);
      if (failed_) return {};
      if (value.is(Kind::kBool)) return Val::of(std::int64_t{value.boolean});
      return value.is_number() ? value : refuse("unary '+' on no number");
    }
    case ExprKind::kAnd:
    case ExprKind::kOr: {
      const Val left = eval(expr.kids[0]);
      if (failed_) return {};
      const bool decided = truth(left) == (expr.kind == ExprKind::kOr);
      return decided || failed_ ? left : eval(expr.kids[1]);
    }
    case ExprKind::kIf: {
      const Val test = eval(expr.kids[1]);
      if (failed_) return {};
      if (truth(test)) return eval(expr.kids[0]);
      return eval(expr.kids[2]);
    }
    case ExprKind::kCompare:
      return eval_compare(expr);
    case ExprKind::kConcat: {
      Val text = Val::text({});
      for (const Expr& kid : expr.kids) {
        const Val part = eval(kid);
        if (failed_) return {};
        const Val part_text = to_text(part);
        if (failed_) return {};
        text = concat(text, part_text);
      }
      return text;
    }
    default: {
      const Val left = eval(expr.kids[0]);
      const Val right = failed_ ? Val() : eval(expr.kids[1]);
      if (failed_) return {};
      line_ = expr.line;
      return expr.kind == ExprKind::kAdd ? add(left, right)
                                         : arithmetic(expr.kind, left, right);
    }
  }
}

Val Evaluator::eval_dict(const Expr& expr) {
  Dict* const dict =
      make_dict(static_cast<std::uint32_t>(expr.kids.size() / 2));
  if (dict == nullptr) return {};
  for (std::size_t i = 0; i < expr.kids.size(); i += 2) {
    const Val key = eval(expr.kids[i]);
    const Val value = failed_ ? Val() : eval(expr.kids[i + 1]);
    if (failed_) return {};
    set_member(*dict, key, value);
  }
  return failed_ ? Val() : Val::of(dict);
}

Val Evaluator::eval_compare(const Expr& expr) {
  Val left = eval(expr.kids[0]);
  for (std::size_t i = 0; i < expr.operators.size(); ++i) {
    if (failed_) return {};
    const Val right = eval(expr.kids[i + 1]);
    if (failed_) return {};
    line_ = expr.line;
    bool holds = false;
    switch (expr.operators[i]) {
      case CompareOp::kEqual:
        holds = equal(left, right);
        break;
      case CompareOp::kNotEqual:
        holds = !equal(left, right);
        break;
      case CompareOp::kLess:
        holds = compare(left, right) < 0;
        break;
      case CompareOp::kLessEqual:
        holds = compare(left, right) <= 0;
        break;
      case CompareOp::kGreater:
        holds = compare(left, right) > 0;
        break;
      case CompareOp::kGreaterEqual:
        holds = compare(left, right) >= 0;
        break;
      case CompareOp::kIn:
        holds = contains(right, left);
        break;
      case CompareOp::kNotIn:
        holds = !contains(right, left);
        break;
    }
    if (failed_) return {};
    if (!holds) return Val::of(false);
    left = right;
  }
  return Val::of(true);
}

Val Evaluator::eval_call(const Expr& expr) {
  // A call block's body goes to this call, not to those in its arguments.
  const Val* const caller = std::exchange(pending_caller_, nullptr);
  const Val callee = eval(expr.kids[0]);
  if (failed_) return {};
  Val* const values = eval_all(expr, 1);
  if (values == nullptr) return {};
  line_ = expr.line;
  const Arguments arguments{{values, expr.kids.size() - 1}, expr.keywords};
  if (callee.is(Kind::kMacro)) {
    return call_macro(*callee.macro, arguments, caller);
  }
  if (caller != nullptr) return refuse("a call block calls what is no macro");
  return call(callee, arguments);
}

Val Evaluator::eval_builtin(const Expr& expr, const Builtin& row,
                            std::string_view what) {
  const Val value = eval(expr.kids[0]);
  if (failed_) return {};
  line_ = expr.line;
  if (expr.kids.size() == 1) return call_builtin(*this, row, what, value, {});
  Val* const values = eval_all(expr, 1);
  if (values == nullptr) return {};
  return call_builtin(*this, row, what, value,
                      {{values, expr.kids.size() - 1}, expr.keywords});
}

Val call_builtin(Evaluator& evaluator, const Builtin& row,
                 std::string_view what, const Val& self,
                 const Arguments& arguments) {
  if (row.raw != nullptr) return row.raw(evaluator, self, arguments);
  if (row.bound == nullptr) {
    return evaluator.fail(ErrorKind::kUnsupported,
                          fmt::format("{} '{}'", what, row.name));
  }
  const Val* bound[kMaxParameters] = {};
  std::string_view names[kMaxParameters];
  std::size_t count = 0;
  for (std::string_view rest = row.parameters; !rest.empty(); ++count) {
    const std::size_t comma = rest.find(',');
    names[count] = rest.substr(0, comma);
    rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
  }
  if (arguments.positional() > count) {
    return evaluator.refuse(fmt::format("{} '{}' takes at most {} arguments",
                                        what, row.name, count));
  }
  for (std::size_t i = 0; i < arguments.values.size(); ++i) {
    std::size_t at = i;
    if (i >= arguments.positional()) {
      const std::string_view keyword =
          arguments.keywords[i - arguments.positional()];
      for (at = 0; at < count && names[at] != keyword; ++at) {
      }
      if (at == count || bound[at] != nullptr) {
        return evaluator.refuse(
            fmt::format("{} '{}' cannot take '{}'", what, row.name, keyword));
      }
    }
    bound[at] = &arguments.values[i];
  }
  for (std::size_t i = 0; i < row.required; ++i) {
    if (bound[i] == nullptr) {
      return evaluator.refuse(
          fmt::format("{} '{}' needs '{}'", what, row.name, names[i]));
    }
  }
  return row.bound(evaluator, self, bound);
}

}  // namespace trainsight::chat::jinja
