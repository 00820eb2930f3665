// One record as the trainer sees it: its text with control tokens visible,
// what is learnt, how many tokens, and where max_seq_len cuts. Pure.
#ifndef TRAINSIGHT_REPORT_RECORD_REPORT_H_
#define TRAINSIGHT_REPORT_RECORD_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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

/// A place in a sequence: before byte `byte` of the text of span `span`.
struct RecordCut {
  std::size_t span = 0;
  std::size_t byte = 0;
};

/// One sequence of the record; preferences have two.
struct RecordSequence {
  std::string name;  ///< "sequence", "chosen", "rejected"
  std::vector<RecordSpan> spans;
  std::uint64_t tokens = 0;
  std::uint64_t trained_tokens = 0;
  /// Where a sequence over max_seq_len is cut; absent when it is not cut.
  std::optional<RecordCut> cut;
};

struct RecordView {
  std::string place;   ///< "train.jsonl:12"
  std::string schema;  ///< "messages"
  std::string type;    ///< "sft"
  std::string tokenizer;
  std::string chat_template;
  std::string refusal;  ///< why the template rejects it; or empty
  std::string target;   ///< whose rules hold; empty: none in particular
  std::optional<std::uint64_t> max_seq_len;
  /// What becomes of a sequence over it: "truncate", "truncate_keep_end", …,
  /// as the target table names it.
  std::string overlong;
  std::vector<std::string> notes;  ///< what the text does not show
  std::vector<RecordSequence> sequences;
};

/// Control characters are shown as escapes; trained text is marked with a heavy
/// bar in the margin, and in colour where there is any. At most 80 columns.
std::string record_report(const RecordView& record, const TextOptions& options);
std::string record_json(const RecordView& record);

/// The text for a terminal: control characters, and those that turn text
/// around, as "?"; bytes that are no UTF-8 as U+FFFD.
std::string safe_text(std::string_view text);

}  // namespace trainsight::report

#endif  // TRAINSIGHT_REPORT_RECORD_REPORT_H_
