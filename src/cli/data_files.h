// The data files that one input names: a file, a folder, a glob.
#ifndef TRAINSIGHT_CLI_DATA_FILES_H_
#define TRAINSIGHT_CLI_DATA_FILES_H_

#include <string>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::cli {

/// As io::expand_paths() gives them, but for folders that datasets'
/// save_to_disk() wrote: of these the Arrow files that state.json lists, in its
/// order. Others there are caches of map() and filter(), no data.
/// Errors: kNotFound also for a listed file that is missing; kCorrupt for a
/// state.json that lists none.
Result<std::vector<std::string>> data_files(const std::string& path);

/// The folders of `files` that are splits of one saved DatasetDict, when there
/// are several: reading all of them mixes, say, train and test.
std::vector<std::string> splits_of(const std::vector<std::string>& files);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_DATA_FILES_H_
