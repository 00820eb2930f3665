// KnownFindings: what was found before and is accepted.
//
// A finding is known again by its rule, its file and the content of its row,
// never by its line, which moves when rows are put in before it. Findings that
// are about no one row (repetitions, a file as a whole) are known by their
// number: as many of them as there were before. More than there were are new.
// Thread-safety: plain values.
#ifndef TRAINSIGHT_RULES_KNOWN_FINDINGS_H_
#define TRAINSIGHT_RULES_KNOWN_FINDINGS_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace trainsight::rules {

/// A list keeps the contents of at most this many rows; of the rules and files
/// beyond it only numbers.
inline constexpr std::size_t kMostKnownRows = 1'000'000;

/// The known findings of one rule in one file.
struct KnownGroup {
  std::uint64_t count = 0;
  /// Finding::fingerprint of those that are about a row, sorted; a content
  /// stands as often as it was found. At most `count`: the rest is known by
  /// number.
  std::vector<std::uint64_t> rows;

  [[nodiscard]] std::uint64_t by_number() const {
    return count - (count < rows.size() ? count : rows.size());
  }
};

struct KnownFindings {
  /// Code of the rule table, and index of the input or kAllFiles.
  using Key = std::pair<std::string_view, std::uint32_t>;
  std::map<Key, KnownGroup> groups;

  /// Whether a finding with this fingerprint could be a known one.
  [[nodiscard]] bool may_hold(const Key& key, std::uint64_t fingerprint) const;
};

/// Known findings that are no longer there.
struct StaleKnown {
  std::string_view code;
  std::uint32_t file = 0;
  std::uint64_t count = 0;
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_KNOWN_FINDINGS_H_
