// A Parquet schema as a tree of nodes that rows are assembled by.
//
// Parquet stores nested rows as columns of leaf values, each with a definition
// level (how much of its path is there) and a repetition level (which list it
// continues). A Node says from which definition level on it is not null, and,
// if it is a list, at which one it has an element and which repetition level
// goes on with it.
//
// Lists and maps are recognised in all shapes that the format names: three
// levels, two levels, a plain repeated field, and the old names "array" and
// "x_tuple". A map is a list of its key-value groups.
//
// Source: S. Melnik et al., "Dremel: Interactive Analysis of Web-Scale
// Datasets", VLDB 2010, section 4; parquet-format LogicalTypes.md, "Lists",
// "Maps", with their backward-compatibility rules. Thread-safety: plain data.
#ifndef TRAINSIGHT_SCAN_PARQUET_SCHEMA_H_
#define TRAINSIGHT_SCAN_PARQUET_SCHEMA_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "scan/parquet_metadata.h"
#include "trainsight/core/result.h"

namespace trainsight::scan::parquet {

enum class Shape : std::uint8_t { kLeaf, kStruct, kList };

struct Node {
  std::string key;  ///< member name; empty for elements of lists and the root
  Shape shape = Shape::kStruct;
  std::uint8_t present_level = 0;  ///< definition level from which not null
  std::uint8_t element_level = 0;  ///< kList: from which it has an element
  std::uint8_t repeat_level = 0;   ///< kList: of its further elements
  std::uint32_t first_leaf = 0;    ///< the leaves below: [first, end)
  std::uint32_t end_leaf = 0;
  std::vector<std::uint32_t> children;  ///< kStruct: members; kList: element
};

struct Leaf {
  std::string path;  ///< "prompt.list.element.content", for messages
  PhysicalType type = PhysicalType::kBoolean;
  Meaning meaning = Meaning::kNone;
  std::int32_t type_length = 0;  ///< kFixedLenByteArray: bytes of a value
  std::int32_t scale = 0;        ///< kDecimal
  std::uint8_t max_definition = 0;
  std::uint8_t max_repetition = 0;
};

struct Schema {
  std::vector<Node> nodes;  ///< nodes[0] is the row
  std::vector<Leaf> leaves;
};

/// Groups nested deeper than this are refused.
inline constexpr int kMaxSchemaDepth = 64;

/// Errors: kCorrupt for elements that make no tree, kLimit for a deep one,
/// kUnsupported for types that the format does not have.
Result<Schema> make_schema(std::span<const SchemaElement> elements);

}  // namespace trainsight::scan::parquet

#endif  // TRAINSIGHT_SCAN_PARQUET_SCHEMA_H_
