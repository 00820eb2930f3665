// Builtins: the tables of filters, tests, methods and global functions.
//
// Adding one is a function and a row of its table. A row names the parameters
// in their order; arguments are bound to them as Python would, so a function
// sees one pointer a parameter, nullptr where none was given. A row without a
// function is something that Python has and we lack: it is refused by name.
#ifndef TRAINSIGHT_CHAT_JINJA_BUILTINS_H_
#define TRAINSIGHT_CHAT_JINJA_BUILTINS_H_

#include <cstdint>
#include <span>
#include <string_view>

#include "chat/jinja/value.h"

namespace trainsight::chat::jinja {

class Evaluator;

inline constexpr std::size_t kMaxParameters = 4;

/// Arguments of a call: positional ones, then one value a keyword.
struct Arguments {
  std::span<const Val> values;
  std::span<const std::string_view> keywords;
  [[nodiscard]] std::size_t positional() const {
    return values.size() - keywords.size();
  }
};

/// `self` is the filtered or tested value, or the object of a method.
using BoundBuiltin = Val (*)(Evaluator& evaluator, const Val& self,
                             const Val* const* arguments);
using RawBuiltin = Val (*)(Evaluator& evaluator, const Val& self,
                           const Arguments& arguments);

struct Builtin {
  std::string_view name = {};
  BoundBuiltin bound = nullptr;
  std::string_view parameters =
      {};                      ///< "old,new,count"; at most kMaxParameters
  std::uint32_t required = 0;  ///< parameters without a default
  RawBuiltin raw = nullptr;    ///< instead of `bound`: any arguments
};

std::span<const Builtin> filters();
std::span<const Builtin> tests();
std::span<const Builtin> functions();
/// Methods of text, of dicts and of sequences: one array, text's first.
std::span<const Builtin> methods();

/// Row of the table, or -1.
int find_filter(std::string_view name);
int find_test(std::string_view name);
int find_function(std::string_view name);
/// Row of methods() for a value of this kind, or -1. Sequences: lists and
/// tuples only.
int find_method(const Val& object, std::string_view name);
/// Whether Python's int, float or bool has an attribute `name`.
bool is_number_attribute(std::string_view name);

/// The keys, the values or (neither) the pairs of a dict.
Val dict_view(Evaluator& evaluator, const Val& dict, bool keys, bool values,
              SeqType type);
Val copy_dict(Evaluator& evaluator, Dict& dict);

/// Calls `row`, after binding. `what` names it in messages ("filter", …).
Val call_builtin(Evaluator& evaluator, const Builtin& row,
                 std::string_view what, const Val& self,
                 const Arguments& arguments);

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_BUILTINS_H_
