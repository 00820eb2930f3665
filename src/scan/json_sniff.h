// What a JSON file looks like from its beginning.
#ifndef TRAINSIGHT_SCAN_JSON_SNIFF_H_
#define TRAINSIGHT_SCAN_JSON_SNIFF_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "trainsight/scan/format_table.h"
#include "trainsight/scan/reader.h"

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

/// Says that a file of JSON rows has a name of another format (.csv, .txt,
/// .parquet, …), for which loaders take another parser; nullopt for names that
/// fit, or say nothing.
std::optional<FileNote> json_name_note(std::string_view name);

/// Whether records are separated by CR alone: no LF, and an object ends before
/// a CR.
bool has_lone_cr(std::string_view head);

/// How the rows of a JSON document are arranged.
enum class JsonLayout : std::uint8_t {
  kArray,      ///< the elements of one array
  kObjectMap,  ///< the members' values of one object
  kMember,     ///< the elements of one member of one object
  kSequence,   ///< one object, or objects one after the other
};

/// The layout of a document that begins with `head` (after a byte order mark).
/// An object is a map of rows when it has at least two members, all (that can
/// be seen) are objects, and none has a name that training data use for a
/// field.
/// It holds the rows in a member when rows_in_member() finds one.
JsonLayout json_layout(std::string_view head);

/// A member of the document's object that is a list of rows.
struct RowsMember {
  std::string_view name;  ///< as written
  std::size_t begin = 0;  ///< of what stands in the list's bracket
};

/// The one member, as far as can be seen, that is named as exporters name a
/// list of rows ("data", "rows", "examples", …) and is a list of objects.
/// nullopt when there is none or several, when the object has a member that
/// training data use for a field ("messages"), and for nested sets like SQuAD,
/// whose "data" are articles and no rows.
std::optional<RowsMember> rows_in_member(std::string_view head);

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_JSON_SNIFF_H_
