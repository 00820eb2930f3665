// Operators: truth, comparison, membership and arithmetic, as in Python.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chat/jinja/evaluator.h"
#include "trainsight/text/utf8.h"

namespace trainsight::chat::jinja {
namespace {

double to_real(const Val& value) {
  if (value.is(Kind::kFloat)) return value.real;
  if (value.is(Kind::kBool)) return value.boolean ? 1 : 0;
  return static_cast<double>(value.integer);
}

std::int64_t to_integer(const Val& value) {
  return value.is(Kind::kBool) ? std::int64_t{value.boolean} : value.integer;
}

// Exact, also where an integer has no double: -1, 0, 1, or 2 for NaN.
int compare_numbers(const Val& left, const Val& right) {
  if (!left.is(Kind::kFloat) && !right.is(Kind::kFloat)) {
    const std::int64_t a = to_integer(left);
    const std::int64_t b = to_integer(right);
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (left.is(Kind::kFloat) && right.is(Kind::kFloat)) {
    if (std::isnan(left.real) || std::isnan(right.real)) return 2;
    return left.real < right.real ? -1 : left.real > right.real ? 1 : 0;
  }
  const bool flipped = left.is(Kind::kFloat);
  const std::int64_t integer = to_integer(flipped ? right : left);
  const double real = flipped ? left.real : right.real;
  if (std::isnan(real)) return 2;
  int order;  // of integer to real
  if (real >= 9223372036854775808.0) {
    order = -1;
  } else if (real < -9223372036854775808.0) {
    order = 1;
  } else {
    const double whole = std::trunc(real);
    const auto truncated = static_cast<std::int64_t>(whole);
    if (integer != truncated) {
      order = integer < truncated ? -1 : 1;
    } else {
      order = real > whole ? -1 : real < whole ? 1 : 0;
    }
  }
  return flipped ? -order : order;
}

int sign_of(int order) { return order < 0 ? -1 : order > 0 ? 1 : 0; }

std::string_view symbol_of(ExprKind op) {
  switch (op) {
    case ExprKind::kSubtract:
      return "-";
    case ExprKind::kMultiply:
      return "*";
    case ExprKind::kDivide:
      return "/";
    case ExprKind::kFloorDivide:
      return "//";
    case ExprKind::kModulo:
      return "%";
    case ExprKind::kPower:
      return "**";
    default:
      return "+";
  }
}

double floor_modulo(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return rest == 0 ? std::copysign(0.0, b) : rest;
}

}  // namespace

Val Evaluator::fail_undefined(const Val& value) {
  return refuse(fmt::format("'{}' is undefined", value.view()));
}

bool Evaluator::truth(const Val& value) {
  switch (value.kind) {
    case Kind::kUndefined:
    case Kind::kNone:
      return false;
    case Kind::kBool:
      return value.boolean;
    case Kind::kInt:
      return value.integer != 0;
    case Kind::kFloat:
      return value.real != 0;
    case Kind::kText:
    case Kind::kRope:
      return value.size > 0;
    case Kind::kSeq:
      if (value.seq->type == SeqType::kGenerator) return true;
      return (value.seq->lazy != nullptr ? value.seq->lazy->count
                                         : value.seq->count) > 0;
    case Kind::kDict:
      return (value.dict->lazy != nullptr ? value.dict->lazy->count
                                          : value.dict->count) > 0;
    default:
      return true;
  }
}

std::uint64_t Evaluator::length(const Val& value) {
  switch (value.kind) {
    case Kind::kUndefined:
      return 0;
    case Kind::kText:
      charge(value.size / 64);
      return text::count_code_points(value.view());
    case Kind::kRope: {
      // Segments end between code points, so their numbers add up.
      std::uint64_t sum = 0;
      for (std::uint32_t i = 0; i < value.rope->count; ++i) {
        const Segment& s = value.rope->buffer->segments[i];
        sum += text::count_code_points({s.data, s.size});
      }
      charge(value.size / 64 + value.rope->count);
      return sum;
    }
    case Kind::kSeq:
      if (value.seq->type == SeqType::kGenerator) break;
      expand(*value.seq);
      return value.seq->count;
    case Kind::kDict:
      expand(*value.dict);
      return value.dict->count;
    case Kind::kLoop:
      return loop_length(*value.loop);
    default:
      break;
  }
  refuse("a value without a length");
  return 0;
}

bool Evaluator::equal(const Val& left, const Val& right) {
  if (left.is_number() && right.is_number()) {
    return compare_numbers(left, right) == 0;
  }
  if (left.is_text() && right.is_text()) {
    if (left.size != right.size || !charge(left.size / 64)) return false;
    return flat(left) == flat(right);
  }
  if (left.kind != right.kind) return false;
  switch (left.kind) {
    case Kind::kUndefined:
    case Kind::kNone:
      return true;
    case Kind::kSeq: {
      Seq& a = *left.seq;
      Seq& b = *right.seq;
      if (&a == &b) return true;
      const bool comparable = a.type == b.type && a.type != SeqType::kView &&
                              a.type != SeqType::kGenerator;
      if (!comparable) return false;
      expand(a);
      expand(b);
      if (failed_ || a.count != b.count || !enter()) return false;
      bool same = true;
      for (std::uint32_t i = 0; same && i < a.count && charge(1); ++i) {
        same = equal(a.items[i], b.items[i]);
      }
      leave();
      return same && !failed_;
    }
    case Kind::kDict: {
      Dict& a = *left.dict;
      Dict& b = *right.dict;
      if (&a == &b) return true;
      expand(a);
      expand(b);
      if (failed_ || a.count != b.count || !enter()) return false;
      bool same = true;
      for (std::uint32_t i = 0; same && i < a.count && charge(1); ++i) {
        const Val* const other = find_member(b, a.entries[i].key);
        same = other != nullptr && equal(a.entries[i].value, *other);
      }
      leave();
      return same && !failed_;
    }
    case Kind::kFunction:
      return left.id == right.id;
    default:
      return left.data == right.data;
  }
}

int Evaluator::compare(const Val& left, const Val& right) {
  if (left.is_number() && right.is_number()) {
    const int order = compare_numbers(left, right);
    if (order == 2) {
      fail(ErrorKind::kUnsupported, "ordering NaN");
      return 0;
    }
    return order;
  }
  if (left.is_text() && right.is_text()) {
    if (!charge(std::min(left.size, right.size) / 64)) return 0;
    const std::string_view a = flat(left);
    return sign_of(a.compare(flat(right)));
  }
  if (left.is(Kind::kSeq) && right.is(Kind::kSeq) &&
      left.seq->type == right.seq->type &&
      (left.seq->type == SeqType::kList || left.seq->type == SeqType::kTuple)) {
    expand(*left.seq);
    expand(*right.seq);
    if (failed_ || !enter()) return 0;
    const Seq& a = *left.seq;
    const Seq& b = *right.seq;
    int order = a.count < b.count ? -1 : a.count > b.count ? 1 : 0;
    for (std::uint32_t i = 0; i < std::min(a.count, b.count); ++i) {
      if (!charge(1) || equal(a.items[i], b.items[i])) continue;
      order = compare(a.items[i], b.items[i]);
      break;
    }
    leave();
    return order;
  }
  if (left.is(Kind::kUndefined)) {
    fail_undefined(left);
  } else if (right.is(Kind::kUndefined)) {
    fail_undefined(right);
  } else {
    refuse("values that have no order");
  }
  return 0;
}

bool Evaluator::contains(const Val& container, const Val& value) {
  switch (container.kind) {
    case Kind::kText:
    case Kind::kRope: {
      if (!value.is_text()) {
        refuse("'in' a text needs a text");
        return false;
      }
      const std::string_view text = flat(container);
      if (!charge(text.size() / 64)) return false;
      return text.find(flat(value)) != std::string_view::npos;
    }
    case Kind::kDict:
      return find_member(*container.dict, value) != nullptr;
    default: {
      std::span<const Val> items;
      if (!iterate(container, items)) return false;
      for (const Val& element : items) {
        if (!charge(1)) return false;
        if (equal(element, value)) return true;
      }
      return false;
    }
  }
}

Val Evaluator::negate(const Val& value) {
  if (value.is(Kind::kFloat)) return Val::of(-value.real);
  if (!value.is_number()) return refuse("unary '-' on no number");
  std::int64_t result = 0;
  if (__builtin_sub_overflow(std::int64_t{0}, to_integer(value), &result)) {
    return fail(ErrorKind::kUnsupported, "integer over 64 bits");
  }
  return Val::of(result);
}

Val Evaluator::add(const Val& left, const Val& right) {
  if (left.is_text() && right.is_text()) return concat(left, right);
  if (left.is(Kind::kSeq) && right.is(Kind::kSeq) &&
      left.seq->type == right.seq->type &&
      (left.seq->type == SeqType::kList || left.seq->type == SeqType::kTuple)) {
    expand(*left.seq);
    expand(*right.seq);
    const Seq& a = *left.seq;
    const Seq& b = *right.seq;
    const std::uint64_t count = std::uint64_t{a.count} + b.count;
    if (failed_ || !charge(count / 8)) return {};
    Val* const items = make<Val>(count);
    if (items == nullptr) return {};
    std::copy(a.items, a.items + a.count, items);
    std::copy(b.items, b.items + b.count, items + a.count);
    return make_seq(a.type, items, static_cast<std::uint32_t>(count));
  }
  return arithmetic(ExprKind::kAdd, left, right);
}

Val Evaluator::arithmetic(ExprKind op, const Val& left, const Val& right) {
  if (left.is(Kind::kUndefined)) return fail_undefined(left);
  if (right.is(Kind::kUndefined)) return fail_undefined(right);
  if (op == ExprKind::kMultiply) {
    if (left.is_text() && right.is(Kind::kInt)) {
      return repeat(left, right.integer);
    }
    if (right.is_text() && left.is(Kind::kInt)) {
      return repeat(right, left.integer);
    }
    if (left.is(Kind::kSeq) || right.is(Kind::kSeq)) {
      return fail(ErrorKind::kUnsupported, "repeating a list");
    }
  }
  if (op == ExprKind::kModulo && left.is_text()) {
    return fail(ErrorKind::kUnsupported, "formatting a text with '%'");
  }
  if (!left.is_number() || !right.is_number()) {
    return refuse(fmt::format("unsupported operands of '{}'", symbol_of(op)));
  }
  const bool divides = op == ExprKind::kDivide ||
                       op == ExprKind::kFloorDivide || op == ExprKind::kModulo;
  if (divides && to_real(right) == 0) return refuse("division by zero");
  if (left.is(Kind::kFloat) || right.is(Kind::kFloat) ||
      op == ExprKind::kDivide) {
    const double a = to_real(left);
    const double b = to_real(right);
    switch (op) {
      case ExprKind::kAdd:
        return Val::of(a + b);
      case ExprKind::kSubtract:
        return Val::of(a - b);
      case ExprKind::kMultiply:
        return Val::of(a * b);
      case ExprKind::kDivide:
        return Val::of(a / b);
      case ExprKind::kModulo:
        return Val::of(floor_modulo(a, b));
      case ExprKind::kFloorDivide: {
        // Python: the quotient of what is left after the remainder.
        double quotient = (a - floor_modulo(a, b)) / b;
        const double floored = std::floor(quotient);
        quotient = quotient - floored > 0.5 ? floored + 1 : floored;
        return Val::of(quotient);
      }
      default:
        return fail(ErrorKind::kUnsupported, "'**' on real numbers");
    }
  }
  const std::int64_t a = to_integer(left);
  const std::int64_t b = to_integer(right);
  std::int64_t result = 0;
  bool overflow = false;
  switch (op) {
    case ExprKind::kAdd:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case ExprKind::kSubtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case ExprKind::kMultiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case ExprKind::kFloorDivide:
    case ExprKind::kModulo: {
      if (b == -1) {  // the one quotient that can overflow
        overflow = __builtin_sub_overflow(std::int64_t{0}, a, &result);
        if (op == ExprKind::kModulo) return Val::of(std::int64_t{0});
        break;
      }
      std::int64_t quotient = a / b;
      std::int64_t rest = a % b;
      if (rest != 0 && (rest < 0) != (b < 0)) {
        --quotient;
        rest += b;
      }
      result = op == ExprKind::kModulo ? rest : quotient;
      break;
    }
    default: {
      if (b < 0) {
        return fail(ErrorKind::kUnsupported, "'**' with a negative exponent");
      }
      result = 1;
      for (std::int64_t i = 0; i < b && !overflow; ++i) {
        if (!charge(1)) return {};
        if (result == 0 || (result == 1 && a == 1)) break;
        overflow = __builtin_mul_overflow(result, a, &result);
      }
    }
  }
  if (overflow) return fail(ErrorKind::kUnsupported, "integer over 64 bits");
  return Val::of(result);
}

}  // namespace trainsight::chat::jinja
