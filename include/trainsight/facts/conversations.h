// Conversations: what a trainer makes of a chat template's text.
//
// Most render the messages and learn the turns that the template gives to the
// assistant. Others learn the contents alone, or prepare preferences as texts
// that they tokenise anew. What is done is the target's (target_table.h).
#ifndef TRAINSIGHT_FACTS_CONVERSATIONS_H_
#define TRAINSIGHT_FACTS_CONVERSATIONS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "trainsight/chat/chat_template.h"
#include "trainsight/chat/rendered.h"
#include "trainsight/core/result.h"
#include "trainsight/records/sample.h"
#include "trainsight/scan/row_view.h"
#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::facts {

/// What a trainer does with conversations; by default it renders them.
struct Conversations {
  /// Of a message its content is learnt, from the first token that holds any of
  /// it to the last, and the tokenizer's EOS where it stands at most
  /// kMostBeforeEos tokens behind; not what else the template writes.
  /// Source: axolotl 0.19.0, prompt_strategies/chat_template.py with its
  /// defaults roles_to_train: [assistant], train_on_eos: turn.
  bool learns_contents = false;
  /// A preference's prompt is rendered with the header of an answer, and the
  /// answers follow as texts: from their content, where it is found, to the end
  /// of what the template writes behind it, less the white space there, and the
  /// EOS unless they end with it. An answer that the template trims is not
  /// found, and lost. The tokenizer adds its BOS, also before one that the
  /// template wrote. Source: axolotl 0.19.0,
  /// prompt_strategies/dpo/chat_template.py, with its TRL 1.9.0 (whose
  /// DPOTrainer does not call the method that would take a second BOS away).
  bool pairs_as_texts = false;

  static constexpr std::uint64_t kMostBeforeEos = 3;
};

/// Writes conversations so; one per worker.
class ConversationWriter {
 public:
  /// `counter` must be of `tokenizer` and, like it, outlive this object.
  ConversationWriter(const Conversations& how,
                     const tokenize::Tokenizer& tokenizer,
                     tokenize::TokenCounter& counter)
      : how_(how), info_(tokenizer.info()), counter_(counter) {}

  /// Renders `messages`, all of `sample` or those of one side, with what is
  /// learnt marked. Errors: the renderer's.
  Status write(chat::TemplateRenderer& renderer, const scan::RowView& row,
               const records::Sample& sample,
               std::span<const records::Message> messages, chat::Rendered& out);

  [[nodiscard]] const Conversations& how() const { return how_; }

 private:
  std::string_view find_answer(const records::Message& answer);
  Status write_pair(chat::TemplateRenderer& renderer,
                    chat::Conversation conversation, chat::Rendered& out);
  void learn_contents(std::span<const records::Message> messages,
                      chat::Rendered& out);

  Conversations how_;
  const tokenize::TokenizerInfo& info_;
  tokenize::TokenCounter& counter_;
  chat::Rendered whole_;  // of a made-up question and an answer
  std::string scratch_;
};

}  // namespace trainsight::facts

#endif  // TRAINSIGHT_FACTS_CONVERSATIONS_H_
