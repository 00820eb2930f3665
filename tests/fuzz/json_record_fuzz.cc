// The JSON parsers on any bytes: neither reads outside the record nor crashes,
// and they agree on what is a record.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string_view>

#include "scan/json_block.h"
#include "scan/json_strict.h"
#include "scan/tape_finish.h"
#include "support/memory_source.h"
#include "support/read_rows.h"
#include "trainsight/scan/format_table.h"

namespace {

using namespace trainsight::scan;

// One record to both parsers, which must agree.
void parse_record(std::string_view record) {
  const JsonLimits limits{16, 1000};
  JsonTape strict_tape;
  JsonTape block_tape;
  JsonFault fault;
  // Kept between inputs, as workers keep theirs.
  static StrictJson strict;
  static JsonBlock block;
  const bool accepted = strict.parse(record, limits, strict_tape, fault);
  if (!accepted && fault.byte > record.size()) std::abort();
  const bool indexed = block.index(record);
  if (!indexed && accepted) std::abort();
  if (!indexed) return;
  const JsonBlock::Verdict verdict =
      block.parse(0, record.size(), limits, block_tape);
  if ((verdict == JsonBlock::Verdict::kObject) != accepted) std::abort();
  if (!accepted) return;
  FinishScratch scratch;
  if (strict_tape.count() != block_tape.count() ||
      finish_tape(strict_tape.values(), scratch) !=
          finish_tape(block_tape.values(), scratch)) {
    std::abort();
  }
  std::uint64_t skipped = 0;
  for (const Value& value : strict_tape.values()) {
    if (value.kind == ValueKind::kText) skipped += value.utf8_bytes();
    if (value.kind == ValueKind::kNumbers) {
      for_each_integer(value, [&skipped](std::int64_t) { ++skipped; });
    }
  }
  if (skipped > record.size()) std::abort();
}

// The bytes as a file, in small chunks; mapped or streamed must not matter.
void read_file(std::string_view bytes) {
  ReadOptions options;
  options.chunk_bytes = 16;
  options.max_record_bytes = 64;
  options.max_depth = 16;
  std::uint64_t sums[2] = {0, 0};
  for (int i = 0; i < 2; ++i) {
    auto reader = open_reader(std::make_unique<trainsight::tests::MemorySource>(
                                  bytes, i == 0 ? 0 : 7, "x.json"),
                              options);
    if (reader) sums[i] = trainsight::tests::visit_all(**reader, 100'000);
  }
  if (sums[0] != sums[1]) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) {
  if (size > 1 << 16) return 0;
  // The parsers ask for 64 readable bytes behind the record.
  const auto padded = std::make_unique<char[]>(size + 64);
  if (size > 0) std::memcpy(padded.get(), data, size);
  const std::string_view bytes(padded.get(), size);
  if (bytes.find('\n') == std::string_view::npos) parse_record(bytes);
  read_file(bytes);
  return 0;
}
