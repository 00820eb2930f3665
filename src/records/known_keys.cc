#include "trainsight/records/known_keys.h"

#include <algorithm>

namespace trainsight::records {
namespace {

// In the order of the enum.
constexpr std::array<std::string_view, kKeyCount> kNames = {
    "messages",
    "conversations",
    "conversation",
    "interactions",
    "segments",
    "prompt",
    "question",
    "query",
    "instruction",
    "problem",
    "input",
    "context",
    "system",
    "history",
    "completion",
    "response",
    "generation",
    "output",
    "answer",
    "solution",
    "canonical_solution",
    "target",
    "text",
    "content",
    "chosen",
    "rejected",
    "chosen_response",
    "rejected_response",
    "rejected_messages",
    "preferred_output",
    "non_preferred_output",
    "answers",
    "label",
    "kto_tag",
    "completions",
    "labels",
    "data_source",
    "reward_model",
    "input_ids",
    "attention_mask",
    "tools",
    "functions",
    "images",
    "videos",
    "audios",
    "anchor",
    "positive",
    "negative",
    "pos",
    "neg"};

// A table of 256 slots found by length, first and last byte: every name has a
// slot of its own within a short probe, checked by the unit test.
constexpr std::size_t kSlots = 256;

constexpr std::size_t slot_of(std::string_view name) {
  const auto first = static_cast<unsigned char>(name.front());
  const auto last = static_cast<unsigned char>(name.back());
  return (name.size() * 37 + first * 11 + last * 3) % kSlots;
}

constexpr std::array<std::uint8_t, kSlots> make_slots() {
  std::array<std::uint8_t, kSlots> slots{};
  for (auto& slot : slots) slot = kNoKey;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    std::size_t at = slot_of(kNames[i]);
    while (slots[at] != kNoKey) at = (at + 1) % kSlots;
    slots[at] = static_cast<std::uint8_t>(i);
  }
  return slots;
}

constexpr std::array<std::uint8_t, kSlots> kSlotTable = make_slots();

constexpr std::array<std::string_view, kTagCount> kTagNames = {
    "role_tag",   "content_tag",     "user_tag",    "assistant_tag",
    "system_tag", "observation_tag", "function_tag"};

}  // namespace

std::string_view name_of(Key key) {
  return kNames[static_cast<std::size_t>(key)];
}

std::size_t find_key(std::string_view name) {
  if (name.empty()) return kNoKey;
  std::size_t at = slot_of(name);
  while (kSlotTable[at] != kNoKey) {
    if (kNames[kSlotTable[at]] == name) return kSlotTable[at];
    at = (at + 1) % kSlots;
  }
  return kNoKey;
}

std::string_view name_of(Tag tag) {
  return kTagNames[static_cast<std::size_t>(tag)];
}

// `a.b.c` is not taken apart: a column name is the member's whole name.
Result<ColumnMap> ColumnMap::parse(std::string_view spec) {
  ColumnMap map;
  while (!spec.empty()) {
    const std::string_view item = spec.substr(0, spec.find(','));
    spec.remove_prefix(std::min(item.size() + 1, spec.size()));
    const std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      return Error{ErrorKind::kUsage,
                   "column mapping \"" + std::string(item) + "\" has no '='",
                   "write --columns prompt=question,completion=answer"};
    }
    const std::string_view name = item.substr(0, equals);
    const std::string column(item.substr(equals + 1));
    const auto tag = std::find(kTagNames.begin(), kTagNames.end(), name);
    if (const std::size_t key = find_key(name); key != kNoKey) {
      map.columns_.emplace_back(static_cast<Key>(key), column);
    } else if (tag != kTagNames.end()) {
      map.tags_[static_cast<std::size_t>(tag - kTagNames.begin())] = column;
    } else {
      return Error{
          ErrorKind::kUsage,
          "unknown field \"" + std::string(name) + "\" in the column mapping",
          "fields are named as in the schemas: text, messages, "
          "prompt, completion, chosen, rejected, label, input_ids, …"};
    }
  }
  return map;
}

bool ColumnMap::has_tags() const {
  return std::any_of(tags_.begin(), tags_.end(),
                     [](const std::string& tag) { return !tag.empty(); });
}

bool ColumnMap::has_role_values() const {
  return std::any_of(tags_.begin() + static_cast<std::size_t>(Tag::kUser),
                     tags_.end(),
                     [](const std::string& tag) { return !tag.empty(); });
}

std::map<std::string, std::string> ColumnMap::named() const {
  std::map<std::string, std::string> all;
  for (const auto& [key, column] : columns_) {
    all[std::string(name_of(key))] = column;
  }
  for (std::size_t i = 0; i < tags_.size(); ++i) {
    if (!tags_[i].empty()) all[std::string(kTagNames[i])] = tags_[i];
  }
  return all;
}

void keys_of(const scan::RowView& row, std::vector<std::uint8_t>& keys) {
  keys.clear();
  const scan::Value& root = row.root();
  if (root.kind != scan::ValueKind::kObject) return;
  for (const scan::Value* v = row.first_child(root); v != nullptr;
       v = row.next_child(root, *v)) {
    keys.push_back(static_cast<std::uint8_t>(find_key(v->key)));
  }
}

void KnownMembers::look_up(const scan::RowView& row, const ColumnMap& columns,
                           const std::vector<std::uint8_t>& keys) {
  members_.fill(nullptr);
  const scan::Value& root = row.root();
  if (root.kind != scan::ValueKind::kObject) return;
  const scan::Value* v = row.first_child(root);
  for (const std::uint8_t key : keys) {
    if (v == nullptr) break;
    if (key != kNoKey) members_[key] = v;
    v = row.next_child(root, *v);
  }
  if (columns.empty()) return;
  for (const auto& column : columns.columns()) {
    members_[static_cast<std::size_t>(column.first)] =
        row.member(root, column.second);
  }
}

}  // namespace trainsight::records
