// WordPiece and WordLevel: the longest piece first, word by word.
//
// A word is taken apart from its left, each time by the longest piece of the
// vocabulary; pieces inside a word are listed with a prefix ("##"). A word
// with a rest that no piece begins, or of too many characters, is one unknown
// token. WordLevel knows whole words only.
//
// Source: huggingface/tokenizers, tokenizers/src/models/wordpiece/mod.rs and
// wordlevel/mod.rs. Thread-safety: immutable; counters are one worker's.
#ifndef TRAINSIGHT_TOKENIZE_WORDPIECE_H_
#define TRAINSIGHT_TOKENIZE_WORDPIECE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "tokenize/segment.h"
#include "tokenize/vocabulary.h"

namespace trainsight::tokenize {

/// A vocabulary with its rules, as the loaders hand it over.
struct WordPieceSpec {
  Vocabulary pieces;
  std::uint32_t unk_id = 0;
  std::string continuing_prefix = "##";
  std::size_t max_characters = 100;  ///< a longer word is unknown
  bool whole_words = false;          ///< WordLevel
};

/// A model of words; segments given to it are single words.
std::unique_ptr<SegmentModel> make_wordpiece(WordPieceSpec spec);

}  // namespace trainsight::tokenize

#endif  // TRAINSIGHT_TOKENIZE_WORDPIECE_H_
