// Findings for records that a reader refuses.
#ifndef TRAINSIGHT_RULES_BAD_RECORDS_H_
#define TRAINSIGHT_RULES_BAD_RECORDS_H_

#include <cstdint>

#include "trainsight/rules/finding.h"
#include "trainsight/rules/rule_table.h"
#include "trainsight/scan/reader.h"

namespace trainsight::rules {

/// The rule that a refusal of this kind falls under.
RuleId rule_of_kind(scan::BadRecordKind kind);

/// Of the record's content: its bytes, or where the reader does not have them
/// its kind, size and fault.
std::uint64_t fingerprint_of(const scan::BadRecord& bad);

/// The finding for `bad`; its line is relative to the batch.
Finding finding_of(const scan::BadRecord& bad, std::uint32_t file);

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_BAD_RECORDS_H_
