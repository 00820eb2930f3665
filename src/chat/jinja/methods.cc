// Methods of dicts and lists, and the look-up of all methods.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "chat/jinja/builtins.h"
#include "chat/jinja/evaluator.h"
#include "chat/jinja/text_methods.h"

namespace trainsight::chat::jinja {
namespace {

using Bound = const Val* const*;

Val get_method(Evaluator& e, const Val& self, Bound a) {
  const Val* const member = e.find_member(*self.dict, *a[0]);
  if (e.failed()) return {};
  if (member != nullptr) return *member;
  return a[1] != nullptr ? *a[1] : Val::none();
}

enum class Part : std::uint8_t { kKeys, kValues, kItems };

template <Part kPart>
Val view_method(Evaluator& e, const Val& self, Bound) {
  return dict_view(e, self, kPart == Part::kKeys, kPart == Part::kValues,
                   SeqType::kView);
}

Val copy_method(Evaluator& e, const Val& self, Bound) {
  if (self.is(Kind::kSeq)) {
    std::span<const Val> items;
    if (!e.iterate(self, items)) return {};
    Val copy = e.make_seq(SeqType::kList, items.data(),
                          static_cast<std::uint32_t>(items.size()));
    if (!e.failed()) copy.seq->origin = self.seq->origin;
    return copy;
  }
  return copy_dict(e, *self.dict);
}

Val forbidden(Evaluator& e, const Val&, const Arguments&) {
  return e.refuse("the sandbox lets no template change a list or dict");
}

Val index_method(Evaluator& e, const Val& self, Bound a) {
  std::span<const Val> items;
  if (!e.iterate(self, items)) return {};
  for (std::size_t i = 0; i < items.size() && e.charge(1); ++i) {
    if (e.equal(items[i], *a[0])) {
      return Val::of(static_cast<std::int64_t>(i));
    }
  }
  return e.refuse("the value is not in the list");
}

Val count_method(Evaluator& e, const Val& self, Bound a) {
  std::span<const Val> items;
  if (!e.iterate(self, items)) return {};
  std::int64_t count = 0;
  for (std::size_t i = 0; i < items.size() && e.charge(1); ++i) {
    if (e.equal(items[i], *a[0])) ++count;
  }
  return Val::of(count);
}

constexpr Builtin kDictMethods[] = {
    {"get", get_method, "key,default", 1},
    {"items", view_method<Part::kItems>},
    {"keys", view_method<Part::kKeys>},
    {"values", view_method<Part::kValues>},
    {"copy", copy_method},
    {"clear", nullptr, "", 0, forbidden},
    {"pop", nullptr, "", 0, forbidden},
    {"popitem", nullptr, "", 0, forbidden},
    {"setdefault", nullptr, "", 0, forbidden},
    {"update", nullptr, "", 0, forbidden},
    {"fromkeys"},
};

constexpr Builtin kSeqMethods[] = {
    {"index", index_method, "value", 1},
    {"count", count_method, "value", 1},
    {"copy", copy_method},
    {"append", nullptr, "", 0, forbidden},
    {"clear", nullptr, "", 0, forbidden},
    {"extend", nullptr, "", 0, forbidden},
    {"insert", nullptr, "", 0, forbidden},
    {"pop", nullptr, "", 0, forbidden},
    {"remove", nullptr, "", 0, forbidden},
    {"reverse", nullptr, "", 0, forbidden},
    {"sort", nullptr, "", 0, forbidden},
};

constexpr std::string_view kNumberAttributes[] = {
    "as_integer_ratio", "bit_count", "bit_length", "conjugate", "denominator",
    "from_bytes",       "fromhex",   "hex",        "imag",      "is_integer",
    "numerator",        "real",      "to_bytes",
};

struct MethodTable {
  std::vector<Builtin> rows;
  std::size_t dict_begin = 0;
  std::size_t seq_begin = 0;
};

// Built once and never changed: the three tables one after the other.
const MethodTable& method_table() {
  static const MethodTable table = [] {
    MethodTable t;
    const std::span<const Builtin> text = text_methods();
    t.rows.assign(text.begin(), text.end());
    t.dict_begin = t.rows.size();
    t.rows.insert(t.rows.end(), std::begin(kDictMethods),
                  std::end(kDictMethods));
    t.seq_begin = t.rows.size();
    t.rows.insert(t.rows.end(), std::begin(kSeqMethods), std::end(kSeqMethods));
    return t;
  }();
  return table;
}

int find_between(std::size_t begin, std::size_t end, std::string_view name) {
  const std::vector<Builtin>& rows = method_table().rows;
  for (std::size_t i = begin; i < end; ++i) {
    if (rows[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

Val dict_view(Evaluator& e, const Val& dict_value, bool keys, bool values,
              SeqType type) {
  Dict& dict = *dict_value.dict;
  e.expand(dict);
  if (e.failed() || !e.charge(dict.count / 4)) return {};
  Val* const items = e.make<Val>(dict.count);
  if (items == nullptr) return {};
  for (std::uint32_t i = 0; i < dict.count; ++i) {
    const DictEntry& entry = dict.entries[i];
    if (keys || values) {
      items[i] = keys ? entry.key : entry.value;
      continue;
    }
    Val* const pair = e.make<Val>(2);
    if (pair == nullptr) return {};
    pair[0] = entry.key;
    pair[1] = entry.value;
    items[i] = e.make_seq(SeqType::kTuple, pair, 2);
    if (e.failed()) return {};
  }
  return e.make_seq(type, items, dict.count);
}

Val copy_dict(Evaluator& e, Dict& dict) {
  e.expand(dict);
  if (e.failed() || !e.charge(dict.count / 4)) return {};
  Dict* const copy = e.make_dict(dict.count);
  if (copy == nullptr) return {};
  std::copy(dict.entries, dict.entries + dict.count, copy->entries);
  copy->count = dict.count;
  copy->origin = dict.origin;
  return Val::of(copy);
}

std::span<const Builtin> methods() { return method_table().rows; }

int find_method(const Val& object, std::string_view name) {
  const MethodTable& table = method_table();
  if (object.is_text()) return find_between(0, table.dict_begin, name);
  if (object.is(Kind::kDict)) {
    return find_between(table.dict_begin, table.seq_begin, name);
  }
  if (object.is(Kind::kSeq) && (object.seq->type == SeqType::kList ||
                                object.seq->type == SeqType::kTuple)) {
    return find_between(table.seq_begin, table.rows.size(), name);
  }
  return -1;
}

bool is_number_attribute(std::string_view name) {
  return std::find(std::begin(kNumberAttributes), std::end(kNumberAttributes),
                   name) != std::end(kNumberAttributes);
}

}  // namespace trainsight::chat::jinja
