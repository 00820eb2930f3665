#include <fmt/format.h>

#include <algorithm>

#include "pointer.h"
#include "row_rules.h"
#include "trainsight/records/schema_table.h"
#include "trainsight/text/json_text.h"

namespace trainsight::rules {
namespace {

using records::Carrier;
using records::Key;
using records::SampleType;
using records::Schema;
using scan::Value;
using scan::ValueKind;

const Schema& schema_of(const RowContext& c) {
  return records::schemas()[static_cast<std::size_t>(c.sample.schema)];
}

// Messages held as text: JSON begins "[{" and a double quote, Python's printed
// form a single one.
void check_messages_text(const RowContext& c, const Schema& schema,
                         RowFindings& findings) {
  const Value* value = c.members[schema.fields[0].key];
  std::string text;
  text::append_unescaped(value->text(), text);
  const std::size_t quote = text.find_first_of("'\"");
  const bool is_repr = quote != std::string::npos && text[quote] == '\'';
  const RuleId rule =
      is_repr ? RuleId::kMessagesRepr : RuleId::kMessagesJsonText;
  if (Finding* finding = findings.found(rule)) {
    finding->pointer = pointer_of(c.row, *value);
    finding->message =
        is_repr ? fmt::format(
                      "{} is a string in Python's printed form, which "
                      "is no JSON",
                      value->key)
                : fmt::format("{} is a string that holds JSON, not a list",
                              value->key);
  }
}

void check_type(const RowContext& c, RowFindings& findings) {
  const SampleType stated = findings.options().stated_type;
  if (stated == SampleType::kUnknown || c.sample.type == stated) return;
  // An unpaired preference whose label is missing or odd, and ids with labels,
  // are told by rules of their own.
  if (Finding* finding = findings.found(RuleId::kTypeMismatch)) {
    finding->message = fmt::format(
        "{} asked for, the row is {} ({})", records::name_of(stated),
        records::name_of(c.sample.type), schema_of(c).name);
  }
}

void check_nulls(const RowContext& c, const Schema& schema,
                 RowFindings& findings) {
  for (const records::FieldRule& rule : schema.fields) {
    if (!rule.used) break;
    const Value* value = c.members[rule.key];
    if (value == nullptr || !value->is(ValueKind::kNull) || rule.trained) {
      continue;
    }
    if (Finding* finding = findings.found(RuleId::kNullOptional)) {
      finding->pointer = pointer_of(c.row, *value);
      finding->message = fmt::format("{} is null", value->key);
    }
  }
}

void check_columns(const RowContext& c, RowFindings& findings) {
  const targets::Target* target = findings.options().target;
  if (target == nullptr || target->columns.empty()) return;
  const Value& root = c.row.root();
  for (const Value* v = c.row.first_child(root); v != nullptr;
       v = c.row.next_child(root, *v)) {
    if (std::find(target->columns.begin(), target->columns.end(), v->key) !=
        target->columns.end()) {
      continue;
    }
    if (Finding* finding = findings.found(RuleId::kExtraColumn)) {
      finding->pointer = pointer_of(c.row, *v);
      finding->message =
          fmt::format("column \"{}\" is refused by {}", v->key, target->title);
      finding->figures = {{"column", std::string(v->key)}};
    }
  }
}

// Two columns of which either could be the field that was taken.
void check_ambiguity(const RowContext& c, const Schema& schema,
                     RowFindings& findings) {
  if (schema.carrier != Carrier::kFields || schema.type != SampleType::kSft) {
    return;
  }
  if (c.members.has(Key::kText, ValueKind::kText)) {
    if (Finding* finding = findings.found(RuleId::kAmbiguousColumns)) {
      finding->pointer = "/text";
      finding->message = fmt::format(
          "\"text\" stands beside {}: a text rendered already is trained as "
          "pretraining data by some trainers",
          schema.name);
    }
  }
}

void check_messages_list(const RowContext& c, const Schema& schema,
                         RowFindings& findings) {
  const targets::Target* target = findings.options().target;
  const bool is_list = schema.carrier == Carrier::kMessages;
  const Value* list = is_list ? c.members[schema.fields[0].key] : nullptr;
  const bool is_empty = list != nullptr && list->count == 0;
  const bool refused = target != nullptr && target->needs_messages &&
                       schema.type == SampleType::kSft &&
                       c.members[Key::kMessages] == nullptr;
  if (!is_empty && !refused) return;
  if (Finding* finding = findings.found(RuleId::kMissingMessages)) {
    if (is_empty) {
      finding->pointer = pointer_of(c.row, *list);
      finding->message = fmt::format("{} is an empty list", list->key);
    } else {
      finding->message = fmt::format(
          "{} takes conversations only: no list "
          "\"messages\" in the row",
          target->title);
    }
  }
}

// The first few names, to choose --columns from.
std::string member_names(const scan::RowView& row) {
  constexpr std::size_t kMostNames = 8;
  constexpr std::size_t kMostBytes = 32;
  std::string names;
  std::size_t count = 0;
  const Value& root = row.root();
  for (const Value* v = row.first_child(root); v != nullptr;
       v = row.next_child(root, *v)) {
    if (count++ == kMostNames) return names + ", …";
    if (!names.empty()) names += ", ";
    std::size_t size = std::min(v->key.size(), kMostBytes);
    while (size > 0 && size < v->key.size() && (v->key[size] & 0xC0) == 0x80) {
      --size;  // not inside a character
    }
    names += v->key.substr(0, size);
    if (size < v->key.size()) names += "…";
  }
  return names.empty() ? "it has none" : names;
}

}  // namespace

bool check_shape(const RowContext& c, RowFindings& findings) {
  check_columns(c, findings);
  if (c.sample.schema < 0) {
    const Value* messages = c.members[Key::kMessages];
    if (messages != nullptr) {
      if (Finding* finding = findings.found(RuleId::kMissingMessages)) {
        finding->pointer = pointer_of(c.row, *messages);
        finding->message = "messages is no list";
      }
    } else if (Finding* finding = findings.found(RuleId::kUnknownSchema)) {
      finding->message =
          "no known field among the row's members: " + member_names(c.row);
    }
    return false;
  }
  const Schema& schema = schema_of(c);
  if (schema.carrier == Carrier::kMessagesText) {
    check_messages_text(c, schema, findings);
    return false;
  }
  check_type(c, findings);
  check_nulls(c, schema, findings);
  check_ambiguity(c, schema, findings);
  check_messages_list(c, schema, findings);
  return true;
}

}  // namespace trainsight::rules
