// The compiled form of a template: statements and expressions.
//
// Names are resolved to slots after parsing (scopes.h): a function (the
// template itself, or a macro) has one array of slots for all variables of its
// scopes. Immutable once compiled; shared by all renderers.
#ifndef TRAINSIGHT_CHAT_JINJA_AST_H_
#define TRAINSIGHT_CHAT_JINJA_AST_H_

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "chat/jinja/value.h"

namespace trainsight::chat::jinja {

/// Where a name's value is: slot `index` of the function `hops` levels out,
/// or, with hops == kContext, variable `index` of the context.
struct NameRef {
  static constexpr std::uint32_t kContext = 0xFFFFFFFF;
  std::uint32_t hops = kContext;
  std::uint32_t index = 0;
};

enum class ExprKind : std::uint8_t {
  kConstant,
  kName,
  kTuple,
  kList,
  kDict,       ///< kids: key, value, key, value, …
  kAttribute,  ///< kids[0] . name
  kItem,       ///< kids[0] [ kids[1] ]
  kSlice,      ///< kids[0] [ kids[1] : kids[2] : kids[3] ]; kMissing allowed
  kMissing,    ///< the absent bound of a slice
  kCall,       ///< kids[0] ( kids[1..] ), the last `keywords` of them named
  kFilter,     ///< kids[0] | id ( kids[1..] )
  kTest,       ///< kids[0] is id ( kids[1..] )
  kNot,
  kNegate,
  kPlus,
  kAnd,
  kOr,
  kIf,        ///< kids[0] if kids[1] else kids[2] (kMissing: undefined)
  kCaptured,  ///< the text of the block that is being filtered
  kCompare,   ///< kids[0] operators[0] kids[1] operators[1] kids[2] …
  kConcat,    ///< `~` of all kids
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kPower,
};

enum class CompareOp : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,
  kNotIn,
};

struct Expr {
  ExprKind kind = ExprKind::kConstant;
  std::uint16_t id = 0;  ///< kFilter, kTest: row of the table
  std::uint32_t line = 0;
  std::uint32_t depth = 1;  ///< height of the tree below
  NameRef ref;              ///< kName
  Val constant;             ///< kConstant
  std::string_view name;    ///< kName, kAttribute, kFilter, kTest
  std::vector<Expr> kids;
  /// kCall, kFilter, kTest: names of the last kids, the keyword arguments.
  std::vector<std::string_view> keywords;
  std::vector<CompareOp> operators;  ///< kCompare
};

enum class StmtKind : std::uint8_t {
  kText,      ///< text of the template
  kPrint,     ///< exprs printed one after the other
  kIf,        ///< exprs[i] guards bodies[i]; a further body is the else
  kFor,       ///< exprs[0] iterated, exprs[1] the condition, if any
  kSet,       ///< target = exprs[0]
  kSetBlock,  ///< target = bodies[0], through the filters of exprs[0]
  kMacro,
  kCallBlock,    ///< exprs[0] is the call; function is its caller
  kFilterBlock,  ///< bodies[0] through the filters of exprs[0]
  kWith,         ///< targets[i] = exprs[i], then bodies[0]
  kGeneration,
  kBreak,
  kContinue,
};

/// What is assigned to: a name, an attribute of a namespace, or a tuple.
struct Target {
  enum class Kind : std::uint8_t { kName, kAttribute, kTuple };
  Kind kind = Kind::kName;
  std::string_view name;  ///< of the variable
  std::string_view attribute;
  NameRef ref;
  std::vector<Target> parts;  ///< kTuple
};

struct Stmt;
using Block = std::vector<Stmt>;

/// A variable of a scope that begins with an outer variable's value.
struct SlotStart {
  std::uint32_t slot = 0;
  NameRef outer;
};

/// A macro, or the body of a call block.
struct Function {
  std::string_view name;
  std::vector<std::string_view> parameters;
  std::vector<std::uint32_t> parameter_slots;
  std::vector<Expr> defaults;  ///< of the last parameters
  std::uint32_t slot_count = 0;
  bool uses_caller = false;
  std::uint32_t caller_slot = 0;
  std::vector<SlotStart> starts;
  Block body;
};

struct Stmt {
  StmtKind kind = StmtKind::kText;
  std::uint32_t line = 0;
  std::string_view text;
  std::vector<Expr> exprs;
  std::vector<Target> targets;
  std::vector<Block> bodies;
  /// kFor, kSetBlock, kFilterBlock, kWith, kGeneration: variables of the scope
  /// of bodies[0]; kFor also: of the condition and of the else body.
  std::vector<SlotStart> starts;
  std::vector<SlotStart> else_starts;
  Target condition_target;         ///< kFor with a condition: its own variables
  std::uint32_t loop_slot = 0;     ///< kFor: where `loop` is
  bool has_condition = false;      ///< kFor
  bool has_else = false;           ///< kFor: bodies[1]; kIf: one body more
  std::vector<Function> function;  ///< kMacro, kCallBlock: exactly one
};

struct Program {
  std::deque<std::string> texts;  ///< what string_views of the tree point to
  Block body;
  std::uint32_t slot_count = 0;
  std::vector<SlotStart> starts;
  std::vector<std::string_view> context_names;
  bool has_generation = false;
};

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_AST_H_
