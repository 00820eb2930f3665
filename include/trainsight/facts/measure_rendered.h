// The lengths of a conversation as its chat template writes it.
//
// The rendered text is tokenised as a whole, as trainers do; the length of a
// field is the difference of prefix counts at its ends, so that fields and
// template sum to the sequence. The template's own text counts for the message
// that it belongs to.
//
// Counting every prefix anew would take time quadratic in the turns. Control
// tokens cut the text: where a tokenizer counts the pieces between them on
// their own (checked once by probing), a prefix is the sum of the pieces before
// it. Where it does not, prefixes are counted in full.
#ifndef TRAINSIGHT_FACTS_MEASURE_RENDERED_H_
#define TRAINSIGHT_FACTS_MEASURE_RENDERED_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/chat/rendered.h"
#include "trainsight/facts/row_facts.h"
#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::facts {

/// Counts prefixes of a text; one per worker.
class PrefixCounter {
 public:
  /// `counter` must be one of `tokenizer`'s and outlive this object.
  PrefixCounter(const tokenize::Tokenizer& tokenizer,
                tokenize::TokenCounter& counter);

  /// tokens[i] = number of tokens of text[0, ends[i]), where a token that
  /// crosses an end counts on the side that text[0, ends[i]) alone gives it;
  /// the last end is the text's. REQUIRES: `ends` ascending, not empty.
  ///
  /// Where learnt_from[i] is not 0, what is learnt begins at ends[i], and the
  /// token that crosses it counts behind it: trainers mask by tokens, from the
  /// one that holds the first byte (transformers' assistant masks), or from the
  /// first id that differs from those of the prompt alone (TRL's prompts and
  /// completions). The ids of 128 bytes on both sides tell.
  void count(std::string_view text, std::span<const std::uint64_t> ends,
             std::span<const std::uint8_t> learnt_from,
             std::vector<std::uint64_t>& tokens);

  /// Whether pieces between control tokens are counted on their own.
  [[nodiscard]] bool cuts_are_exact() const { return cuts_are_exact_; }

 private:
  void find_cuts(std::string_view text);
  [[nodiscard]] std::size_t next_first_byte(std::string_view text,
                                            std::size_t at) const;
  std::uint64_t crossing(std::string_view text, std::size_t at);

  tokenize::TokenCounter& counter_;
  std::vector<std::string_view> control_;  // by length, longest first
  bool first_bytes_[256] = {};
  int first_byte_count_ = 0;
  bool cuts_are_exact_ = false;
  std::vector<std::uint64_t> cuts_;
  std::vector<std::uint32_t> ids_before_, ids_;
};

/// The lengths of one rendered sequence.
struct RenderedLengths {
  std::uint32_t tokens = 0;
  std::uint32_t first_label = kAbsent;
  std::uint32_t label_end = 0;
  std::uint32_t label_tokens = 0;
  bool has_trained_span = false;
  /// Tokens of each message, template text included; by message index.
  std::vector<std::uint32_t> by_message;
  std::uint32_t outside_messages = 0;  ///< BOS, tools, generation prompt
};

/// Which token is the first that is learnt where learning begins inside one.
enum class LabelStart : std::uint8_t {
  kCrossing,     ///< the one that holds the first byte: see PrefixCounter
  kPromptTokens  ///< the one behind as many as what stands before has alone
};

/// Scratch of measure_rendered().
struct RenderedScratch {
  std::vector<std::uint64_t> ends;
  std::vector<std::uint8_t> learnt_from;  ///< of each end: learning begins
  std::vector<std::uint64_t> tokens;
};

/// Measures `rendered`, a conversation of `message_count` messages.
void measure_rendered(const chat::Rendered& rendered, std::size_t message_count,
                      LabelStart start, PrefixCounter& counter,
                      RenderedScratch& scratch, RenderedLengths& lengths);

}  // namespace trainsight::facts

#endif  // TRAINSIGHT_FACTS_MEASURE_RENDERED_H_
