#include "tokenize/sp_bpe.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "tokenize/added_tokens.h"
#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {
namespace {

using Ids = std::vector<std::uint32_t>;

// Pieces get the ids 0, 1, … in their order; `merges` are pairs of pieces.
SpBpeSpec spec_of(
    const std::vector<std::string>& pieces,
    const std::vector<std::pair<std::string, std::string>>& merges) {
  SpBpeSpec spec;
  for (std::uint32_t id = 0; id < pieces.size(); ++id) {
    spec.pieces.set(pieces[id], id);
  }
  spec.byte_ids.fill(Vocabulary::kNone);
  for (const auto& [left, right] : merges) {
    spec.merges.push_back(
        RankedMerge{spec.pieces.find(left), spec.pieces.find(right),
                    static_cast<std::uint32_t>(spec.merges.size()),
                    spec.pieces.find(left + right)});
  }
  spec.first_extra = spec.pieces.id_limit();
  spec.space_is_mark = true;
  return spec;
}

std::unique_ptr<SpBpe> make(SpBpeSpec spec) {
  auto bpe = SpBpe::make(std::move(spec));
  REQUIRE(bpe);
  return std::move(*bpe);
}

Ids encode(const SpBpe& bpe, std::string_view text, bool at_start = true) {
  const auto counter = bpe.make_counter();
  Ids ids;
  counter->encode(text, at_start, ids);
  CHECK(counter->count(text, at_start) == ids.size());
  return ids;
}

TEST_CASE("merges go by rank, then from the left") {
  const auto bpe =
      make(spec_of({"a", "b", "c", "bc", "ab", "▁"}, {{"b", "c"}, {"a", "b"}}));
  CHECK(encode(*bpe, "abc") == Ids{0, 3});
  CHECK(encode(*bpe, "abab") == Ids{4, 4});
  CHECK(encode(*bpe, "ab bc") == Ids{4, 5, 3});
}

TEST_CASE("unknown characters become bytes, one token, or nothing") {
  std::vector<std::string> pieces = {"<unk>", "a", "▁"};
  for (unsigned byte = 0; byte < 256; ++byte) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    pieces.push_back(std::string("<0x") + kHex[byte / 16] + kHex[byte % 16] +
                     ">");
  }
  SpBpeSpec with_bytes = spec_of(pieces, {});
  with_bytes.byte_fallback = true;
  for (unsigned byte = 0; byte < 256; ++byte) {
    with_bytes.byte_ids[byte] = 3 + byte;
  }
  CHECK(encode(*make(std::move(with_bytes)), "aéa") ==
        Ids{1, 3 + 0xC3, 3 + 0xA9, 1});

  SpBpeSpec fused = spec_of({"<unk>", "a", "▁"}, {});
  fused.unk_id = 0;
  fused.fuse_unk = true;
  CHECK(encode(*make(std::move(fused)), "xya z") == Ids{0, 1, 2, 0});

  SpBpeSpec apart = spec_of({"<unk>", "a", "▁"}, {});
  apart.unk_id = 0;
  CHECK(encode(*make(std::move(apart)), "xya") == Ids{0, 0, 1});

  CHECK(encode(*make(spec_of({"<unk>", "a", "▁"}, {})), "xya") == Ids{1});
}

TEST_CASE("the mark is put where the rule says") {
  const auto bpe = make(spec_of({"a", "▁", "▁a"}, {{"▁", "a"}}));
  const auto ids = [&](PrependMark rule, std::string_view text, bool start) {
    return encode(*bpe->with_prepend(rule), text, start);
  };
  CHECK(ids(PrependMark::kNever, "a", true) == Ids{0});
  CHECK(ids(PrependMark::kAlways, "a", false) == Ids{2});
  CHECK(ids(PrependMark::kAlways, " a", false) == Ids{1, 2});
  CHECK(ids(PrependMark::kAtStart, " a", true) == Ids{1, 2});
  CHECK(ids(PrependMark::kAtStart, "a", false) == Ids{0});
  CHECK(ids(PrependMark::kAtStartUnlessMark, " a", true) == Ids{2});
  CHECK(ids(PrependMark::kAtStartUnlessMark, "▁a", true) == Ids{2});
  CHECK(ids(PrependMark::kUnlessMark, "a", false) == Ids{2});
  CHECK(ids(PrependMark::kAlways, "", true).empty());
}

TEST_CASE("SentencePiece merges characters that are no pieces") {
  SpBpeSpec spec = spec_of({"<unk>", "a", "ab", "▁"}, {});
  spec.unknown_after_merges = true;
  spec.fuse_unk = true;
  spec.unk_id = 0;
  spec.first_extra = 4;
  spec.extra_characters = {U'b'};
  spec.piece_characters = {5, 1, 2, 1};
  spec.merges = {{1, 4, 0, 2}};
  const auto bpe = make(std::move(spec));
  CHECK(encode(*bpe, "abb") == Ids{2, 0});
  CHECK(encode(*bpe, "bxa") == Ids{0, 1});
}

TEST_CASE("prefix and suffix of words change the pieces looked for") {
  SpBpeSpec spec = spec_of({"a", "##b", "##c</w>", "a</w>"}, {});
  spec.continuing_prefix = "##";
  spec.end_suffix = "</w>";
  const auto bpe = make(std::move(spec));
  CHECK(encode(*bpe, "abc") == Ids{0, 1, 2});
  CHECK(encode(*bpe, "a") == Ids{3});
}

TEST_CASE("a whole segment that is a piece is not merged when so told") {
  SpBpeSpec spec = spec_of({"a", "b", "▁", "▁ab"}, {});
  spec.ignore_merges = true;
  const auto bpe = make(std::move(spec));
  CHECK(encode(*bpe, " ab") == Ids{3});
  CHECK(encode(*bpe, " aba") == Ids{2, 0, 1, 0});
}

// Random vocabularies over a small alphabet, as training would make them.
SpBpeSpec random_spec(std::mt19937& random) {
  const std::vector<std::string> alphabet = {"a", "b", "é", "日", "▁", "."};
  std::vector<std::string> pieces = {"<unk>"};
  for (const std::string& letter : alphabet) {
    if (random() % 8 != 0) pieces.push_back(letter);
  }
  std::vector<std::pair<std::string, std::string>> merges;
  for (int i = 0; i < 25; ++i) {
    const std::string left = pieces[1 + random() % (pieces.size() - 1)];
    const std::string right = pieces[1 + random() % (pieces.size() - 1)];
    if (text::count_code_points(left + right) > 6) continue;
    merges.emplace_back(left, right);
    if (std::find(pieces.begin(), pieces.end(), left + right) == pieces.end()) {
      pieces.push_back(left + right);
    }
  }
  // Half of them with the characters that vocabularies have, so that few pairs
  // are unknown and there is room to tell the others apart.
  if (random() % 2 == 0) {
    pieces.emplace_back("\uB0D0");
    for (char c = 1; c < 0x7F; ++c) {
      if (c != ' ' && c != 'x') pieces.emplace_back(1, c);
    }
    for (char32_t c = 0x5000; c < 0x5400; ++c) {
      pieces.emplace_back();
      text::append_utf8(pieces.back(), c);
    }
  }
  SpBpeSpec spec = spec_of(pieces, merges);
  if (random() % 2 == 0) spec.unk_id = 0;
  spec.fuse_unk = random() % 2 == 0;
  spec.space_is_mark = random() % 4 != 0;
  constexpr PrependMark kRules[] = {PrependMark::kNever, PrependMark::kAlways,
                                    PrependMark::kUnlessMark};
  spec.prepend = kRules[random() % 3];
  return spec;
}

TEST_CASE("cut and cached counts are those of the whole segment's merges") {
  const std::vector<std::string> letters = {
      "a", "b", "é", "日",     "▁",      " ",     ".",
      "x", "😀", "z", "\u0430", "\u0431", "\uB0D0"};
  std::mt19937 random(31337);
  for (int round = 0; round < 40; ++round) {
    const auto bpe = make(random_spec(random));
    const auto counter = bpe->make_counter();
    for (int texts = 0; texts < 20; ++texts) {
      std::string text;
      const std::size_t size = random() % (texts == 0 ? 9000 : 200);
      for (std::size_t i = 0; i < size; ++i) {
        text += letters[random() % letters.size()];
      }
      Ids ids;
      counter->encode(text, true, ids);
      REQUIRE(counter->count(text, true) == ids.size());
      REQUIRE(counter->count(text, true) == ids.size());
    }
  }
}

TEST_CASE("unknown characters stay together whatever their bytes look like") {
  // U+0430 is written D0 B0; a character with the number B0D0 is known.
  std::vector<std::string> pieces = {"<unk>", "a", "\uB0D0", "▁"};
  for (char c = 1; c < 0x7F; ++c) {
    if (c != 'a' && c != ' ') pieces.emplace_back(1, c);
  }
  for (char32_t c = 0x4E00; c < 0x5600; ++c) {  // a filter with room
    pieces.emplace_back();
    text::append_utf8(pieces.back(), c);
  }
  SpBpeSpec spec = spec_of(pieces, {});
  spec.unk_id = 0;
  spec.fuse_unk = true;
  const auto bpe = make(std::move(spec));
  CHECK(encode(*bpe, "a\u0430\u0430\u0430a") == Ids{1, 0, 1});
  CHECK(encode(*bpe, "\u0431\u0430\uB0D0\u0430") == Ids{0, 2, 0});
}

TEST_CASE("added tokens are units of a text as they are by themselves") {
  const std::vector<std::string> contents = {
      "\n", "\n\n", "\n\n\n", "ab.a", "日日", "<x>", std::string(5000, '#')};
  std::vector<AddedToken> list;
  for (const std::string& content : contents) {
    AddedToken token;
    token.content = content;
    token.id = 1000 + static_cast<std::uint32_t>(list.size());
    list.push_back(token);
  }
  const AddedTokens tokens(list, contents);
  REQUIRE(tokens.are_plain());
  const std::vector<std::string> letters = {"a",  "b", "é", "日",  "▁",   " ",
                                            "\n", ".", "x", "<x>", "ab.a"};
  std::mt19937 random(4096);
  int taken = 0;
  for (int round = 0; round < 60; ++round) {
    SpBpeSpec spec = random_spec(random);
    spec.prepend = PrependMark::kNever;
    const auto bpe = make(std::move(spec));
    const auto whole = bpe->make_counter();
    const auto single = bpe->make_counter();
    if (!whole->take_tokens(tokens)) continue;
    ++taken;
    for (int texts = 0; texts < 20; ++texts) {
      std::string text;
      const std::size_t size = random() % (texts < 2 ? 9000 : 200);
      while (text.size() < size) {
        text += letters[random() % letters.size()];
        if (texts == 1 && random() % 1000 == 0) text += contents.back();
      }
      std::vector<TextPart> parts;
      tokens.split(text, parts);
      std::uint64_t expected = 0;
      for (const TextPart& part : parts) {
        Ids ids;
        if (part.id == TextPart::kText) single->encode(part.text, false, ids);
        expected += part.id == TextPart::kText ? ids.size() : 1;
      }
      REQUIRE(whole->count_parts(text, parts) == expected);
      REQUIRE(whole->count_parts(text, parts) == expected);
    }
  }
  CHECK(taken > 10);
}

TEST_CASE("counters that cannot take tokens say so") {
  AddedToken token;
  token.content = "<x>";
  token.lstrip = true;
  const AddedTokens stripping({token}, {"<x>"});
  token.lstrip = false;
  const AddedTokens plain({token}, {"<x>"});
  SpBpeSpec spec = spec_of({"<unk>", "a", "▁"}, {});
  spec.unk_id = 0;
  const auto bpe = make(std::move(spec));
  CHECK(bpe->make_counter()->take_tokens(plain));
  CHECK_FALSE(bpe->make_counter()->take_tokens(stripping));
  CHECK_FALSE(bpe->with_prepend(PrependMark::kAlways)
                  ->make_counter()
                  ->take_tokens(plain));
  CHECK(plain.is_token("<x>"));
  CHECK_FALSE(plain.is_token("<x"));
}

TEST_CASE("a merge of a symbol that does not exist is refused") {
  SpBpeSpec spec = spec_of({"a"}, {});
  spec.merges = {{0, 5, 0, 0}};
  const auto bpe = SpBpe::make(std::move(spec));
  REQUIRE_FALSE(bpe);
  CHECK(bpe.error().message == "a merge of tokens that do not exist");
}

}  // namespace
}  // namespace trainsight::tokenize
