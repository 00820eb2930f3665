// One record as the trainer sees it: its sequences, what is learnt of them, and
// where a limit cuts. Internal to cli.
#ifndef TRAINSIGHT_CLI_RECORD_SHOWER_H_
#define TRAINSIGHT_CLI_RECORD_SHOWER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "scan_args.h"
#include "trainsight/chat/chat_template.h"
#include "trainsight/facts/conversations.h"
#include "trainsight/facts/measure_rendered.h"
#include "trainsight/facts/plain_texts.h"
#include "trainsight/records/sample.h"
#include "trainsight/report/record_report.h"
#include "trainsight/scan/row_view.h"
#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::cli {

/// Makes the view of one record; one a command, not thread-safe.
class RecordShower {
 public:
  explicit RecordShower(const ScanSettings& settings)
      : settings_(settings),
        counter_(settings.tokenizer->make_counter()),
        prefixes_(*settings.tokenizer, *counter_),
        writer_(settings.scan.measure.conversations, *settings.tokenizer,
                *counter_),
        plain_(settings.scan.measure.plain, *settings.tokenizer, *counter_,
               prefixes_),
        plain_preferences_(settings.scan.measure.plain_preferences,
                           *settings.tokenizer, *counter_, prefixes_) {}

  /// What a trainer makes of `row`, which the extractor read as `sample`.
  report::RecordView show(const scan::RowView& row,
                          const records::Sample& sample);

 private:
  report::RecordSequence of_pieces(const records::Sample& sample,
                                   records::Side side);
  report::RecordSequence of_plain(const records::Sample& sample,
                                  records::Side side);
  report::RecordSequence of_rendered(
      const records::Sample& sample,
      const std::vector<records::Message>& messages);
  report::RecordSequence of_ids(const records::Sample& sample,
                                report::RecordView& view) const;
  bool rendered_sequences(const scan::RowView& row,
                          const records::Sample& sample,
                          report::RecordView& view);
  void learn_as_target(const records::Sample& sample,
                       report::RecordView& view) const;
  void cut(const records::Sample& sample, report::RecordView& view);
  std::uint64_t tokens_before(const report::RecordSequence& sequence,
                              std::size_t span, std::size_t byte);

  const ScanSettings& settings_;
  std::unique_ptr<tokenize::TokenCounter> counter_;
  facts::PrefixCounter prefixes_;
  facts::ConversationWriter writer_;
  facts::PlainMeasurer plain_;
  facts::PlainMeasurer plain_preferences_;
  chat::Rendered rendered_;
  bool is_one_text_ = false;  // the spans are tokenised together
};

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_RECORD_SHOWER_H_
