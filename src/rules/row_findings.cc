#include "row_findings.h"

#include "fingerprint.h"

namespace trainsight::rules {

Finding* RowFindings::found(RuleId id) {
  const Rule& rule = rule_of(id);
  if ((rule.traits & kSpoilsRow) != 0) mark(facts::kSpoilt);
  const Severity severity = options_.selection.severity_of(id);
  if (!options_.selection.is_on(id, severity)) return nullptr;
  BatchSlots::Slot& slot = slots_->slots[static_cast<std::size_t>(id)];
  if (lists_rules_) rules_of_row_.push_back(id);
  Finding* finding = slot.add(options_, {rule.code, context_->file}, [this] {
    if (fingerprint_ == kNoFingerprint) {
      fingerprint_ = content_hash(context_->row);
    }
    return fingerprint_;
  });
  if (finding == nullptr) return nullptr;
  finding->severity = severity;
  finding->line = context_->row.line;
  finding->offset = context_->row.offset;
  return finding;
}

}  // namespace trainsight::rules
