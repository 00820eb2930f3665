// One record as the trainer sees it: its text with control tokens visible,
// what is learnt, how many tokens, and where max_seq_len cuts. Pure.
#ifndef TRAINSIGHT_REPORT_RECORD_REPORT_H_
#define TRAINSIGHT_REPORT_RECORD_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainsight/report/text_report.h"

namespace trainsight::report {

/// A stretch of the training sequence.
struct RecordSpan {
  std::string text;   ///< UTF-8
  std::string label;  ///< "user", "assistant", "template", "prompt"
  bool trained = false;
  std::uint64_t tokens = 0;  ///< that it adds to the sequence
};

/// One sequence of the record; preferences have two.
struct RecordSequence {
  std::string name;  ///< "sequence", "chosen", "rejected"
  std::vector<RecordSpan> spans;
  std::uint64_t tokens = 0;
  std::uint64_t trained_tokens = 0;
};

struct RecordView {
  std::string place;   ///< "train.jsonl:12"
  std::string schema;  ///< "messages"
  std::string type;    ///< "sft"
  std::string tokenizer;
  std::string chat_template;
  std::string refusal;  ///< why the template rejects it; or empty
  std::optional<std::uint64_t> max_seq_len;
  std::vector<RecordSequence> sequences;
};

/// Control characters are shown as escapes; trained text is marked with a bar
/// in the margin, and in colour where there is any.
std::string record_report(const RecordView& record, const TextOptions& options);
std::string record_json(const RecordView& record);

}  // namespace trainsight::report

#endif  // TRAINSIGHT_REPORT_RECORD_REPORT_H_
