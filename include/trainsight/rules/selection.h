// RuleSelection: which rules of a run are on, and how grave each is.
//
// Made once from the flags and the target; looked up by every check.
// Thread-safety: plain value.
#ifndef TRAINSIGHT_RULES_SELECTION_H_
#define TRAINSIGHT_RULES_SELECTION_H_

#include <array>
#include <string_view>

#include "trainsight/core/result.h"
#include "trainsight/rules/finding.h"
#include "trainsight/rules/rule_table.h"
#include "trainsight/targets/target_table.h"

namespace trainsight::rules {

class RuleSelection {
 public:
  /// All rules with the severities of the table.
  RuleSelection();

  /// `target` makes an error of what it refuses; nullptr: none is chosen.
  void apply(const targets::Target* target);
  /// Only the rules of "TS4,chosen-equals-rejected,TS801": codes, names, or
  /// the beginning of codes. Error: kUsage for what names no rule.
  Status select(std::string_view list);
  /// All but the rules of the list.
  Status ignore(std::string_view list);
  /// "warning": findings below it are left out. "TS401=warning,TS802=error":
  /// the severity of these rules. Error: kUsage.
  Status set_severity(std::string_view list);

  /// Whether findings of `rule`, of the severity `severity`, are reported.
  [[nodiscard]] bool is_on(RuleId rule, Severity severity) const {
    return on_[index_of(rule)] && severity >= least_;
  }
  [[nodiscard]] Severity severity_of(RuleId rule) const {
    return severity_[index_of(rule)];
  }
  /// The severity of a finding whose rule says `severity` here; a severity
  /// that the user gave the rule wins.
  [[nodiscard]] Severity severity_of(RuleId rule, Severity severity) const {
    return given_[index_of(rule)] ? severity_[index_of(rule)] : severity;
  }

 private:
  static std::size_t index_of(RuleId rule) {
    return static_cast<std::size_t>(rule);
  }

  std::array<bool, kRuleCount> on_;
  std::array<bool, kRuleCount> given_;
  std::array<Severity, kRuleCount> severity_;
  Severity least_ = Severity::kInfo;
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_SELECTION_H_
