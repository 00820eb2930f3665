// Runs the repairs of `trainsight fix` on bytes in memory.
#ifndef TRAINSIGHT_TESTS_SUPPORT_FIXED_H_
#define TRAINSIGHT_TESTS_SUPPORT_FIXED_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cli/fixer.h"
#include "support/memory_source.h"
#include "trainsight/scan/format_table.h"

namespace trainsight::tests {

struct Fixed {
  std::string out;
  std::uint64_t lines = 0;
  cli::Changes changes;
  std::string format;
  bool refused = false;
};

inline Fixed fixed(const std::string& in, bool drop_duplicates = false,
                   std::uint64_t chunk_bytes = 8u << 20,
                   const std::string& name = "in.jsonl") {
  Fixed result;
  const MemorySource bytes(in);
  scan::ReadOptions options;
  options.chunk_bytes = chunk_bytes;
  auto reader =
      scan::open_reader(std::make_unique<MemorySource>(in, 0, name), options);
  if (!reader) {
    result.refused = true;
    return result;
  }
  result.format = (*reader)->format();
  cli::Fixer fixer(
      [&bytes](std::uint64_t offset, std::uint64_t length) {
        return bytes.view(offset, length);
      },
      [&result](std::string_view piece) {
        result.out += piece;
        return Status();
      },
      {drop_duplicates, result.format == "json"});
  auto scratch = scan::make_scratch();
  while (true) {
    auto batch = (*reader)->next();
    if (!batch || *batch == nullptr) {
      result.refused = !batch;
      break;
    }
    const auto facts = (*batch)->decode(*scratch, fixer);
    if (!facts) {
      result.refused = true;
      break;
    }
    fixer.end_of_batch(*facts);
  }
  result.refused = result.refused || !fixer.status();
  fixer.end_of_file((*reader)->notes());
  result.lines = fixer.written();
  result.changes = fixer.changes();
  return result;
}

}  // namespace trainsight::tests

#endif  // TRAINSIGHT_TESTS_SUPPORT_FIXED_H_
