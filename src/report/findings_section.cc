#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "listing.h"
#include "sections.h"
#include "trainsight/rules/rule_table.h"

namespace trainsight::report {
namespace {

using rules::Severity;

constexpr std::size_t kMostRules = 8;
constexpr std::size_t kMostPlaces = 3;

std::string severity_of(Severity severity, const Style& style) {
  std::string name(padded_right(rules::name_of(severity), 7));
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
  const std::vector<Entry> entries = entries_of(profile);
  std::string out = fmt::format("\n{}  {}\n", style.bold("Findings"),
                                text_of(counts_of(profile)));
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i == kMostRules) {
      out += fmt::format("  … and {} more; --format json lists all\n",
                         entries.size() - kMostRules);
      break;
    }
    const Entry& entry = entries[i];
    const rules::FindingGroup& group = *entry.group;
    const std::string known =
        group.known == 0     ? ""
        : entry.fresh() == 0 ? ", known"
                             : fmt::format(", {} known", grouped(group.known));
    out += "  " + severity_of(entry.severity, style) + " ";
    out += wrapped(fmt::format("{} {} × {}{}", entry.code, entry.name(),
                               grouped(group.count), known),
                   10) +
           "\n";
    for (std::size_t f = 0; f < std::min(kMostPlaces, group.first.size());
         ++f) {
      const rules::Finding& finding = group.first[f];
      std::string place = place_of(finding, manifest.dataset);
      if (!place.empty()) place += ": ";
      out += fmt::format("          {}\n",
                         wrapped(place + shortened(finding.message, 160), 10));
    }
    if (entry.rule != nullptr && entry.severity != Severity::kInfo &&
        entry.fresh() > 0) {
      out += style.dim(
          fmt::format("          → {}", wrapped(entry.rule->hint, 12)));
      out += '\n';
    }
  }
  return out;
}

}  // namespace trainsight::report
