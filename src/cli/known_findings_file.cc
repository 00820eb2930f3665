#include "known_findings_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

#include "manifest_files.h"
#include "output.h"
#include "trainsight/core/version.h"
#include "trainsight/io/files.h"
#include "trainsight/manifest/known_findings.h"
#include "trainsight/rules/rule_table.h"

namespace trainsight::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMostListBytes = 64u << 20;
constexpr std::string_view kStdin = "<stdin>";

// One spelling of a path, whatever it was reached by.
std::string normal(const std::string& path) {
  if (path == kStdin) return path;
  std::error_code error;
  const fs::path absolute = fs::absolute(path, error);
  return error ? path : absolute.lexically_normal().string();
}

std::string shown(const ScanRun& run, std::uint32_t file) {
  const auto& files = run.manifest.dataset.files;
  return file < files.size() ? files[file].path : "the data set";
}

}  // namespace

Result<rules::KnownFindings> read_known_findings(
    const std::string& path, const std::vector<pipeline::InputFile>& files) {
  auto bytes = io::read_file(path, kMostListBytes);
  if (!bytes) return bytes.error();
  auto entries = manifest::parse_known_findings(*bytes, path);
  if (!entries) return entries.error();
  std::map<std::string, std::uint32_t> indices = {{"", rules::kAllFiles}};
  for (std::uint32_t i = 0; i < files.size(); ++i) {
    indices.emplace(normal(files[i].shown), i);
  }
  rules::KnownFindings known;
  for (manifest::KnownEntry& entry : *entries) {
    const bool has_path = !entry.file.empty() && entry.file != kStdin;
    const auto found = indices.find(
        has_path ? normal(seen_from_here(path, entry.file)) : entry.file);
    if (found == indices.end()) continue;
    known.groups[{entry.code, found->second}] = std::move(entry.group);
  }
  return known;
}

Status write_known_findings(const ScanRun& run, const std::string& path) {
  if (!run.failures.empty()) {
    print_warning("no known findings written: not every file could be read");
    return {};
  }
  fs::path folder = fs::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const auto& files = run.manifest.dataset.files;
  std::vector<manifest::KnownEntry> entries;
  std::uint64_t count = 0;
  for (const auto& [key, group] : run.found.groups) {
    const auto& [code, file] = key;
    std::string name = file < files.size() ? files[file].path : "";
    if (!name.empty() && name != kStdin) name = relative_to(folder, name);
    entries.push_back({code, std::move(name), group});
    count += group.count;
  }
  Status status =
      io::write_file_atomically(path, manifest::to_json(entries, version()));
  if (status) {
    print_note(fmt::format("{} finding{} written to {}", count,
                           count == 1 ? "" : "s", path));
  }
  return status;
}

void warn_of_stale(const ScanRun& run, const ScanSettings& settings) {
  constexpr std::size_t kMost = 5;
  std::size_t told = 0;
  std::uint64_t rest = 0;
  for (const rules::StaleKnown& stale : run.stale) {
    const rules::Rule* rule = rules::find_rule(stale.code);
    const auto id = static_cast<rules::RuleId>(rule - rules::rules().data());
    const rules::RuleSelection& selection = settings.scan.rules.selection;
    const bool was_on = selection.is_on(id, selection.severity_of(id));
    const bool unread =
        std::any_of(run.failures.begin(), run.failures.end(),
                    [&stale](const pipeline::FileFailure& failure) {
                      return failure.file == stale.file;
                    });
    // Of one file nothing is said about all files together.
    const bool other_set = stale.file == rules::kAllFiles &&
                           run.manifest.dataset.files.size() == 1;
    if (!was_on || unread || other_set) continue;
    if (told++ >= kMost) {
      rest += stale.count;
      continue;
    }
    print_warning(fmt::format("{} known finding{} of {} {} in {} {} gone",
                              stale.count, stale.count == 1 ? "" : "s",
                              rule->code, rule->name, shown(run, stale.file),
                              stale.count == 1 ? "is" : "are"));
  }
  if (rest > 0) {
    print_warning(fmt::format("{} more known findings are gone", rest));
  }
  if (told > 0) {
    print_note("--write-known-findings writes the list without them");
  }
}

}  // namespace trainsight::cli
