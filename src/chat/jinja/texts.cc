// Text values: ropes, substrings and str().
#include <fmt/format.h>

#include <algorithm>

#include "chat/jinja/evaluator.h"
#include "chat/jinja/python_text.h"

namespace trainsight::chat::jinja {

std::string_view Evaluator::flat(const Val& text) {
  if (!text.is(Kind::kRope)) return text.view();
  char* const bytes = make_bytes(text.size);
  if (bytes == nullptr) return {};
  char* at = bytes;
  for (std::uint32_t i = 0; i < text.rope->count; ++i) {
    const Segment& s = text.rope->buffer->segments[i];
    at = std::copy(s.data, s.data + s.size, at);
  }
  charge(text.rope->count / 4);
  return {bytes, text.size};
}

Val Evaluator::substring(const Val& text, std::uint64_t begin,
                         std::uint64_t end) {
  if (begin >= end) return Val::text({}, kLiteral);
  if (!text.is(Kind::kRope)) {
    Val part = text;
    part.data += begin;
    part.size = end - begin;
    return part;
  }
  Val part = Val::text({});
  std::uint64_t at = 0;
  for (std::uint32_t i = 0; i < text.rope->count && at < end; ++i) {
    const Segment& s = text.rope->buffer->segments[i];
    const std::uint64_t from = std::max(begin, at) - at;
    const std::uint64_t to = std::min<std::uint64_t>(end - at, s.size);
    if (from < to) {
      part = concat(part, Val::text({s.data + from, to - from}, s.origin));
    }
    at += s.size;
  }
  charge(text.rope->count / 4);
  return part;
}

Segment* Evaluator::add_segment(SegmentBuffer& buffer) {
  if (buffer.used == buffer.capacity) {
    const std::uint32_t capacity = std::max(8U, buffer.capacity * 2);
    Segment* const segments = make<Segment>(capacity);
    if (segments == nullptr) return nullptr;
    std::copy(buffer.segments, buffer.segments + buffer.used, segments);
    buffer.segments = segments;
    buffer.capacity = capacity;
  }
  return &buffer.segments[buffer.used++];
}

void Evaluator::append_segments(const Val& text, Rope& rope) {
  if (text.size == 0) return;
  if (!text.is(Kind::kRope)) {
    Segment* const s = add_segment(*rope.buffer);
    if (s == nullptr) return;
    *s = {text.data, static_cast<std::uint32_t>(text.size), text.origin};
    ++rope.count;
    return;
  }
  // By index: adding may move the segments when both ropes share a buffer.
  const std::uint32_t count = text.rope->count;
  if (!charge(count / 4)) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    const Segment copy = text.rope->buffer->segments[i];
    Segment* const s = add_segment(*rope.buffer);
    if (s == nullptr) return;
    *s = copy;
    ++rope.count;
  }
}

Val Evaluator::concat(const Val& left, const Val& right) {
  if ((left.markup || right.markup) && left.size + right.size > 0) {
    return fail(ErrorKind::kUnsupported,
                "joining text that was marked safe or escaped");
  }
  if (left.size == 0) return right;
  if (right.size == 0) return left;
  if (left.size + right.size > limits_.output_bytes) {
    return fail(ErrorKind::kLimit,
                fmt::format("text over {} bytes", limits_.output_bytes));
  }
  Rope* const rope = make<Rope>(1);
  if (rope == nullptr) return {};
  if (left.is(Kind::kRope) && left.rope->count == left.rope->buffer->used) {
    *rope = *left.rope;
  } else {
    rope->buffer = make<SegmentBuffer>(1);
    if (rope->buffer == nullptr) return {};
    append_segments(left, *rope);
  }
  append_segments(right, *rope);
  if (failed_) return {};
  Val text;
  text.kind = Kind::kRope;
  text.size = left.size + right.size;
  text.rope = rope;
  return text;
}

Val Evaluator::repeat(const Val& text, std::int64_t times) {
  if (times <= 0 || text.size == 0) return Val::text({});
  const auto count = static_cast<std::uint64_t>(times);
  if (count > limits_.output_bytes / text.size) {
    return fail(ErrorKind::kLimit,
                fmt::format("text over {} bytes", limits_.output_bytes));
  }
  const std::string_view unit = flat(text);
  char* const bytes = make_bytes(unit.size() * count);
  if (bytes == nullptr || failed_) return {};
  char* at = bytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    at = std::copy(unit.begin(), unit.end(), at);
  }
  return Val::text({bytes, unit.size() * count}, origin_of(text));
}

bool Evaluator::text_argument(const Val& value, std::string_view what,
                              std::string_view& out) {
  if (!value.is_text()) {
    refuse(fmt::format("{} must be a text", what));
    return false;
  }
  out = flat(value);
  return !failed_;
}

Val Evaluator::to_text(const Val& value) {
  if (value.is_text()) return value;
  if (value.is(Kind::kUndefined)) return Val::text({});
  std::string out;
  append_text(value, /*repr=*/false, out);
  return failed_ ? Val() : copy_text(out, origin_of(value));
}

void Evaluator::append_text(const Val& value, bool repr, std::string& out) {
  if (out.size() > limits_.output_bytes) {
    fail(ErrorKind::kLimit,
         fmt::format("text over {} bytes", limits_.output_bytes));
    return;
  }
  if (!charge(1)) return;
  switch (value.kind) {
    case Kind::kUndefined:
      if (repr) out += "Undefined";
      return;
    case Kind::kNone:
      out += "None";
      return;
    case Kind::kBool:
      out += value.boolean ? "True" : "False";
      return;
    case Kind::kInt:
      out += fmt::format("{}", value.integer);
      return;
    case Kind::kFloat:
      return append_float(value.real, out);
    case Kind::kText:
    case Kind::kRope: {
      if (repr && value.markup) {
        fail(ErrorKind::kUnsupported, "repr of text that was marked safe");
        return;
      }
      const std::string_view text = flat(value);
      if (!charge(text.size() / 64)) return;
      if (repr) {
        append_repr(text, out);
      } else {
        out += text;
      }
      return;
    }
    case Kind::kSeq: {
      const SeqType type = value.seq->type;
      if (type != SeqType::kList && type != SeqType::kTuple) {
        fail(ErrorKind::kUnsupported,
             "printing a range, a view of a dict or a generator");
        return;
      }
      expand(*value.seq);
      if (failed_ || !enter()) return;
      const Seq& seq = *value.seq;
      out += type == SeqType::kList ? '[' : '(';
      for (std::uint32_t i = 0; i < seq.count && !failed_; ++i) {
        if (i > 0) out += ", ";
        append_text(seq.items[i], /*repr=*/true, out);
      }
      if (type == SeqType::kTuple && seq.count == 1) out += ',';
      out += type == SeqType::kList ? ']' : ')';
      leave();
      return;
    }
    case Kind::kDict: {
      expand(*value.dict);
      if (failed_ || !enter()) return;
      const Dict& dict = *value.dict;
      out += '{';
      for (std::uint32_t i = 0; i < dict.count && !failed_; ++i) {
        if (i > 0) out += ", ";
        append_text(dict.entries[i].key, /*repr=*/true, out);
        out += ": ";
        append_text(dict.entries[i].value, /*repr=*/true, out);
      }
      out += '}';
      leave();
      return;
    }
    default:
      fail(ErrorKind::kUnsupported,
           "printing a function, a namespace or a loop");
  }
}

}  // namespace trainsight::chat::jinja
