#include "manifest_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <span>

#include "data_files.h"
#include "trainsight/io/files.h"
#include "trainsight/manifest/write.h"
#include "trainsight/scan/format_table.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostManifestBytes = 64u << 20;

Error changed(const std::string& path, const std::string& why) {
  return Error{ErrorKind::kChanged,
               fmt::format("{} is not what was profiled: {}", path, why),
               "profile it again: trainsight profile --manifest-out …"};
}

Status check_file(const manifest::DatasetFile& file, const std::string& path,
                  bool always_hash) {
  if (!file.bytes.has_value()) {
    return changed(path, "the manifest has no size of it");
  }
  const auto info = io::file_info(path);
  if (!info) return info.error();
  if (info->bytes != *file.bytes) {
    return changed(
        path, fmt::format("{} bytes now, {} then", info->bytes, *file.bytes));
  }
  const bool same_time =
      file.modified.has_value() &&
      *file.modified == io::rfc3339_from_ns(info->modified_ns);
  if (same_time && !always_hash) return {};
  if (!file.xxh64.has_value()) {
    return changed(path, "another modification time, and no hash to compare");
  }
  const auto hash = io::hash_file(path);
  if (!hash) return hash.error();
  if (text::hex64(*hash) != *file.xxh64) {
    return changed(path, "its content has another hash");
  }
  return {};
}

// A folder or pattern must still give the files that were profiled.
Status check_globs(const manifest::Manifest& manifest,
                   const std::string& manifest_path) {
  std::map<std::string, std::set<std::string>> stored;
  for (const manifest::DatasetFile& file : manifest.dataset.files) {
    if (!file.glob.has_value()) continue;
    stored[seen_from_here(manifest_path, *file.glob)].insert(
        fs::path(seen_from_here(manifest_path, file.path))
            .lexically_normal()
            .string());
  }
  for (const auto& [pattern, files] : stored) {
    auto now = data_files(pattern);
    if (!now) return now.error();
    std::set<std::string> found;
    for (const std::string& path : *now) {
      found.insert(fs::path(path).lexically_normal().string());
    }
    for (const std::string& path : found) {
      if (files.count(path) == 0) {
        return changed(path, "a new file of " + pattern);
      }
    }
  }
  return {};
}

}  // namespace

std::string relative_to(const fs::path& folder, const std::string& path) {
  std::error_code error;
  const fs::path target = fs::absolute(path, error);
  if (error) return path;
  const fs::path base = fs::absolute(folder, error).lexically_normal();
  if (error) return path;
  const fs::path relative = target.lexically_normal().lexically_relative(base);
  return relative.empty() ? path : relative.string();
}

std::string seen_from_here(const std::string& manifest_path,
                           const std::string& path) {
  const fs::path folder = fs::path(manifest_path).parent_path();
  if (folder.empty() || fs::path(path).is_absolute()) return path;
  return (folder / path).string();
}

Status write_manifest(manifest::Manifest manifest, const std::string& path,
                      const Environment& environment) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  manifest.created = io::rfc3339_from_ns(
      environment.source_date_epoch.value_or(now) * 1'000'000'000);
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  for (manifest::DatasetFile& file : manifest.dataset.files) {
    if (file.path == "<stdin>") continue;
    file.path = relative_to(folder, file.path);
    if (file.glob.has_value()) file.glob = relative_to(folder, *file.glob);
  }
  return io::write_file_atomically(path, manifest::to_json(manifest));
}

Result<manifest::Manifest> read_manifest(const std::string& path,
                                         manifest::Depth depth) {
  auto bytes = io::read_file(path, kMostManifestBytes);
  if (!bytes) return bytes.error();
  return manifest::parse_manifest(*bytes, path, depth);
}

Status check_unchanged(const manifest::Manifest& manifest,
                       const std::string& manifest_path, bool always_hash) {
  for (const manifest::DatasetFile& file : manifest.dataset.files) {
    Status status =
        check_file(file, seen_from_here(manifest_path, file.path), always_hash);
    if (!status) return status;
  }
  return check_globs(manifest, manifest_path);
}

void describe_scan(const manifest::Manifest& m, const std::string& path,
                   ScanArgs& scan) {
  for (const manifest::DatasetFile& file : m.dataset.files) {
    // Of a folder or pattern the manifest may list every file: once is enough.
    const std::string& named = file.glob.has_value() ? *file.glob : file.path;
    const std::string here = seen_from_here(path, named);
    std::vector<std::string>& paths =
        file.role == "eval" ? scan.rules.eval : scan.paths;
    if (std::find(paths.begin(), paths.end(), here) == paths.end()) {
      paths.push_back(here);
    }
  }
  if (scan.type == "auto") scan.type = m.dataset.type;
  if (scan.columns.empty()) {
    for (const auto& [field, column] : m.dataset.columns) {
      if (!scan.columns.empty()) scan.columns += ',';
      scan.columns += field;
      scan.columns += '=';
      scan.columns += column;
    }
  }
  if (!scan.tokenizer_given && m.dataset.tokenizer.has_value() &&
      !m.dataset.tokenizer->name.empty()) {
    scan.tokenizer = m.dataset.tokenizer->name;
  }
  if (!scan.chat_template_given && m.dataset.chat_template.has_value() &&
      !m.dataset.chat_template->name.empty()) {
    scan.chat_template = m.dataset.chat_template->name;
  }
}

}  // namespace trainsight::cli
