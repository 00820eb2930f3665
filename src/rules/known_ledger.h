// KnownLedger: ticks off known findings as they are met, in input order, and
// keeps what a new list of them would hold. Of the reducer; not thread-safe.
#ifndef TRAINSIGHT_RULES_KNOWN_LEDGER_H_
#define TRAINSIGHT_RULES_KNOWN_LEDGER_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "trainsight/rules/known_findings.h"

namespace trainsight::rules {

class KnownLedger {
 public:
  /// `known` may be null. `gathers`: found() is asked for at the end.
  KnownLedger(const KnownFindings* known, bool gathers);

  /// One finding about a content; whether it is known.
  bool take(const KnownFindings::Key& key, std::uint64_t fingerprint);
  /// `count` findings about no one row; how many of them are known.
  std::uint64_t take_number(const KnownFindings::Key& key, std::uint64_t count);
  /// Findings of the rule do not count after all.
  void forget(std::string_view code);

  /// All findings of the run. Empty when it does not gather.
  KnownFindings found() &&;
  /// Known findings that were not met, by code and file.
  [[nodiscard]] std::vector<StaleKnown> stale() const;

 private:
  struct Left {
    std::unordered_map<std::uint64_t, std::uint64_t> rows;
    std::uint64_t by_number = 0;
    std::uint64_t all = 0;
  };
  void gather(const KnownFindings::Key& key, std::uint64_t fingerprint);

  bool gathers_;
  std::map<KnownFindings::Key, Left> left_;
  KnownFindings found_;
  std::size_t found_rows_ = 0;
};

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_RULES_KNOWN_LEDGER_H_
