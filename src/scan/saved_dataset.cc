#include "trainsight/scan/saved_dataset.h"

#include <simdjson.h>

namespace trainsight::scan {

Result<std::vector<std::string>> arrow_files_of_saved_dataset(
    std::string_view state_json) {
  const Error fault{ErrorKind::kCorrupt, "its state.json lists no data files",
                    "give the .arrow files themselves"};
  simdjson::dom::parser parser;
  simdjson::dom::array files;
  if (state_json.empty()) return fault;  // nor is it copied from a null pointer
  if (parser.parse(state_json.data(), state_json.size())
          .at_key("_data_files")
          .get(files) != simdjson::SUCCESS) {
    return fault;
  }
  std::vector<std::string> names;
  for (const simdjson::dom::element file : files) {
    std::string_view name;
    if (file.at_key("filename").get(name) != simdjson::SUCCESS) return fault;
    const bool is_path = name.find('/') != std::string_view::npos ||
                         name.find('\0') != std::string_view::npos;
    if (name.empty() || name == "." || name == ".." || is_path) return fault;
    names.emplace_back(name);
  }
  return names;
}

}  // namespace trainsight::scan
