// RecordChunker: a text format's bytes in chunks of whole records.
//
// A chunk is about `chunk_bytes` long and ends where a record ends; a record
// that is longer than a chunk makes the chunk longer, up to max_record_bytes. A
// record beyond that is passed over in bounded memory and comes as a chunk of
// its own that holds no bytes, only their number.
//
// What a record is, the RecordSplitter says. Not thread-safe.
#ifndef TRAINSIGHT_SCAN_RECORD_CHUNKER_H_
#define TRAINSIGHT_SCAN_RECORD_CHUNKER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "scan/byte_window.h"
#include "trainsight/core/result.h"
#include "trainsight/scan/reader.h"

namespace trainsight::scan {

/// Finds the ends of records in a text that is given piece by piece.
class RecordSplitter {
 public:
  virtual ~RecordSplitter() = default;
  /// The next bytes given are the beginning of a record.
  virtual void restart() = 0;
  /// Takes the next bytes; the offset just past the last record end in them, 0
  /// when there is none.
  virtual std::size_t last_end(std::string_view bytes) = 0;
  /// The same for the first record end. Bytes behind it are not taken.
  virtual std::size_t first_end(std::string_view bytes) = 0;
};

class RecordChunker {
 public:
  struct Chunk {
    ByteWindow::Piece piece;       ///< whole records; empty when too_long
    std::uint64_t bytes = 0;       ///< of the source that the chunk covers
    bool too_long = false;         ///< one record over max_record_bytes
    std::uint64_t line_feeds = 0;  ///< when too_long: in the record
    bool ends_in_crlf = false;     ///< when too_long: its last two bytes
    bool last = false;             ///< nothing comes after it
  };

  RecordChunker(std::unique_ptr<io::ByteSource> source,
                std::unique_ptr<RecordSplitter> splitter,
                const ReadOptions& options);

  /// The next chunk; nullopt at the end. The error of a source that ends early
  /// comes after the whole records before it.
  Result<std::optional<Chunk>> next();

  /// For a look at the beginning, and to take a byte order mark off.
  ByteWindow& window() { return window_; }
  [[nodiscard]] const ByteWindow& window() const { return window_; }
  void set_splitter(std::unique_ptr<RecordSplitter> splitter);

 private:
  Result<std::optional<Chunk>> skip_long_record(std::size_t seen);
  Result<std::optional<Chunk>> finish(std::size_t whole, std::size_t all);

  ByteWindow window_;
  std::unique_ptr<RecordSplitter> splitter_;
  std::size_t chunk_bytes_;
  std::size_t max_record_bytes_;
};

}  // namespace trainsight::scan

#endif  // TRAINSIGHT_SCAN_RECORD_CHUNKER_H_
