// Repairs of single records: bytes in, bytes out. Pure.
//
// Only what lies between values is changed, and a string that holds a list is
// replaced by that list; all other bytes of the values stay as they are.
#ifndef TRAINSIGHT_CLI_REPAIR_H_
#define TRAINSIGHT_CLI_REPAIR_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/scan/row_view.h"

namespace trainsight::cli {

/// The record as one line: line ends between values become spaces (inside
/// strings JSON has none), white space around it goes.
std::string on_one_line(std::string_view record);

/// What stands on a line that is not just one object.
struct LineParts {
  std::vector<std::string_view> objects;  ///< in order, each a JSON object
  bool had_mark = false;   ///< a byte order mark before or between them
  bool had_list = false;   ///< some were elements of a JSON array
  bool had_comma = false;  ///< a comma after one
};

/// The objects of a line: one or several, one after the other, in arrays of
/// objects, with commas and byte order marks between; nullopt unless the line
/// consists of nothing else and every object is JSON. A line of byte order
/// marks alone has no object.
std::optional<LineParts> parts_of_line(std::string_view line);

/// The record with `messages` and `conversations` decoded, where these members
/// are strings that hold a JSON list; nullopt where none is. `row` is of a JSON
/// file. A string with half of a surrogate pair is left alone.
std::optional<std::string> decode_messages(const scan::RowView& row);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_REPAIR_H_
