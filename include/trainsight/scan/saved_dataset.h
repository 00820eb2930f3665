// The folder that datasets' save_to_disk() writes: which of its files are data.
#ifndef TRAINSIGHT_SCAN_SAVED_DATASET_H_
#define TRAINSIGHT_SCAN_SAVED_DATASET_H_

#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::scan {

/// The Arrow files that a saved data set consists of, in row order, from the
/// text of its state.json: names inside the folder, never paths.
/// Errors: kCorrupt when the text is no such state.
Result<std::vector<std::string>> arrow_files_of_saved_dataset(
    std::string_view state_json);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_SAVED_DATASET_H_
