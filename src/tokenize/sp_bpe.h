// SpBpe: BPE over characters, as SentencePiece and Llama-2, Mistral and Gemma
// have it, with bytes or an unknown token for what the vocabulary lacks.
//
// There is no pre-tokenizer: a whole segment is one word, with U+2581 for a
// space. To be fast all the same, it is cut where no merge can ever reach
// across: between two characters that no piece holds side by side. The units
// between such cuts are counted one by one, from a worker's cache. The cuts
// change nothing (a merge's result is a piece, and would have to hold the two
// characters); encode() makes none, so that tests hold one against the other.
//
// Rules: of all neighbours that may merge, those with the lowest rank do, the
// leftmost first.
// Sources: huggingface/tokenizers, tokenizers/src/models/bpe/model.rs
// (merge_word); google/sentencepiece, src/bpe_model.cc and
// src/sentencepiece_processor.cc (unknown pieces).
//
// Thread-safety: immutable; counters are one worker's.
#ifndef TRAINSIGHT_TOKENIZE_SP_BPE_H_
#define TRAINSIGHT_TOKENIZE_SP_BPE_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tokenize/segment.h"
#include "tokenize/vocabulary.h"
#include "trainsight/core/result.h"

namespace trainsight::tokenize {

/// Two symbols that may become one. Symbols are ids of pieces, or from
/// SpBpeSpec::first_extra on the characters without an id.
struct RankedMerge {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
  std::uint32_t rank = 0;
  std::uint32_t result = 0;
};

/// Where a mark U+2581 is put before a segment.
enum class PrependMark : std::uint8_t {
  kNever,
  kAlways,             ///< before every segment that is not empty (Prepend)
  kAtStart,            ///< before the text's first one (SentencePiece)
  kAtStartUnlessMark,  ///< the same unless a mark is there (Metaspace first)
  kUnlessMark,         ///< before every one without (Metaspace always)
};

/// A vocabulary with its rules, as the loaders hand it over.
struct SpBpeSpec {
  Vocabulary pieces;
  std::vector<RankedMerge> merges;  ///< of two equal pairs the later one counts

  /// The ids of <0x00> to <0xFF>, Vocabulary::kNone where missing.
  std::array<std::uint32_t, 256> byte_ids;
  bool byte_fallback = false;
  std::uint32_t unk_id = Vocabulary::kNone;  ///< kNone: unknown is dropped
  bool fuse_unk = false;  ///< neighbouring unknown characters are one token

  /// SentencePiece looks for what is unknown after merging, Hugging Face
  /// before it. In the first case the characters that pieces are made of
  /// without being pieces are symbols: extra_characters[i] has the symbol
  /// first_extra + i.
  bool unknown_after_merges = false;
  std::uint32_t first_extra = 0;
  std::vector<char32_t> extra_characters;  ///< ascending
  /// By id, how many characters a piece has; needed in this case only.
  std::vector<std::uint32_t> piece_characters;

  bool ignore_merges = false;     ///< a segment that is a piece stays whole
  std::string continuing_prefix;  ///< before all characters but the first
  std::string end_suffix;         ///< after the last character

  bool space_is_mark = false;  ///< a space is read as U+2581
  PrependMark prepend = PrependMark::kNever;
};

/// An immutable BPE over characters; see the top of this file.
class SpBpe final : public SegmentModel {
 public:
  /// Builds the tables. Errors: kCorrupt for a merge of unknown symbols.
  static Result<std::unique_ptr<SpBpe>> make(SpBpeSpec spec);
  ~SpBpe() override;

  /// The same over the same tables, with another rule for the mark.
  [[nodiscard]] std::unique_ptr<SpBpe> with_prepend(PrependMark prepend) const;

  [[nodiscard]] std::unique_ptr<SegmentCounter> make_counter() const override;

 private:
  class Tables;
  class Counter;
  SpBpe(std::shared_ptr<const Tables> tables, PrependMark prepend);
  std::shared_ptr<const Tables> tables_;  // shared: some 30 MB for Gemma's
  PrependMark prepend_;
};

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_SP_BPE_H_
