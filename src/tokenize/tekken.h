// tekken.json: Mistral's own file for its byte-level BPE.
//
// Ranks with their bytes in base64, and the pattern. The last ranks are cut
// off so that with the special tokens, whose ids come first, there are as many
// as default_vocab_size says; an id is a rank plus their number.
// Source: mistralai/mistral-common, tokens/tokenizers/tekken.py.
// Thread-safety: pure functions.
#ifndef TRAINSIGHT_TOKENIZE_TEKKEN_H_
#define TRAINSIGHT_TOKENIZE_TEKKEN_H_

#include <string_view>

#include "tokenize/file_tokenizer.h"
#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// The tokenizer that `json` describes. Special tokens in a text are plain
/// text. Errors: kCorrupt, kUnsupported, kLimit.
Result<TokenizerParts> parse_tekken(std::string_view json);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_TEKKEN_H_
