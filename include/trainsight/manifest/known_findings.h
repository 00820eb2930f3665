// The list of known findings as JSON: written by --write-known-findings, read
// by --known-findings.
//
// The published form is docs/reference/known-findings.md. As in a manifest an
// unknown member is an error with the nearest known name, so that a typing
// error never accepts more, or less, than it seems to. Pure; takes bytes.
#ifndef TRAINSIGHT_MANIFEST_KNOWN_FINDINGS_H_
#define TRAINSIGHT_MANIFEST_KNOWN_FINDINGS_H_

#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/rules/known_findings.h"

namespace trainsight::manifest {

inline constexpr std::string_view kKnownFindingsKind = "KnownFindings";

/// What is known of one rule in one file.
struct KnownEntry {
  std::string_view code;  ///< of the rule table
  std::string file;       ///< relative to the list; empty: all files together
  rules::KnownGroup group;
};

/// Reads a list. `name` stands before messages ("known.json:3:14: …").
/// Errors: kCorrupt for broken JSON, kLimit for more than kMostKnownRows rows,
/// kUnsupported for another apiVersion or kind, kUsage for unknown members,
/// wrong types, unknown rules, impossible counts and a rule that stands twice
/// for one file.
Result<std::vector<KnownEntry>> parse_known_findings(std::string_view json,
                                                     std::string_view name);

/// The list as JSON, one row a line, so that a change to it can be read.
std::string to_json(const std::vector<KnownEntry>& entries,
                    std::string_view tool_version);

}  // namespace trainsight::manifest

#endif  // TRAINSIGHT_MANIFEST_KNOWN_FINDINGS_H_
