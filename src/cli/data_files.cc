#include "data_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <span>

#include "trainsight/io/expand_paths.h"
#include "trainsight/io/files.h"
#include "trainsight/scan/format_table.h"
#include "trainsight/scan/saved_dataset.h"

namespace trainsight::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostStateBytes = 16u << 20;

std::string folder_of(const std::string& file) {
  return fs::path(file).parent_path().string();
}

bool is_arrow(const std::string& file) {
  return fs::path(file).extension() == ".arrow";
}

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

// The Arrow files of the folder in the order of its rows.
Result<std::vector<std::string>> listed_in(const std::string& folder) {
  const std::string state = (fs::path(folder) / "state.json").string();
  auto bytes = io::read_file(state, kMostStateBytes);
  if (!bytes) return bytes.error();
  auto names = scan::arrow_files_of_saved_dataset(*bytes);
  if (!names) return names.error().with_context("cannot read " + folder);
  for (std::string& name : *names) {
    std::string file = (fs::path(folder) / name).string();
    if (!is_file(file)) {
      return Error{ErrorKind::kNotFound,
                   fmt::format("{} lists {}, which is not there", state, name),
                   "copy the folder again: a part of it is missing"};
    }
    name = std::move(file);
  }
  return names;
}

}  // namespace

Result<std::vector<std::string>> data_files(const std::string& path) {
  const std::vector<std::string_view> extensions = scan::data_extensions();
  auto found = io::expand_paths(std::span(&path, 1), extensions);
  if (!found || (found->size() == 1 && found->front() == path)) return found;
  std::vector<std::string> files;
  std::optional<std::string> listed;  // the folder whose list was taken last
  for (const std::string& file : *found) {
    const std::string folder = folder_of(file);
    if (!is_arrow(file) || !is_file(fs::path(folder) / "state.json")) {
      files.push_back(file);
      continue;
    }
    // Sorted names keep a folder's files together.
    if (listed.has_value() && folder == *listed) continue;
    auto of_folder = listed_in(folder);
    if (!of_folder) return of_folder;
    listed = folder;
    files.insert(files.end(), of_folder->begin(), of_folder->end());
  }
  return files;
}

std::vector<std::string> splits_of(const std::vector<std::string>& files) {
  std::vector<std::string> splits;
  for (const std::string& file : files) {
    const fs::path folder = fs::path(file).parent_path();
    if (!is_arrow(file) || !is_file(folder / "state.json") ||
        !is_file(folder.parent_path() / "dataset_dict.json")) {
      continue;
    }
    if (std::find(splits.begin(), splits.end(), folder.string()) ==
        splits.end()) {
      splits.push_back(folder.string());
    }
  }
  if (splits.size() < 2) splits.clear();
  return splits;
}

}  // namespace trainsight::cli
