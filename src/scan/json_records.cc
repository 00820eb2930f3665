#include "scan/json_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace trainsight::scan {
namespace {

// Blocks are large enough to make stage 1's start cheap, small enough that
// text, indexes and tape stay in the second-level cache.
constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxBlankLines = 8;

bool is_blank(std::string_view line) {
  return std::all_of(line.begin(), line.end(), [](char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
  });
}

void count_blank(BatchFacts& facts) {
  ++facts.blank_lines;
  ++facts.trailing_blank_lines;
  if (facts.first_blank_lines.size() < kMaxBlankLines) {
    facts.first_blank_lines.push_back(facts.lines);
  }
}

// The part of a block that is worth an index of its own: whole lines of about
// kBlockBytes, or one long line.
std::size_t block_bytes(std::string_view rest, char line_end) {
  if (rest.size() <= kBlockBytes) return rest.size();
  const void* const last = ::memrchr(rest.data(), line_end, kBlockBytes);
  if (last != nullptr) {
    return static_cast<std::size_t>(static_cast<const char*>(last) -
                                    rest.data()) +
           1;
  }
  const std::size_t at = rest.find(line_end, kBlockBytes);
  return at == std::string_view::npos ? rest.size() : at + 1;
}

}  // namespace

BatchFacts JsonRecords::lines(std::string_view chunk, std::uint64_t offset,
                              char line_end) {
  BatchFacts facts;
  facts.bytes = chunk.size();
  while (!chunk.empty()) {
    const std::size_t bytes = block_bytes(chunk, line_end);
    block_of_lines(chunk.substr(0, bytes), offset, line_end, facts);
    facts.ends_with_newline = chunk[bytes - 1] == line_end;
    chunk.remove_prefix(bytes);
    offset += bytes;
  }
  return facts;
}

void JsonRecords::block_of_lines(std::string_view block, std::uint64_t offset,
                                 char line_end, BatchFacts& facts) {
  const bool indexed =
      block.size() <= JsonBlock::kMaxBytes && scratch_.block.index(block);
  std::size_t begin = 0;
  while (begin < block.size()) {
    std::size_t end = block.find(line_end, begin);
    const std::size_t next =
        end == std::string_view::npos ? block.size() : end + 1;
    if (end == std::string_view::npos) {
      end = block.size();
    } else if (end > begin && block[end - 1] == '\r') {
      --end;
      ++facts.crlf_lines;
    }
    ++facts.lines;
    // The limit counts a CR, as the cut into chunks does.
    const std::size_t line_bytes =
        next - begin - (block[next - 1] == line_end ? 1 : 0);
    const std::string_view line = block.substr(begin, end - begin);
    const RecordPlace place{facts.lines, offset + begin};
    if (line_bytes > max_bytes_) {
      facts.trailing_blank_lines = 0;
      too_long(line_bytes, place);
    } else if (is_blank(line.substr(0, 1)) && is_blank(line)) {
      count_blank(facts);
    } else {
      facts.trailing_blank_lines = 0;
      if (indexed) {
        indexed_record(line, begin, place);
      } else {
        record(line, place);
      }
    }
    begin = next;
  }
}

void JsonRecords::indexed_record(std::string_view record, std::size_t begin,
                                 const RecordPlace& place) {
  if (scratch_.block.parse(begin, begin + record.size(), limits_,
                           scratch_.tape) == JsonBlock::Verdict::kObject) {
    give_row(record, place);
  } else {
    strict_record(record, place);
  }
}

void JsonRecords::record(std::string_view record, const RecordPlace& place) {
  if (record.size() > kMaxRecordBytes) {
    too_long(record.size(), place);
  } else if (record.size() <= JsonBlock::kMaxBytes &&
             scratch_.block.index(record)) {
    indexed_record(record, 0, place);
  } else {
    strict_record(record, place);
  }
}

void JsonRecords::strict_record(std::string_view record,
                                const RecordPlace& place) {
  JsonFault& fault = scratch_.fault;
  if (scratch_.strict.parse(record, limits_, scratch_.tape, fault)) {
    give_row(record, place);
    return;
  }
  BadRecord bad;
  bad.kind = fault.kind;
  bad.line = place.line;
  bad.offset = place.offset;
  bad.bytes = record.size();
  bad.byte = fault.byte;
  bad.pointer = fault.pointer;
  bad.message = fault.message;
  bad.raw = record;
  visitor_.bad_record(bad);
}

void JsonRecords::too_long(std::uint64_t bytes, const RecordPlace& place) {
  BadRecord bad;
  bad.kind = BadRecordKind::kTooLong;
  bad.line = place.line;
  bad.offset = place.offset;
  bad.bytes = bytes;
  bad.message = fmt::format("a record of {} bytes is over the limit of {}",
                            bytes, max_bytes_);
  visitor_.bad_record(bad);
}

void JsonRecords::give_row(std::string_view record, const RecordPlace& place) {
  RowView row;
  row.skeleton = finish_tape(scratch_.tape.values(), scratch_.finish);
  row.values = scratch_.tape.values();
  row.raw = record;
  row.line = place.line;
  row.offset = place.offset;
  row.row = row_count_++;
  visitor_.row(row);
}

}  // namespace trainsight::scan
