// Segment: what stands between two added tokens, and who turns it into tokens.
//
// A Tokenizer made from files is a chain (pipeline.h): added tokens cut the
// text into segments; a normalizer rewrites a segment; a SegmentModel cuts it
// into words and these into tokens. Every model family implements the two
// interfaces below; several of them take over parts of the chain to be fast.
//
// Thread-safety: a SegmentModel is immutable and shared; a SegmentCounter is
// one worker's and holds its caches.
#ifndef TRAINSIGHT_TOKENIZE_SEGMENT_H_
#define TRAINSIGHT_TOKENIZE_SEGMENT_H_

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "tokenize/added_tokens.h"

namespace trainsight::tokenize {

/// Counts and encodes segments; one worker's.
class SegmentCounter {
 public:
  virtual ~SegmentCounter() = default;

  /// The number of tokens of `segment`. `at_start` says that it begins where
  /// the whole text begins, which some models treat in a special way.
  /// REQUIRES: well-formed UTF-8.
  virtual std::uint64_t count(std::string_view segment, bool at_start) = 0;

  /// Appends the ids of `segment`; as many as count() says.
  virtual void encode(std::string_view segment, bool at_start,
                      std::vector<std::uint32_t>& ids) = 0;

  /// TokenCounter::parts_at() of a segment. REQUIRES: well-formed UTF-8, and a
  /// character begins or the segment ends at `at`.
  virtual bool parts_at(std::string_view /*segment*/, std::size_t /*at*/) {
    return false;
  }

  /// Whether this counter takes whole texts with these tokens among them, which
  /// is faster where tokens are many. Asked once, before anything is counted;
  /// `tokens` must outlive the counter.
  virtual bool take_tokens(const AddedTokens& /*tokens*/) { return false; }

  /// The number of tokens of a whole text, added tokens and segments, cut in
  /// `parts` by the tokens taken. REQUIRES: take_tokens() said so.
  virtual std::uint64_t count_parts(std::string_view /*text*/,
                                    const std::vector<TextPart>& /*parts*/) {
    return 0;
  }
};

/// Immutable rules from a segment to tokens.
class SegmentModel {
 public:
  virtual ~SegmentModel() = default;
  /// A counter for one worker; must not outlive this model.
  [[nodiscard]] virtual std::unique_ptr<SegmentCounter> make_counter()
      const = 0;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_SEGMENT_H_
