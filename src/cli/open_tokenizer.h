// From --tokenizer to a Tokenizer: built-in names and files.
#ifndef TRAINSIGHT_CLI_OPEN_TOKENIZER_H_
#define TRAINSIGHT_CLI_OPEN_TOKENIZER_H_

#include <memory>
#include <string>

#include "environment.h"
#include "trainsight/core/result.h"
#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::cli {

/// Opens `name`: bytes, chars, o200k_base, or a path to a vocabulary file.
/// Nothing is downloaded.
Result<std::shared_ptr<const tokenize::Tokenizer>> open_tokenizer(
    const std::string& name, const Environment& environment);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_OPEN_TOKENIZER_H_
