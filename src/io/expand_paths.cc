#include "trainsight/io/expand_paths.h"

#include <dirent.h>
#include <fmt/format.h>
#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "io/system_error.h"

namespace trainsight::io {
namespace {

// Beside the data in folders that `datasets` and hub clients write.
constexpr std::array<std::string_view, 4> kMetadataNames = {
    "dataset_info.json", "dataset_infos.json", "dataset_dict.json",
    "state.json"};

// Deeper than any real folder; a bound on recursion.
constexpr int kMaxDepth = 64;

enum class PathKind { kMissing, kFile, kDirectory };

PathKind kind_of(const std::string& path, bool follow_links) {
  struct stat status = {};
  const int failed = follow_links ? ::stat(path.c_str(), &status)
                                  : ::lstat(path.c_str(), &status);
  if (failed != 0) return PathKind::kMissing;
  return S_ISDIR(status.st_mode) ? PathKind::kDirectory : PathKind::kFile;
}

char to_lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool ends_with_nocase(std::string_view name, std::string_view ending) {
  if (name.size() < ending.size()) return false;
  name.remove_prefix(name.size() - ending.size());
  return std::equal(name.begin(), name.end(), ending.begin(),
                    [](char a, char b) { return to_lower(a) == to_lower(b); });
}

std::string join(const std::string& folder, std::string_view name) {
  std::string path = folder;
  if (!path.empty() && path.back() != '/') path += '/';
  return path.append(name);
}

// Names in a directory, sorted, without "." and "..".
Result<std::vector<std::string>> list(const std::string& folder) {
  const std::string shown = folder.empty() ? "." : folder;
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(shown.c_str()),
                                                 ::closedir);
  if (open == nullptr) return system_error("list", shown, errno);
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(open.get());
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  if (errno != 0) return system_error("list", shown, errno);
  std::sort(names.begin(), names.end());
  return names;
}

class Expander {
 public:
  explicit Expander(std::span<const std::string_view> extensions)
      : extensions_(extensions) {}

  // Adds the data files below `folder`.
  Status add_below(const std::string& folder, int depth) {
    if (depth > kMaxDepth) return {};
    Result<std::vector<std::string>> names = list(folder);
    if (!names) return names.error();
    for (const std::string& name : *names) {
      if (name[0] == '.') continue;
      const std::string path = join(folder, name);
      if (kind_of(path, false) == PathKind::kDirectory) {
        Status below = add_below(path, depth + 1);
        if (!below) return below;
      } else if (is_data(name) && kind_of(path, true) == PathKind::kFile) {
        found_.push_back(path);
      }
    }
    return {};
  }

  // Adds what matches the glob `pattern` below `folder`.
  Status add_matches(const std::string& folder, std::string_view pattern,
                     int depth) {
    if (depth > kMaxDepth) return {};
    const std::size_t slash = pattern.find('/');
    const std::string component(pattern.substr(0, slash));
    const std::string_view rest = slash == std::string_view::npos
                                      ? std::string_view()
                                      : pattern.substr(slash + 1);
    if (component.empty() && slash != std::string_view::npos) {
      return add_matches(folder.empty() ? "/" : folder, rest, depth + 1);
    }
    if (component.find_first_of("*?[") == std::string::npos) {
      return add_match(folder, component, rest, depth);
    }
    Result<std::vector<std::string>> names = list(folder);
    // A folder that cannot be listed on the way has no matches in it.
    if (!names) return {};
    if (component == "**") {
      const Status here =
          add_matches(folder, rest.empty() ? "*" : rest, depth + 1);
      if (!here) return here;
    }
    for (const std::string& name : *names) {
      Status added;
      if (component != "**") {
        if (::fnmatch(component.c_str(), name.c_str(), FNM_PERIOD) != 0) {
          continue;
        }
        added = add_match(folder, name, rest, depth);
      } else if (name[0] != '.' &&
                 kind_of(join(folder, name), false) == PathKind::kDirectory) {
        added = add_matches(join(folder, name), pattern, depth + 1);
      }
      if (!added) return added;
    }
    return {};
  }

  std::vector<std::string> take_found() {
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool is_data(std::string_view name) const {
    if (std::find(kMetadataNames.begin(), kMetadataNames.end(), name) !=
        kMetadataNames.end()) {
      return false;
    }
    return std::any_of(
        extensions_.begin(), extensions_.end(),
        [name](std::string_view e) { return ends_with_nocase(name, e); });
  }

  Status add_match(const std::string& folder, const std::string& name,
                   std::string_view rest, int depth) {
    const std::string path = join(folder, name);
    const PathKind kind = kind_of(path, true);
    if (kind == PathKind::kMissing) return {};
    if (!rest.empty()) {
      return kind == PathKind::kDirectory ? add_matches(path, rest, depth + 1)
                                          : Status();
    }
    if (kind == PathKind::kDirectory) return add_below(path, depth + 1);
    if (is_data(name)) found_.push_back(path);
    return {};
  }

  std::span<const std::string_view> extensions_;
  std::vector<std::string> found_;
};

Result<std::vector<std::string>> expand_one(
    const std::string& path, std::span<const std::string_view> extensions) {
  const PathKind kind = path == "-" ? PathKind::kFile : kind_of(path, true);
  if (kind == PathKind::kFile) return std::vector<std::string>{path};
  Expander expander(extensions);
  const bool is_glob = kind == PathKind::kMissing &&
                       path.find_first_of("*?[") != std::string::npos;
  if (kind == PathKind::kMissing && !is_glob) {
    struct stat status = {};
    const int failed = ::stat(path.c_str(), &status);
    return system_error("read", path, failed != 0 ? errno : ENOENT);
  }
  const Status done =
      is_glob ? expander.add_matches("", path, 0) : expander.add_below(path, 0);
  if (!done) return done.error();
  std::vector<std::string> found = expander.take_found();
  if (!found.empty()) return found;
  return Error{
      ErrorKind::kNotFound,
      is_glob ? fmt::format("no data file matches {}", path)
              : fmt::format("no data file in {}", path),
      fmt::format("known names end in {}", fmt::join(extensions, " "))};
}

}  // namespace

Result<std::vector<std::string>> expand_paths(
    std::span<const std::string> paths,
    std::span<const std::string_view> extensions) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    Result<std::vector<std::string>> some = expand_one(path, extensions);
    if (!some) return some.error();
    files.insert(files.end(), some->begin(), some->end());
  }
  return files;
}

}  // namespace trainsight::io
