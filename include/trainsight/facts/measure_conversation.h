// Measurer: one worker's way from a Sample to the lengths of RowFacts, with or
// without a chat template.
//
// Conversations are rendered; plain fields are not, as trainers do. A
// conversation that the template rejects is measured by its texts alone and
// marked. Not thread-safe: one per worker.
#ifndef TRAINSIGHT_FACTS_MEASURE_CONVERSATION_H_
#define TRAINSIGHT_FACTS_MEASURE_CONVERSATION_H_

#include <memory>
#include <string>
#include <vector>

#include "trainsight/chat/chat_template.h"
#include "trainsight/chat/media_allowance.h"
#include "trainsight/chat/rendered.h"
#include "trainsight/facts/conversations.h"
#include "trainsight/facts/measure.h"
#include "trainsight/facts/measure_rendered.h"
#include "trainsight/facts/plain_texts.h"
#include "trainsight/facts/row_facts.h"
#include "trainsight/records/sample.h"
#include "trainsight/scan/row_view.h"
#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::facts {

/// How rows are measured; shared by all workers.
struct MeasureOptions {
  const tokenize::Tokenizer* tokenizer = nullptr;  ///< not null
  /// nullptr: no template; texts are counted on their own.
  const chat::ChatTemplate* chat_template = nullptr;
  /// For rows that use what chat_template lacks; may be nullptr.
  const chat::ChatTemplate* fallback_template = nullptr;
  chat::MediaAllowance media;
  /// What is done with conversations that have one.
  Conversations conversations;
  /// What is done with texts without template.
  PlainTexts plain;
  /// The same for preferences, paired or not, and for RL prompts.
  PlainTexts plain_preferences;
};

class Measurer {
 public:
  explicit Measurer(const MeasureOptions& options);

  /// Fills everything of `facts` but file, line and offset.
  void measure(const scan::RowView& row, const records::Sample& sample,
               RowFacts& facts);

  /// The last conversation as its template wrote it; nullptr when it was not
  /// rendered. Of a preference, its rejected side. Valid until measure().
  [[nodiscard]] const std::string* rendered_text() const {
    return was_rendered_ ? &rendered_.text : nullptr;
  }

  /// Why the template refused the last conversation, also when the fallback
  /// rendered it; empty when it did not.
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  bool measure_rendered_row(const scan::RowView& row,
                            const records::Sample& sample, RowFacts& facts);
  bool render(const scan::RowView& row, const records::Sample& sample,
              std::span<const records::Message> messages, RowFacts& facts);
  void add_side(const records::Sample& sample, records::Side side,
                RowFacts& facts);
  PlainMeasurer& plain_of(const records::Sample& sample);
  void measure_plain_row(const records::Sample& sample, RowFacts& facts);
  void add_plain_side(const records::Sample& sample, records::Side side,
                      RowFacts& facts);

  MeasureOptions options_;
  std::unique_ptr<tokenize::TokenCounter> counter_;
  PrefixCounter prefixes_;
  ConversationWriter writer_;
  PlainMeasurer plain_;
  PlainMeasurer plain_preferences_;
  PlainSequence plain_sequence_;
  std::unique_ptr<chat::TemplateRenderer> renderer_;
  std::unique_ptr<chat::TemplateRenderer> fallback_;
  MeasureScratch pieces_;
  RenderedScratch rendered_scratch_;
  chat::Rendered rendered_;
  RenderedLengths lengths_;
  std::vector<records::Message> messages_;  // of one side
  std::string refusal_;
  bool was_rendered_ = false;
};

}  // namespace trainsight::facts

#endif  // TRAINSIGHT_FACTS_MEASURE_CONVERSATION_H_
