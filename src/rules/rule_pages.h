// The pages of docs/reference/rules, built into the program.
//
// rule_pages.cc is written by cmake/EmbedRulePages.cmake.
#ifndef TRAINSIGHT_RULES_RULE_PAGES_H_
#define TRAINSIGHT_RULES_RULE_PAGES_H_

#include <span>
#include <string_view>

namespace trainsight::rules {

/// One page a rule, in the order of codes, as are their file names.
std::span<const std::string_view> rule_pages();

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_RULE_PAGES_H_
