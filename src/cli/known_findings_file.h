// Lists of known findings on disk, with files relative to them.
#ifndef TRAINSIGHT_CLI_KNOWN_FINDINGS_FILE_H_
#define TRAINSIGHT_CLI_KNOWN_FINDINGS_FILE_H_

#include <string>
#include <vector>

#include "scan_args.h"
#include "trainsight/core/result.h"
#include "trainsight/rules/known_findings.h"

namespace trainsight::cli {

/// Reads the list at `path` for a run over `files`. Entries of files that are
/// not among them are left out: other runs may need them.
Result<rules::KnownFindings> read_known_findings(
    const std::string& path, const std::vector<pipeline::InputFile>& files);

/// Writes all that `run` found to `path`, whole or not at all, and says so.
/// A run that could not read every file is not written: it would forget what
/// is known of the others.
Status write_known_findings(const ScanRun& run, const std::string& path);

/// Warns of known findings that are gone, of rules that were on and files that
/// were read.
void warn_of_stale(const ScanRun& run, const ScanSettings& settings);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_KNOWN_FINDINGS_FILE_H_
