// Filters of sequences: order, choice, map, join.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "chat/jinja/case_text.h"
#include "chat/jinja/evaluator.h"
#include "chat/jinja/filters.h"
#include "chat/jinja/text_methods.h"

namespace trainsight::chat::jinja {
namespace {

using Bound = const Val* const*;

Val seq_of(Evaluator& e, const std::vector<Val>& items, SeqType type,
           std::int32_t origin = kLiteral) {
  Val* const copy = e.make<Val>(items.size());
  if (copy == nullptr) return {};
  std::copy(items.begin(), items.end(), copy);
  Val value = e.make_seq(type, copy, static_cast<std::uint32_t>(items.size()));
  if (!e.failed()) value.seq->origin = origin;
  return value;
}

Val length_filter(Evaluator& e, const Val& self, Bound) {
  return Val::of(static_cast<std::int64_t>(e.length(self)));
}

Val list_filter(Evaluator& e, const Val& self, Bound) {
  std::span<const Val> items;
  if (!e.take_all(self, items)) return {};
  Val list = e.make_seq(SeqType::kList, items.data(),
                        static_cast<std::uint32_t>(items.size()));
  if (!e.failed()) list.seq->origin = e.origin_of(self);
  return list;
}

Val first_filter(Evaluator& e, const Val& self, Bound) {
  std::span<const Val> items;
  if (!e.iterate(self, items)) return {};
  if (items.empty()) return Val::undefined("first item");
  const Val first = items[0];
  if (self.is(Kind::kSeq) && self.seq->type == SeqType::kGenerator) {
    ++self.seq->consumed;
  }
  return first;
}

Val last_filter(Evaluator& e, const Val& self, Bound) {
  if (self.is(Kind::kSeq) && self.seq->type == SeqType::kGenerator) {
    return e.refuse("last of a generator");
  }
  std::span<const Val> items;
  if (!e.iterate(self, items)) return {};
  return items.empty() ? Val::undefined("last item") : items.back();
}

Val reverse_filter(Evaluator& e, const Val& self, Bound) {
  std::span<const Val> items;
  if (!e.take_all(self, items)) return {};
  if (self.is_text()) {
    Val text = Val::text({});
    for (std::size_t i = items.size(); i > 0 && !e.failed(); --i) {
      text = e.concat(text, items[i - 1]);
    }
    return text;
  }
  std::vector<Val> reversed(items.rbegin(), items.rend());
  const bool was_generator =
      self.is(Kind::kSeq) && self.seq->type == SeqType::kGenerator;
  return seq_of(e, reversed,
                was_generator ? SeqType::kList : SeqType::kGenerator,
                e.origin_of(self));
}

// `value` under `attribute`: an index, or names and indexes between dots.
Val part_of(Evaluator& e, const Val& value, const Val& attribute,
            const Val* otherwise = nullptr) {
  if (attribute.is(Kind::kInt)) {
    const Val part = e.item(value, attribute);
    const bool missing = part.is(Kind::kUndefined) && otherwise != nullptr;
    return missing ? *otherwise : part;
  }
  std::string_view path;
  if (!e.text_argument(attribute, "an attribute", path)) return {};
  return e.attribute_path(value, path, otherwise);
}

bool is_given(const Val* argument) {
  return argument != nullptr && !argument->is(Kind::kNone);
}

Val join_filter(Evaluator& e, const Val& self, Bound a) {
  std::span<const Val> items;
  const Val separator = a[0] != nullptr ? e.to_text(*a[0]) : Val::text({});
  if (e.failed() || !e.take_all(self, items)) return {};
  if (!is_given(a[1])) {
    return join(e, separator, items, /*only_texts=*/false);
  }
  std::vector<Val> parts;
  for (const Val& value : items) {
    if (!e.charge(1)) return {};
    parts.push_back(part_of(e, value, *a[1]));
    if (e.failed()) return {};
  }
  return join(e, separator, parts, /*only_texts=*/false);
}

Val items_filter(Evaluator& e, const Val& self, Bound) {
  if (self.is(Kind::kUndefined)) return seq_of(e, {}, SeqType::kGenerator);
  if (!self.is(Kind::kDict)) return e.refuse("items of what is no dict");
  return dict_view(e, self, false, false, SeqType::kGenerator);
}

// What sort, unique, min, max and dictsort compare: a text without its case.
Val without_case(Evaluator& e, const Val& value) {
  if (!value.is_text()) return value;
  const std::string_view text = e.flat(value);
  std::string lower;
  if (e.failed() || !append_lower(e, text, lower)) return {};
  return e.copy_text(lower, kLiteral);
}

// What `value` is compared by.
Val key_of(Evaluator& e, const Val& value, const Val* attribute,
           bool case_sensitive) {
  const Val key = is_given(attribute) ? part_of(e, value, *attribute) : value;
  return case_sensitive || e.failed() ? key : without_case(e, key);
}

// As key_of, for several attributes with commas between them: their list.
Val keys_of(Evaluator& e, const Val& value, const Val* attributes,
            bool case_sensitive) {
  std::string_view paths;
  if (!is_given(attributes) || !attributes->is_text()) {
    return key_of(e, value, attributes, case_sensitive);
  }
  if (!e.text_argument(*attributes, "an attribute", paths)) return {};
  std::vector<Val> keys;
  while (!e.failed()) {
    const std::size_t comma = paths.find(',');
    const Val path = Val::text(paths.substr(0, comma));
    keys.push_back(key_of(e, value, &path, case_sensitive));
    if (comma == std::string_view::npos) break;
    paths = paths.substr(comma + 1);
  }
  return e.failed() ? Val() : seq_of(e, keys, SeqType::kList);
}

struct Keyed {
  Val key;
  Val value;
};

bool make_keys(Evaluator& e, std::span<const Val> items, const Val* attribute,
               bool case_sensitive, std::vector<Keyed>& keyed,
               bool several = false) {
  for (const Val& value : items) {
    if (!e.charge(1)) return false;
    keyed.push_back({several ? keys_of(e, value, attribute, case_sensitive)
                             : key_of(e, value, attribute, case_sensitive),
                     value});
    if (e.failed()) return false;
  }
  return true;
}

// Stable, by Python's order; a merge sort of its own, since a comparison can
// fail and std::sort needs an order that holds throughout.
void merge_sort(Evaluator& e, std::vector<Keyed>& items, bool reverse) {
  std::vector<Keyed> merged(items.size());
  for (std::size_t width = 1; width < items.size(); width *= 2) {
    for (std::size_t begin = 0; begin < items.size(); begin += 2 * width) {
      const std::size_t middle = std::min(begin + width, items.size());
      const std::size_t end = std::min(begin + 2 * width, items.size());
      std::size_t left = begin;
      std::size_t right = middle;
      for (std::size_t at = begin; at < end; ++at) {
        bool take_right = left == middle;
        if (left < middle && right < end) {
          if (!e.charge(1)) return;
          const int order = e.compare(items[right].key, items[left].key);
          if (e.failed()) return;
          take_right = reverse ? order > 0 : order < 0;
        }
        merged[at] = items[take_right ? right++ : left++];
      }
    }
    items.swap(merged);
  }
}

Val values_of(Evaluator& e, const std::vector<Keyed>& keyed,
              std::int32_t origin) {
  std::vector<Val> values;
  values.reserve(keyed.size());
  for (const Keyed& k : keyed) values.push_back(k.value);
  return seq_of(e, values, SeqType::kList, origin);
}

Val sort_filter(Evaluator& e, const Val& self, Bound a) {
  const bool reverse = a[0] != nullptr && e.truth(*a[0]);
  const bool case_sensitive = a[1] != nullptr && e.truth(*a[1]);
  std::span<const Val> items;
  std::vector<Keyed> keyed;
  if (!e.take_all(self, items) ||
      !make_keys(e, items, a[2], case_sensitive, keyed, /*several=*/true)) {
    return {};
  }
  merge_sort(e, keyed, reverse);
  return e.failed() ? Val() : values_of(e, keyed, e.origin_of(self));
}

Val dictsort_filter(Evaluator& e, const Val& self, Bound a) {
  const bool case_sensitive = a[0] != nullptr && e.truth(*a[0]);
  const bool reverse = a[2] != nullptr && e.truth(*a[2]);
  std::string_view by = "key";
  if (a[1] != nullptr && !e.text_argument(*a[1], "by", by)) return {};
  if (by != "key" && by != "value") return e.refuse("dictsort by what?");
  if (!self.is(Kind::kDict)) return e.refuse("dictsort of what is no dict");
  const Val pairs = dict_view(e, self, false, false, SeqType::kList);
  if (e.failed()) return {};
  const Val position = Val::of(std::int64_t{by == "value"});
  std::vector<Keyed> keyed;
  if (!make_keys(e, {pairs.seq->items, pairs.seq->count}, &position,
                 case_sensitive, keyed)) {
    return {};
  }
  merge_sort(e, keyed, reverse);
  return e.failed() ? Val() : values_of(e, keyed, e.origin_of(self));
}

Val unique_filter(Evaluator& e, const Val& self, Bound a) {
  const bool case_sensitive = a[0] != nullptr && e.truth(*a[0]);
  std::span<const Val> items;
  std::vector<Keyed> keyed;
  if (!e.take_all(self, items) ||
      !make_keys(e, items, a[1], case_sensitive, keyed)) {
    return {};
  }
  std::vector<Val> kept;
  std::vector<Val> seen;
  for (const Keyed& k : keyed) {
    bool known = false;
    for (std::size_t i = 0; i < seen.size() && !known && e.charge(1); ++i) {
      known = e.equal(seen[i], k.key);
    }
    if (e.failed()) return {};
    if (known) continue;
    seen.push_back(k.key);
    kept.push_back(k.value);
  }
  return seq_of(e, kept, SeqType::kGenerator, e.origin_of(self));
}

template <bool kMax>
Val extreme_filter(Evaluator& e, const Val& self, Bound a) {
  const bool case_sensitive = a[0] != nullptr && e.truth(*a[0]);
  std::span<const Val> items;
  std::vector<Keyed> keyed;
  if (!e.take_all(self, items) ||
      !make_keys(e, items, a[1], case_sensitive, keyed)) {
    return {};
  }
  if (keyed.empty()) return Val::undefined("item");
  std::size_t best = 0;
  for (std::size_t i = 1; i < keyed.size(); ++i) {
    const int order = e.compare(keyed[i].key, keyed[best].key);
    if (e.failed()) return {};
    if (kMax ? order > 0 : order < 0) best = i;
  }
  return keyed[best].value;
}

Val sum_filter(Evaluator& e, const Val& self, Bound a) {
  Val sum = a[1] != nullptr ? *a[1] : Val::of(std::int64_t{0});
  std::span<const Val> items;
  if (!e.take_all(self, items)) return {};
  for (const Val& value : items) {
    if (!e.charge(1)) return {};
    const Val part = key_of(e, value, a[0], /*case_sensitive=*/true);
    if (e.failed()) return {};
    if (part.is_text() && !sum.is_text()) return e.refuse("sum of texts");
    sum = e.add(sum, part);
    if (e.failed()) return {};
  }
  return sum;
}

// Whether `value` passes the test in arguments[first..], or is true.
bool passes(Evaluator& e, const Val& value, const Arguments& arguments,
            std::size_t first) {
  if (arguments.values.size() <= first) return e.truth(value);
  std::string_view name;
  if (!e.text_argument(arguments.values[first], "a test", name)) return false;
  const int row = find_test(name);
  if (row < 0) {
    e.fail(ErrorKind::kUnsupported, fmt::format("test '{}'", name));
    return false;
  }
  const Val result =
      call_builtin(e, tests()[static_cast<std::size_t>(row)], "test", value,
                   {arguments.values.subspan(first + 1), arguments.keywords});
  return !e.failed() && e.truth(result);
}

Val chosen(Evaluator& e, const Val& self, const Arguments& arguments,
           bool by_attribute, bool wanted) {
  if (by_attribute && arguments.positional() == 0) {
    return e.refuse("the attribute is missing");
  }
  std::span<const Val> items;
  if (!e.take_all(self, items)) return {};
  std::vector<Val> kept;
  for (const Val& value : items) {
    if (!e.charge(1)) return {};
    Val judged = value;
    if (by_attribute) {
      judged = key_of(e, value, &arguments.values[0], true);
      if (e.failed()) return {};
    }
    const bool pass = passes(e, judged, arguments, by_attribute ? 1 : 0);
    if (e.failed()) return {};
    if (pass == wanted) kept.push_back(value);
  }
  return seq_of(e, kept, SeqType::kGenerator, e.origin_of(self));
}

Val select_filter(Evaluator& e, const Val& self, const Arguments& a) {
  return chosen(e, self, a, false, true);
}
Val reject_filter(Evaluator& e, const Val& self, const Arguments& a) {
  return chosen(e, self, a, false, false);
}
Val selectattr_filter(Evaluator& e, const Val& self, const Arguments& a) {
  return chosen(e, self, a, true, true);
}
Val rejectattr_filter(Evaluator& e, const Val& self, const Arguments& a) {
  return chosen(e, self, a, true, false);
}

// map('filter', …) or map(attribute='a.b', default=…).
Val map_filter(Evaluator& e, const Val& self, const Arguments& arguments) {
  const Val* attribute = nullptr;
  const Val* otherwise = nullptr;
  const Builtin* filter = nullptr;
  if (arguments.positional() == 0) {
    for (std::size_t i = 0; i < arguments.keywords.size(); ++i) {
      const std::string_view name = arguments.keywords[i];
      if (name == "attribute") {
        attribute = &arguments.values[i];
      } else if (name == "default") {
        otherwise = &arguments.values[i];
      } else {
        return e.refuse(fmt::format("map cannot take '{}'", name));
      }
    }
    if (attribute == nullptr) return e.refuse("map needs a filter");
  } else {
    std::string_view name;
    if (!e.text_argument(arguments.values[0], "a filter", name)) return {};
    const int row = find_filter(name);
    if (row < 0) {
      return e.fail(ErrorKind::kUnsupported, fmt::format("filter '{}'", name));
    }
    filter = &filters()[static_cast<std::size_t>(row)];
  }
  std::span<const Val> items;
  if (!e.take_all(self, items) || !e.enter()) return {};
  std::vector<Val> mapped;
  for (const Val& value : items) {
    if (!e.charge(1)) return {};
    if (filter != nullptr) {
      mapped.push_back(
          call_builtin(e, *filter, "filter", value,
                       {arguments.values.subspan(1), arguments.keywords}));
    } else {
      mapped.push_back(part_of(e, value, *attribute,
                               is_given(otherwise) ? otherwise : nullptr));
    }
    if (e.failed()) return {};
  }
  e.leave();
  return seq_of(e, mapped, SeqType::kGenerator, e.origin_of(self));
}

constexpr Builtin kRows[] = {
    {"length", length_filter},
    {"count", length_filter},
    {"list", list_filter},
    {"first", first_filter},
    {"last", last_filter},
    {"reverse", reverse_filter},
    {"join", join_filter, "d,attribute"},
    {"items", items_filter},
    {"dictsort", dictsort_filter, "case_sensitive,by,reverse"},
    {"sort", sort_filter, "reverse,case_sensitive,attribute"},
    {"unique", unique_filter, "case_sensitive,attribute"},
    {"min", extreme_filter<false>, "case_sensitive,attribute"},
    {"max", extreme_filter<true>, "case_sensitive,attribute"},
    {"sum", sum_filter, "attribute,start"},
    {"select", nullptr, "", 0, select_filter},
    {"reject", nullptr, "", 0, reject_filter},
    {"selectattr", nullptr, "", 0, selectattr_filter},
    {"rejectattr", nullptr, "", 0, rejectattr_filter},
    {"map", nullptr, "", 0, map_filter},
    {"batch"},
    {"groupby"},
    {"slice"},
};

}  // namespace

std::span<const Builtin> sequence_filters() { return kRows; }

}  // namespace trainsight::chat::jinja
