// From the paths on a command line to the files that they stand for.
#ifndef TRAINSIGHT_IO_EXPAND_PATHS_H_
#define TRAINSIGHT_IO_EXPAND_PATHS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::io {

/// Files for `paths`, in the order given; the files of one directory or glob
/// are sorted by name (bytewise), so that a run is the same everywhere.
///
/// * "-" and a path that exists and is no directory stand for themselves,
///   whatever characters they hold (colon, space, leading dash, asterisk).
/// * A directory stands for the files below it, at any depth, whose names end
///   in one of `extensions` (".jsonl", ".jsonl.gz", ...; compared without
///   case). Hidden names and links to directories are passed over, and so are
///   the metadata files that data set libraries write next to the data.
/// * A path that does not exist but holds *, ? or [ is a glob: each component
///   by fnmatch(3); "**" stands for any number of directories. What it matches
///   counts as files and directories of the two points above do, except that
///   names are compared with `extensions` for files, too.
///
/// Errors: kNotFound when a path does not exist, or stands for no file;
/// kUnreadable when a directory cannot be listed.
Result<std::vector<std::string>> expand_paths(
    std::span<const std::string> paths,
    std::span<const std::string_view> extensions);

}  // namespace trainsight::io

#endif  // TRAINSIGHT_IO_EXPAND_PATHS_H_
