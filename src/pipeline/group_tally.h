// Groups of rows by a field (`--by`): what workers hand over, and the tally
// that the reducer keeps. Pure.
//
// Bounded: at most kMostTracked values are told apart, in the order in which
// they first appear in the input; the rows of later values are counted
// together. The most tokens decide which of them are shown. Memory: a tracked
// value costs 16 bytes for each different length among its rows, at most 333
// KiB, so never more than 16 bytes a row and 86 MiB in all; a real set of 256
// sources with lengths up to 4,096 tokens stays below 17 MiB.
#ifndef TRAINSIGHT_PIPELINE_GROUP_TALLY_H_
#define TRAINSIGHT_PIPELINE_GROUP_TALLY_H_

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "trainsight/facts/row_facts.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/records/group_path.h"
#include "trainsight/rules/rule_table.h"
#include "trainsight/stats/sparse_lengths.h"
#include "trainsight/targets/survival.h"

namespace trainsight::pipeline {

/// The groups of one batch's rows.
struct BatchGroups {
  std::vector<std::uint32_t> of_row;  ///< index into `values`
  std::vector<records::GroupKey> values;
  /// Findings of rows: (row, rule), in row order.
  std::vector<std::pair<std::uint32_t, rules::RuleId>> findings;
};

/// What a counter found, as the manifest keeps it.
manifest::Survival survival_of(const targets::SurvivalOptions& options,
                               const targets::SurvivalFigures& figures);

/// A worker's part: gives each row of a batch its group.
class BatchGrouper {
 public:
  explicit BatchGrouper(records::GroupPath path) : path_(std::move(path)) {}

  void add(const scan::RowView& row, std::span<const rules::RuleId> rules);
  /// The groups of the rows since the last take().
  BatchGroups take();

 private:
  records::GroupPath path_;
  records::GroupKey key_;
  std::map<records::GroupKey, std::uint32_t> numbers_;
  BatchGroups groups_;
};

/// The reducer's part. Not thread-safe.
class GroupTally {
 public:
  static constexpr std::size_t kMostTracked = 256;
  static constexpr std::size_t kMostShown = 64;

  /// Survival is counted for each of `survival`.
  GroupTally(std::string field, std::vector<targets::SurvivalOptions> survival)
      : field_(std::move(field)), survival_(std::move(survival)) {}

  /// The next batch in input order. REQUIRES: one group a row.
  void add(const BatchGroups& groups, std::span<const facts::RowFacts> rows);
  manifest::Breakdown finish();

 private:
  struct Group {
    records::GroupKey value;
    std::uint64_t records = 0;
    stats::SparseLengths lengths;
    std::vector<targets::SurvivalCounter> survival;
    std::array<std::uint64_t, rules::kRuleCount> findings{};

    void merge(const Group& rest);
  };
  Group make_group(const records::GroupKey& value) const;
  static manifest::Breakdown::Group figures_of(const Group& group,
                                               std::uint64_t all_tokens);

  std::string field_;
  std::vector<targets::SurvivalOptions> survival_;
  std::map<records::GroupKey, std::size_t> numbers_;
  std::vector<Group> groups_;  // in order of appearance
  std::vector<Group> beyond_;  // at most one: values that are not tracked
};

}  // namespace trainsight::pipeline

#endif  // TRAINSIGHT_PIPELINE_GROUP_TALLY_H_
