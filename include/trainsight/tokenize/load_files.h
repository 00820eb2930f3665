// A tokenizer from the files of a model's folder.
//
// Everything here takes bytes and gives values; finding and reading the files
// is the caller's (hub_cache.h helps with the places). Thread-safety: pure.
#ifndef TRAINSIGHT_TOKENIZE_LOAD_FILES_H_
#define TRAINSIGHT_TOKENIZE_LOAD_FILES_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"
#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::tokenize {

/// What was found, each as the file's bytes (not compressed). They are read
/// while loading and not kept.
struct TokenizerFiles {
  std::string name;  ///< as the user gave it; becomes TokenizerInfo::name

  // One of these defines the tokenizer: the first that is there.
  std::optional<std::string_view> tokenizer_json;
  std::optional<std::string_view> tekken_json;
  std::optional<std::string_view> sentencepiece_model;  ///< tokenizer.model, …
  std::optional<std::string_view> tiktoken;             ///< a rank file

  // These add to it.
  std::optional<std::string_view> tokenizer_config_json;
  std::optional<std::string_view> special_tokens_map_json;
  std::optional<std::string_view> chat_template_jinja;

  /// For a rank file whose pattern is not known by its name or size.
  std::string tiktoken_regex;
};

/// The names of these files in a model's folder, in order of precedence where
/// several serve one purpose: for callers that look for them. A rank file has
/// any name that ends in ".tiktoken".
inline constexpr std::string_view kTokenizerJsonNames[] = {"tokenizer.json"};
inline constexpr std::string_view kTekkenNames[] = {"tekken.json"};
inline constexpr std::string_view kSentencePieceNames[] = {
    "tokenizer.model", "spiece.model", "sentencepiece.bpe.model",
    "sentencepiece.model", "tiktoken.model"};
inline constexpr std::string_view kTokenizerConfigName =
    "tokenizer_config.json";
inline constexpr std::string_view kSpecialTokensMapName =
    "special_tokens_map.json";
inline constexpr std::string_view kChatTemplateName = "chat_template.jinja";

/// The tokenizer that the files describe, with the counts and ids of the
/// reference implementations:
///  * tokenizer.json: Hugging Face tokenizers; added tokens in the text are
///    recognised, `truncation` and `padding` are ignored and mentioned;
///  * tekken.json: mistral-common; special tokens in the text are plain text;
///  * .model: SentencePiece, BPE and Unigram; only user-defined pieces are
///    recognised in the text;
///  * .tiktoken, or a .model that is a rank file (Llama 3, Kimi K2): tiktoken,
///    special tokens being plain text (control_tokens.h finds them).
///
/// Errors: kCorrupt, kUnsupported (named: nothing is approximated), kLimit,
/// kNotFound when no file defines a tokenizer.
Result<std::unique_ptr<Tokenizer>> load_tokenizer(const TokenizerFiles& files);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_LOAD_FILES_H_
