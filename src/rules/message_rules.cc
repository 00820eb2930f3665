#include <fmt/format.h>

#include <algorithm>

#include "pointer.h"
#include "row_rules.h"
#include "trainsight/records/extract.h"
#include "trainsight/text/json_text.h"

namespace trainsight::rules {
namespace {

using records::Message;
using records::Role;
using scan::Value;
using scan::ValueKind;

// Members of messages that some trainer reads (preflight.md 5.1).
constexpr std::string_view kKnownKeys[] = {"role",
                                           "content",
                                           "from",
                                           "value",
                                           "name",
                                           "tool_calls",
                                           "tool_call_id",
                                           "function_call",
                                           "weight",
                                           "train",
                                           "training",
                                           "train_detail",
                                           "loss",
                                           "loss_scale",
                                           "loss_weight",
                                           "reasoning",
                                           "reasoning_content",
                                           "thinking",
                                           "channel",
                                           "refusal",
                                           "text",
                                           "tools",
                                           "images",
                                           "videos",
                                           "audios",
                                           "prefix",
                                           "id",
                                           "human",
                                           "assistant",
                                           "user",
                                           "gpt",
                                           "system",
                                           "bot"};

template <typename Names>
bool is_in(std::string_view name, const Names& names) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_common_key(std::string_view key) {
  return key == "role" || key == "content" || key == "from" || key == "value";
}

std::string pointer_of_message(const RowContext& c, const Message& message) {
  return pointer_of(c.row, *message.value);
}

void check_role(const RowContext& c, const Message& message,
                RowFindings& findings) {
  const targets::Target* target = findings.options().target;
  const bool by_target = target != nullptr && !target->roles.empty();
  if (by_target ? is_in(message.role_name, target->roles)
                : message.role != Role::kUnknown) {
    return;
  }
  const Value* role = message.role_value;
  if (role == nullptr) return;  // a missing role is another rule's
  if (Finding* finding = findings.found(RuleId::kUnknownRole)) {
    const std::string_view nearest =
        message.role == Role::kUnknown
            ? records::nearest_role_name(message.role_name)
            : std::string_view();
    finding->pointer = pointer_of(c.row, *role);
    finding->message =
        fmt::format("role \"{}\" is not known{}{}{}", message.role_name,
                    by_target ? " to " : "", by_target ? target->title : "",
                    nearest.empty() ? "" : fmt::format("; \"{}\"?", nearest));
    finding->figures = {{"role", std::string(message.role_name)},
                        {"suggestion", std::string(nearest)}};
  }
}

void check_weight(const RowContext& c, const Value& weight,
                  RowFindings& findings) {
  const bool is_bit = weight.is(ValueKind::kInteger) &&
                      (weight.integer == 0 || weight.integer == 1);
  if (is_bit || weight.is(ValueKind::kNull)) return;
  if (Finding* finding = findings.found(RuleId::kBadWeight)) {
    finding->pointer = pointer_of(c.row, weight);
    finding->message = "weight is neither 0 nor 1";
  }
}

void check_keys(const RowContext& c, const Message& message,
                RowFindings& findings) {
  const targets::Target* target = findings.options().target;
  const bool by_target = target != nullptr && !target->message_keys.empty();
  for (const Value* v = c.row.first_child(*message.value); v != nullptr;
       v = c.row.next_child(*message.value, *v)) {
    if (v->key == "weight") check_weight(c, *v, findings);
    // Under whatever name: the user may have named them.
    const bool is_read = v == message.role_value || v == message.content;
    if (by_target ? is_in(v->key, target->message_keys)
                  : is_read || is_common_key(v->key) ||
                        is_in(v->key, kKnownKeys)) {
      continue;
    }
    if (Finding* finding = findings.found(RuleId::kUnrecognizedKey)) {
      finding->pointer = pointer_of(c.row, *v);
      finding->message =
          fmt::format("member \"{}\" of a message is not used{}{}", v->key,
                      by_target ? " by " : "", by_target ? target->title : "");
      finding->figures = {{"key", std::string(v->key)}};
    }
  }
}

bool has_text(const RowContext& c, const Message& message) {
  if (message.content == nullptr || message.content->is(ValueKind::kNull)) {
    return false;
  }
  if (message.content->is(ValueKind::kText)) {
    return !text::is_blank(message.content->text());
  }
  if (message.content->is(ValueKind::kArray)) return message.content->count > 0;
  return !c.row.raw.empty() && message.content->is(ValueKind::kObject);
}

void check_content(const RowContext& c, const Message& message,
                   RowFindings& findings) {
  const bool lacks_role = message.role_name.empty() &&
                          message.role_value == nullptr &&
                          c.sample.dialect != records::Dialect::kPairs;
  const bool lacks_content =
      message.content == nullptr && !message.has_tool_calls;
  if (lacks_role || lacks_content) {
    if (Finding* finding = findings.found(RuleId::kMissingKey)) {
      finding->pointer = pointer_of_message(c, message);
      finding->message = fmt::format("a message without {}",
                                     lacks_role ? "a role" : "content");
      finding->figures = {
          {"missing", std::string(lacks_role ? "role" : "content")}};
    }
    return;
  }
  if (message.has_tool_calls || has_text(c, message)) return;
  if (Finding* finding = findings.found(RuleId::kMissingContent)) {
    finding->pointer = pointer_of(c.row, *message.content);
    finding->message = fmt::format(
        "the content of \"{}\" is {}", message.role_name,
        message.content->is(ValueKind::kNull) ? "null" : "empty or no text");
  }
}

// Turns that no template expects: the same speaker twice, a system turn that
// is not the first, an answer before any question.
void check_order(const RowContext& c, RowFindings& findings) {
  const std::vector<Message>& messages = c.sample.messages;
  Role before = Role::kNone;
  for (const Message& message : messages) {
    if (message.side != records::Side::kBoth) return;
    const Role role = message.role;
    const bool is_system = role == Role::kSystem || role == Role::kDeveloper;
    const bool twice =
        role == before && (role == Role::kUser || role == Role::kAssistant);
    const bool late_system = is_system && before != Role::kNone &&
                             before != Role::kSystem &&
                             before != Role::kDeveloper;
    const bool unasked = role == Role::kAssistant &&
                         (before == Role::kNone || before == Role::kSystem ||
                          before == Role::kDeveloper);
    if (twice || late_system || unasked) {
      if (Finding* finding = findings.found(RuleId::kRoleOrder)) {
        finding->pointer = pointer_of_message(c, message);
        finding->message =
            twice
                ? fmt::format("two turns of \"{}\" in a row", message.role_name)
            : late_system ? std::string("a system turn that is not the first")
                          : std::string("the assistant speaks first");
      }
      return;
    }
    before = message.has_tool_calls ? Role::kCall : role;
  }
}

}  // namespace

void check_messages(const RowContext& c, RowFindings& findings) {
  for (const Message& message : c.sample.messages) {
    check_role(c, message, findings);
    check_keys(c, message, findings);
    check_content(c, message, findings);
  }
  check_order(c, findings);
}

}  // namespace trainsight::rules
