// The table of rules: stable codes, names and what to do about them.
//
// A rule is a row here, a page for `trainsight explain`, and a check: in
// bad_records.cc for what a reader refuses, in row_rules.cc for single rows, in
// set_rules.cc for files and sets. Codes are never reused.
#ifndef TRAINSIGHT_RULES_RULE_TABLE_H_
#define TRAINSIGHT_RULES_RULE_TABLE_H_

#include <span>
#include <string_view>

#include "trainsight/rules/finding.h"

namespace trainsight::rules {

struct Rule {
  std::string_view code;                 ///< "TS101"
  std::string_view name;                 ///< "not-utf-8"
  Severity severity = Severity::kError;  ///< unless the target says otherwise
  std::string_view summary;              ///< one line: what is wrong
  std::string_view hint;                 ///< one line: what to do
};

/// All rules by code.
std::span<const Rule> rules();

/// The rule of that code or name; nullptr when there is none.
const Rule* find_rule(std::string_view code_or_name);

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_RULE_TABLE_H_
