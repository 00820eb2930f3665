// The "model" of a tokenizer.json: vocabulary, merges and rules.
//
// Source: huggingface/tokenizers, tokenizers/src/models/ (serialization.rs of
// each model; mod.rs for files that do not name the model's type).
#ifndef TRAINSIGHT_TOKENIZE_TOKENIZER_JSON_MODEL_H_
#define TRAINSIGHT_TOKENIZE_TOKENIZER_JSON_MODEL_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/byte_bpe.h"
#include "tokenize/json_members.h"
#include "tokenize/sp_bpe.h"
#include "tokenize/unigram.h"
#include "tokenize/vocabulary.h"
#include "tokenize/wordpiece.h"
#include "trainsight/core/result.h"

namespace trainsight::tokenize {

enum class ModelKind : std::uint8_t { kBpe, kWordPiece, kWordLevel, kUnigram };

/// The kind that "type" names or, in old files, that the members tell.
/// Errors: kUnsupported for any other.
Result<ModelKind> read_model_kind(JsonElement model);

/// The "vocab" object of all but Unigram. Errors: kCorrupt for an id that is
/// no number or far above the number of pieces.
Result<Vocabulary> read_vocabulary(JsonElement model);

/// A BPE's flags.
struct BpeFlags {
  std::string_view unk_token, continuing_prefix, end_suffix;
  bool fuse_unk = false, byte_fallback = false, ignore_merges = false;
};
/// Errors: kUnsupported for dropout.
Result<BpeFlags> read_bpe_flags(JsonElement model);

/// The merges in order of rank. Errors: kCorrupt for a merge of tokens that
/// the vocabulary lacks.
Result<std::vector<Merge>> read_merges(JsonElement model, const BpeFlags& flags,
                                       const Vocabulary& pieces);

/// A BPE over bytes: its pieces are read as ByteLevel's alphabet. Nothing where
/// a byte is no piece or the flags need a model over characters.
std::optional<TokenBytes> byte_tokens(const BpeFlags& flags,
                                      const Vocabulary& pieces);

/// A BPE over characters, without the rules for spaces.
Result<SpBpeSpec> read_character_bpe(JsonElement model, Vocabulary pieces);
Result<WordPieceSpec> read_wordpiece(JsonElement model, ModelKind kind,
                                     Vocabulary pieces);
/// Also gives the vocabulary of a Unigram model.
struct UnigramModel {
  UnigramSpec spec;
  Vocabulary pieces;
};
Result<UnigramModel> read_unigram(JsonElement model);

/// The ids of "<0x00>" to "<0xFF>".
std::array<std::uint32_t, 256> byte_piece_ids(const Vocabulary& pieces);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_TOKENIZER_JSON_MODEL_H_
