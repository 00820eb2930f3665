#include "row_findings.h"

namespace trainsight::rules {

Finding* RowFindings::found(RuleId id) {
  const Rule& rule = rule_of(id);
  if ((rule.traits & kSpoilsRow) != 0) mark(facts::kSpoilt);
  const Severity severity = options_.selection.severity_of(id);
  if (!options_.selection.is_on(id, severity)) return nullptr;
  BatchSlots::Slot& slot = slots_->slots[static_cast<std::size_t>(id)];
  ++slot.count;
  if (lists_rules_) rules_of_row_.push_back(id);
  if (slot.first.size() >= options_.kept_findings) return nullptr;
  Finding& finding = slot.first.emplace_back();
  finding.code = rule.code;
  finding.severity = severity;
  finding.file = context_->file;
  finding.line = context_->row.line;
  finding.offset = context_->row.offset;
  return &finding;
}

}  // namespace trainsight::rules
