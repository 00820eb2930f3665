#include "trainsight/tokenize/hub_cache.h"

#include <fmt/format.h>

#include <algorithm>

namespace trainsight::tokenize {
namespace {

constexpr std::size_t kLongestName = 256;

// Characters of repository names and revisions; no path can be made of them
// but a branch's ("refs/pr/1").
bool is_name(std::string_view name, bool slashes) {
  if (name.empty() || name.size() > kLongestName || name[0] == '.' ||
      name[0] == '/' || name.find("..") != std::string_view::npos) {
    return false;
  }
  return std::all_of(name.begin(), name.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' ||
           (slashes && c == '/');
  });
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

}  // namespace

std::string hub_cache_folder(const HubEnvironment& environment) {
  if (!environment.hf_hub_cache.empty()) return environment.hf_hub_cache;
  if (!environment.hf_home.empty()) return environment.hf_home + "/hub";
  if (!environment.xdg_cache_home.empty()) {
    return environment.xdg_cache_home + "/huggingface/hub";
  }
  if (!environment.home.empty()) {
    return environment.home + "/.cache/huggingface/hub";
  }
  return {};
}

Result<std::string> find_tokenizer(std::string_view name_or_path,
                                   const HubEnvironment& environment,
                                   const FileProvider& files) {
  const std::string path(name_or_path);
  if (files.is_file(path) || files.is_directory(path)) return path;

  const std::size_t at = name_or_path.find('@');
  const std::string_view repository = name_or_path.substr(0, at);
  const std::string_view revision = at == std::string_view::npos
                                        ? std::string_view("main")
                                        : name_or_path.substr(at + 1);
  const auto slashes = std::count(repository.begin(), repository.end(), '/');
  if (!is_name(repository, true) || slashes > 1 || !is_name(revision, true)) {
    return Error{ErrorKind::kNotFound,
                 fmt::format("tokenizer {}: no such file or folder", path), ""};
  }
  const std::string cache = hub_cache_folder(environment);
  std::string folder = cache + "/models--";
  for (const char c : repository) {
    if (c == '/') {
      folder += "--";
    } else {
      folder += c;
    }
  }
  const auto not_found = [&](std::string_view why) {
    return Error{
        ErrorKind::kNotFound, fmt::format("tokenizer {}: {}", path, why),
        fmt::format("give a file or folder, or fetch it with: hf download {}",
                    repository)};
  };
  if (cache.empty() || !files.is_directory(folder)) {
    return not_found(fmt::format(
        "no such file or folder, and not in the Hugging Face cache ({})",
        cache.empty() ? std::string("no HOME") : cache));
  }
  std::string commit(revision);
  if (const auto ref =
          files.read_small(fmt::format("{}/refs/{}", folder, revision))) {
    commit = trimmed(*ref);
  }
  const std::string snapshot = fmt::format("{}/snapshots/{}", folder, commit);
  if (!is_name(commit, false) || !files.is_directory(snapshot)) {
    return not_found(fmt::format("the cache has no revision {}", revision));
  }
  return snapshot;
}

}  // namespace trainsight::tokenize
