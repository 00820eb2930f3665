#include "tokenize/boundary.h"

#include <catch2/catch.hpp>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {
namespace {

constexpr Pattern kPatterns[] = {
    Pattern::kGpt2,       Pattern::kLlama3,     Pattern::kQwen2,
    Pattern::kQwen35,     Pattern::kO200k,      Pattern::kTekken,
    Pattern::kDigit1Gpt2, Pattern::kDeepSeekV3,
};

using Ends = std::vector<std::size_t>;

Ends by_words(Pattern pattern, const std::string& text, std::size_t begin,
              std::size_t until) {
  Ends ends;
  while (begin < until) {
    begin = word_end(pattern, text, begin);
    ends.push_back(begin);
  }
  return ends;
}

// As ByteBpe's worker does, with chunks of `chunk_bytes`.
Ends by_kernel(const WordKernel& kernel, Pattern pattern,
               const std::string& text, std::size_t chunk_bytes) {
  const std::string padded = text + std::string(kChunkPadBytes, '\0');
  const auto words = std::make_unique<WordEnds>();
  Ends ends;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t size = std::min(text.size() - begin, chunk_bytes);
    kernel.find_words(pattern, padded.data() + begin, size,
                      begin + size == text.size(), *words);
    if (words->size == 0) {
      const Ends slow = by_words(pattern, text, begin, begin + size);
      ends.insert(ends.end(), slow.begin(), slow.end());
    }
    for (std::size_t i = 0; i < words->size; ++i) {
      ends.push_back(begin + words->ends[i]);
    }
    begin = ends.back();
  }
  return ends;
}

std::string shown(const Ends& ends, const std::string& text) {
  std::string result;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    result += '[';
    result.append(text, begin, end - begin);
    result += ']';
    begin = end;
  }
  return result;
}

void check_same(const std::string& text) {
  for (const Pattern pattern : kPatterns) {
    const Ends expected = by_words(pattern, text, 0, text.size());
    for (const WordKernel* kernel : kernels()) {
      for (const std::size_t chunk :
           {kChunkBytes, std::size_t{256}, std::size_t{64}}) {
        const Ends found = by_kernel(*kernel, pattern, text, chunk);
        INFO("pattern " << static_cast<int>(pattern) << " kernel "
                        << kernel->name << " chunks of " << chunk);
        REQUIRE(shown(found, text) == shown(expected, text));
      }
    }
  }
}

TEST_CASE("bitmaps cut words where the patterns do") {
  for (const char* text :
       {"Hello, world!",
        "it's we'LL they'Re 'sfoo 's o'clock 'x don't",
        "   ",
        "a  b",
        "a \n b\n\n  c  \n\td",
        "x = (1+22-333*4444/55555);\n\n\t}\n",
        "foo!!\n\n\nbar ?\r\n\r\n  baz",
        "path/to//file\n/x !\n/\n/y!/M",
        "HelloWORLDfooBar ABCdef XMLHttpRequest aB",
        " \t \n \t ",
        "\n\n\n",
        "trailing   ",
        "trailing \n  ",
        "\xC2\xA0\xE3\x80\x80 x\xE3\x80\x80y",
        "\xE4\xB8\xAD\xE6\x96\x87"
        "ABC \xE4\xB8\xAD"
        "ABc d\xE4\xB8\xAD"
        "E",
        "it'\xC5\xBF x'\xC5\xBFy",
        "e\xCC\x81t\xC3\xA9 !\xCC\x81 !!\xCC\x81x",
        "\xF0\x9F\x98\x80\xF0\x9F\x98\x80 \xE2\x9D\xA4\xEF\xB8\x8Fok",
        "\xD9\xA1\xD9\xA2\xD9\xA3\xD9\xA4"
        "5 12\xD9\xA3"
        "4567",
        "x's\xE4\xB8\xAD"
        "AB y'lLz 'REx",
        "(foo ((foo [(]x, \t(a\n(b!\n(c d.e_f-g",
        "(fo\u00E9 (\u00E9t #a1b $x\u0301y .NET",
        "  12  \u4E2D \n  3 \t\u3042\u30FB\u3099z \u9FA5\u9FA6 "
        "\u303F\u3100"}) {
    check_same(text);
  }
}

// Fragments whose neighbourhoods matter, more often than chance would have it.
std::string random_text(std::mt19937_64& random, std::size_t fragments) {
  static const std::vector<std::string> kFragments = {
      "a", "b", "word", "Word", "WORD", "ab", "I", " ", " ", " ", "  ", "\n",
      "\r\n", "\t", "'", "'s", "'S", "'ll", "'rE", "'t", "!", "(", "--", "/",
      "//", "1", "22", "333", "4444", "1234567", ".", ",", "\xC5\xBF",
      "\xC2\xA0", "\xE3\x80\x80", "\xE4\xB8\xAD", "\xE6\x96\x87\xE5\xAD\x97",
      "\xD0\x90", "\xD0\xAF", "\xD0\xB0", "\xD1\x8F", "\xD1\xA0",
      "\xE5\x80\x80", "\xE8\xBF\xBF", "\xEB\x80\x80", "\xEC\xBF\xBF",
      "\xE4\xB7\x80", "\xC3\xA9", "\xC3\x89", "\xCC\x81",
      "\xE0\xA4\x95\xE0\xA4\xBE", "\xD0\x9F\xD1\x80\xD0\xB8", "\xD9\xA3",
      "\xF0\x9F\x98\x80", "\xE2\x80\x99", "\xEF\xB8\x8F", "\xC7\x85",
      "\xC2\x85", "\xE2\x80\xA8", "\xF0\x9D\x9F\x8E", "\xF0\x90\x90\x80", "_",
      "=", "\v", "~", "\u3042", "\u30FB", "\u3099", "\u30A0\u3041", "\u303F",
      "\u3100", "\u4DFF", "\u9FA5", "\u9FA6",
      // What DeepSeek's expressions do not match.
      std::string("\0", 1), "\x1F", "\u200B", "\u0378"};
  const std::size_t kinds = kFragments.size() - (random() % 2 == 0 ? 4 : 0);
  std::string text;
  std::size_t favourite = random() % kinds;
  for (std::size_t i = 0; i < fragments; ++i) {
    if (random() % 8 == 0) favourite = random() % kinds;
    text += kFragments[random() % 4 == 0 ? favourite : random() % kinds];
  }
  return text;
}

TEST_CASE("bitmaps cut random mixes where the patterns do") {
  std::mt19937_64 random(20261130);
  for (int round = 0; round < 3000; ++round) {
    INFO("round " << round);
    check_same(random_text(random, 1 + random() % 120));
  }
}

TEST_CASE("bitmaps cut random code points where the patterns do") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    for (std::size_t i = 0, n = random() % 200; i < n; ++i) {
      const std::uint64_t kind = random() % 10;
      char32_t c = static_cast<char32_t>(random() % (kind < 5   ? 0x80
                                                     : kind < 8 ? 0x3000
                                                                : 0x20000));
      if (c >= 0xD800 && c < 0xE000) c = 'x';
      text::append_utf8(text, c);
    }
    INFO("round " << round);
    check_same(text);
  }
}

TEST_CASE("bitmaps cut the same at every offset in a word of 64 bytes") {
  for (const std::string piece :
       {" don't", "a\n  \n b", "!\n/\n/x", "12345678", "fooBarBAZ",
        "\xE4\xB8\xAD"
        "AB ",
        "x\xCC\x81y", "\xE3\x80\x80\xE3\x80\x80z"}) {
    for (std::size_t pad = 50; pad < 70; ++pad) {
      for (const char* filler : {"x", " ", "\n", "!", "7"}) {
        std::string text;
        for (std::size_t i = 0; i < pad; ++i) text += filler;
        check_same(text + piece);
        check_same(text + piece + text);
      }
    }
  }
}

}  // namespace
}  // namespace trainsight::tokenize
