// Control tokens that a vocabulary has and does not look for in texts.
//
// Rank files, SentencePiece models and tekken.json take "<|im_end|>" or
// "[INST]" in a text for plain text; their users put the token's id in its
// place. A chat template's text has to be counted so: with the tokens that the
// template writes found and counted as one each.
#ifndef TRAINSIGHT_TOKENIZE_CONTROL_TOKENS_H_
#define TRAINSIGHT_TOKENIZE_CONTROL_TOKENS_H_

#include <memory>
#include <string>
#include <vector>

#include "trainsight/tokenize/tokenizer.h"

namespace trainsight::tokenize {

struct ControlTokens {
  std::vector<SpecialToken> tokens;
  std::string bos_token, eos_token;  ///< empty: unknown
};

/// The control tokens of a tokenizer's own files and, of a rank file, which has
/// none, those that are published for a vocabulary of its size:
///  * 100,256 ranks (cl100k_base): openai/tiktoken, README and
///  openai_public.py,
///    <|im_sep|> as in Phi-4;
///  * 199,998 ranks (o200k_base): gpt-tokenizer 4.0.0, o200k_base.js, for the
///    chat markers;
///  * 128,000 ranks (Llama 3): the model's tokenizer.json.
ControlTokens control_tokens_of(const TokenizerInfo& info);

/// `tokenizer` with `control` found in texts as one token each, leftmost and
/// longest first, and what is between counted on its own; `tokenizer` itself
/// when it finds them all already or there are none. In a SentencePiece model
/// that puts a mark in front of a text, one space behind a control token is
/// that mark.
std::shared_ptr<const Tokenizer> with_control_tokens(
    std::shared_ptr<const Tokenizer> tokenizer, const ControlTokens& control);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_CONTROL_TOKENS_H_
