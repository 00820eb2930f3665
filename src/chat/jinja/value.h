// Val: a value of the interpreter, as Python has them.
//
// 24 bytes, copied freely; what it points to lives in the rendering's Arena, in
// the Program (constants) or in the row. Texts know the message that they came
// from (`origin`), as a whole (kText) or piece by piece (kRope).
#ifndef TRAINSIGHT_CHAT_JINJA_VALUE_H_
#define TRAINSIGHT_CHAT_JINJA_VALUE_H_

#include <cstdint>
#include <string_view>

#include "trainsight/scan/row_view.h"

namespace trainsight::chat::jinja {

/// The origin of text that no message holds: the template's own.
inline constexpr std::int32_t kLiteral = -1;

enum class Kind : std::uint8_t {
  kUndefined,  ///< `text` is the name that was not there
  kNone,
  kBool,
  kInt,
  kFloat,
  kText,  ///< one run of bytes
  kRope,  ///< text in segments, each with its origin
  kSeq,   ///< list, tuple and what else can be iterated
  kDict,
  kNamespace,  ///< namespace(): a dict whose members can be set
  kMacro,
  kFunction,  ///< a global function; `id` says which
  kMethod,    ///< a bound method; `id` says which, `bound` of what
  kLoop,      ///< `loop` inside a for
  kCycler,    ///< cycler(): items taken in turn
  kJoiner,    ///< joiner(): a Cycler of one text, empty at first
};

/// What Python makes of a sequence: decides printing, len() and indexing.
enum class SeqType : std::uint8_t {
  kList,
  kTuple,
  kRange,
  kView,       ///< dict.keys(), values(), items(): len() but no index
  kGenerator,  ///< map, select, reverse …: no len(), consumed by iterating
};

struct Rope;
struct Seq;
struct Dict;
struct Macro;
struct Loop;
struct Cycler;
struct Val;

struct Val {
  Kind kind = Kind::kUndefined;
  bool markup = false;   ///< kText, kRope: made by `safe` or `escape`
  std::uint16_t id = 0;  ///< kFunction, kMethod
  std::int32_t origin = kLiteral;
  union {
    std::uint64_t size = 0;  ///< kText, kRope, kUndefined: bytes
    std::int64_t integer;
    double real;
    bool boolean;
  };
  union {
    const char* data = nullptr;  ///< kText, kUndefined
    const Rope* rope;
    Seq* seq;
    Dict* dict;  ///< kDict, kNamespace
    const Macro* macro;
    const Val* bound;
    Loop* loop;
    Cycler* cycler;
  };

  [[nodiscard]] bool is(Kind k) const { return kind == k; }
  [[nodiscard]] bool is_text() const {
    return kind == Kind::kText || kind == Kind::kRope;
  }
  [[nodiscard]] bool is_number() const {
    return kind == Kind::kInt || kind == Kind::kFloat || kind == Kind::kBool;
  }
  /// REQUIRES: kText or kUndefined.
  [[nodiscard]] std::string_view view() const { return {data, size}; }

  static Val undefined(std::string_view name) {
    Val v;
    v.size = name.size();
    v.data = name.data();
    return v;
  }
  static Val none() {
    Val v;
    v.kind = Kind::kNone;
    return v;
  }
  static Val of(bool b) {
    Val v;
    v.kind = Kind::kBool;
    v.boolean = b;
    return v;
  }
  static Val of(std::int64_t i) {
    Val v;
    v.kind = Kind::kInt;
    v.integer = i;
    return v;
  }
  static Val of(double d) {
    Val v;
    v.kind = Kind::kFloat;
    v.real = d;
    return v;
  }
  /// `bytes` must live as long as the value.
  static Val text(std::string_view bytes, std::int32_t origin = kLiteral) {
    Val v;
    v.kind = Kind::kText;
    v.size = bytes.size();
    v.data = bytes.data();
    v.origin = origin;
    return v;
  }
  static Val of(Seq* seq) {
    Val v;
    v.kind = Kind::kSeq;
    v.seq = seq;
    return v;
  }
  static Val of(Dict* dict) {
    Val v;
    v.kind = Kind::kDict;
    v.dict = dict;
    return v;
  }
};
static_assert(sizeof(Val) == 24);

struct Segment {
  const char* data = nullptr;
  std::uint32_t size = 0;
  std::int32_t origin = kLiteral;
};

/// Segments of several ropes: a rope that ends where the buffer ends can be
/// longer by appending here, which makes `s = s + x` in a loop linear.
struct SegmentBuffer {
  Segment* segments = nullptr;
  std::uint32_t used = 0;
  std::uint32_t capacity = 0;
};

/// The first `count` segments of `buffer`.
struct Rope {
  SegmentBuffer* buffer = nullptr;
  std::uint32_t count = 0;
};

/// `lazy` is the array or object of the row that has not been looked at yet
/// (its elements are made when they are first needed), or nullptr.
struct Seq {
  Val* items = nullptr;
  std::uint32_t count = 0;
  std::uint32_t consumed = 0;  ///< kGenerator: elements already taken
  SeqType type = SeqType::kList;
  std::int32_t origin = kLiteral;  ///< of the elements to be made
  const scan::Value* lazy = nullptr;
};

struct DictEntry {
  Val key;
  Val value;
};

struct Dict {
  DictEntry* entries = nullptr;
  std::uint32_t count = 0;
  std::uint32_t capacity = 0;
  std::int32_t origin = kLiteral;  ///< of the members to be made
  std::int32_t message = -1;       ///< this dict is message `message`
  const scan::Value* lazy = nullptr;
};

struct Cycler {
  const Val* items = nullptr;
  std::uint32_t count = 0;
  std::uint32_t at = 0;
};

}  // namespace trainsight::chat::jinja

#endif  // TRAINSIGHT_CHAT_JINJA_VALUE_H_
