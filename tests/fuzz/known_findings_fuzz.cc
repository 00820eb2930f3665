// Lists of known findings of any bytes: the reader neither crashes nor
// allocates without bound, what it accepts is written and read again unchanged,
// and the ledger takes each finding as often as the list holds it.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "rules/known_ledger.h"
#include "trainsight/manifest/known_findings.h"

namespace {

using namespace trainsight;

// A violated promise of the module, for the fuzzer to see.
void require(bool holds) {
  if (!holds) std::abort();
}

void tick_off(const manifest::KnownEntry& entry) {
  const rules::KnownFindings::Key key{entry.code, 0};
  rules::KnownFindings known;
  known.groups[key] = entry.group;
  rules::KnownLedger ledger(&known, true);
  for (const std::uint64_t row : entry.group.rows) {
    require(known.may_hold(key, row));
    require(ledger.take(key, row));
  }
  const std::uint64_t rest = entry.group.by_number();
  require(ledger.take_number(key, rest) == rest);
  require(ledger.stale().empty());
  require(ledger.take_number(key, 1) == 0);
  require(!ledger.take(key, 0));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size > 1 << 16) return 0;
  // A constructor from two pointers takes no null one.
  const std::string json(data, data + size);
  const auto list = manifest::parse_known_findings(json, "k.json");
  if (!list) {
    require(!list.error().message.empty());
    return 0;
  }
  for (const manifest::KnownEntry& entry : *list) tick_off(entry);
  const std::string written = manifest::to_json(*list, "1");
  const auto again = manifest::parse_known_findings(written, "k.json");
  require(again.has_value());
  require(manifest::to_json(*again, "1") == written);
  return 0;
}
