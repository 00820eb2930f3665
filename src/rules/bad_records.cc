#include "bad_records.h"

#include "trainsight/rules/rule_table.h"

namespace trainsight::rules {

std::string_view code_of(scan::BadRecordKind kind) {
  switch (kind) {
    case scan::BadRecordKind::kNotUtf8:
    case scan::BadRecordKind::kNulByte:
    case scan::BadRecordKind::kEncoding:
      return "TS101";
    case scan::BadRecordKind::kBadEscape:
    case scan::BadRecordKind::kControlChar:
    case scan::BadRecordKind::kSyntax:
    case scan::BadRecordKind::kTrailing:
    case scan::BadRecordKind::kTruncated:
      return "TS102";
    case scan::BadRecordKind::kNotANumber:
      return "TS103";
    case scan::BadRecordKind::kNotAnObject:
      return "TS104";
    case scan::BadRecordKind::kTooLong:
      return "TS105";
    case scan::BadRecordKind::kTooDeep:
    case scan::BadRecordKind::kTooManyValues:
      return "TS106";
    case scan::BadRecordKind::kByteOrderMark:
      return "TS123";
    case scan::BadRecordKind::kFieldCount:
    case scan::BadRecordKind::kQuote:
      return "TS201";
  }
  return "TS102";
}

Finding finding_of(const scan::BadRecord& bad, std::uint32_t file) {
  Finding finding;
  finding.code = code_of(bad.kind);
  finding.severity = find_rule(finding.code)->severity;
  finding.file = file;
  finding.line = bad.line;
  finding.offset = bad.offset + bad.byte;
  finding.pointer = bad.pointer;
  finding.message = bad.message;
  finding.figures.push_back(
      {"byte_in_line", static_cast<std::int64_t>(bad.byte + 1)});
  if (bad.kind == scan::BadRecordKind::kTooLong) {
    finding.figures.push_back(
        {"record_bytes", static_cast<std::int64_t>(bad.bytes)});
  }
  return finding;
}

}  // namespace trainsight::rules
