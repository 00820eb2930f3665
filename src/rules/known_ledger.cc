#include "known_ledger.h"

#include <algorithm>
#include <utility>

namespace trainsight::rules {

bool KnownFindings::may_hold(const Key& key, std::uint64_t fingerprint) const {
  const auto found = groups.find(key);
  if (found == groups.end()) return false;
  const KnownGroup& group = found->second;
  return group.by_number() > 0 ||
         std::binary_search(group.rows.begin(), group.rows.end(), fingerprint);
}

KnownLedger::KnownLedger(const KnownFindings* known, bool gathers)
    : gathers_(gathers) {
  if (known == nullptr) return;
  for (const auto& [key, group] : known->groups) {
    Left& left = left_[key];
    left.all = group.count;
    left.by_number = group.by_number();
    for (const std::uint64_t row : group.rows) ++left.rows[row];
  }
}

bool KnownLedger::take(const KnownFindings::Key& key,
                       std::uint64_t fingerprint) {
  if (gathers_) gather(key, fingerprint);
  const auto found = left_.find(key);
  if (found == left_.end()) return false;
  Left& left = found->second;
  const auto row = left.rows.find(fingerprint);
  if (row != left.rows.end() && row->second > 0) {
    --row->second;
  } else if (left.by_number > 0) {
    --left.by_number;
  } else {
    return false;
  }
  --left.all;
  return true;
}

std::uint64_t KnownLedger::take_number(const KnownFindings::Key& key,
                                       std::uint64_t count) {
  if (gathers_ && count > 0) found_.groups[key].count += count;
  const auto found = left_.find(key);
  if (found == left_.end()) return 0;
  const std::uint64_t known = std::min(count, found->second.by_number);
  found->second.by_number -= known;
  found->second.all -= known;
  return known;
}

void KnownLedger::gather(const KnownFindings::Key& key,
                         std::uint64_t fingerprint) {
  KnownGroup& group = found_.groups[key];
  // A group with fewer rows than findings gave them up.
  const bool whole = group.rows.size() == group.count;
  ++group.count;
  if (!whole) return;
  if (found_rows_ == kMostKnownRows) {
    found_rows_ -= group.rows.size();
    group.rows = {};
    return;
  }
  group.rows.push_back(fingerprint);
  ++found_rows_;
}

void KnownLedger::forget(std::string_view code) {
  for (auto it = found_.groups.begin(); it != found_.groups.end();) {
    const bool drop = it->first.first == code;
    it = drop ? found_.groups.erase(it) : std::next(it);
  }
  for (auto& [key, left] : left_) {
    if (key.first == code) left.all = 0;
  }
}

KnownFindings KnownLedger::found() && {
  for (auto& [key, group] : found_.groups) {
    std::sort(group.rows.begin(), group.rows.end());
  }
  return std::move(found_);
}

std::vector<StaleKnown> KnownLedger::stale() const {
  std::vector<StaleKnown> stale;
  for (const auto& [key, left] : left_) {
    if (left.all > 0) stale.push_back({key.first, key.second, left.all});
  }
  return stale;
}

}  // namespace trainsight::rules
