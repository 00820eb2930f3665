#include "tokenize/added_tokens.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "tokenize/byte_set.h"

namespace trainsight::tokenize {
namespace {

AddedToken token(std::string content, std::uint32_t id) {
  AddedToken result;
  result.content = std::move(content);
  result.id = id;
  return result;
}

AddedTokens make(const std::vector<AddedToken>& tokens) {
  std::vector<std::string> patterns;
  for (const AddedToken& t : tokens) patterns.push_back(t.content);
  return AddedTokens(tokens, patterns);
}

// "text|#id|text": parts with ids for tokens.
std::string split(const AddedTokens& tokens, std::string_view text) {
  std::vector<TextPart> parts;
  tokens.split(text, parts);
  std::string result;
  for (const TextPart& part : parts) {
    if (!result.empty()) result += '|';
    if (part.id == TextPart::kText) {
      result += part.text;
    } else {
      result += '#' + std::to_string(part.id);
    }
  }
  return result;
}

TEST_CASE("the leftmost added token wins, then the longest") {
  const AddedTokens tokens =
      make({token("<a>", 1), token("<a><b>", 2), token("b><", 3)});
  CHECK(split(tokens, "x<a><b>y<a>") == "x|#2|y|#1");
  CHECK(split(tokens, "<a><") == "#1|<");
  CHECK(split(tokens, "ab><") == "a|#3");
  CHECK(split(tokens, "") == "");
  CHECK(split(tokens, "<<<") == "<<<");
}

TEST_CASE("of equal added tokens the first one counts") {
  CHECK(split(make({token("x", 7), token("x", 8)}), "axa") == "a|#7|a");
}

TEST_CASE("a single word token is not found beside a word character") {
  AddedToken word = token("ing", 1);
  word.single_word = true;
  const AddedTokens tokens = make({word});
  CHECK(split(tokens, "ing sing ing. ingé") == "#1| sing |#1|. ingé");
}

TEST_CASE("strip flags take the white space beside a token") {
  AddedToken left = token("[M]", 1);
  left.lstrip = true;
  AddedToken right = token("[R]", 2);
  right.rstrip = true;
  const AddedTokens tokens = make({left, right});
  CHECK(split(tokens, "a \t\u3000[M] b") == "a|#1| b");
  CHECK(split(tokens, "a [R] \n b") == "a |#2|b");
  CHECK(split(tokens, "[R]  [M]x") == "#2|#1|x");
}

// tokenizers 0.23.3: what is left of a token of white space that the one before
// it took is empty, and left out.
TEST_CASE("white space that takes white space is one token") {
  AddedToken space = token("\n", 1);
  space.lstrip = space.rstrip = true;
  CHECK(split(make({space}), "a \n \n\n b\n") == "a|#1|b|#1");
  // Without the flags it is a token as well, and the rest is text again.
  AddedToken right = token("[R]", 2);
  right.rstrip = true;
  CHECK(split(make({token("  ", 1), right}), "[R]   a") == "#2|#1| a");
}

TEST_CASE("first bytes are found in and beside blocks of sixteen") {
  const AddedTokens tokens = make({token("<t>", 1)});
  for (std::size_t before = 0; before < 40; ++before) {
    const std::string text(before, 'x');
    const std::string expected = before == 0 ? "#1" : text + "|#1";
    CHECK(split(tokens, text + "<t>") == expected);
    CHECK(tokens.may_match(text + "<t"));
    CHECK_FALSE(tokens.may_match(text + "<x"));
    CHECK_FALSE(tokens.may_match(text + "<"));
    CHECK_FALSE(tokens.may_match(text));
  }
}

TEST_CASE("a set of bytes finds its members in any text") {
  std::mt19937 random(16);
  // With members of all high halves, of a few, and none.
  for (int members = 0; members < 60; members += 3) {
    ByteSet set;
    std::string chosen;
    for (int i = 0; i < members; ++i) {
      const auto byte =
          static_cast<unsigned char>(random() % (members < 30 ? 0x80 : 0x100));
      set.add(byte);
      chosen += static_cast<char>(byte);
    }
    for (int round = 0; round < 200; ++round) {
      std::string text(random() % 70, ' ');
      for (char& c : text) c = static_cast<char>(random() % 256);
      const std::size_t from = random() % (text.size() + 1);
      INFO(members << " members, from " << from);
      REQUIRE(set.find(text, from) ==
              std::min(text.find_first_of(chosen, from), text.size()));
    }
  }
}

TEST_CASE("many different first bytes are found too") {
  std::vector<AddedToken> list;
  for (char c = 'A'; c <= 'Z'; ++c) {
    list.push_back(token(std::string(1, c) + "!", static_cast<unsigned>(c)));
  }
  CHECK(split(make(list), "the Q! and Z") == "the |#81| and Z");
}

}  // namespace
}  // namespace trainsight::tokenize
