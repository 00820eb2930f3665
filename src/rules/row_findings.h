// RowFindings: where the rules about single rows put what they find.
//
// Counting a finding is an addition; a Finding is made only when it will be
// kept. Internal to the rules module. Not thread-safe.
#ifndef TRAINSIGHT_RULES_ROW_FINDINGS_H_
#define TRAINSIGHT_RULES_ROW_FINDINGS_H_

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "trainsight/facts/row_facts.h"
#include "trainsight/rules/check.h"
#include "trainsight/rules/finding.h"
#include "trainsight/rules/options.h"

namespace trainsight::rules {

/// The findings of one batch by rule, all of one file.
struct BatchSlots {
  struct Slot {
    std::uint64_t count = 0;
    std::vector<Finding> first;  // lines relative to the batch
    // With RuleOptions::fingerprints_all(): of all findings in order, and which
    // of them are in `first`. There those that may be known come on top of the
    // others, since only the reducer can tell.
    std::vector<std::uint64_t> fingerprints;
    std::vector<std::uint64_t> kept_at;
    std::size_t kept_known = 0;

    // Counts a finding; gives the one to fill when it is kept, else nullptr.
    // `fingerprint()` is called when it is needed.
    template <typename Fingerprint>
    Finding* add(const RuleOptions& options, const KnownFindings::Key& key,
                 const Fingerprint& fingerprint);
  };
  std::array<Slot, kRuleCount> slots;
};

class RowFindings {
 public:
  explicit RowFindings(const RuleOptions& options) : options_(options) {}

  /// Findings go to `slots` from now on.
  void use(BatchSlots& slots) { slots_ = &slots; }
  /// The row that is looked at next.
  void begin(const RowContext& context) {
    context_ = &context;
    flags_ = 0;
    fingerprint_ = kNoFingerprint;
    rules_of_row_.clear();
  }
  /// From now on the rules that hold for a row are listed.
  void list_rules() { lists_rules_ = true; }
  /// One entry a finding of the row that was looked at last.
  [[nodiscard]] std::span<const RuleId> rules_of_row() const {
    return rules_of_row_;
  }

  /// Counts a finding of the row. Gives the Finding to fill with pointer,
  /// message and figures when it is kept, else nullptr.
  Finding* found(RuleId rule);
  /// Adds bits of facts::Flag to the row.
  void mark(std::uint16_t flags) {
    flags_ = static_cast<std::uint16_t>(flags_ | flags);
  }
  [[nodiscard]] std::uint16_t flags() const { return flags_; }
  [[nodiscard]] const RuleOptions& options() const { return options_; }

 private:
  const RuleOptions& options_;
  BatchSlots* slots_ = nullptr;
  const RowContext* context_ = nullptr;
  std::uint16_t flags_ = 0;
  bool lists_rules_ = false;
  std::vector<RuleId> rules_of_row_;
  std::uint64_t fingerprint_ = kNoFingerprint;  // of the row, once it is needed
};

template <typename Fingerprint>
Finding* BatchSlots::Slot::add(const RuleOptions& options,
                               const KnownFindings::Key& key,
                               const Fingerprint& fingerprint) {
  ++count;
  bool may_be_known = false;
  if (options.fingerprints_all()) {
    fingerprints.push_back(fingerprint());
    may_be_known = options.known != nullptr &&
                   options.known->may_hold(key, fingerprints.back());
  }
  const std::size_t kept =
      may_be_known ? kept_known : first.size() - kept_known;
  if (kept >= options.kept_findings) return nullptr;
  if (may_be_known) ++kept_known;
  if (options.fingerprints_all()) kept_at.push_back(count - 1);
  Finding& finding = first.emplace_back();
  finding.code = key.first;
  finding.file = key.second;
  finding.fingerprint = fingerprint();
  return &finding;
}

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_ROW_FINDINGS_H_
