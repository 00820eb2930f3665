// WordPiece and Unigram, by hand.
#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/unigram.h"
#include "tokenize/wordpiece.h"

namespace trainsight::tokenize {
namespace {

using Ids = std::vector<std::uint32_t>;

Ids encode(const SegmentModel& model, std::string_view word) {
  const auto counter = model.make_counter();
  Ids ids;
  counter->encode(word, false, ids);
  CHECK(counter->count(word, false) == ids.size());
  return ids;
}

WordPieceSpec wordpiece(const std::vector<std::string>& pieces) {
  WordPieceSpec spec;
  for (std::uint32_t id = 0; id < pieces.size(); ++id) {
    spec.pieces.set(pieces[id], id);
  }
  return spec;
}

TEST_CASE("WordPiece takes the longest piece, then goes on inside the word") {
  const auto model = make_wordpiece(
      wordpiece({"[UNK]", "un", "una", "##aff", "##able", "##ff", "##a"}));
  CHECK(encode(*model, "unaffable") == Ids{2, 5, 4});
  CHECK(encode(*model, "un") == Ids{1});
  CHECK(encode(*model, "unx") == Ids{0});  // a rest without a piece
  CHECK(encode(*model, "") == Ids{});
}

TEST_CASE("WordPiece does not take long words apart") {
  WordPieceSpec spec = wordpiece({"[UNK]", "é", "##é"});
  spec.max_characters = 3;
  const auto model = make_wordpiece(std::move(spec));
  CHECK(encode(*model, "ééé") == Ids{1, 2, 2});
  CHECK(encode(*model, "éééé") == Ids{0});
}

TEST_CASE("WordLevel knows whole words only") {
  WordPieceSpec spec = wordpiece({"[UNK]", "cat"});
  spec.whole_words = true;
  const auto model = make_wordpiece(std::move(spec));
  CHECK(encode(*model, "cat") == Ids{1});
  CHECK(encode(*model, "cats") == Ids{0});
}

UnigramSpec unigram(const std::vector<std::pair<std::string, double>>& pieces) {
  UnigramSpec spec;
  spec.unk_id = 0;
  spec.byte_ids.fill(Vocabulary::kNone);
  for (std::uint32_t id = 0; id < pieces.size(); ++id) {
    spec.pieces.push_back({pieces[id].first, pieces[id].second, id, false});
    spec.min_score = std::min(spec.min_score, pieces[id].second);
  }
  return spec;
}

TEST_CASE("Unigram takes the way with the highest sum") {
  const auto model = make_unigram(unigram({{"<unk>", 0},
                                           {"a", -1},
                                           {"b", -1},
                                           {"ab", -1.5},
                                           {"bc", -1},
                                           {"c", -3}}));
  CHECK(encode(*model, "abc") == Ids{1, 4});  // -2, against -4.5 for ab, c
  CHECK(encode(*model, "ab") == Ids{3});
}

TEST_CASE("Unigram keeps the first of ways with equal sums") {
  const auto model =
      make_unigram(unigram({{"<unk>", 0}, {"a", -1}, {"aa", -1.5}}));
  // To the third a: a + aa is found before aa + a.
  CHECK(encode(*model, "aaa") == Ids{1, 2});
}

TEST_CASE("neighbouring unknown characters are one token, or bytes") {
  UnigramSpec spec = unigram({{"<unk>", 0}, {"a", -1}});
  CHECK(encode(*make_unigram(spec), "xéay") == Ids{0, 1, 0});
  spec.byte_fallback = true;
  for (unsigned byte = 0; byte < 256; ++byte) spec.byte_ids[byte] = 100 + byte;
  CHECK(encode(*make_unigram(spec), "éa") == Ids{100 + 0xC3, 100 + 0xA9, 1});
}

// tokenizers 0.23.3: what texts hold of the unknown token's own piece is found
// as any other, but is one with unknown neighbours.
TEST_CASE("the unknown token's piece is a token, not bytes") {
  UnigramSpec spec = unigram({{"?", 0}, {"a", -1}});
  spec.byte_fallback = true;
  for (unsigned byte = 0; byte < 256; ++byte) spec.byte_ids[byte] = 100 + byte;
  const auto model = make_unigram(spec);
  CHECK(encode(*model, "a?a") == Ids{1, 0, 1});
  CHECK(encode(*model, "a??x") == Ids{1, 100 + '?', 100 + '?', 100 + 'x'});
}

TEST_CASE("a user-defined piece is preferred to its parts") {
  UnigramSpec spec = unigram({{"<unk>", 0}, {"a", -1}, {"b", -1}, {"ab", 0}});
  spec.single_precision = true;
  spec.pieces[3].is_user_defined = true;
  CHECK(encode(*make_unigram(spec), "ab") == Ids{3});
}

}  // namespace
}  // namespace trainsight::tokenize
