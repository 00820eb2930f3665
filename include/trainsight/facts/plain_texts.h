// Plain texts: how a trainer makes one sequence of a row's texts when no chat
// template writes them.
//
// Counted on its own, each text has its length and the sequence is their sum.
// Trainers do more: they put the tokenizer's BOS in front, an EOS behind the
// answer, and some tokenise prompt and answer as one text, in which a token may
// cross from one into the other. What is done is the target's (target_table.h).
#ifndef TRAINSIGHT_FACTS_PLAIN_TEXTS_H_
#define TRAINSIGHT_FACTS_PLAIN_TEXTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "trainsight/facts/measure_rendered.h"
#include "trainsight/facts/row_facts.h"
#include "trainsight/records/sample.h"
#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::facts {

/// What a trainer does with plain texts; by default nothing.
struct PlainTexts {
  /// The tokenizer's own BOS and EOS stand around the sequence.
  bool adds_special_tokens = false;
  /// The EOS stands behind a last text that is learnt, unless it ends with it.
  bool appends_eos = false;
  /// All texts are tokenised as one.
  bool joined = false;
  /// A preference without a prompt has what both sides begin with as one.
  bool finds_prompt = false;
  /// Which token of joined texts is the first that is learnt.
  LabelStart label_start = LabelStart::kCrossing;
};

/// Whether rows of that type are preferences, paired or not, or RL prompts,
/// which trainers of their own prepare.
[[nodiscard]] constexpr bool is_preference(records::SampleType type) {
  return type == records::SampleType::kDpo ||
         type == records::SampleType::kKto ||
         type == records::SampleType::kGrpo;
}

/// One sequence made of plain texts.
struct PlainSequence {
  struct Part {
    std::size_t piece = 0;  ///< index into Sample::pieces
    std::uint64_t end = 0;  ///< of `text`, in bytes, the EOS included
    std::uint32_t tokens = 0;
    bool trained = false;
  };
  std::string text;  ///< the texts one after the other, and the EOS
  std::vector<Part>
      parts;  ///< in their order; a found prompt is one of its own
  std::uint32_t before = 0;  ///< tokens in front of the text: BOS
  std::uint32_t behind = 0;  ///< behind it
  std::uint32_t tokens = 0;
  std::uint32_t first_label = kAbsent;
  std::uint32_t label_end = 0;
  std::uint32_t label_tokens = 0;
};

/// Makes and measures such sequences; one per worker.
class PlainMeasurer {
 public:
  /// `counter` and `prefixes` must be of `tokenizer` and, like it, outlive this
  /// object. An EOS needs a tokenizer that names one.
  PlainMeasurer(const PlainTexts& how, const tokenize::Tokenizer& tokenizer,
                tokenize::TokenCounter& counter, PrefixCounter& prefixes);

  /// Whether `sample` is such a row and anything is to be done: texts that
  /// nobody says, not ids, steps or segments (which stand as they are).
  [[nodiscard]] bool applies_to(const records::Sample& sample) const;
  /// Whether all texts are tokenised as one.
  [[nodiscard]] bool joins() const { return how_.joined; }

  /// The sequence of one side, or (kBoth) of a row that has no sides.
  /// REQUIRES: applies_to(sample).
  void measure(const records::Sample& sample, records::Side side,
               PlainSequence& sequence);

 private:
  void write(const records::Sample& sample, records::Side side,
             PlainSequence& sequence);
  void add_eos(PlainSequence& sequence);
  void count_joined(PlainSequence& sequence);
  void count_apart(PlainSequence& sequence);
  std::size_t shared_beginning(const records::Sample& sample);

  PlainTexts how_;
  const tokenize::TokenizerInfo& info_;
  tokenize::TokenCounter& counter_;
  PrefixCounter& prefixes_;
  bool eos_is_text_ = false;  // counted as one token where it stands in a text
  std::uint32_t eos_behind_ = 0;  // of this sequence: an EOS that is no text
  std::string scratch_, other_;
  std::vector<std::uint64_t> ends_;
  std::vector<std::uint8_t> learnt_from_;
  std::vector<std::uint64_t> tokens_;
};

}  // namespace trainsight::facts

#endif  // TRAINSIGHT_FACTS_PLAIN_TEXTS_H_
