// Reads a whole Reader on one thread and writes its rows down as JSON.
#ifndef TRAINSIGHT_TESTS_SUPPORT_READ_ROWS_H_
#define TRAINSIGHT_TESTS_SUPPORT_READ_ROWS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/scan/reader.h"

namespace trainsight::tests {

/// One value as JSON in one line, keys in tape order; numbers as C's %.17g.
/// Of lengths-only numbers "<N numbers>"; a NaN or infinity as such.
std::string to_json(const scan::RowView& row, const scan::Value& value);

struct ReadRow {
  std::string json;
  std::uint64_t line = 0;  ///< in the file, from 1
  std::uint64_t offset = 0;
  std::uint64_t skeleton = 0;
};

struct ReadResult {
  std::vector<ReadRow> rows;
  std::vector<scan::BadRecord> bad;  ///< lines in the file
  std::vector<scan::FileNote> notes;
  std::optional<Error> error;
  scan::BatchFacts facts;  ///< added up
  std::size_t batches = 0;

  [[nodiscard]] std::string json_lines() const;
};

/// Reads to the end or the first error. Every value of every row is visited.
ReadResult read_all(scan::Reader& reader);
/// The same of what opening came to.
ReadResult read_all(Result<std::unique_ptr<scan::Reader>> reader);

/// Reads to the end or `max_rows` without keeping anything; for fuzzers. The
/// sum of all bytes and numbers seen, so that nothing is optimised away.
std::uint64_t visit_all(scan::Reader& reader, std::uint64_t max_rows);

}  // namespace trainsight::tests

#endif  // TRAINSIGHT_TESTS_SUPPORT_READ_ROWS_H_
