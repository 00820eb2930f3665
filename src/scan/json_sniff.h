// What a JSON file looks like from its beginning.
#ifndef TRAINSIGHT_SCAN_JSON_SNIFF_H_
#define TRAINSIGHT_SCAN_JSON_SNIFF_H_

#include <cstdint>
#include <string_view>

#include "trainsight/scan/format_table.h"

namespace trainsight::scan {

enum class JsonShape : std::uint8_t {
  kNone,      ///< does not begin as JSON rows do
  kLines,     ///< a record a line
  kDocument,  ///< one array, one object, or objects over several lines
};

/// Decided by the first value:
///  * an object that ends on its line begins JSON Lines, unless it is all there
///    is in a .json file (then it may be a map of rows);
///  * an array begins a document, unless more lines with arrays follow;
///  * an object with a line end between its tokens begins a document, unless
///    the next line begins with '{' where the grammar has none: then it is JSON
///    Lines whose first line is broken;
///  * an object whose first line is longer than the head is a record in a
///    .jsonl file and a document in a .json file.
JsonShape json_shape(const FileHead& head);

/// Whether records are separated by CR alone: no LF, and an object ends before
/// a CR.
bool has_lone_cr(std::string_view head);

/// How the rows of a JSON document are arranged.
enum class JsonLayout : std::uint8_t {
  kArray,      ///< the elements of one array
  kObjectMap,  ///< the members' values of one object
  kSequence,   ///< one object, or objects one after the other
};

/// The layout of a document that begins with `head` (after a byte order mark).
/// An object is a map of rows when it has at least two members, all (that can
/// be seen) are objects, and none has a name that training data use for a
/// field.
JsonLayout json_layout(std::string_view head);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSON_SNIFF_H_
