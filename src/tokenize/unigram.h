// Unigram: of all ways to cut a word into pieces, the most probable one.
//
// The score of a way is the sum of its pieces' log-probabilities. A character
// that is no piece by itself may be unknown, at the lowest score of the
// vocabulary less 10; neighbouring unknown characters are one token. Of equal
// scores the one found first stays, pieces being tried from each place in
// order of length.
//
// Sources: T. Kudo, Subword Regularization, ACL 2018, section 3.2 (the model);
// huggingface/tokenizers, tokenizers/src/models/unigram/model.rs
// (encode_optimized) and google/sentencepiece, src/unigram_model.cc
// (EncodeOptimized) for order and rounding: the former adds in double, the
// latter keeps floats along the whole sentence and compares in double (0.1.9x;
// versions from 0.2.1 on compare floats, which orders equal pieces of a tie in
// another way: other ids, rarely another number of tokens).
// Cost: linear in the text times the longest piece.
// Thread-safety: immutable; counters are one worker's.
#ifndef TRAINSIGHT_TOKENIZE_UNIGRAM_H_
#define TRAINSIGHT_TOKENIZE_UNIGRAM_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tokenize/segment.h"
#include "tokenize/vocabulary.h"

namespace trainsight::tokenize {

/// A piece that can be found in texts.
struct UnigramPiece {
  std::string text;
  double score = 0.0;
  std::uint32_t id = 0;
  bool is_user_defined = false;  ///< SentencePiece: always preferred
};

/// A vocabulary with its rules, as the loaders hand it over.
struct UnigramSpec {
  std::vector<UnigramPiece> pieces;  ///< of two equal texts the later counts
  std::uint32_t unk_id = Vocabulary::kNone;  ///< kNone: unknown is dropped
  double min_score = 0.0;  ///< lowest score, of the pieces that count for it
  double max_score = 0.0;  ///< highest one, for user-defined pieces
  bool byte_fallback = false;
  std::array<std::uint32_t, 256> byte_ids;  ///< Vocabulary::kNone: missing
  bool single_precision = false;            ///< SentencePiece's sums
};

/// A model of words; segments given to it are words.
std::unique_ptr<SegmentModel> make_unigram(const UnigramSpec& spec);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_UNIGRAM_H_
