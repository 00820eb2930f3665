// Manifests on disk: paths relative to them, and whether their files are still
// what they were.
#ifndef TRAINSIGHT_CLI_MANIFEST_FILES_H_
#define TRAINSIGHT_CLI_MANIFEST_FILES_H_

#include <filesystem>
#include <string>

#include "environment.h"
#include "scan_args.h"
#include "trainsight/core/result.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/manifest/read.h"

namespace trainsight::cli {

/// Writes `manifest` to `path`, whole or not at all, with the time and with
/// paths relative to its folder.
Status write_manifest(manifest::Manifest manifest, const std::string& path,
                      const Environment& environment);

/// Reads the manifest at `path`; "-" is not taken.
Result<manifest::Manifest> read_manifest(const std::string& path,
                                         manifest::Depth depth);

/// `path` of a manifest in `manifest_path`, seen from the working directory.
std::string seen_from_here(const std::string& manifest_path,
                           const std::string& path);

/// `path` as it is seen from `folder`; itself where there is no way.
std::string relative_to(const std::filesystem::path& folder,
                        const std::string& path);

/// Whether every file of the stored profile is what it was: same size and
/// time, or, with another time or `always_hash`, the same hash. kChanged with
/// the file's name otherwise; also when a glob matches another set of files.
Status check_unchanged(const manifest::Manifest& manifest,
                       const std::string& manifest_path, bool always_hash);

/// The data set of the manifest at `path` as it would be typed: its files, and
/// type, columns, tokenizer and template where no flag gives another.
void describe_scan(const manifest::Manifest& m, const std::string& path,
                   ScanArgs& scan);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_MANIFEST_FILES_H_
