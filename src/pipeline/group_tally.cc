#include "group_tally.h"

#include <algorithm>

namespace trainsight::pipeline {

void BatchGrouper::add(const scan::RowView& row,
                       std::span<const rules::RuleId> rules) {
  path_.read(row, key_);
  const auto row_index = static_cast<std::uint32_t>(groups_.of_row.size());
  auto found = numbers_.find(key_);
  if (found == numbers_.end()) {
    const auto number = static_cast<std::uint32_t>(groups_.values.size());
    groups_.values.push_back(key_);
    found = numbers_.emplace(key_, number).first;
  }
  groups_.of_row.push_back(found->second);
  for (const rules::RuleId rule : rules) {
    groups_.findings.emplace_back(row_index, rule);
  }
}

BatchGroups BatchGrouper::take() {
  numbers_.clear();
  BatchGroups groups = std::move(groups_);
  groups_ = BatchGroups{};
  return groups;
}

GroupTally::Group GroupTally::make_group(const records::GroupKey& value) const {
  Group group;
  group.value = value;
  for (const targets::SurvivalOptions& options : survival_) {
    group.survival.emplace_back(options);
  }
  return group;
}

void GroupTally::add(const BatchGroups& groups,
                     std::span<const facts::RowFacts> rows) {
  // The batch's numbers as places of ours. Pointers stay good: the vector is
  // as large as it gets before the first one is taken.
  groups_.reserve(kMostTracked);
  beyond_.reserve(1);
  std::vector<Group*> places;
  places.reserve(groups.values.size());
  for (const records::GroupKey& value : groups.values) {
    const auto found = numbers_.find(value);
    if (found != numbers_.end()) {
      places.push_back(&groups_[found->second]);
    } else if (groups_.size() < kMostTracked) {
      numbers_.emplace(value, groups_.size());
      groups_.push_back(make_group(value));
      places.push_back(&groups_.back());
    } else {
      if (beyond_.empty()) beyond_.push_back(make_group({}));
      places.push_back(&beyond_.front());
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Group& group = *places[groups.of_row[i]];
    ++group.records;
    // Rows of no known shape have no length, as in the profile.
    if (rows[i].schema >= 0) group.lengths.add(rows[i].tokens);
    for (targets::SurvivalCounter& counter : group.survival) {
      counter.add(rows[i]);
    }
  }
  for (const auto& [row, rule] : groups.findings) {
    ++places[groups.of_row[row]]->findings[static_cast<std::size_t>(rule)];
  }
}

manifest::Survival survival_of(const targets::SurvivalOptions& options,
                               const targets::SurvivalFigures& figures) {
  manifest::Survival survival;
  survival.target = options.name;
  survival.max_seq_len = options.max_seq_len;
  survival.overlong = targets::name_of(options.overlong);
  survival.kept = {figures.kept.records, figures.kept.tokens};
  survival.truncated = {figures.truncated.records, figures.truncated.tokens};
  survival.dropped = {figures.dropped.records, figures.dropped.tokens};
  survival.unlabelled = {figures.unlabelled.records, figures.unlabelled.tokens};
  return survival;
}

manifest::Breakdown::Group GroupTally::figures_of(const Group& group,
                                                  std::uint64_t all_tokens) {
  manifest::Breakdown::Group out;
  out.value = group.value;
  out.records = group.records;
  out.tokens = group.lengths.sum();
  out.tokens_ratio = all_tokens == 0 ? 0.0
                                     : static_cast<double>(out.tokens) /
                                           static_cast<double>(all_tokens);
  const stats::LengthSketch sketch = group.lengths.sketch();
  out.mean = group.lengths.mean();
  out.p50 = sketch.quantile(0.50);
  out.p95 = sketch.quantile(0.95);
  out.p99 = sketch.quantile(0.99);
  out.max = group.lengths.max();
  for (const targets::SurvivalCounter& counter : group.survival) {
    out.survival.push_back(survival_of(counter.options(), counter.figures()));
  }
  for (std::size_t i = 0; i < group.findings.size(); ++i) {
    if (group.findings[i] > 0) {
      out.findings.emplace(rules::rules()[i].code, group.findings[i]);
    }
  }
  return out;
}

manifest::Breakdown GroupTally::finish() {
  std::sort(groups_.begin(), groups_.end(), [](const Group& a, const Group& b) {
    if (a.lengths.sum() != b.lengths.sum()) {
      return a.lengths.sum() > b.lengths.sum();
    }
    if (a.records != b.records) return a.records > b.records;
    return a.value < b.value;
  });
  std::uint64_t all_tokens = 0;
  for (const Group& group : groups_) all_tokens += group.lengths.sum();
  for (const Group& group : beyond_) all_tokens += group.lengths.sum();
  manifest::Breakdown by;
  by.field = field_;
  by.too_many_values = !beyond_.empty();
  Group other = make_group({});
  bool has_other = false;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    if (i < kMostShown) {
      by.groups.push_back(figures_of(groups_[i], all_tokens));
    } else {
      other.merge(groups_[i]);
      has_other = true;
      ++by.other_values;
    }
  }
  for (const Group& group : beyond_) {
    other.merge(group);
    has_other = true;
    ++by.other_values;
  }
  if (has_other) by.other = figures_of(other, all_tokens);
  return by;
}

void GroupTally::Group::merge(const Group& rest) {
  records += rest.records;
  lengths.merge(rest.lengths);
  for (std::size_t i = 0; i < survival.size(); ++i) {
    survival[i].merge(rest.survival[i]);
  }
  for (std::size_t i = 0; i < findings.size(); ++i) {
    findings[i] += rest.findings[i];
  }
}

}  // namespace trainsight::pipeline
