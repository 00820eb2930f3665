// RowWorker: one worker's part of the pipeline: batches to RowFacts.
#ifndef TRAINSIGHT_PIPELINE_ROW_WORKER_H_
#define TRAINSIGHT_PIPELINE_ROW_WORKER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "group_tally.h"
#include "trainsight/facts/measure_conversation.h"
#include "trainsight/facts/row_facts.h"
#include "trainsight/pipeline/scan_job.h"
#include "trainsight/records/extract.h"
#include "trainsight/rules/check.h"
#include "trainsight/scan/reader.h"

namespace trainsight::pipeline {

/// What a batch gave. Lines of `rows` and `findings` are relative to it.
struct BatchResult {
  Result<scan::BatchFacts> facts = scan::BatchFacts{};
  std::vector<facts::RowFacts> rows;
  rules::BatchFindings findings;
  std::uint64_t malformed = 0;
  BatchGroups groups;  ///< with ScanOptions::by
};

/// Owns everything that a worker reuses. Not thread-safe.
class RowWorker : private scan::RowVisitor {
 public:
  explicit RowWorker(const ScanOptions& options);

  BatchResult process(scan::RowBatch& batch, std::uint32_t file);

 private:
  void row(const scan::RowView& row) override;
  void bad_record(const scan::BadRecord& bad) override;

  records::Extractor extractor_;
  records::Sample sample_;
  facts::Measurer measurer_;
  rules::RowChecker checker_;
  std::unique_ptr<scan::DecodeScratch, void (*)(scan::DecodeScratch*)>
      decode_scratch_;
  std::optional<BatchGrouper> grouper_;  // with ScanOptions::by
  std::uint32_t file_ = 0;
  std::size_t rows_of_last_batch_ = 0;  // the next one will have about as many
  BatchResult result_;
};

}  // namespace trainsight::pipeline

#endif  // TRAINSIGHT_PIPELINE_ROW_WORKER_H_
