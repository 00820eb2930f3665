// Repairs of single records: bytes in, bytes out. Pure.
#ifndef TRAINSIGHT_CLI_REPAIR_H_
#define TRAINSIGHT_CLI_REPAIR_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/scan/row_view.h"

namespace trainsight::cli {

/// The record as one line: line ends between values become spaces (inside
/// strings JSON has none).
std::string on_one_line(std::string_view record);

/// The objects of a line that holds several, one after the other, perhaps with
/// commas between; nullopt unless every piece is a JSON object.
std::optional<std::vector<std::string_view>> split_objects(
    std::string_view line);

/// The record with `messages` or `conversations` decoded, where that member is
/// a string that holds a JSON list; nullopt where it is not.
std::optional<std::string> decode_messages(const scan::RowView& row);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_REPAIR_H_
