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

/// How an encoding cuts words; `regex` is for Pattern::kRegex.
struct WordCut {
  Pattern pattern = Pattern::kNone;
  std::string_view regex;
};

/// Of the encoding that has this many ranks, or else of the one whose name is
/// in `name` (which may be a path with anybody's names in it).
std::optional<WordCut> cut_of_encoding(std::string_view name,
                                       std::uint32_t rank_count);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_TIKTOKEN_H_
