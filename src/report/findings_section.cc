#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sections.h"
#include "trainsight/rules/rule_table.h"

namespace trainsight::report {
namespace {

using rules::Severity;

constexpr std::size_t kMostRules = 8;
constexpr std::size_t kMostPlaces = 3;

struct Entry {
  rules::FindingLog::Key key;
  const rules::FindingGroup* group;
};

std::string severity_of(Severity severity, const Style& style) {
  const std::string name(padded_right(rules::name_of(severity), 7));
  switch (severity) {
    case Severity::kError:
      return style.red(name);
    case Severity::kWarning:
      return style.yellow(name);
    case Severity::kInfo:
      return style.dim(name);
  }
  return name;
}

std::string place_of(const rules::Finding& finding,
                     const manifest::Dataset& dataset) {
  const bool one_file = dataset.files.size() == 1;
  const std::string path = finding.file < dataset.files.size()
                               ? shortened(dataset.files[finding.file].path, 40)
                               : std::string();
  if (finding.line == rules::kNoLine) return one_file ? "" : path;
  return one_file ? fmt::format("line {}", finding.line)
                  : fmt::format("{}:{}", path, finding.line);
}

}  // namespace

std::string data_name(const manifest::Manifest& manifest, std::size_t width) {
  const auto& files = manifest.dataset.files;
  if (files.size() == 1) return shortened(files[0].path, width);
  return fmt::format("{} files, {} …", grouped(files.size()),
                     shortened(files[0].path, width - 30));
}

std::string findings_section(const manifest::Manifest& manifest,
                             const Style& style) {
  const manifest::Profile& profile = *manifest.profile;
  std::uint64_t errors = 0;
  std::uint64_t warnings = 0;
  std::uint64_t notes = 0;
  std::vector<Entry> entries;
  for (const auto& [key, group] : profile.findings) {
    const Severity severity = std::get<1>(key);
    if (severity == Severity::kError) errors += group.count;
    if (severity == Severity::kWarning) warnings += group.count;
    if (severity == Severity::kInfo) notes += group.count;
    entries.push_back({key, &group});
  }
  // Gravest first; by code and file within.
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) {
                     return std::get<1>(a.key) > std::get<1>(b.key);
                   });
  std::string counts;
  for (const auto& [count, noun] :
       {std::pair(errors, "error"), std::pair(warnings, "warning"),
        std::pair(notes, "note")}) {
    if (count == 0) continue;
    counts += (counts.empty() ? "" : ", ") + counted(count, noun);
  }
  std::string out = fmt::format("\n{}  {}\n", style.bold("Findings"),
                                counts.empty() ? "none" : counts);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i == kMostRules) {
      out += fmt::format("  … and {} more; --format json lists all\n",
                         entries.size() - kMostRules);
      break;
    }
    const auto& [code, severity, file] = entries[i].key;
    const rules::FindingGroup& group = *entries[i].group;
    const rules::Rule* rule = rules::find_rule(code);
    out += fmt::format("  {} {} {} × {}\n", severity_of(severity, style), code,
                       rule == nullptr ? "" : rule->name, grouped(group.count));
    for (std::size_t f = 0; f < std::min(kMostPlaces, group.first.size());
         ++f) {
      const rules::Finding& finding = group.first[f];
      std::string place = place_of(finding, manifest.dataset);
      if (!place.empty()) place += ": ";
      out += fmt::format("          {}\n",
                         wrapped(place + shortened(finding.message, 160), 10));
    }
    if (rule != nullptr && severity != Severity::kInfo) {
      out += style.dim(fmt::format("          → {}", wrapped(rule->hint, 12)));
      out += '\n';
    }
  }
  return out;
}

}  // namespace trainsight::report
