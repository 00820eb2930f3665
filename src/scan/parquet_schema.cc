#include "scan/parquet_schema.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

namespace trainsight::scan::parquet {
namespace {

Error corrupt_tree() {
  return Error{ErrorKind::kCorrupt, "its schema is no tree", ""};
}

// Walks the elements depth first, which is the order they stand in.
class Builder {
 public:
  explicit Builder(std::span<const SchemaElement> elements)
      : elements_(elements) {}

  Result<Schema> build() {
    if (elements_.empty() || elements_[0].type.has_value()) {
      return corrupt_tree();
    }
    const SchemaElement& root = elements_[0];
    at_ = 1;
    add_struct("", root, {}, "", 0);
    if (!error_ && at_ != elements_.size()) return corrupt_tree();
    if (error_) return *error_;
    if (schema_.leaves.empty()) {
      return Error{ErrorKind::kCorrupt, "it has no columns", ""};
    }
    return std::move(schema_);
  }

 private:
  struct Levels {
    std::uint8_t definition = 0;
    std::uint8_t repetition = 0;
  };

  static Levels below(Levels levels, Repetition repetition) {
    if (repetition != Repetition::kRequired) ++levels.definition;
    if (repetition == Repetition::kRepeated) ++levels.repetition;
    return levels;
  }

  const SchemaElement* take(int depth) {
    if (depth > kMaxSchemaDepth && !error_) {
      error_ = Error{ErrorKind::kLimit,
                     fmt::format("its schema is nested deeper than {} levels",
                                 kMaxSchemaDepth),
                     ""};
    }
    if (!error_ && at_ >= elements_.size()) error_ = corrupt_tree();
    return error_ ? nullptr : &elements_[at_++];
  }

  std::uint32_t new_node(std::string key, Shape shape, Levels levels) {
    Node node;
    node.key = std::move(key);
    node.shape = shape;
    node.present_level = levels.definition;
    node.first_leaf = static_cast<std::uint32_t>(schema_.leaves.size());
    schema_.nodes.push_back(std::move(node));
    return static_cast<std::uint32_t>(schema_.nodes.size() - 1);
  }

  void finish(std::uint32_t node) {
    schema_.nodes[node].end_leaf =
        static_cast<std::uint32_t>(schema_.leaves.size());
    if (!error_ &&
        schema_.nodes[node].first_leaf == schema_.nodes[node].end_leaf &&
        node != 0) {
      error_ = Error{ErrorKind::kCorrupt, "its schema has an empty group", ""};
    }
  }

  // The next element and all below it, inside a group with `levels`.
  std::uint32_t add_field(Levels levels, const std::string& path, int depth) {
    const SchemaElement* element = take(depth);
    if (element == nullptr) return 0;
    const std::string here =
        path.empty() ? element->name : path + "." + element->name;
    const Levels inside = below(levels, element->repetition);
    if (element->repetition != Repetition::kRepeated) {
      return add_value(element->name, *element, inside, here, depth);
    }
    // A repeated field outside of a list: a required list of itself.
    const std::uint32_t list = new_node(element->name, Shape::kList, levels);
    schema_.nodes[list].element_level = inside.definition;
    schema_.nodes[list].repeat_level = inside.repetition;
    const std::uint32_t child = add_value("", *element, inside, here, depth);
    schema_.nodes[list].children.push_back(child);
    finish(list);
    return list;
  }

  // What `element` holds, its own repetition aside.
  std::uint32_t add_value(std::string key, const SchemaElement& element,
                          Levels levels, const std::string& path, int depth) {
    if (element.type) {
      return add_leaf(std::move(key), element, levels, path);
    }
    const bool annotated =
        element.meaning == Meaning::kList || element.meaning == Meaning::kMap;
    if (annotated && element.num_children == 1 && at_ < elements_.size() &&
        elements_[at_].repetition == Repetition::kRepeated) {
      return add_list(std::move(key), element, levels, path, depth);
    }
    return add_struct(std::move(key), element, levels, path, depth);
  }

  std::uint32_t add_struct(std::string key, const SchemaElement& element,
                           Levels levels, const std::string& path, int depth) {
    const std::uint32_t node = new_node(std::move(key), Shape::kStruct, levels);
    for (std::int32_t i = 0; i < element.num_children && !error_; ++i) {
      const std::uint32_t child = add_field(levels, path, depth + 1);
      if (!error_) schema_.nodes[node].children.push_back(child);
    }
    finish(node);
    return node;
  }

  std::uint32_t add_list(std::string key, const SchemaElement& element,
                         Levels levels, const std::string& path, int depth) {
    const std::uint32_t list = new_node(std::move(key), Shape::kList, levels);
    const SchemaElement* repeated = take(depth + 1);
    if (repeated == nullptr) return 0;
    const std::string here = path + "." + repeated->name;
    const Levels inside = below(levels, Repetition::kRepeated);
    schema_.nodes[list].element_level = inside.definition;
    schema_.nodes[list].repeat_level = inside.repetition;
    std::uint32_t child = 0;
    if (is_element_itself(element, *repeated)) {
      child = add_value("", *repeated, inside, here, depth + 1);
    } else {
      child = add_field(inside, here, depth + 2);
      if (!error_) schema_.nodes[child].key.clear();
    }
    schema_.nodes[list].children.push_back(child);
    finish(list);
    return list;
  }

  // Whether the repeated child of a list is the element, rather than a group
  // around it.
  [[nodiscard]] bool is_element_itself(const SchemaElement& list,
                                       const SchemaElement& repeated) const {
    if (repeated.type || list.meaning == Meaning::kMap) return true;
    if (repeated.num_children != 1) return true;
    if (repeated.name == "array" || repeated.name == list.name + "_tuple") {
      return true;
    }
    return at_ < elements_.size() &&
           elements_[at_].repetition == Repetition::kRepeated;
  }

  std::uint32_t add_leaf(std::string key, const SchemaElement& element,
                         Levels levels, const std::string& path) {
    const std::uint32_t node = new_node(std::move(key), Shape::kLeaf, levels);
    Leaf leaf;
    leaf.path = path;
    leaf.type = *element.type;
    leaf.meaning = element.meaning;
    leaf.type_length = element.type_length;
    leaf.scale = element.scale;
    leaf.max_definition = levels.definition;
    leaf.max_repetition = levels.repetition;
    const auto type = static_cast<std::int32_t>(leaf.type);
    const bool fixed = leaf.type == PhysicalType::kFixedLenByteArray;
    if (type < 0 || type > 7 || (fixed && leaf.type_length <= 0)) {
      error_ = Error{ErrorKind::kUnsupported,
                     fmt::format("column {} has an unknown type", path), ""};
      return 0;
    }
    schema_.leaves.push_back(std::move(leaf));
    finish(node);
    return node;
  }

  std::span<const SchemaElement> elements_;
  std::size_t at_ = 0;
  Schema schema_;
  std::optional<Error> error_;
};

}  // namespace

Result<Schema> make_schema(std::span<const SchemaElement> elements) {
  return Builder(elements).build();
}

}  // namespace trainsight::scan::parquet
