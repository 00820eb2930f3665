// tokenizer_config.json, special_tokens_map.json: what stands beside a
// tokenizer: template, BOS and EOS, and whether they are added to each text.
//
// Source: huggingface/transformers, src/transformers/
// tokenization_utils_base.py (members) and the fast tokenizers' classes
// (add_bos_token, add_eos_token). Thread-safety: pure functions.
#ifndef TRAINSIGHT_TOKENIZE_TOKENIZER_CONFIG_H_
#define TRAINSIGHT_TOKENIZE_TOKENIZER_CONFIG_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/added_tokens.h"
#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// What trainsight uses of a configuration.
struct TokenizerConfig {
  std::string chat_template;  ///< the one named "default" of several
  std::string bos_token, eos_token;
  std::string tokenizer_class;
  std::optional<bool> add_bos_token, add_eos_token;
  std::vector<AddedToken> added_tokens;  ///< of added_tokens_decoder, by id

  /// Tokens that transformers adds to each text when it makes the
  /// post-processor from add_bos_token and add_eos_token itself (the Llama,
  /// Gemma and Cohere classes); nothing for other classes.
  [[nodiscard]] std::optional<std::uint32_t> tokens_added_per_text() const;
};

/// Reads both files into one; members of the first come first. `what` names
/// the file in messages. Errors: kCorrupt.
Status read_tokenizer_config(std::string_view what, std::string_view json,
                             TokenizerConfig& config);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_TOKENIZER_CONFIG_H_
