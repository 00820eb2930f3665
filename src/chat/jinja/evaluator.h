// Evaluator: runs a Program over the variables of one rendering.
//
// Values live in an Arena that is emptied before each rendering. A failure is
// kept here and ends the rendering: every function returns at once with an
// undefined value when failed() holds, and callers look at it before they use
// what they got. One Evaluator a worker; it is reused from row to row.
#ifndef TRAINSIGHT_CHAT_JINJA_EVALUATOR_H_
#define TRAINSIGHT_CHAT_JINJA_EVALUATOR_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chat/jinja/arena.h"
#include "chat/jinja/ast.h"
#include "chat/jinja/builtins.h"
#include "chat/jinja/value.h"
#include "trainsight/chat/chat_template.h"
#include "trainsight/chat/jinja_template.h"
#include "trainsight/chat/rendered.h"
#include "trainsight/core/result.h"
#include "trainsight/scan/row_view.h"

namespace trainsight::chat::jinja {

/// Variables of one call of a function.
struct Frame {
  Val* slots = nullptr;
  Frame* parent = nullptr;  ///< of the function that this one is defined in
};

/// A macro with the variables around it.
struct Macro {
  const Function* function = nullptr;
  Frame* frame = nullptr;
};

/// The state of a for loop; `loop` in the template.
struct Loop {
  const Stmt* stmt = nullptr;
  const Val* items = nullptr;
  Seq* generator = nullptr;  ///< consumed as the loop goes on, or nullptr
  Frame* frame = nullptr;
  std::uint32_t count = 0;  ///< of items, before the condition
  std::uint32_t at = 0;     ///< next of items to look at
  std::uint32_t index0 = 0;
  bool has_condition = false;
  bool has_next = false;  ///< `next` was taken from items, but not yet used
  bool has_previous = false;
  bool has_changed = false;
  Val previous, current, next, changed;
};

enum class Flow : std::uint8_t { kGoOn, kBreak, kContinue };

class Evaluator {
 public:
  Evaluator(const Program& program, const JinjaLimits& limits);
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  // --- One rendering: begin, set variables, run. ---

  /// Forgets the last rendering. `tape` is what lazy values look into.
  void begin(std::span<const scan::Value> tape);
  void set_date(const TemplateVariables::Date& date) { date_ = date; }
  /// Gives context variable `name` a value; unread names cost nothing.
  void set_variable(std::string_view name, const Val& value);
  /// Runs the program; text and spans go to `out`, which is cleared.
  Status run(Rendered& out);

  // --- Failure and bounds. ---

  [[nodiscard]] bool failed() const { return failed_; }
  Val fail(ErrorKind kind, std::string message);
  /// An operation that Python refuses.
  Val refuse(std::string message) {
    return fail(ErrorKind::kCorrupt, std::move(message));
  }
  /// Counts work: `units` steps. False when the limit is met.
  bool charge(std::uint64_t units);
  /// Memory from the arena, or nullptr with the failure set.
  template <typename T>
  T* make(std::uint64_t count) {
    T* const memory = arena_.make<T>(count);
    if (memory == nullptr) fail(ErrorKind::kLimit, "memory limit is met");
    return memory;
  }
  char* make_bytes(std::uint64_t size);

  // --- Values (values.cc). ---

  Val copy_text(std::string_view bytes, std::int32_t origin);
  Val make_seq(SeqType type, const Val* items, std::uint32_t count);
  /// An empty dict with room for `capacity` members.
  Dict* make_dict(std::uint32_t capacity);
  /// Sets member `key`, replacing the value of an equal key.
  void set_member(Dict& dict, const Val& key, const Val& value);
  const Val* find_member(Dict& dict, std::string_view key);
  const Val* find_member(Dict& dict, const Val& key);
  /// The Val of a value of the row.
  Val from_tape(const scan::Value& value, std::int32_t origin);
  void expand(Seq& seq);
  void expand(Dict& dict);
  /// What iterating over `value` gives; false (failed) when it cannot be.
  bool iterate(const Val& value, std::span<const Val>& items);
  /// As iterate(), and takes the elements out of a generator.
  bool take_all(const Val& value, std::span<const Val>& items);
  /// The origin of what is made out of `value` as a whole.
  [[nodiscard]] std::int32_t origin_of(const Val& value) const;

  // --- Text (texts.cc). ---

  /// The bytes of a text, in one run; a rope is joined in the arena.
  std::string_view flat(const Val& text);
  /// Bytes [begin, end) of a text; keeps the origins.
  Val substring(const Val& text, std::uint64_t begin, std::uint64_t end);
  Val concat(const Val& left, const Val& right);
  Val repeat(const Val& text, std::int64_t times);
  /// str(value).
  Val to_text(const Val& value);
  /// Appends str(value), or with `repr` repr(value), to `out`.
  void append_text(const Val& value, bool repr, std::string& out);
  /// A text argument's bytes; false (failed) when it is none.
  bool text_argument(const Val& value, std::string_view what,
                     std::string_view& out);

  // --- Operators (operators.cc). ---

  bool truth(const Val& value);
  bool equal(const Val& left, const Val& right);
  /// Python's order: negative, 0, positive; fails where there is none.
  int compare(const Val& left, const Val& right);
  bool contains(const Val& container, const Val& item);
  Val arithmetic(ExprKind op, const Val& left, const Val& right);
  Val add(const Val& left, const Val& right);
  Val negate(const Val& value);
  std::uint64_t length(const Val& value);

  // --- Access and calls (access.cc). ---

  Val attribute(const Val& object, std::string_view name);
  Val item(const Val& object, const Val& key);
  Val slice(const Val& object, const Val& from, const Val& to, const Val& step);
  /// `a.b.0` of map, sort, join and the like; a part that is not there is
  /// `otherwise`, where that is given.
  Val attribute_path(const Val& object, std::string_view path,
                     const Val* otherwise = nullptr);
  Val call(const Val& callee, const Arguments& arguments);

  // --- Text out (json.cc, functions.cc). ---

  struct JsonStyle {
    std::string item_separator = ", ";
    std::string key_separator = ": ";
    std::string indent;  ///< one level; used when `indented`
    bool indented = false;
    bool ensure_ascii = false;
    bool sort_keys = false;
  };
  Val to_json(const Val& value, const JsonStyle& style);
  /// JSON text as a value; undefined without a failure where it is no JSON.
  Val parse_json(std::string_view json, std::int32_t origin, bool& valid);
  [[nodiscard]] const TemplateVariables::Date& date() const { return date_; }
  std::string& scratch() { return scratch_; }

  /// Bounds recursion over nested data and calls; false (failed) when deep.
  bool enter();
  void leave() { --depth_; }

 private:
  // Statements (evaluator.cc).
  Flow run_block(const Block& block);
  Flow run_stmt(const Stmt& stmt);
  Flow run_if(const Stmt& stmt);
  Flow run_for(const Stmt& stmt);
  Flow run_loop_body(const Stmt& stmt, Loop& loop);
  Flow run_with(const Stmt& stmt);
  void run_generation(const Stmt& stmt);
  void start_slots(const std::vector<SlotStart>& starts);
  void assign(const Target& target, const Val& value);
  Val capture(const Block& body, const std::vector<SlotStart>& starts);
  bool advance(Loop& loop);
  bool peek(Loop& loop);
  bool find_next(Loop& loop);
  std::uint64_t loop_length(Loop& loop);
  Val loop_attribute(Loop& loop, std::string_view name);
  Val call_macro(const Macro& macro, const Arguments& arguments,
                 const Val* caller);

  // Expressions (expressions.cc).
  Val eval(const Expr& expr);
  Val eval_inner(const Expr& expr);
  Val eval_name(const NameRef& ref, std::string_view name);
  Val eval_compare(const Expr& expr);
  Val eval_call(const Expr& expr);
  Val eval_builtin(const Expr& expr, const Builtin& row, std::string_view what);
  Val eval_dict(const Expr& expr);
  Val* eval_all(const Expr& expr, std::size_t first);
  Val* slot(const NameRef& ref);

  // Output.
  void print(const Val& value);
  void emit(std::string_view bytes, std::int32_t origin);
  void emit_out(std::string_view bytes, std::int32_t origin);

  Segment* add_segment(SegmentBuffer& buffer);
  void append_segments(const Val& text, Rope& rope);
  bool json_value(const Val& value, const JsonStyle& style, std::uint32_t level,
                  std::string& out);
  bool json_members(const Val& value, const JsonStyle& style,
                    std::uint32_t level, std::string& out);
  Val fail_undefined(const Val& value);

  const Program& program_;
  JinjaLimits limits_;
  Arena arena_;
  std::span<const scan::Value> tape_;
  std::vector<Val> context_;
  TemplateVariables::Date date_;
  Frame* frame_ = nullptr;
  Rendered* out_ = nullptr;
  Rope* capture_ = nullptr;
  const Val* captured_ = nullptr;
  const Val* pending_caller_ = nullptr;
  std::int32_t message_ = -1;  ///< whose turn prints literals
  std::uint32_t generation_ = 0;
  std::uint32_t depth_ = 0;
  std::uint32_t line_ = 0;
  std::uint64_t steps_left_ = 0;
  std::string scratch_;
  bool failed_ = false;
  Error error_;
};

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_EVALUATOR_H_
