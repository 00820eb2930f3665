// Statements, loops, macros and output.
#include "chat/jinja/evaluator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace trainsight::chat::jinja {

Evaluator::Evaluator(const Program& program, const JinjaLimits& limits)
    : program_(program), limits_(limits), arena_(limits.memory_bytes) {
  // Offsets of segments are 32 bits.
  limits_.output_bytes =
      std::min<std::uint64_t>(limits_.output_bytes, 0xFFFFFFFF);
}

void Evaluator::begin(std::span<const scan::Value> tape) {
  arena_.reset();
  tape_ = tape;
  context_.assign(program_.context_names.size(), Val());
  frame_ = nullptr;
  out_ = nullptr;
  capture_ = nullptr;
  captured_ = nullptr;
  pending_caller_ = nullptr;
  message_ = -1;
  generation_ = 0;
  depth_ = 0;
  line_ = 0;
  steps_left_ = limits_.steps;
  failed_ = false;
  for (std::size_t i = 0; i < context_.size(); ++i) {
    const int row = find_function(program_.context_names[i]);
    if (row < 0) continue;
    context_[i].kind = Kind::kFunction;
    context_[i].id = static_cast<std::uint16_t>(row);
  }
}

void Evaluator::set_variable(std::string_view name, const Val& value) {
  const auto at = std::find(program_.context_names.begin(),
                            program_.context_names.end(), name);
  if (at == program_.context_names.end()) return;
  context_[static_cast<std::size_t>(at - program_.context_names.begin())] =
      value;
}

Status Evaluator::run(Rendered& out) {
  out.clear();
  out_ = &out;
  if (!failed_) {
    Frame root;
    root.slots = make<Val>(program_.slot_count);
    if (root.slots != nullptr) {
      frame_ = &root;
      start_slots(program_.starts);
      run_block(program_.body);
    }
  }
  out_ = nullptr;
  frame_ = nullptr;
  if (failed_) return error_;
  return {};
}

Val Evaluator::fail(ErrorKind kind, std::string message) {
  if (!failed_) {
    failed_ = true;
    error_ = Error{kind, fmt::format("line {}: {}", line_, message), ""};
  }
  return {};
}

bool Evaluator::charge(std::uint64_t units) {
  if (units <= steps_left_) {
    steps_left_ -= units;
    return !failed_;
  }
  steps_left_ = 0;
  fail(ErrorKind::kLimit, fmt::format("more than {} steps", limits_.steps));
  return false;
}

char* Evaluator::make_bytes(std::uint64_t size) {
  if (!charge(size / 64)) return nullptr;
  void* const memory = arena_.allocate(size);
  if (memory == nullptr) fail(ErrorKind::kLimit, "memory limit is met");
  return static_cast<char*>(memory);
}

bool Evaluator::enter() {
  if (++depth_ <= limits_.depth) return true;
  fail(ErrorKind::kLimit,
       fmt::format("nested more than {} deep", limits_.depth));
  return false;
}

void Evaluator::emit_out(std::string_view bytes, std::int32_t origin) {
  if (bytes.empty() || failed_) return;
  std::string& text = out_->text;
  if (bytes.size() > limits_.output_bytes - text.size()) {
    fail(ErrorKind::kLimit,
         fmt::format("output over {} bytes", limits_.output_bytes));
    return;
  }
  Span span;
  span.begin = text.size();
  text += bytes;
  span.end = text.size();
  span.message = origin >= 0 ? origin : message_;
  span.kind = origin >= 0 ? SpanKind::kContent : SpanKind::kLiteral;
  span.generation = generation_ > 0;
  if (!out_->spans.empty()) {
    Span& last = out_->spans.back();
    if (last.kind == span.kind && last.message == span.message &&
        last.generation == span.generation) {
      last.end = span.end;
      return;
    }
  }
  out_->spans.push_back(span);
}

void Evaluator::emit(std::string_view bytes, std::int32_t origin) {
  if (bytes.empty() || failed_ || !charge(bytes.size() / 64)) return;
  if (capture_ == nullptr) return emit_out(bytes, origin);
  if (bytes.size() > limits_.output_bytes) {
    fail(ErrorKind::kLimit,
         fmt::format("output over {} bytes", limits_.output_bytes));
    return;
  }
  Segment* const segment = add_segment(*capture_->buffer);
  if (segment == nullptr) return;
  *segment = {bytes.data(), static_cast<std::uint32_t>(bytes.size()), origin};
  ++capture_->count;
}

void Evaluator::print(const Val& value) {
  switch (value.kind) {
    case Kind::kUndefined:
      return;
    case Kind::kText:
      return emit(value.view(), value.origin);
    case Kind::kRope:
      for (std::uint32_t i = 0; i < value.rope->count; ++i) {
        const Segment& s = value.rope->buffer->segments[i];
        emit({s.data, s.size}, s.origin);
      }
      charge(value.rope->count);
      return;
    default: {
      const Val text = to_text(value);
      if (!failed_) print(text);
    }
  }
}

Flow Evaluator::run_block(const Block& block) {
  for (const Stmt& stmt : block) {
    const Flow flow = run_stmt(stmt);
    if (failed_ || flow != Flow::kGoOn) return flow;
  }
  return Flow::kGoOn;
}

Flow Evaluator::run_stmt(const Stmt& stmt) {
  line_ = stmt.line;
  if (!charge(1)) return Flow::kGoOn;
  switch (stmt.kind) {
    case StmtKind::kText:
      emit(stmt.text, kLiteral);
      break;
    case StmtKind::kPrint:
      for (const Expr& expr : stmt.exprs) {
        const Val value = eval(expr);
        if (failed_) break;
        print(value);
      }
      break;
    case StmtKind::kIf:
      return run_if(stmt);
    case StmtKind::kFor:
      return run_for(stmt);
    case StmtKind::kSet: {
      const Val value = eval(stmt.exprs[0]);
      if (!failed_) assign(stmt.targets[0], value);
      break;
    }
    case StmtKind::kSetBlock:
    case StmtKind::kFilterBlock: {
      Val text = capture(stmt.bodies[0], stmt.starts);
      if (failed_) break;
      if (!stmt.exprs.empty()) {
        const Val* const outer = std::exchange(captured_, &text);
        const Val filtered = eval(stmt.exprs[0]);
        captured_ = outer;
        text = filtered;
      }
      if (failed_) break;
      if (stmt.kind == StmtKind::kSetBlock) {
        assign(stmt.targets[0], text);
      } else {
        print(text);
      }
      break;
    }
    case StmtKind::kMacro: {
      Macro* const macro = make<Macro>(1);
      if (macro == nullptr) break;
      *macro = {stmt.function.data(), frame_};
      Val value;
      value.kind = Kind::kMacro;
      value.macro = macro;
      assign(stmt.targets[0], value);
      break;
    }
    case StmtKind::kCallBlock: {
      Macro* const macro = make<Macro>(1);
      if (macro == nullptr) break;
      *macro = {stmt.function.data(), frame_};
      Val caller;
      caller.kind = Kind::kMacro;
      caller.macro = macro;
      // Taken by eval_call for this call alone, after its arguments.
      const Val* const outer = std::exchange(pending_caller_, &caller);
      const Val value = eval(stmt.exprs[0]);
      pending_caller_ = outer;
      if (!failed_) print(value);
      break;
    }
    case StmtKind::kWith:
      return run_with(stmt);
    case StmtKind::kGeneration:
      run_generation(stmt);
      break;
    case StmtKind::kBreak:
      return Flow::kBreak;
    case StmtKind::kContinue:
      return Flow::kContinue;
  }
  return Flow::kGoOn;
}

Flow Evaluator::run_if(const Stmt& stmt) {
  for (std::size_t i = 0; i < stmt.exprs.size(); ++i) {
    const Val test = eval(stmt.exprs[i]);
    if (failed_) return Flow::kGoOn;
    if (truth(test)) return run_block(stmt.bodies[i]);
    if (failed_) return Flow::kGoOn;
  }
  return stmt.has_else ? run_block(stmt.bodies.back()) : Flow::kGoOn;
}

void Evaluator::start_slots(const std::vector<SlotStart>& starts) {
  for (const SlotStart& start : starts) {
    frame_->slots[start.slot] = eval_name(start.outer, {});
  }
}

void Evaluator::assign(const Target& target, const Val& value) {
  switch (target.kind) {
    case Target::Kind::kName:
      *slot(target.ref) = value;
      return;
    case Target::Kind::kAttribute: {
      const Val object = eval_name(target.ref, target.name);
      if (!object.is(Kind::kNamespace)) {
        refuse("cannot assign an attribute of what is no namespace");
        return;
      }
      set_member(*object.dict, Val::text(target.attribute), value);
      return;
    }
    case Target::Kind::kTuple: {
      std::span<const Val> items;
      if (!take_all(value, items)) return;
      if (items.size() != target.parts.size()) {
        refuse(fmt::format("cannot unpack {} values into {} names",
                           items.size(), target.parts.size()));
        return;
      }
      for (std::size_t i = 0; i < items.size() && !failed_; ++i) {
        assign(target.parts[i], items[i]);
      }
    }
  }
}

Val Evaluator::capture(const Block& body,
                       const std::vector<SlotStart>& starts) {
  Rope* const rope = make<Rope>(1);
  SegmentBuffer* const buffer = make<SegmentBuffer>(1);
  if (rope == nullptr || buffer == nullptr || !enter()) return {};
  rope->buffer = buffer;
  Rope* const outer = std::exchange(capture_, rope);
  start_slots(starts);
  run_block(body);
  capture_ = outer;
  leave();
  if (rope->count == 0) return Val::text({});
  Val text;
  text.kind = Kind::kRope;
  text.rope = rope;
  for (std::uint32_t i = 0; i < rope->count; ++i) {
    text.size += buffer->segments[i].size;
  }
  if (rope->count == 1) {
    const Segment& only = buffer->segments[0];
    return Val::text({only.data, only.size}, only.origin);
  }
  return text;
}

Flow Evaluator::run_with(const Stmt& stmt) {
  Val* const values = make<Val>(stmt.exprs.size());
  if (values == nullptr || !enter()) return Flow::kGoOn;
  for (std::size_t i = 0; i < stmt.exprs.size() && !failed_; ++i) {
    values[i] = eval(stmt.exprs[i]);
  }
  if (!failed_) start_slots(stmt.starts);
  for (std::size_t i = 0; i < stmt.exprs.size() && !failed_; ++i) {
    assign(stmt.targets[i], values[i]);
  }
  const Flow flow = failed_ ? Flow::kGoOn : run_block(stmt.bodies[0]);
  leave();
  return flow;
}

void Evaluator::run_generation(const Stmt& stmt) {
  if (capture_ != nullptr) {
    fail(ErrorKind::kUnsupported,
         "a generation block inside a macro or a captured block");
    return;
  }
  if (!enter()) return;
  ++generation_;
  start_slots(stmt.starts);
  run_block(stmt.bodies[0]);
  --generation_;
  leave();
}

bool Evaluator::find_next(Loop& loop) {
  while (loop.at < loop.count && charge(1)) {
    const Val value = loop.items[loop.at++];
    if (loop.generator != nullptr) loop.generator->consumed = loop.at;
    if (loop.has_condition) {
      Frame* const frame = std::exchange(frame_, loop.frame);
      assign(loop.stmt->condition_target, value);
      const Val test = failed_ ? Val() : eval(loop.stmt->exprs[1]);
      const bool passes = !failed_ && truth(test);
      frame_ = frame;
      if (failed_) return false;
      if (!passes) continue;
    }
    loop.next = value;
    loop.has_next = true;
    return true;
  }
  return false;
}

bool Evaluator::peek(Loop& loop) { return loop.has_next || find_next(loop); }

bool Evaluator::advance(Loop& loop) {
  if (!peek(loop) || failed_) return false;
  loop.has_next = false;
  loop.current = loop.next;
  return true;
}

std::uint64_t Evaluator::loop_length(Loop& loop) {
  const std::uint64_t seen = loop.index0 + 1 + (loop.has_next ? 1 : 0);
  if (!loop.has_condition) return seen + loop.count - loop.at;
  // As in jinja2, asking for the length runs the condition over the rest.
  Val* const rest = make<Val>(loop.count - loop.at);
  if (rest == nullptr) return 0;
  const bool had_next = loop.has_next;
  const Val next = loop.next;
  std::uint32_t kept = 0;
  while (find_next(loop)) rest[kept++] = loop.next;
  loop.has_next = had_next;
  loop.next = next;
  loop.items = rest;
  loop.count = kept;
  loop.at = 0;
  loop.generator = nullptr;
  loop.has_condition = false;
  return seen + kept;
}

Flow Evaluator::run_for(const Stmt& stmt) {
  const Val iterated = eval(stmt.exprs[0]);
  std::span<const Val> items;
  if (failed_ || !iterate(iterated, items) || !enter()) return Flow::kGoOn;
  Loop* const loop = make<Loop>(1);
  if (loop == nullptr) return Flow::kGoOn;
  loop->stmt = &stmt;
  loop->items = items.data();
  loop->count = static_cast<std::uint32_t>(items.size());
  if (iterated.is(Kind::kSeq) && iterated.seq->type == SeqType::kGenerator) {
    loop->generator = iterated.seq;
    loop->items = iterated.seq->items;
    loop->count = iterated.seq->count;
    loop->at = iterated.seq->consumed;
  }
  loop->has_condition = stmt.has_condition;
  loop->frame = frame_;
  const Flow flow = run_loop_body(stmt, *loop);
  leave();
  return flow;
}

Flow Evaluator::run_loop_body(const Stmt& stmt, Loop& loop) {
  Val self;
  self.kind = Kind::kLoop;
  self.loop = &loop;
  bool any = false;
  const std::int32_t message = message_;
  while (advance(loop)) {
    if (any) ++loop.index0;
    any = true;
    if (loop.current.is(Kind::kDict) && loop.current.dict->message >= 0) {
      message_ = loop.current.dict->message;
    }
    start_slots(stmt.starts);
    frame_->slots[stmt.loop_slot] = self;
    assign(stmt.targets[0], loop.current);
    if (failed_) break;
    const Flow flow = run_block(stmt.bodies[0]);
    if (failed_ || flow == Flow::kBreak) break;
    loop.previous = loop.current;
    loop.has_previous = true;
  }
  message_ = message;
  if (failed_ || any || !stmt.has_else) return Flow::kGoOn;
  start_slots(stmt.else_starts);
  return run_block(stmt.bodies[1]);
}

Val Evaluator::call_macro(const Macro& macro, const Arguments& arguments,
                          const Val* caller) {
  const Function& function = *macro.function;
  const std::size_t count = function.parameters.size();
  if (arguments.positional() > count) {
    return refuse(fmt::format("macro '{}' takes at most {} arguments",
                              function.name, count));
  }
  if (caller != nullptr && !function.uses_caller) {
    return refuse(
        fmt::format("macro '{}' was called with a block that it "
                    "does not use",
                    function.name));
  }
  Frame* const frame = make<Frame>(1);
  Val* const slots = make<Val>(function.slot_count);
  bool* const given = make<bool>(count);
  if (frame == nullptr || slots == nullptr || given == nullptr) return {};
  *frame = {slots, macro.frame};
  if (function.uses_caller && caller != nullptr) {
    slots[function.caller_slot] = *caller;
  }
  for (std::size_t i = 0; i < arguments.positional(); ++i) {
    slots[function.parameter_slots[i]] = arguments.values[i];
    given[i] = true;
  }
  for (std::size_t k = 0; k < arguments.keywords.size(); ++k) {
    const std::string_view name = arguments.keywords[k];
    const Val& value = arguments.values[arguments.positional() + k];
    if (name == "caller" && function.uses_caller) {
      slots[function.caller_slot] = value;
      continue;
    }
    const auto at =
        std::find(function.parameters.begin(), function.parameters.end(), name);
    if (at == function.parameters.end()) {
      return refuse(
          fmt::format("macro '{}' has no parameter '{}'", function.name, name));
    }
    const auto i = static_cast<std::size_t>(at - function.parameters.begin());
    if (given[i]) {
      return refuse(
          fmt::format("macro '{}' got '{}' twice", function.name, name));
    }
    slots[function.parameter_slots[i]] = value;
    given[i] = true;
  }
  if (!enter()) return {};
  Frame* const outer_frame = std::exchange(frame_, frame);
  const std::uint32_t outer_line = line_;
  const std::size_t without = count - function.defaults.size();
  for (std::size_t i = 0; i < count && !failed_; ++i) {
    if (given[i]) continue;
    slots[function.parameter_slots[i]] =
        i >= without ? eval(function.defaults[i - without])
                     : Val::undefined(function.parameters[i]);
  }
  // What the body prints is the macro's value.
  const Val text = failed_ ? Val() : capture(function.body, function.starts);
  frame_ = outer_frame;
  line_ = outer_line;
  leave();
  return text;
}

}  // namespace trainsight::chat::jinja
