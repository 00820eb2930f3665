#include "trainsight/rules/finding.h"
namespace trainsight::rules {
std::string_view name_of(Severity severity) {
  switch (severity) { case Severity::kInfo: return "info"; case Severity::kWarning: return "warning"; case Severity::kError: return "error"; }
  return "error";
}
void FindingLog::add(Finding finding) {
  FindingGroup& group = groups_[Key{finding.code, finding.severity, finding.file}];
  ++group.count;
  if (group.first.size() < kept_) group.first.push_back(std::move(finding));
}
void FindingLog::append(FindingLog&& later, std::uint64_t line_base) {
  for (auto& entry : later.groups_) {
    FindingGroup& group = groups_[entry.first];
    group.count += entry.second.count;
    for (Finding& finding : entry.second.first) {
      if (group.first.size() >= kept_) break;
      if (finding.line != kNoLine) finding.line += line_base;
      group.first.push_back(std::move(finding));
    }
  }
}
bool FindingLog::keeps_more(std::string_view code, Severity severity, std::uint32_t file) const {
  const auto found = groups_.find(Key{code, severity, file});
  return found == groups_.end() || found->second.first.size() < kept_;
}
void FindingLog::count_only(std::string_view code, Severity severity, std::uint32_t file) { ++groups_[Key{code, severity, file}].count; }
std::uint64_t FindingLog::count(Severity severity) const {
  std::uint64_t total = 0;
  for (const auto& entry : groups_) if (std::get<1>(entry.first) == severity) total += entry.second.count;
  return total;
}
}
