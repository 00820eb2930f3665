#include "trainsight/tokenize/memo_counter.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace trainsight::tokenize {
namespace {

// A token for each 'a', and a tally of the texts that it was asked for.
class CountingCounter final : public TokenCounter {
 public:
  explicit CountingCounter(int& calls) : calls_(calls) {}
  std::uint64_t count(std::string_view utf8) override {
    ++calls_;
    std::uint64_t tokens = 0;
    for (const char c : utf8) tokens += c == 'a' ? 1 : 0;
    return tokens;
  }
  void encode(std::string_view utf8, std::vector<std::uint32_t>& ids) override {
    for (const char c : utf8) {
      if (c == 'a') ids.push_back(7);
    }
  }

 private:
  int& calls_;
};

std::unique_ptr<TokenCounter> make(int& calls) {
  return make_memo_counter(std::make_unique<CountingCounter>(calls));
}

TEST_CASE("a text that came twice is not counted a third time") {
  int calls = 0;
  const auto counter = make(calls);
  const std::string text = std::string(60, 'a') + "bcde";
  for (int i = 0; i < 5; ++i) CHECK(counter->count(text) == 60);
  CHECK(calls == 2);
  std::vector<std::uint32_t> ids;
  counter->encode(text, ids);
  CHECK(ids.size() == 60);
}

TEST_CASE("short and very long texts are always counted") {
  int calls = 0;
  const auto counter = make(calls);
  for (int i = 0; i < 4; ++i) {
    CHECK(counter->count(std::string(63, 'a')) == 63);
    CHECK(counter->count(std::string(16385, 'a')) == 16385);
    CHECK(counter->count("") == 0);
  }
  CHECK(calls == 12);
}

TEST_CASE("texts that differ where nothing is sampled are told apart") {
  int calls = 0;
  const auto counter = make(calls);
  std::string text(200, 'x');
  for (int round = 0; round < 3; ++round) {
    for (std::size_t at = 20; at < 90; ++at) {
      text[at] = 'a';
      CHECK(counter->count(text) == 1);
      text[at] = 'x';
    }
    CHECK(counter->count(text) == 0);
  }
}

TEST_CASE("more texts than there is room for are counted right") {
  int calls = 0;
  const auto counter = make(calls);
  std::mt19937_64 random(5);
  std::vector<std::string> texts;
  std::vector<std::uint64_t> expected;
  for (int i = 0; i < 900; ++i) {
    std::string text(64 + random() % 12000, ' ');
    std::uint64_t tokens = 0;
    for (char& c : text) {
      c = static_cast<char>('a' + random() % 3);
      tokens += c == 'a' ? 1 : 0;
    }
    texts.push_back(text);
    expected.push_back(tokens);
  }
  for (int i = 0; i < 6000; ++i) {
    const std::size_t which = random() % texts.size();
    REQUIRE(counter->count(texts[which]) == expected[which]);
  }
  CHECK(calls < 6000);
}

}  // namespace
}  // namespace trainsight::tokenize
