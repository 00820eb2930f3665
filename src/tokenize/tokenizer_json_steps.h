// The "normalizer" and "pre_tokenizer" of a tokenizer.json as flat lists.
//
// Reading is apart from building, so that the loader can recognise the shapes
// that have a faster form. Whatever is not understood is an error by name:
// nothing is approximated.
// Source: huggingface/tokenizers, tokenizers/src/normalizers/mod.rs and
// pre_tokenizers/mod.rs (the names and defaults of members), version 0.23.
#ifndef TRAINSIGHT_TOKENIZE_TOKENIZER_JSON_STEPS_H_
#define TRAINSIGHT_TOKENIZE_TOKENIZER_JSON_STEPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tokenize/json_members.h"
#include "tokenize/normalizer.h"
#include "tokenize/pre_tokenizer.h"
#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// One normalizer; only the members of its kind are set.
struct NormalizerConfig {
  enum class Kind : std::uint8_t {
    kBert,
    kNfc,
    kNfd,
    kNfkc,
    kNfkd,
    kLowercase,
    kStrip,
    kStripAccents,
    kNmt,
    kPrepend,
    kReplace,
    kReplaceRegex,
    kPrecompiled,
  };
  Kind kind = Kind::kNfc;
  BertOptions bert;
  bool strip_left = false, strip_right = false;
  std::string from;  ///< Replace: a string or a regular expression
  std::string to;    ///< Replace's content, Prepend's prefix
  std::string charsmap;
};

/// One pre-tokenizer; only the members of its kind are set.
struct PreTokenizerConfig {
  enum class Kind : std::uint8_t {
    kByteLevel,
    kBert,
    kWhitespace,
    kWhitespaceSplit,
    kPunctuation,
    kDigits,
    kCharDelimiter,
    kMetaspace,
    kSplitString,
    kSplitRegex,
  };
  Kind kind = Kind::kByteLevel;
  bool add_prefix_space = false, use_regex = true;  // ByteLevel
  bool individual_digits = false;
  std::string text;  // a Split's pattern, a delimiter, Metaspace's mark
  SplitBehavior behavior = SplitBehavior::kIsolated;
  bool invert = false;
  MetaspaceScheme scheme = MetaspaceScheme::kAlways;
  bool metaspace_split = true;
};

/// Reads a "normalizer" (nothing: no steps). Errors: kUnsupported, kCorrupt.
Result<std::vector<NormalizerConfig>> read_normalizer(
    std::optional<JsonElement> element);
Result<std::vector<PreTokenizerConfig>> read_pre_tokenizer(
    std::optional<JsonElement> element);

Result<Normalizer> build_normalizer(
    const std::vector<NormalizerConfig>& configs);
/// ByteLevel spells bytes in its alphabet, for a model over characters.
Result<PreTokenizer> build_pre_tokenizer(
    const std::vector<PreTokenizerConfig>& configs);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_TOKENIZER_JSON_STEPS_H_
