#include "trainers/flat_file.h"

#include <fmt/format.h>
#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/yaml.h>

#include <cstddef>

#include "trainsight/trainers/config.h"

namespace trainsight::trainers {
namespace {

constexpr int kDeepest = 24;

// Walks a document; aliases make a few bytes stand for many values, so that
// every visit counts.
class Walk {
 public:
  explicit Walk(std::vector<FlatValue>& out) : out_(out) {}

  // False when there are too many values, or they are too deep.
  bool visit(const YAML::Node& node, const std::string& key, int depth) {
    if (depth > kDeepest || ++visits_ > kMostValues) return false;
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        out_.push_back({key, node.Scalar()});
        return true;
      case YAML::NodeType::Null:
      case YAML::NodeType::Undefined:
        out_.push_back({key, ""});
        return true;
      case YAML::NodeType::Sequence:
        return visit_list(node, key, depth);
      case YAML::NodeType::Map:
        for (const auto& entry : node) {
          if (!entry.first.IsScalar()) continue;
          const std::string name = key.empty()
                                       ? entry.first.Scalar()
                                       : key + "." + entry.first.Scalar();
          if (name.size() > 512 || !visit(entry.second, name, depth + 1)) {
            return false;
          }
        }
        return true;
    }
    return true;
  }

 private:
  bool visit_list(const YAML::Node& node, const std::string& key, int depth) {
    std::string joined;
    bool is_flat = true;
    std::size_t index = 0;
    for (const auto& element : node) {
      if (++visits_ > kMostValues) return false;
      if (element.IsScalar()) {
        if (!joined.empty()) joined += ',';
        joined += element.Scalar();
        if (joined.size() > (1u << 16)) return false;
      } else {
        is_flat = false;
        if (!visit(element, fmt::format("{}[{}]", key, index), depth + 1)) {
          return false;
        }
      }
      ++index;
    }
    if (is_flat || !joined.empty()) out_.push_back({key, joined});
    return true;
  }

  std::vector<FlatValue>& out_;
  std::size_t visits_ = 0;
};

}  // namespace

Result<std::vector<FlatValue>> flatten_yaml(std::string_view text,
                                            std::string_view name) {
  try {
    const YAML::Node root = YAML::Load(std::string(text));
    if (!root.IsMap()) {
      return Error{ErrorKind::kCorrupt,
                   fmt::format("{}: no keys at its top", name), ""};
    }
    std::vector<FlatValue> values;
    if (!Walk(values).visit(root, "", 0)) {
      return Error{ErrorKind::kLimit,
                   fmt::format("{}: more than {} values, or nested too deeply",
                               name, kMostValues),
                   ""};
    }
    return values;
  } catch (const YAML::DeepRecursion&) {  // whose own words are "bad file"
    return Error{ErrorKind::kLimit, fmt::format("{}: nested too deeply", name),
                 ""};
  } catch (const YAML::Exception& error) {
    return Error{ErrorKind::kCorrupt,
                 fmt::format("{}:{}:{}: {}", name, error.mark.line + 1,
                             error.mark.column + 1, error.msg),
                 ""};
  }
}

std::vector<FlatValue> flatten_arguments(std::string_view text) {
  std::vector<FlatValue> values;
  std::size_t at = 0;
  while (at < text.size() && values.size() < kMostValues) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n\\\"'()", at);
    if (begin == std::string_view::npos) break;
    if (text[begin] == '#') {
      at = text.find('\n', begin);
      if (at == std::string_view::npos) break;
      continue;
    }
    std::size_t end = text.find_first_of(" \t\r\n\\\"'()", begin);
    if (end == std::string_view::npos) end = text.size();
    const std::string_view word = text.substr(begin, end - begin);
    at = end;
    if (word.starts_with("--") && word.size() > 2) {
      const std::size_t equals = word.find('=');
      if (equals != std::string_view::npos) {
        values.push_back({std::string(word.substr(2, equals - 2)),
                          std::string(word.substr(equals + 1))});
      } else {
        values.push_back({std::string(word.substr(2)), "true"});
      }
    } else if (!values.empty() && values.back().value == "true") {
      values.back().value = word;
    }
  }
  std::erase_if(values, [](const FlatValue& v) {
    return v.value.find('$') != std::string::npos;
  });
  return values;
}

}  // namespace trainsight::trainers
