#include "dataset_info_args.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "trainsight/io/files.h"
#include "trainsight/records/dataset_info.h"

namespace trainsight::cli {
namespace {

using records::Registration;
namespace fs = std::filesystem;

constexpr std::uint64_t kMostFileBytes = 16u << 20;
constexpr std::size_t kNamesShown = 8;

// FILE:NAME in its parts; a file of the whole name comes first.
std::pair<std::string, std::string> parts_of(const std::string& place) {
  std::error_code error;
  const std::size_t colon = place.rfind(':');
  if (colon == std::string::npos || colon == 0 || fs::exists(place, error)) {
    return {place, ""};
  }
  return {place.substr(0, colon), place.substr(colon + 1)};
}

fs::path resolved(const fs::path& path) {
  std::error_code error;
  const fs::path found = fs::weakly_canonical(path, error);
  return error ? path : found;
}

fs::path file_of(const std::string& file, const Registration& registration) {
  return fs::path(file).parent_path() / registration.file_name;
}

// Whether `path` is the registered file, or in the registered folder.
bool is_of(const fs::path& registered, const std::string& path) {
  const fs::path whole = resolved(registered);
  const fs::path input = resolved(path);
  const auto [in_whole, rest] =
      std::mismatch(whole.begin(), whole.end(), input.begin(), input.end());
  static_cast<void>(rest);
  return in_whole == whole.end();
}

std::string names_of(const std::vector<Registration>& registrations) {
  std::string names;
  for (std::size_t i = 0; i < registrations.size(); ++i) {
    if (i == kNamesShown) return names + ", …";
    names += (i > 0 ? ", " : "") + registrations[i].name;
  }
  return names;
}

Result<Registration> choose(const std::string& file, const std::string& name,
                            const std::vector<Registration>& registrations,
                            const std::vector<std::string>& paths) {
  std::vector<Registration> fitting;
  for (const Registration& registration : registrations) {
    const bool fits =
        !name.empty()
            ? registration.name == name
            : !paths.empty() && !registration.file_name.empty() &&
                  std::all_of(paths.begin(), paths.end(),
                              [&](const std::string& path) {
                                return is_of(file_of(file, registration), path);
                              });
    if (fits) fitting.push_back(registration);
  }
  if (fitting.size() == 1) return std::move(fitting.front());
  const std::string hint = "write --dataset-info FILE:NAME, with one of " +
                           names_of(fitting.empty() ? registrations : fitting);
  if (!name.empty()) {
    return Error{ErrorKind::kUsage,
                 fmt::format("{} registers no \"{}\"", file, name), hint};
  }
  if (paths.empty()) {
    return Error{ErrorKind::kUsage, "no input, and no data set of " + file,
                 hint};
  }
  return Error{
      ErrorKind::kUsage,
      fitting.empty()
          ? fmt::format("{} registers no data set with the file {}", file,
                        paths.front())
          : fmt::format("{} registers {} more than once", file, paths.front()),
      hint};
}

}  // namespace

Result<AppliedInfo> apply_dataset_info(const std::string& place,
                                       const std::vector<std::string>& paths) {
  const auto [file, name] = parts_of(place);
  auto bytes = io::read_file(file, kMostFileBytes);
  if (!bytes) return bytes.error();
  auto registrations = records::parse_dataset_info(*bytes, file);
  if (!registrations) return registrations.error();
  auto chosen = choose(file, name, *registrations, paths);
  if (!chosen) return chosen.error();
  auto spec = records::column_spec(*chosen);
  if (!spec) return spec.error();
  AppliedInfo applied;
  applied.columns = *spec;
  applied.paths = paths;
  if (paths.empty()) {
    if (chosen->file_name.empty()) {
      return Error{ErrorKind::kUsage,
                   fmt::format("{}: \"{}\" is no local file: {}", file,
                               chosen->name, chosen->elsewhere),
                   "name the files that were downloaded"};
    }
    applied.paths = {file_of(file, *chosen).string()};
  }
  applied.note =
      fmt::format("{}: \"{}\" ({}{}): {}", file, chosen->name,
                  chosen->formatting, chosen->ranking ? ", ranking" : "",
                  spec->empty() ? "columns by default" : "columns " + *spec);
  if (!chosen->ignored.empty()) {
    applied.note +=
        fmt::format("; not used: {}", fmt::join(chosen->ignored, ", "));
  }
  return applied;
}

std::string dataset_info_beside(const std::vector<std::string>& paths) {
  if (paths.empty() || paths.front() == "-") return "";
  std::error_code error;
  const fs::path first = paths.front();
  const fs::path folder =
      fs::is_directory(first, error) ? first : first.parent_path();
  const std::string file = (folder / "dataset_info.json").string();
  if (!fs::is_regular_file(file, error)) return "";
  return apply_dataset_info(file, paths) ? file : "";
}

}  // namespace trainsight::cli
