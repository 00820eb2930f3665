// Segment models that are made of others: the joints of a tokenizer's chain.
//
// Each takes ownership of what it is given. Thread-safety: see segment.h.
#ifndef TRAINSIGHT_TOKENIZE_SEGMENT_MODELS_H_
#define TRAINSIGHT_TOKENIZE_SEGMENT_MODELS_H_

#include <memory>

#include "tokenize/byte_bpe.h"
#include "tokenize/normalizer.h"
#include "tokenize/pre_tokenizer.h"
#include "tokenize/segment.h"

namespace trainsight::tokenize {

using SegmentModelPtr = std::unique_ptr<const SegmentModel>;

/// Byte-level BPE with its own pre-tokenizer.
SegmentModelPtr make_byte_bpe_segments(std::unique_ptr<ByteBpe> bpe);

/// Normalizes a segment, then asks `model`.
SegmentModelPtr make_normalizing(Normalizer normalizer, SegmentModelPtr model);

/// Cuts a segment into words, then asks `model` word by word. A model that
/// has no cache of its own gets one where `cached` is set.
SegmentModelPtr make_word_by_word(PreTokenizer pre_tokenizer,
                                  SegmentModelPtr model, bool cached);

/// How a segment may be cut before its normalizer has seen it.
struct ChunkRule {
  /// Before and after ASCII punctuation too, which is always a word by itself.
  bool at_punctuation = false;
  /// Before and after ideographs (U+5000 to U+9FFF, which three bytes from 0xE5
  /// to 0xE9 on write): they are words by themselves.
  bool at_ideographs = false;
};

/// Cuts a raw segment at single spaces between printable ASCII characters and
/// most letters beyond ASCII, and where `rule` says, and keeps the counts of
/// the chunks in a cache, so that `model`'s normalizer and words are gone
/// through only for chunks not seen before.
///
/// REQUIRES of `model`: it drops such a space and cuts there, does not look
/// over it, and gives every chunk but the text's first one a count that does
/// not depend on its place.
SegmentModelPtr make_chunked(SegmentModelPtr model, ChunkRule rule);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_SEGMENT_MODELS_H_
