// Access and calls: attributes, items, slices, `loop`, methods.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "chat/jinja/evaluator.h"
#include "chat/jinja/python_text.h"

namespace trainsight::chat::jinja {
namespace {

// Methods of objects that only the interpreter makes; behind methods().
constexpr std::uint16_t kLoopCycle = 0xFF00;
constexpr std::uint16_t kLoopChanged = 0xFF01;
constexpr std::uint16_t kCyclerNext = 0xFF02;
constexpr std::uint16_t kCyclerReset = 0xFF03;

Val signed_integer(std::uint64_t value) {
  return Val::of(static_cast<std::int64_t>(value));
}

}  // namespace

Val Evaluator::attribute(const Val& object, std::string_view name) {
  const auto bind = [&](std::uint16_t id) -> Val {
    Val* const self = make<Val>(1);
    if (self == nullptr) return {};
    *self = object;
    Val method;
    method.kind = Kind::kMethod;
    method.id = id;
    method.bound = self;
    return method;
  };
  switch (object.kind) {
    case Kind::kUndefined:
      return refuse(fmt::format("'{}' is undefined, so it has no '{}'",
                                object.view(), name));
    case Kind::kText:
    case Kind::kRope:
    case Kind::kSeq:
    case Kind::kDict: {
      // Python's attributes come first: `x.items` is the method even where
      // the dict has a member of that name.
      const int method = find_method(object, name);
      if (method >= 0) return bind(static_cast<std::uint16_t>(method));
      if (!object.is(Kind::kDict)) return Val::undefined(name);
      const Val* const member = find_member(*object.dict, name);
      return member == nullptr ? Val::undefined(name) : *member;
    }
    case Kind::kNamespace: {
      const Val* const member = find_member(*object.dict, name);
      return member == nullptr ? Val::undefined(name) : *member;
    }
    case Kind::kInt:
    case Kind::kFloat:
    case Kind::kBool:
      if (is_number_attribute(name)) {
        return fail(ErrorKind::kUnsupported,
                    fmt::format("attribute '{}' of a number", name));
      }
      return Val::undefined(name);
    case Kind::kLoop:
      if (name == "cycle") return bind(kLoopCycle);
      if (name == "changed") return bind(kLoopChanged);
      return loop_attribute(*object.loop, name);
    case Kind::kCycler:
      if (name == "next") return bind(kCyclerNext);
      if (name == "reset") return bind(kCyclerReset);
      if (name == "current") return object.cycler->items[object.cycler->at];
      return Val::undefined(name);
    case Kind::kMacro:
      return fail(ErrorKind::kUnsupported,
                  fmt::format("attribute '{}' of a macro", name));
    default:
      return Val::undefined(name);
  }
}

Val Evaluator::loop_attribute(Loop& loop, std::string_view name) {
  if (name == "index0") return signed_integer(loop.index0);
  if (name == "index") return signed_integer(loop.index0 + 1);
  if (name == "first") return Val::of(loop.index0 == 0);
  if (name == "last") {
    const bool more = peek(loop);
    return failed_ ? Val() : Val::of(!more);
  }
  if (name == "length") return signed_integer(loop_length(loop));
  if (name == "revindex") {
    return signed_integer(loop_length(loop) - loop.index0);
  }
  if (name == "revindex0") {
    return signed_integer(loop_length(loop) - loop.index0 - 1);
  }
  if (name == "previtem") {
    return loop.has_previous ? loop.previous : Val::undefined(name);
  }
  if (name == "nextitem") {
    return peek(loop) ? loop.next : Val::undefined(name);
  }
  // Only recursive loops, which we lack, are deeper.
  if (name == "depth") return Val::of(std::int64_t{1});
  if (name == "depth0") return Val::of(std::int64_t{0});
  return Val::undefined(name);
}

Val Evaluator::item(const Val& object, const Val& key) {
  const std::string_view name =
      key.is_text() ? flat(key) : std::string_view("item");
  if (failed_) return {};
  switch (object.kind) {
    case Kind::kUndefined:
      return refuse(
          fmt::format("'{}' is undefined, so it has no items", object.view()));
    case Kind::kDict: {
      const bool hashable =
          !key.is(Kind::kDict) &&
          !(key.is(Kind::kSeq) && key.seq->type == SeqType::kList);
      if (hashable) {
        const Val* const member = find_member(*object.dict, key);
        if (member != nullptr) return *member;
        if (failed_) return {};
      }
      break;
    }
    case Kind::kText:
    case Kind::kRope:
    case Kind::kSeq: {
      if (!key.is(Kind::kInt) && !key.is(Kind::kBool)) break;
      if (object.is(Kind::kSeq) && (object.seq->type == SeqType::kView ||
                                    object.seq->type == SeqType::kGenerator)) {
        break;
      }
      const auto count = static_cast<std::int64_t>(length(object));
      std::int64_t index =
          key.is(Kind::kBool) ? std::int64_t{key.boolean} : key.integer;
      if (failed_) return {};
      if (index < 0) index += count;
      if (index < 0 || index >= count) return Val::undefined(name);
      if (object.is(Kind::kSeq)) return object.seq->items[index];
      const std::string_view text = flat(object);
      const std::size_t begin =
          offset_of_code_point(text, static_cast<std::uint64_t>(index));
      const std::size_t end =
          begin + offset_of_code_point(text.substr(begin), 1);
      return failed_ ? Val() : substring(object, begin, end);
    }
    default:
      break;
  }
  // As jinja2 does: what is no item may be an attribute.
  if (!key.is_text()) return Val::undefined(name);
  if (object.is(Kind::kDict)) {
    return find_method(object, name) >= 0 ? attribute(object, name)
                                          : Val::undefined(name);
  }
  return attribute(object, name);
}

Val Evaluator::slice(const Val& object, const Val& from, const Val& to,
                     const Val& step) {
  if (object.is(Kind::kUndefined)) {
    return refuse(
        fmt::format("'{}' is undefined, so it has no items", object.view()));
  }
  const bool sliceable =
      object.is_text() ||
      (object.is(Kind::kSeq) && object.seq->type != SeqType::kView &&
       object.seq->type != SeqType::kGenerator);
  for (const Val* bound : {&from, &to, &step}) {
    if (!bound->is(Kind::kNone) && !bound->is(Kind::kInt)) {
      return Val::undefined("slice");
    }
  }
  if (!sliceable) return Val::undefined("slice");
  const auto count = static_cast<std::int64_t>(length(object));
  const std::int64_t stride = step.is(Kind::kNone) ? 1 : step.integer;
  if (failed_) return {};
  if (stride == 0) return refuse("slice step is zero");
  // Python's slice.indices().
  const std::int64_t low = stride < 0 ? -1 : 0;
  const std::int64_t high = stride < 0 ? count - 1 : count;
  const auto clamp = [&](const Val& bound, std::int64_t otherwise) {
    if (bound.is(Kind::kNone)) return otherwise;
    std::int64_t at = bound.integer;
    if (at < 0) at = at < -count ? low : at + count;
    return std::clamp(at, low, std::max(low, high));
  };
  const std::int64_t begin = clamp(from, stride < 0 ? high : low);
  const std::int64_t end = clamp(to, stride < 0 ? low : high);
  if (object.is_text() && stride == 1) {
    if (begin >= end) return Val::text({});
    const std::string_view text = flat(object);
    if (!charge(text.size() / 64)) return {};
    const std::size_t first =
        offset_of_code_point(text, static_cast<std::uint64_t>(begin));
    const std::size_t size = offset_of_code_point(
        text.substr(first), static_cast<std::uint64_t>(end - begin));
    return substring(object, first, first + size);
  }
  std::span<const Val> items;
  if (!iterate(object, items) || !charge(items.size() / 8)) return {};
  Val* const picked = make<Val>(items.size());
  if (picked == nullptr) return {};
  std::uint32_t n = 0;
  for (std::int64_t i = begin; stride > 0 ? i < end : i > end;) {
    picked[n++] = items[static_cast<std::size_t>(i)];
    if (__builtin_add_overflow(i, stride, &i)) break;
  }
  if (!object.is_text()) return make_seq(object.seq->type, picked, n);
  Val text = Val::text({});
  for (std::uint32_t i = 0; i < n && !failed_; ++i) {
    text = concat(text, picked[i]);
  }
  return text;
}

Val Evaluator::attribute_path(const Val& object, std::string_view path,
                              const Val* otherwise) {
  Val value = object;
  while (!failed_) {
    const std::size_t dot = path.find('.');
    const std::string_view part = path.substr(0, dot);
    std::int64_t index = 0;
    const std::from_chars_result number =
        std::from_chars(part.data(), part.data() + part.size(), index);
    const bool is_index = !part.empty() && part[0] != '-' &&
                          number.ec == std::errc() &&
                          number.ptr == part.data() + part.size();
    value = item(value, is_index ? Val::of(index) : Val::text(part));
    if (otherwise != nullptr && value.is(Kind::kUndefined)) value = *otherwise;
    if (dot == std::string_view::npos) return value;
    path = path.substr(dot + 1);
  }
  return {};
}

Val Evaluator::call(const Val& callee, const Arguments& arguments) {
  switch (callee.kind) {
    case Kind::kUndefined:
      return refuse(fmt::format("'{}' is undefined", callee.view()));
    case Kind::kMacro:
      return call_macro(*callee.macro, arguments, nullptr);
    case Kind::kFunction:
      return call_builtin(*this, functions()[callee.id], "function", {},
                          arguments);
    case Kind::kMethod:
      break;
    case Kind::kJoiner: {
      Cycler& joiner = *callee.cycler;
      return joiner.at++ == 0 ? Val::text({}) : joiner.items[0];
    }
    case Kind::kLoop:
      return fail(ErrorKind::kUnsupported, "a recursive for loop");
    default:
      return refuse("calling what is no function");
  }
  const Val& self = *callee.bound;
  switch (callee.id) {
    case kLoopCycle: {
      if (arguments.values.empty()) return refuse("cycle() without items");
      return arguments.values[self.loop->index0 % arguments.values.size()];
    }
    case kLoopChanged: {
      Val* const values = make<Val>(arguments.values.size());
      if (values == nullptr) return {};
      std::copy(arguments.values.begin(), arguments.values.end(), values);
      const Val now =
          make_seq(SeqType::kTuple, values,
                   static_cast<std::uint32_t>(arguments.values.size()));
      Loop& loop = *self.loop;
      if (failed_) return {};
      const bool changed = !loop.has_changed || !equal(loop.changed, now);
      loop.has_changed = true;
      loop.changed = now;
      return Val::of(changed);
    }
    case kCyclerNext: {
      Cycler& cycler = *self.cycler;
      const Val value = cycler.items[cycler.at];
      cycler.at = (cycler.at + 1) % cycler.count;
      return value;
    }
    case kCyclerReset:
      self.cycler->at = 0;
      return Val::none();
    default:
      return call_builtin(*this, methods()[callee.id], "method", self,
                          arguments);
  }
}

}  // namespace trainsight::chat::jinja
