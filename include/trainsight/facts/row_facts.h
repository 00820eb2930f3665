// RowFacts: what is kept of a row: plain numbers, in input order.
//
// The only input of statistics, survival, batching and packing. Lengths are in
// tokens of the run's tokenizer (or bytes, or code points, when that is the
// tokenizer). Plain data; no views.
#ifndef TRAINSIGHT_FACTS_ROW_FACTS_H_
#define TRAINSIGHT_FACTS_ROW_FACTS_H_

#include <array>
#include <cstdint>
#include <limits>

#include "trainsight/records/sample.h"

namespace trainsight::facts {

/// "This row has no such field": different from a field of no tokens.
inline constexpr std::uint32_t kAbsent =
    std::numeric_limits<std::uint32_t>::max();

/// Bits of RowFacts::flags.
enum Flag : std::uint16_t {
  kHasLabels = 1u << 0,     ///< something is learnt: label_tokens may be 0
  kEndsWithUser = 1u << 1,  ///< a conversation without a last answer
  kHasImages = 1u << 2,     ///< image, audio or video parts, not in lengths
  kHasToolCalls = 1u << 3,  ///< tool calls, in lengths only with a template
  kEmptyText = 1u << 4,     ///< no text at all
  /// The chat template rejects the conversation: lengths are those of its
  /// texts alone.
  kTemplateRefused = 1u << 5,
  kTemplateFallback = 1u << 6,  ///< rendered by the preset that stands in
  kMaskBroken = 1u << 7,        ///< turns are no prefixes of the whole text
  kUsable = 1u << 8,            ///< something can be learnt from it in this run
  kSpoilt = 1u << 9,            ///< a rule says that nothing can
  kConversational = 1u << 10,   ///< its texts are messages
  kMixedStyle = 1u << 11,       ///< strings beside messages in one row
  kLabelTrue = 1u << 12,        ///< unpaired preference: desirable
  kLabelFalse = 1u << 13,       ///< unpaired preference: undesirable
  kHasMarker = 1u << 14,        ///< the response marker stands in it
};

struct RowFacts {
  std::uint64_t offset = 0;  ///< byte offset of the record in its file
  std::uint64_t line = 0;    ///< from 1
  std::uint32_t bytes = 0;   ///< of the record in its file; 0 when columnar
  std::uint32_t file = 0;    ///< index of the input
  records::SampleType type = records::SampleType::kUnknown;
  records::Dialect dialect = records::Dialect::kNone;
  std::int16_t schema = -1;
  std::uint16_t flags = 0;

  /// Length of the rendered training sequence. For a preference the longer of
  /// its two sequences: the pair length, prompt + max(chosen, rejected).
  std::uint32_t tokens = 0;
  /// Sum over the pieces of text, without template and special tokens; for a
  /// preference of the longer side.
  std::uint32_t content_tokens = 0;
  /// Preferences: length of prompt + chosen and of prompt + rejected.
  std::uint32_t chosen_side_tokens = kAbsent;
  std::uint32_t rejected_side_tokens = kAbsent;
  /// Tokens before the first learnt one; kAbsent when nothing is learnt.
  std::uint32_t first_label = kAbsent;
  /// One past the last learnt token; 0 when nothing is learnt.
  std::uint32_t label_end = 0;
  std::uint32_t label_tokens = 0;
  /// Tokens of each field, kAbsent where the row has none; they sum to the
  /// sequence (of the chosen side, plus the rejected answer).
  std::array<std::uint32_t, records::kFieldCount> fields;

  RowFacts() { fields.fill(kAbsent); }
  [[nodiscard]] std::uint32_t field(records::Field f) const {
    return fields[static_cast<std::size_t>(f)];
  }
  [[nodiscard]] bool is_pair() const {
    return type == records::SampleType::kDpo;
  }
};

}  // namespace trainsight::facts

#endif  // TRAINSIGHT_FACTS_ROW_FACTS_H_
