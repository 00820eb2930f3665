// Tests, global functions, and the look-up of builtins by name.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "chat/jinja/builtins.h"
#include "chat/jinja/date_format.h"
#include "chat/jinja/evaluator.h"
#include "chat/jinja/filters.h"

namespace trainsight::chat::jinja {
namespace {

using Bound = const Val* const*;

// --- Tests. ---

template <Kind kKind>
Val kind_test(Evaluator&, const Val& self, Bound) {
  return Val::of(self.is(kKind));
}

Val defined_test(Evaluator&, const Val& self, Bound) {
  return Val::of(!self.is(Kind::kUndefined));
}

Val string_test(Evaluator&, const Val& self, Bound) {
  return Val::of(self.is_text());
}

Val number_test(Evaluator&, const Val& self, Bound) {
  return Val::of(self.is_number());
}

template <bool kWanted>
Val boolean_test(Evaluator&, const Val& self, Bound) {
  return Val::of(self.is(Kind::kBool) && self.boolean == kWanted);
}

Val iterable_test(Evaluator&, const Val& self, Bound) {
  return Val::of(self.is_text() || self.is(Kind::kSeq) ||
                 self.is(Kind::kDict) || self.is(Kind::kUndefined) ||
                 self.is(Kind::kLoop));
}

// What has a length and can be indexed.
Val sequence_test(Evaluator&, const Val& self, Bound) {
  const bool indexed = self.is(Kind::kSeq) &&
                       self.seq->type != SeqType::kView &&
                       self.seq->type != SeqType::kGenerator;
  return Val::of(self.is_text() || indexed || self.is(Kind::kDict) ||
                 self.is(Kind::kUndefined));
}

Val callable_test(Evaluator&, const Val& self, Bound) {
  return Val::of(self.is(Kind::kMacro) || self.is(Kind::kFunction) ||
                 self.is(Kind::kMethod) || self.is(Kind::kJoiner) ||
                 self.is(Kind::kLoop) || self.is(Kind::kUndefined));
}

Val sameas_test(Evaluator& e, const Val& self, Bound a) {
  const Val& other = *a[0];
  if (self.kind != other.kind) return Val::of(false);
  switch (self.kind) {
    case Kind::kNone:
      return Val::of(true);
    case Kind::kBool:
      return Val::of(self.boolean == other.boolean);
    case Kind::kSeq:
    case Kind::kDict:
    case Kind::kNamespace:
      return Val::of(self.data == other.data);
    default:
      return e.fail(ErrorKind::kUnsupported,
                    "sameas of texts and numbers (identity in Python)");
  }
}

template <CompareOp kOp>
Val compare_test(Evaluator& e, const Val& self, Bound a) {
  switch (kOp) {
    case CompareOp::kEqual:
      return Val::of(e.equal(self, *a[0]));
    case CompareOp::kNotEqual:
      return Val::of(!e.equal(self, *a[0]));
    case CompareOp::kLess:
      return Val::of(e.compare(self, *a[0]) < 0);
    case CompareOp::kLessEqual:
      return Val::of(e.compare(self, *a[0]) <= 0);
    case CompareOp::kGreater:
      return Val::of(e.compare(self, *a[0]) > 0);
    case CompareOp::kGreaterEqual:
      return Val::of(e.compare(self, *a[0]) >= 0);
    default:
      return Val::of(e.contains(*a[0], self));
  }
}

Val modulo_is(Evaluator& e, const Val& self, const Val& divisor,
              std::int64_t rest) {
  const Val result = e.arithmetic(ExprKind::kModulo, self, divisor);
  return e.failed() ? Val() : Val::of(e.equal(result, Val::of(rest)));
}

Val odd_test(Evaluator& e, const Val& self, Bound) {
  return modulo_is(e, self, Val::of(std::int64_t{2}), 1);
}
Val even_test(Evaluator& e, const Val& self, Bound) {
  return modulo_is(e, self, Val::of(std::int64_t{2}), 0);
}
Val divisible_test(Evaluator& e, const Val& self, Bound a) {
  return modulo_is(e, self, *a[0], 0);
}

// The text methods islower and isupper of str(value).
template <bool kUpper>
Val case_test(Evaluator& e, const Val& self, Bound) {
  const Val text = e.to_text(self);
  if (e.failed()) return {};
  const Val method = e.attribute(text, kUpper ? "isupper" : "islower");
  return e.failed() ? Val() : e.call(method, {});
}

template <int (*kFind)(std::string_view)>
Val known_test(Evaluator& e, const Val& self, Bound) {
  std::string_view name;
  if (!e.text_argument(self, "a name", name)) return {};
  return Val::of(kFind(name) >= 0);
}

Val escaped_test(Evaluator&, const Val& self, Bound) {
  return Val::of(self.markup);
}

constexpr Builtin kTests[] = {
    {"defined", defined_test},
    {"undefined", kind_test<Kind::kUndefined>},
    {"none", kind_test<Kind::kNone>},
    {"string", string_test},
    {"number", number_test},
    {"integer", kind_test<Kind::kInt>},
    {"float", kind_test<Kind::kFloat>},
    {"boolean", kind_test<Kind::kBool>},
    {"true", boolean_test<true>},
    {"false", boolean_test<false>},
    {"mapping", kind_test<Kind::kDict>},
    {"iterable", iterable_test},
    {"sequence", sequence_test},
    {"callable", callable_test},
    {"sameas", sameas_test, "other", 1},
    {"equalto", compare_test<CompareOp::kEqual>, "b", 1},
    {"eq", compare_test<CompareOp::kEqual>, "b", 1},
    {"==", compare_test<CompareOp::kEqual>, "b", 1},
    {"ne", compare_test<CompareOp::kNotEqual>, "b", 1},
    {"!=", compare_test<CompareOp::kNotEqual>, "b", 1},
    {"lt", compare_test<CompareOp::kLess>, "b", 1},
    {"lessthan", compare_test<CompareOp::kLess>, "b", 1},
    {"<", compare_test<CompareOp::kLess>, "b", 1},
    {"le", compare_test<CompareOp::kLessEqual>, "b", 1},
    {"<=", compare_test<CompareOp::kLessEqual>, "b", 1},
    {"gt", compare_test<CompareOp::kGreater>, "b", 1},
    {"greaterthan", compare_test<CompareOp::kGreater>, "b", 1},
    {">", compare_test<CompareOp::kGreater>, "b", 1},
    {"ge", compare_test<CompareOp::kGreaterEqual>, "b", 1},
    {">=", compare_test<CompareOp::kGreaterEqual>, "b", 1},
    {"in", compare_test<CompareOp::kIn>, "seq", 1},
    {"odd", odd_test},
    {"even", even_test},
    {"divisibleby", divisible_test, "num", 1},
    {"lower", case_test<false>},
    {"upper", case_test<true>},
    {"filter", known_test<find_filter>},
    {"test", known_test<find_test>},
    {"escaped", escaped_test},
};

// --- Functions. ---

Val range_function(Evaluator& e, const Val&, const Arguments& a) {
  std::int64_t bounds[3] = {0, 0, 1};
  if (a.values.empty() || a.values.size() > 3 || !a.keywords.empty()) {
    return e.refuse("range takes one to three integers");
  }
  for (std::size_t i = 0; i < a.values.size(); ++i) {
    const Val& v = a.values[i];
    if (!v.is(Kind::kInt) && !v.is(Kind::kBool)) {
      return e.refuse("range takes one to three integers");
    }
    bounds[i] = v.is(Kind::kBool) ? std::int64_t{v.boolean} : v.integer;
  }
  if (a.values.size() == 1) std::swap(bounds[0], bounds[1]);
  if (bounds[2] == 0) return e.refuse("range with step zero");
  constexpr std::uint32_t kMost = 100'000;  // as jinja2's sandbox
  std::vector<Val> items;
  for (std::int64_t i = bounds[0];
       bounds[2] > 0 ? i < bounds[1] : i > bounds[1];) {
    if (items.size() == kMost) return e.refuse("range over 100000 numbers");
    items.push_back(Val::of(i));
    if (__builtin_add_overflow(i, bounds[2], &i)) break;
  }
  if (!e.charge(items.size() / 8)) return {};
  Val* const copy = e.make<Val>(items.size());
  if (copy == nullptr) return {};
  std::copy(items.begin(), items.end(), copy);
  return e.make_seq(SeqType::kRange, copy,
                    static_cast<std::uint32_t>(items.size()));
}

Val dict_function(Evaluator& e, const Val&, const Arguments& a) {
  Val value;
  if (a.positional() == 0) {
    Dict* const dict =
        e.make_dict(static_cast<std::uint32_t>(a.keywords.size()));
    if (dict == nullptr) return {};
    value = Val::of(dict);
  } else if (a.positional() > 1 || !a.values[0].is(Kind::kDict)) {
    return e.fail(ErrorKind::kUnsupported, "dict() of what is no dict");
  } else {
    value = copy_dict(e, *a.values[0].dict);
    if (e.failed()) return {};
  }
  for (std::size_t i = 0; i < a.keywords.size(); ++i) {
    e.set_member(*value.dict, Val::text(a.keywords[i]),
                 a.values[a.positional() + i]);
  }
  return e.failed() ? Val() : value;
}

Val namespace_function(Evaluator& e, const Val& self, const Arguments& a) {
  Val value = dict_function(e, self, a);
  if (e.failed()) return {};
  value.kind = Kind::kNamespace;
  return value;
}

Val make_cycler(Evaluator& e, Kind kind, std::span<const Val> items) {
  Cycler* const cycler = e.make<Cycler>(1);
  Val* const copy = e.make<Val>(items.size());
  if (cycler == nullptr || copy == nullptr) return {};
  std::copy(items.begin(), items.end(), copy);
  *cycler = {copy, static_cast<std::uint32_t>(items.size()), 0};
  Val value;
  value.kind = kind;
  value.cycler = cycler;
  return value;
}

Val cycler_function(Evaluator& e, const Val&, const Arguments& a) {
  if (a.values.empty() || !a.keywords.empty()) {
    return e.refuse("cycler needs items");
  }
  return make_cycler(e, Kind::kCycler, a.values);
}

Val joiner_function(Evaluator& e, const Val&, Bound a) {
  const Val separator = a[0] != nullptr ? *a[0] : Val::text(", ");
  return make_cycler(e, Kind::kJoiner, {&separator, 1});
}

Val raise_function(Evaluator& e, const Val&, Bound a) {
  const Val text = e.to_text(*a[0]);
  if (e.failed()) return {};
  return e.refuse(std::string(e.flat(text)));
}

Val strftime_function(Evaluator& e, const Val&, Bound a) {
  std::string_view format;
  if (!e.text_argument(*a[0], "a date format", format)) return {};
  if (e.date().year == 0) {
    return e.fail(ErrorKind::kUnsupported,
                  "'strftime_now' needs a date, and none is given");
  }
  std::string out;
  const char unknown = append_date(e.date(), format, out);
  if (unknown != '\0') {
    return e.fail(ErrorKind::kUnsupported,
                  fmt::format("'%{}' in a date format", unknown));
  }
  return e.copy_text(out, kLiteral);
}

constexpr Builtin kFunctions[] = {
    {"range", nullptr, "", 0, range_function},
    {"dict", nullptr, "", 0, dict_function},
    {"namespace", nullptr, "", 0, namespace_function},
    {"cycler", nullptr, "", 0, cycler_function},
    {"joiner", joiner_function, "sep"},
    {"raise_exception", raise_function, "message", 1},
    {"strftime_now", strftime_function, "format", 1},
    {"lipsum"},
};

int find_row(std::span<const Builtin> rows, std::string_view name) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

std::span<const Builtin> tests() { return kTests; }
std::span<const Builtin> functions() { return kFunctions; }

std::span<const Builtin> filters() {
  // Built once and never changed.
  static const std::vector<Builtin> rows = [] {
    const std::span<const Builtin> values = value_filters();
    std::vector<Builtin> all(values.begin(), values.end());
    const std::span<const Builtin> sequences = sequence_filters();
    all.insert(all.end(), sequences.begin(), sequences.end());
    return all;
  }();
  return rows;
}

int find_filter(std::string_view name) { return find_row(filters(), name); }
int find_test(std::string_view name) { return find_row(kTests, name); }
int find_function(std::string_view name) { return find_row(kFunctions, name); }

}  // namespace trainsight::chat::jinja
