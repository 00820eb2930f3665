#include "trainsight/rules/selection.h"

#include <optional>
#include <string>

namespace trainsight::rules {
namespace {

std::optional<Severity> severity_named(std::string_view name) {
  for (const Severity severity :
       {Severity::kInfo, Severity::kWarning, Severity::kError}) {
    if (name_of(severity) == name) return severity;
  }
  return std::nullopt;
}

// Whether `item` of a list means `rule`: its name, code, or code's beginning.
bool means(std::string_view item, const Rule& rule) {
  const bool is_code = item.size() > 2 && item.substr(0, 2) == "TS";
  return item == rule.name ||
         (is_code && rule.code.substr(0, item.size()) == item);
}

template <typename Visit>
Status for_each_rule(std::string_view item, const Visit& visit) {
  bool found = false;
  for (std::size_t i = 0; i < kRuleCount; ++i) {
    if (!means(item, rules()[i])) continue;
    found = true;
    visit(i);
  }
  if (found) return {};
  return Error{ErrorKind::kUsage, "no rule \"" + std::string(item) + "\"",
               "trainsight explain lists all rules"};
}

// The items of "a,b, c", one after the other; stops at the first error.
template <typename Visit>
Status for_each_item(std::string_view list, const Visit& visit) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view item = list.substr(0, comma);
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    while (!item.empty() && item.back() == ' ') item.remove_suffix(1);
    if (Status status = visit(item); !status) return status;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return {};
}

}  // namespace

RuleSelection::RuleSelection() {
  on_.fill(true);
  given_.fill(false);
  for (std::size_t i = 0; i < kRuleCount; ++i) {
    severity_[i] = rules()[i].severity;
  }
}

void RuleSelection::apply(const targets::Target* target) {
  if (target == nullptr) return;
  const auto set = [this](RuleId rule, Severity severity) {
    severity_[index_of(rule)] = severity;
  };
  if (target->minimum_rows > 0) set(RuleId::kMinimumRows, Severity::kError);
  if (!target->message_keys.empty()) {
    set(RuleId::kUnrecognizedKey, Severity::kError);
  }
  if (target->strict_alternation) set(RuleId::kRoleOrder, Severity::kError);
  if (target->packed_rows == targets::Overlong::kRaise) {
    set(RuleId::kLongerThanPack, Severity::kError);
  }
}

Status RuleSelection::select(std::string_view list) {
  std::array<bool, kRuleCount> chosen{};
  Status status = for_each_item(list, [&](std::string_view item) {
    return for_each_rule(item, [&](std::size_t i) { chosen[i] = true; });
  });
  if (status) on_ = chosen;
  return status;
}

Status RuleSelection::ignore(std::string_view list) {
  return for_each_item(list, [&](std::string_view item) {
    return for_each_rule(item, [&](std::size_t i) { on_[i] = false; });
  });
}

Status RuleSelection::set_severity(std::string_view list) {
  return for_each_item(list, [&](std::string_view item) -> Status {
    const std::size_t equals = item.find('=');
    const bool is_least = equals == std::string_view::npos;
    const std::string_view word = is_least ? item : item.substr(equals + 1);
    const std::optional<Severity> severity = severity_named(word);
    if (!severity.has_value()) {
      return Error{ErrorKind::kUsage,
                   "unknown severity \"" + std::string(word) + "\"",
                   "one of info, warning, error"};
    }
    if (is_least) {
      least_ = *severity;
      return {};
    }
    return for_each_rule(item.substr(0, equals), [&](std::size_t i) {
      severity_[i] = *severity;
      given_[i] = true;
    });
  });
}

}  // namespace trainsight::rules
