#include "trainsight/rules/finding.h"

#include <limits>

namespace trainsight::rules {

std::string_view name_of(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "info";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

Figure count_figure(std::string name, std::uint64_t count) {
  constexpr auto kMost =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  return {std::move(name),
          static_cast<std::int64_t>(count < kMost ? count : kMost)};
}

void FindingLog::add(Finding finding) {
  FindingGroup& group =
      groups_[Key{finding.code, finding.severity, finding.file}];
  ++group.count;
  if (group.first.size() < kept_) group.first.push_back(std::move(finding));
}

void FindingLog::add_group(const Key& key, std::uint64_t count,
                           std::vector<Finding> first) {
  if (count == 0) return;
  FindingGroup& group = groups_[key];
  group.count += count;
  for (Finding& finding : first) {
    if (group.first.size() >= kept_) break;
    group.first.push_back(std::move(finding));
  }
}

void FindingLog::add_known(const Key& key, std::uint64_t count) {
  if (count == 0) return;
  FindingGroup& group = groups_[key];
  group.count += count;
  group.known += count;
}

FindingGroup* FindingLog::find(const Key& key) {
  const auto found = groups_.find(key);
  return found == groups_.end() ? nullptr : &found->second;
}

std::uint64_t FindingLog::count(Severity severity) const {
  std::uint64_t total = 0;
  for (const auto& entry : groups_) {
    if (std::get<1>(entry.first) == severity) total += entry.second.count;
  }
  return total;
}

}  // namespace trainsight::rules
