// Making values: sequences, dicts, and what lies in the row.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "chat/jinja/evaluator.h"
#include "trainsight/text/json_text.h"

namespace trainsight::chat::jinja {

Val Evaluator::copy_text(std::string_view bytes, std::int32_t origin) {
  char* const copy = make_bytes(bytes.size());
  if (copy == nullptr) return {};
  std::copy(bytes.begin(), bytes.end(), copy);
  return Val::text({copy, bytes.size()}, origin);
}

Val Evaluator::make_seq(SeqType type, const Val* items, std::uint32_t count) {
  Seq* const seq = make<Seq>(1);
  if (seq == nullptr) return {};
  seq->type = type;
  seq->count = count;
  // Elements are never written through a Seq; lazy ones are made by expand().
  seq->items = const_cast<Val*>(items);
  return Val::of(seq);
}

Dict* Evaluator::make_dict(std::uint32_t capacity) {
  Dict* const dict = make<Dict>(1);
  if (dict == nullptr) return nullptr;
  dict->entries = make<DictEntry>(capacity);
  dict->capacity = capacity;
  return dict->entries == nullptr ? nullptr : dict;
}

const Val* Evaluator::find_member(Dict& dict, std::string_view key) {
  expand(dict);
  if (!charge(dict.count / 8)) return nullptr;
  for (std::uint32_t i = 0; i < dict.count; ++i) {
    const Val& k = dict.entries[i].key;
    if (k.is(Kind::kText) && k.view() == key) return &dict.entries[i].value;
  }
  return nullptr;
}

const Val* Evaluator::find_member(Dict& dict, const Val& key) {
  if (key.is_text()) return find_member(dict, flat(key));
  expand(dict);
  if (key.is(Kind::kDict) ||
      (key.is(Kind::kSeq) && key.seq->type == SeqType::kList)) {
    refuse("a list or dict cannot be a key");
    return nullptr;
  }
  if (!charge(dict.count / 8)) return nullptr;
  for (std::uint32_t i = 0; i < dict.count; ++i) {
    if (equal(dict.entries[i].key, key)) return &dict.entries[i].value;
    if (failed_) return nullptr;
  }
  return nullptr;
}

void Evaluator::set_member(Dict& dict, const Val& key, const Val& value) {
  const Val* const known = find_member(dict, key);
  if (failed_) return;
  if (known != nullptr) {
    for (std::uint32_t i = 0; i < dict.count; ++i) {
      if (&dict.entries[i].value == known) dict.entries[i].value = value;
    }
    return;
  }
  if (dict.count == dict.capacity) {
    const std::uint32_t capacity = std::max(4U, dict.capacity * 2);
    DictEntry* const entries = make<DictEntry>(capacity);
    if (entries == nullptr) return;
    std::copy(dict.entries, dict.entries + dict.count, entries);
    dict.entries = entries;
    dict.capacity = capacity;
  }
  // Keys are compared as one run of bytes.
  DictEntry& entry = dict.entries[dict.count];
  entry.key = key.is_text() ? Val::text(flat(key)) : key;
  entry.value = value;
  if (!failed_) ++dict.count;
}

Val Evaluator::from_tape(const scan::Value& value, std::int32_t origin) {
  Val v;
  switch (value.kind) {
    case scan::ValueKind::kNull:
      v = Val::none();
      break;
    case scan::ValueKind::kBool:
      v = Val::of(value.boolean);
      break;
    case scan::ValueKind::kInteger:
      v = Val::of(value.integer);
      break;
    case scan::ValueKind::kReal:
      v = Val::of(value.real);
      break;
    case scan::ValueKind::kText: {
      const text::TextView text = value.text();
      if (text.encoding == text::Encoding::kUtf8 ||
          std::memchr(value.data, '\\', text.bytes.size()) == nullptr) {
        return Val::text(text.bytes, origin);
      }
      scratch_.clear();
      text::append_unescaped(text, scratch_);
      return copy_text(scratch_, origin);
    }
    case scan::ValueKind::kNumbers:
    case scan::ValueKind::kArray: {
      Seq* const seq = make<Seq>(1);
      if (seq == nullptr) return {};
      seq->lazy = &value;
      seq->origin = origin;
      v = Val::of(seq);
      break;
    }
    case scan::ValueKind::kObject: {
      Dict* const dict = make<Dict>(1);
      if (dict == nullptr) return {};
      dict->lazy = &value;
      dict->origin = origin;
      v = Val::of(dict);
      break;
    }
  }
  v.origin = origin;
  return v;
}

namespace {

template <typename Real>
void copy_reals(const scan::Value& numbers, Val* out) {
  for (std::uint32_t i = 0; i < numbers.count; ++i) {
    Real element;
    std::memcpy(&element, numbers.data + i * sizeof(Real), sizeof(Real));
    out[i] = Val::of(static_cast<double>(element));
  }
}

}  // namespace

void Evaluator::expand(Seq& seq) {
  if (seq.lazy == nullptr) return;
  const scan::Value& value = *seq.lazy;
  seq.lazy = nullptr;
  if (!charge(value.count / 8)) return;
  if (value.is(scan::ValueKind::kNumbers) &&
      value.storage == scan::NumberStorage::kJson) {
    std::string json = "[";
    json.append(value.data, value.bytes).append("]");
    bool valid = true;
    const Val parsed = parse_json(json, seq.origin, valid);
    if (failed_ || !valid || !parsed.is(Kind::kSeq)) return;
    seq.items = parsed.seq->items;
    seq.count = parsed.seq->count;
    return;
  }
  seq.items = make<Val>(value.count);
  if (seq.items == nullptr) return;
  if (value.is(scan::ValueKind::kNumbers)) {
    if (value.storage == scan::NumberStorage::kFloat) {
      copy_reals<float>(value, seq.items);
    } else if (value.storage == scan::NumberStorage::kDouble) {
      copy_reals<double>(value, seq.items);
    } else {
      std::uint32_t i = 0;
      scan::for_each_integer(value, [&](std::int64_t n) {
        if (i < value.count) seq.items[i++] = Val::of(n);
      });
    }
    seq.count = value.count;
    return;
  }
  const auto begin = static_cast<std::uint32_t>(&value - tape_.data());
  for (std::uint32_t at = begin + 1; at < value.next && !failed_;
       at = tape_[at].next) {
    seq.items[seq.count++] = from_tape(tape_[at], seq.origin);
  }
}

void Evaluator::expand(Dict& dict) {
  if (dict.lazy == nullptr) return;
  const scan::Value& value = *dict.lazy;
  dict.lazy = nullptr;
  if (!charge(value.count / 8)) return;
  dict.entries = make<DictEntry>(value.count);
  if (dict.entries == nullptr) return;
  dict.capacity = value.count;
  const auto begin = static_cast<std::uint32_t>(&value - tape_.data());
  for (std::uint32_t at = begin + 1; at < value.next && !failed_;
       at = tape_[at].next) {
    const Val key = Val::text(tape_[at].key);
    const Val member = from_tape(tape_[at], dict.origin);
    if (value.duplicate_keys) {
      set_member(dict, key, member);
    } else {
      dict.entries[dict.count++] = {key, member};
    }
  }
}

bool Evaluator::iterate(const Val& value, std::span<const Val>& items) {
  items = {};
  switch (value.kind) {
    case Kind::kUndefined:
      return true;
    case Kind::kSeq:
      expand(*value.seq);
      items = {value.seq->items + value.seq->consumed,
               value.seq->count - value.seq->consumed};
      return !failed_;
    case Kind::kDict: {
      expand(*value.dict);
      if (failed_) return false;
      const Dict& dict = *value.dict;
      Val* const keys = make<Val>(dict.count);
      if (keys == nullptr) return false;
      for (std::uint32_t i = 0; i < dict.count; ++i) {
        keys[i] = dict.entries[i].key;
      }
      items = {keys, dict.count};
      return true;
    }
    case Kind::kText:
    case Kind::kRope: {
      const std::string_view text = flat(value);
      const std::uint64_t count = length(value);
      if (failed_ || !charge(count / 8)) return false;
      Val* const characters = make<Val>(count);
      if (characters == nullptr) return false;
      std::uint64_t n = 0;
      for (std::size_t begin = 0; begin < text.size() && n < count;) {
        std::size_t end = begin + 1;
        while (end < text.size() &&
               (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
          ++end;
        }
        characters[n++] = substring(value, begin, end);
        begin = end;
      }
      items = {characters, n};
      return !failed_;
    }
    case Kind::kLoop: {
      refuse("iterating over 'loop'");
      return false;
    }
    default:
      refuse("a value that is not iterable");
      return false;
  }
}

bool Evaluator::take_all(const Val& value, std::span<const Val>& items) {
  if (!iterate(value, items) || !charge(items.size() / 8)) return false;
  if (value.is(Kind::kSeq) && value.seq->type == SeqType::kGenerator) {
    value.seq->consumed = value.seq->count;
  }
  return true;
}

std::int32_t Evaluator::origin_of(const Val& value) const {
  switch (value.kind) {
    case Kind::kSeq:
      return value.seq->origin;
    case Kind::kDict:
      return value.dict->origin;
    case Kind::kRope: {
      // The one message whose text is in it; none where there are several.
      std::int32_t origin = kLiteral;
      for (std::uint32_t i = 0; i < value.rope->count; ++i) {
        const std::int32_t next = value.rope->buffer->segments[i].origin;
        if (next == kLiteral || next == origin) continue;
        if (origin != kLiteral) return kLiteral;
        origin = next;
      }
      return origin;
    }
    default:
      return value.origin;
  }
}

}  // namespace trainsight::chat::jinja
