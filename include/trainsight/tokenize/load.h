// Tokenizers that need no file, and OpenAI's rank files.
//
// Everything here takes bytes and gives values; reading files is the caller's.
// Files of other kinds: load_files.h.
#ifndef TRAINSIGHT_TOKENIZE_LOAD_H_
#define TRAINSIGHT_TOKENIZE_LOAD_H_

#include <memory>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"
#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::tokenize {

/// A tokenizer by its built-in name:
///  * "bytes": a token is a byte of the UTF-8 text;
///  * "chars": a token is a Unicode code point;
///  * "o200k_base": GPT-4o's, from the ranks in this binary. In a binary built
///    without them it is an estimate (Exactness::kEstimated) of a token for
///    each 4 bytes, rounded up, and its notes say so;
///  * "estimate": that estimate.
/// Errors: kNotFound for any other name.
Result<std::unique_ptr<Tokenizer>> open_builtin(std::string_view name);

/// A tokenizer from the bytes of a rank file: a line a token, its bytes in
/// base64, a space, its rank.
///
/// The file does not say how words are cut. The number of ranks decides when it
/// is that of r50k, p50k, cl100k, o200k, Llama 3 or Kimi K2, else the name of
/// one of these in `name` ("…/cl100k_base.tiktoken"); `regex` overrides both.
/// As in tiktoken's ordinary encoding, special tokens in the text are plain
/// text.
///
/// Errors: kCorrupt with the line at fault, kUnsupported when the pattern is
/// neither known nor given.
Result<std::unique_ptr<Tokenizer>> make_tiktoken(std::string_view name,
                                                 std::string_view ranks,
                                                 std::string_view regex = {});

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_LOAD_H_
