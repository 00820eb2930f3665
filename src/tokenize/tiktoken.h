// OpenAI's rank files: lines of base64(bytes of a token), a space, its rank.
#ifndef TRAINSIGHT_TOKENIZE_TIKTOKEN_H_
#define TRAINSIGHT_TOKENIZE_TIKTOKEN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tokenize/byte_bpe.h"
#include "tokenize/pretokenize.h"
#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// Decodes standard base64 and appends the bytes; false for anything else
/// (padding may be missing).
bool append_base64(std::string_view base64, std::string& bytes);

/// The tokens of a rank file, the rank being the id. Ranks that are left out
/// are holes; their order is free. Errors: kCorrupt with the line's number for
/// a line that is not of this form, a rank that comes twice or one beyond ten
/// times the number of lines.
Result<TokenBytes> parse_ranks(std::string_view file);

/// The pattern of the encoding that `name` holds the name of, or else of the
/// one that has this many ranks.
std::optional<Pattern> pattern_of_encoding(std::string_view name,
                                           std::uint32_t rank_count);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_TIKTOKEN_H_
