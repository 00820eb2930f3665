// FileQueue: the batches of all input files as one numbered sequence.
//
// next() is called by the workers, one at a time under the scheduler's lock.
// Opens one file after the other; a file that cannot be opened or read gives an
// end item with the error, and the next file follows.
#ifndef TRAINSIGHT_PIPELINE_FILE_QUEUE_H_
#define TRAINSIGHT_PIPELINE_FILE_QUEUE_H_

#include <cstdint>
#include <memory>
#include <optional>

#include "trainsight/io/byte_source.h"
#include "trainsight/pipeline/scan_job.h"
#include "trainsight/scan/reader.h"

namespace trainsight::pipeline {

/// A file with its reader; batches look into it, so items share it.
struct OpenFile {
  std::shared_ptr<io::ByteSource> source;
  std::unique_ptr<scan::Reader> reader;
};

struct QueueItem {
  std::uint64_t sequence = 0;
  std::uint32_t file = 0;
  std::shared_ptr<OpenFile> open;         ///< null when it did not open
  std::unique_ptr<scan::RowBatch> batch;  ///< null: the end of the file
  std::optional<Error> error;             ///< of an end: why it is early
};

class FileQueue {
 public:
  explicit FileQueue(const ScanOptions& options) : options_(options) {}

  /// The next item; nullopt when all files are done.
  std::optional<QueueItem> next();
  /// Bytes handed out of all files so far, for progress.
  [[nodiscard]] std::uint64_t bytes_read() const;

 private:
  QueueItem make_item(std::uint32_t file);

  const ScanOptions& options_;
  std::uint64_t next_sequence_ = 0;
  std::uint32_t next_file_ = 0;
  std::uint64_t bytes_of_done_files_ = 0;
  std::shared_ptr<OpenFile> current_;
};

}  // namespace trainsight::pipeline

#endif  // TRAINSIGHT_PIPELINE_FILE_QUEUE_H_
