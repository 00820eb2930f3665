// The rows of a packing run: their lengths, and where their bytes are.
#ifndef TRAINSIGHT_CLI_PACK_ROWS_H_
#define TRAINSIGHT_CLI_PACK_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/facts/row_facts.h"
#include "trainsight/io/byte_source.h"

namespace trainsight::cli {

/// 24 bytes a row, in input order; 32 in sets with preference pairs.
struct PackRows {
  struct Place {
    std::uint64_t offset = 0;
    std::uint32_t bytes = 0;  ///< 0: the row has no bytes of its own
    std::uint32_t file = 0;
  };
  std::vector<std::uint32_t> lengths;
  std::vector<std::uint32_t> first_labels;  ///< batching::kNoLabel: none
  std::vector<Place> places;
  /// The sides of each row in a set with preference pairs, else empty. Of a row
  /// that is no pair, its length and 0.
  std::vector<std::uint32_t> chosen;
  std::vector<std::uint32_t> rejected;

  void add(const std::vector<facts::RowFacts>& rows);
};

/// Reads rows back from their files, by place.
class RowBytes {
 public:
  /// Opens every file. Errors: its own; kUnsupported for files without random
  /// access to rows (streams, compressed and columnar files).
  static Result<RowBytes> open(const std::vector<std::string>& paths,
                               const PackRows& rows);

  /// The row as one line of JSON: line ends between values become spaces.
  /// Valid until the next call.
  std::string_view line(const PackRows::Place& place);

  /// kChanged when a file is not what it was when it was opened.
  [[nodiscard]] Status check() const;

 private:
  std::vector<std::unique_ptr<io::ByteSource>> files_;
  std::string compact_;
};

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_PACK_ROWS_H_
