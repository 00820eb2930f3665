// tokenizer.json: Hugging Face's description of a whole tokenizer.
//
// Byte-level BPE goes to ByteBpe, BPE over characters to SpBpe, both with the
// pre-tokenizer built in where its form is known; all else goes step by step.
// Whatever is not understood is refused by name.
// Thread-safety: pure functions.
#ifndef TRAINSIGHT_TOKENIZE_TOKENIZER_JSON_H_
#define TRAINSIGHT_TOKENIZE_TOKENIZER_JSON_H_

#include <string_view>
#include <vector>

#include "tokenize/added_tokens.h"
#include "tokenize/file_tokenizer.h"
#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// The tokenizer that `json` describes. `more_tokens` are added tokens from
/// elsewhere (tokenizer_config.json); those that the file has are left out.
/// Errors: kCorrupt, kUnsupported, kLimit, with what is at fault.
Result<TokenizerParts> parse_tokenizer_json(
    std::string_view json, const std::vector<AddedToken>& more_tokens = {});

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_TOKENIZER_JSON_H_
