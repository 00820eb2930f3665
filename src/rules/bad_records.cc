#include "bad_records.h"

#include <fmt/format.h>

#include <algorithm>

#include "fingerprint.h"

namespace trainsight::rules {
namespace {

// The word of the message that is quoted there or stands first: "0xE9", "NaN".
std::string first_of(std::string_view message,
                     std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (message.find(word) != std::string_view::npos) return std::string(word);
  }
  return {};
}

}  // namespace

RuleId rule_of_kind(scan::BadRecordKind kind) {
  switch (kind) {
    case scan::BadRecordKind::kNotUtf8:
    case scan::BadRecordKind::kEncoding:
      return RuleId::kNotUtf8;
    case scan::BadRecordKind::kNulByte:
      return RuleId::kNulByte;
    case scan::BadRecordKind::kBadEscape:
    case scan::BadRecordKind::kControlChar:
    case scan::BadRecordKind::kSyntax:
      return RuleId::kMalformedJson;
    case scan::BadRecordKind::kTrailing:
      return RuleId::kTrailing;
    case scan::BadRecordKind::kTruncated:
      return RuleId::kTruncatedRecord;
    case scan::BadRecordKind::kNotANumber:
      return RuleId::kNotANumber;
    case scan::BadRecordKind::kNotAnObject:
      return RuleId::kNotAnObject;
    case scan::BadRecordKind::kTooLong:
      return RuleId::kRecordTooLong;
    case scan::BadRecordKind::kTooDeep:
    case scan::BadRecordKind::kTooManyValues:
      return RuleId::kRecordTooComplex;
    case scan::BadRecordKind::kByteOrderMark:
      return RuleId::kBomInside;
    case scan::BadRecordKind::kFieldCount:
    case scan::BadRecordKind::kQuote:
      return RuleId::kCsvFields;
  }
  return RuleId::kMalformedJson;
}

std::uint64_t fingerprint_of(const scan::BadRecord& bad) {
  if (!bad.raw.empty()) return content_hash(bad.raw);
  return content_hash(fmt::format("{} {} {}", static_cast<int>(bad.kind),
                                  bad.bytes, bad.message));
}

Finding finding_of(const scan::BadRecord& bad, std::uint32_t file) {
  const Rule& rule = rule_of(rule_of_kind(bad.kind));
  Finding finding;
  finding.code = rule.code;
  finding.severity = rule.severity;
  finding.file = file;
  finding.line = bad.line;
  finding.offset = bad.offset + bad.byte;
  finding.pointer = bad.pointer;
  finding.message = bad.message;
  finding.fingerprint = fingerprint_of(bad);
  finding.figures = {count_figure("byte_in_line", bad.byte + 1),
                     count_figure("byte_offset", finding.offset)};
  switch (bad.kind) {
    case scan::BadRecordKind::kNotUtf8: {
      // "0xE9 is not UTF-8 …": the reader names the byte first.
      const std::size_t at = bad.message.find("0x");
      if (at != std::string::npos) {
        finding.figures.push_back({"byte", bad.message.substr(at, 4)});
      }
      break;
    }
    case scan::BadRecordKind::kNotANumber:
      finding.figures.push_back(
          {"literal", first_of(bad.message, {"-Infinity", "Infinity", "NaN"})});
      break;
    case scan::BadRecordKind::kTooLong:
      finding.figures.push_back(count_figure("record_bytes", bad.bytes));
      break;
    default:
      break;
  }
  return finding;
}

}  // namespace trainsight::rules
