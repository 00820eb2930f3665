#include "row_worker.h"

namespace trainsight::pipeline {

RowWorker::RowWorker(const ScanOptions& options)
    : extractor_(options.columns, options.stated_type),
      measurer_(options.measure),
      checker_(options.rules),
      decode_scratch_(scan::make_scratch()) {
  if (options.by.empty()) return;
  grouper_.emplace(options.by);
  checker_.list_rules();
}

BatchResult RowWorker::process(scan::RowBatch& batch, std::uint32_t file) {
  file_ = file;
  result_ = BatchResult{};
  result_.rows.reserve(rows_of_last_batch_ + rows_of_last_batch_ / 8);
  result_.facts = batch.decode(*decode_scratch_, *this);
  result_.findings = checker_.take();
  if (grouper_.has_value()) result_.groups = grouper_->take();
  rows_of_last_batch_ = result_.rows.size();
  return std::move(result_);
}

void RowWorker::row(const scan::RowView& row) {
  extractor_.extract(row, sample_);
  facts::RowFacts& facts = result_.rows.emplace_back();
  facts.offset = row.offset;
  facts.line = row.line;
  facts.bytes = static_cast<std::uint32_t>(row.raw.size());
  facts.file = file_;
  measurer_.measure(row, sample_, facts);
  rules::RowContext context{row, sample_, extractor_.members(), facts, file_};
  if (const std::string* text = measurer_.rendered_text()) {
    context.rendered = *text;
  }
  context.refusal = measurer_.refusal();
  const std::uint16_t flags = checker_.row(context);
  facts.flags = static_cast<std::uint16_t>(facts.flags | flags);
  if (grouper_.has_value()) grouper_->add(row, checker_.rules_of_row());
}

void RowWorker::bad_record(const scan::BadRecord& bad) {
  ++result_.malformed;
  checker_.bad_record(bad, file_);
}

}  // namespace trainsight::pipeline
