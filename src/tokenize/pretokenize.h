// Pretokenize: where a model's pre-tokenizer cuts a text into words.
//
// Every pattern that popular models share has a hand-written scanner; any
// other runs through PCRE2 (pcre2_split.h). The scanner here is the scalar
// one: the reference that the bitmap scanner (boundary.h) must equal, and the
// code that encode() and unusual stretches of text run through.
//
// Classes of characters are those of Unicode 16.0 (unicode_classes.h).
// Thread-safety: pure functions.
#ifndef TRAINSIGHT_TOKENIZE_PRETOKENIZE_H_
#define TRAINSIGHT_TOKENIZE_PRETOKENIZE_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace trainsight::tokenize {

/// A pre-tokenizer that is known by name. Source texts in pretokenize.cc.
enum class Pattern : std::uint8_t {
  kNone,        ///< the whole text is one word
  kGpt2,        ///< GPT-2, r50k, p50k; ByteLevel with use_regex
  kLlama3,      ///< Llama-3, cl100k, Phi-4, GLM-4, OLMo-2
  kQwen2,       ///< Qwen2 to Qwen3: kLlama3 with digits one by one
  kQwen35,      ///< Qwen3.5: kQwen2 with marks as letters
  kO200k,       ///< GPT-4o, gpt-oss, Llama-4
  kTekken,      ///< Mistral NeMo and later
  kDeepSeekV3,  ///< DeepSeek V3 and R1: three splits in sequence
  kDigit1Gpt2,  ///< Digits one by one, then kGpt2: SmolLM, StarCoder
  kRegex,       ///< any other, as source text for PCRE2
};

/// The end of the word that begins at `begin`.
///
/// `utf8` is the whole text between two added tokens: patterns look ahead, and
/// its end counts as the end of the text.
/// REQUIRES: `utf8` is well-formed UTF-8; begin < utf8.size() and is 0 or a
/// result of this function; pattern != kRegex. Cost: a text is scanned in
/// linear time, whatever it holds.
std::size_t word_end(Pattern pattern, std::string_view utf8, std::size_t begin);

/// The hand-written pattern for a regular expression as it stands in
/// tokenizer.json, tekken.json or tiktoken; kRegex when there is none. Both
/// the older and the newer spelling are known.
Pattern pattern_of_source(std::string_view regex);

/// The regular expressions that the pattern stands for, in one spelling. Each
/// is applied to the words that the ones before have left, and what is between
/// two matches is a word too. None for kNone and kRegex.
std::span<const std::string_view> sources_of_pattern(Pattern pattern);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_PRETOKENIZE_H_
