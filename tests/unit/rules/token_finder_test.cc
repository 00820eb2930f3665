// Control tokens in texts: found wherever they stand, and nowhere else.
#include "rules/token_finder.h"

#include <catch2/catch.hpp>
#include <iterator>
#include <random>
#include <string>

namespace trainsight::rules {
namespace {

text::TextView plain(std::string_view bytes) {
  return {bytes, text::Encoding::kUtf8};
}

std::uint32_t count_of(const TokenFinder& finder, std::string_view text,
                       std::string_view token) {
  TokenFinder::Counts counts;
  finder.count(text, counts);
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (finder.tokens()[i].text == token) return counts[i];
  }
  return 0;
}

TEST_CASE("a token is found at every place of a text", "[rules]") {
  const TokenFinder finder({});
  for (std::size_t before = 0; before < 40; ++before) {
    for (std::size_t after = 0; after < 20; ++after) {
      const std::string text =
          std::string(before, 'x') + "<|im_end|>" + std::string(after, '<');
      CHECK(finder.any(plain(text)));
      CHECK(count_of(finder, text, "<|im_end|>") == 1);
      // Cut by one byte it is none.
      const std::string cut = std::string(before, 'x') + "<|im_end|";
      CHECK_FALSE(finder.any(plain(cut)));
    }
  }
}

TEST_CASE("markup and arrays are no tokens", "[rules]") {
  const TokenFinder finder({});
  CHECK_FALSE(finder.any(plain("if (a < b) { x[0] = '<'; } <p>text</p>")));
  CHECK_FALSE(finder.any(plain("")));
}

TEST_CASE("the vocabulary's own tokens are found, single letters are not",
          "[rules]") {
  const std::vector<std::string> special = {"<|mine|>", "@@end@@", "a"};
  const TokenFinder finder(special);
  CHECK(finder.any(plain("x <|mine|>")));
  CHECK(finder.any(plain("x @@end@@ y")));
  CHECK_FALSE(finder.any(plain("banana")));
}

TEST_CASE("the longer of two tokens with one beginning counts", "[rules]") {
  const std::vector<std::string> special = {"<|end|>more"};
  const TokenFinder finder(special);
  CHECK(count_of(finder, "<|end|>more<|end|>", "<|end|>more") == 1);
  CHECK(count_of(finder, "<|end|>more<|end|>", "<|end|>") == 1);
}

TEST_CASE("an escaped angle bracket is seen in escaped text", "[rules]") {
  const TokenFinder finder({});
  const std::string_view escaped = "say \\u003c|im_end|>";
  CHECK(finder.any({escaped, text::Encoding::kJsonEscaped}));
  CHECK_FALSE(finder.any(plain(escaped)));
}

TEST_CASE("texts of many candidates are searched to their ends", "[rules]") {
  // Nearly tokens everywhere, at every distance from the end of the text.
  const TokenFinder finder({});
  std::mt19937 random(17);  // the same texts on every run
  constexpr std::string_view kParts[] = {"<",  "<|", "<|e", "[",  "[I", "[INST",
                                         "</", "<s", "x",   "  ", "<<", "<bo"};
  for (int i = 0; i < 3000; ++i) {
    std::string text;
    const std::size_t parts = random() % 60;
    for (std::size_t part = 0; part < parts; ++part) {
      text += kParts[random() % std::size(kParts)];
    }
    if (random() % 2 == 0) {
      text.insert(random() % (text.size() + 1), "<|eot_id|>");
    }
    bool expected = false;  // by looking at every place
    for (const TokenFinder::Token& token : finder.tokens()) {
      expected = expected || text.find(token.text) != std::string::npos;
    }
    CAPTURE(text);
    CHECK(finder.any(plain(text)) == expected);
  }
}

}  // namespace
}  // namespace trainsight::rules
