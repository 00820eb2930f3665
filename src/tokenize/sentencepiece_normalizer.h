// SentencePiece's own normalizer: charsmap, spaces, and the dummy prefix.
//
// Source: google/sentencepiece, src/normalizer.cc (Normalize,
// NormalizePrefix), version 0.2.
// Thread-safety: immutable.
#ifndef TRAINSIGHT_TOKENIZE_SENTENCEPIECE_NORMALIZER_H_
#define TRAINSIGHT_TOKENIZE_SENTENCEPIECE_NORMALIZER_H_

#include <string>
#include <vector>

#include "tokenize/charsmap.h"
#include "tokenize/normalizer.h"

namespace trainsight::tokenize {

/// Members of a model's normalizer_spec and trainer_spec.
struct SentencePieceNormalizerSpec {
  Charsmap charsmap;
  bool add_dummy_prefix = true;           ///< a space before the text
  bool remove_extra_whitespaces = true;   ///< at the ends, and runs become one
  bool escape_whitespaces = true;         ///< a space becomes U+2581
  bool whitespace_as_suffix = false;      ///< the dummy stands after the text
  std::vector<std::string> user_defined;  ///< passed through as they are
};

/// The normalizer of a whole text.
StepPtr make_sentencepiece_step(SentencePieceNormalizerSpec spec);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_SENTENCEPIECE_NORMALIZER_H_
