// Finding: something in the data that will matter to the trainer.
//
// A rule has a stable code and name; a finding is one place where it holds,
// with the figures that say how much. Every finding is counted, the first few
// of each rule are kept; figures of the whole group (how many rows of how many)
// stand on the group. Plain data; a FindingLog is used by one thread at a time.
#ifndef TRAINSIGHT_RULES_FINDING_H_
#define TRAINSIGHT_RULES_FINDING_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

namespace trainsight::rules {

enum class Severity : std::uint8_t { kInfo, kWarning, kError };

/// "info", "warning", "error".
std::string_view name_of(Severity severity);

/// A named number or word of a finding; ratios are 0…1 and named *_ratio,
/// sizes name their unit: "record_bytes", "row_tokens".
using FigureValue = std::variant<std::int64_t, double, std::string>;
struct Figure {
  std::string name;
  FigureValue value;
};

/// A count as a figure; beyond an int64 (which no count reaches) its largest.
Figure count_figure(std::string name, std::uint64_t count);

inline constexpr std::uint64_t kNoLine = 0;
inline constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};
/// Finding::fingerprint of what is not about one row.
inline constexpr std::uint64_t kNoFingerprint = 0;
/// Finding::file of what holds for all files together.
inline constexpr std::uint32_t kAllFiles = ~std::uint32_t{0};

struct Finding {
  std::string_view code;  ///< of the rule table: "TS104"
  Severity severity = Severity::kWarning;
  std::uint32_t file = 0;            ///< index of the input, or kAllFiles
  std::uint64_t line = kNoLine;      ///< from 1; 0: the file as a whole
  std::uint64_t offset = kNoOffset;  ///< byte in the file, where known
  std::string pointer;               ///< JSON Pointer, where there is one
  std::string message;
  std::vector<Figure> figures;
  /// Of the row's content, so that a finding is known again when lines move.
  std::uint64_t fingerprint = kNoFingerprint;
};

/// The findings of one rule in one file: all counted, the first few kept.
struct FindingGroup {
  std::uint64_t count = 0;
  /// Of these the ones that a list of known findings holds.
  std::uint64_t known = 0;
  std::vector<Finding> first;   ///< in input order; none that is known
  std::vector<Figure> figures;  ///< of all of them together
};

/// Findings by (code, severity, file), in that order.
class FindingLog {
 public:
  using Key = std::tuple<std::string_view, Severity, std::uint32_t>;

  /// Keeps at most `kept` findings of each group; counts all.
  FindingLog() = default;
  explicit FindingLog(std::size_t kept) : kept_(kept) {}

  void add(Finding finding);
  /// Adds `count` findings of one group, of which `first` are the first few.
  void add_group(const Key& key, std::uint64_t count,
                 std::vector<Finding> first);
  /// Counts findings of one group that are known; they are not kept.
  void add_known(const Key& key, std::uint64_t count);
  /// The group of `key`, or nullptr when nothing was found.
  FindingGroup* find(const Key& key);
  [[nodiscard]] std::map<Key, FindingGroup>& groups() { return groups_; }
  [[nodiscard]] const std::map<Key, FindingGroup>& groups() const {
    return groups_;
  }
  [[nodiscard]] std::map<Key, FindingGroup> take_groups() && {
    return std::move(groups_);
  }
  [[nodiscard]] std::uint64_t count(Severity severity) const;

 private:
  std::size_t kept_ = 5;
  std::map<Key, FindingGroup> groups_;
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_FINDING_H_
