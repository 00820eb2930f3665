// FileTokenizer: a tokenizer made from files, as the chain of its parts.
//
//   text ─▶ added tokens ─▶ normalizer ─▶ added tokens ─▶ model ─▶ tokens
//           in raw text                   in normalized text
//
// Thread-safety: immutable; counters are one worker's.
#ifndef TRAINSIGHT_TOKENIZE_FILE_TOKENIZER_H_
#define TRAINSIGHT_TOKENIZE_FILE_TOKENIZER_H_

#include <memory>
#include <string>
#include <string_view>

#include "tokenize/added_tokens.h"
#include "tokenize/normalizer.h"
#include "tokenize/segment_models.h"
#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::tokenize {

/// The parts of a tokenizer; a loader's result.
struct TokenizerParts {
  TokenizerInfo info;
  AddedTokens raw_tokens;         ///< searched in the text as it is
  Normalizer normalizer;          ///< of what is between them
  AddedTokens normalized_tokens;  ///< searched in what it gives
  SegmentModelPtr model;          ///< of what is between these

  /// The same as normalizer and model together, faster; may be null. Used for
  /// segments that surely hold no normalized token: where there are none at
  /// all, or `normalized_mark` is not in the segment.
  SegmentModelPtr fused;
  /// A byte that every pattern of normalized_tokens holds and the normalizer
  /// neither makes nor takes away; 0 for none.
  char normalized_mark = 0;
  /// Whether the model asks where a text begins, and the normalizer may take
  /// the beginning away.
  bool begin_matters = false;
};

std::unique_ptr<Tokenizer> make_file_tokenizer(TokenizerParts parts);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_FILE_TOKENIZER_H_
