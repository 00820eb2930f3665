// SentencePiece's model files: BPE and Unigram.
//
// A message with the pieces (text, score, type) and the specifications that
// they were trained with. Control pieces ("<s>") are never found in a text,
// user-defined ones are found first.
// Source: google/sentencepiece, src/sentencepiece_model.proto,
// src/bpe_model.cc, src/unigram_model.cc, src/sentencepiece_processor.cc,
// version 0.2. Thread-safety: pure functions.
#ifndef TRAINSIGHT_TOKENIZE_SENTENCEPIECE_MODEL_H_
#define TRAINSIGHT_TOKENIZE_SENTENCEPIECE_MODEL_H_

#include <string_view>

#include "tokenize/file_tokenizer.h"
#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// The tokenizer that a .model file describes. Errors: kCorrupt for bytes that
/// are no such model; kUnsupported for word and character models and unused
/// pieces of a BPE; kLimit.
Result<TokenizerParts> parse_sentencepiece_model(std::string_view bytes);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_SENTENCEPIECE_MODEL_H_
