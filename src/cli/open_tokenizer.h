// From --tokenizer to a Tokenizer: built-in names, files, folders, and models
// in the local Hugging Face cache. Nothing is downloaded.
#ifndef TRAINSIGHT_CLI_OPEN_TOKENIZER_H_
#define TRAINSIGHT_CLI_OPEN_TOKENIZER_H_

#include <memory>
#include <string>

#include "environment.h"
#include "trainsight/core/result.h"
#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::cli {

/// Opens `name`: bytes, chars, o200k_base, estimate; a vocabulary file
/// (tokenizer.json, tekken.json, tokenizer.model, *.tiktoken, also .gz); a
/// folder with such files; or ORG/NAME[@REVISION] in the local cache. The
/// files beside a vocabulary (tokenizer_config.json, chat_template.jinja) are
/// read with it.
Result<std::shared_ptr<const tokenize::Tokenizer>> open_tokenizer(
    const std::string& name, const Environment& environment);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_OPEN_TOKENIZER_H_
