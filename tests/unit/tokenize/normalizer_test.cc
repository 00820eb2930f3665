// Expected values: what tokenizers 0.23.3 answers, and by hand where said.
#include "tokenize/normalizer.h"

#include <utf8proc.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {
namespace {

std::string normalized(StepPtr step, std::string_view text) {
  Normalizer normalizer;
  normalizer.add(std::move(step));
  NormalizerScratch scratch;
  return std::string(normalizer.apply(text, scratch));
}

TEST_CASE("canonical composition follows the quick check's answers") {
  const auto nfc = [](std::string_view text) {
    return normalized(make_normal_form_step(NormalForm::Kind::kNfc), text);
  };
  CHECK(nfc("plain ASCII, longer than eight") ==
        "plain ASCII, longer than eight");
  CHECK(nfc("e\u0301") == "é");
  CHECK(nfc("\u1100\u1161\u11A8") == "\uAC01");
  CHECK(nfc("a\u0315\u0300") == "\u00E0\u0315");  // reordered, then composed
  CHECK(nfc("\u212B") == "\u00C5");
  CHECK(nfc("\u0958") == "\u0915\u093C");  // excluded from composition
  // U+11A7 is no final consonant (utf8proc 2.8 swallows it).
  CHECK(nfc("e\u0301\uAC00\u11A7") == "é\uAC00\u11A7");
  CHECK(nfc("日本語 и кириллица") == "日本語 и кириллица");
}

// The whole text through utf8proc at once; of no use for code points that are
// younger than the reference's tables.
std::string normalized_at_once(NormalForm::Kind kind, const std::string& text) {
  const bool composes =
      kind == NormalForm::Kind::kNfc || kind == NormalForm::Kind::kNfkc;
  const bool compatible =
      kind == NormalForm::Kind::kNfkc || kind == NormalForm::Kind::kNfkd;
  utf8proc_uint8_t* mapped = nullptr;
  const utf8proc_ssize_t size = utf8proc_map(
      reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
      static_cast<utf8proc_ssize_t>(text.size()), &mapped,
      static_cast<utf8proc_option_t>(
          UTF8PROC_STABLE | (composes ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) |
          (compatible ? UTF8PROC_COMPAT : 0)));
  REQUIRE(size >= 0);
  std::string result(reinterpret_cast<const char*>(mapped),
                     static_cast<std::size_t>(size));
  std::free(mapped);
  return result;
}

TEST_CASE("normalizing around what changes is normalizing it all") {
  // Starters that do and do not compose, marks of several classes, Hangul in
  // both spellings, compatible forms, what grows, and what never changes.
  constexpr char32_t kCharacters[] = {
      U'a',   U'e',   U' ',   U'\n',   0x41,    0x300,   0x301,  0x315,
      0x327,  0x345,  0x344,  0xE9,    0xC5,    0x212B,  0x1E9B, 0x323,
      0x439,  0x418,  0x306,  0x430,   0x915,   0x93C,   0x958,  0x928,
      0x929,  0x9C7,  0x9BE,  0x9CB,   0x1100,  0x1161,  0x11A8, 0xAC00,
      0xAC01, 0x304B, 0x3099, 0x304C,  0x4E00,  0x9FA5,  0xF900, 0xFB01,
      0xFDFA, 0xFF21, 0x3000, 0x1D15E, 0x1F600, 0x20000, 0x2F800};
  std::mt19937_64 random(17);
  for (const auto kind : {NormalForm::Kind::kNfc, NormalForm::Kind::kNfd,
                          NormalForm::Kind::kNfkc, NormalForm::Kind::kNfkd}) {
    Normalizer normalizer;
    normalizer.add(make_normal_form_step(kind));
    NormalizerScratch scratch;
    for (int round = 0; round < 3000; ++round) {
      std::string text;
      const std::size_t size = random() % (round % 10 == 0 ? 300 : 12);
      const std::size_t first = round % 3 == 0 ? 0 : random() % 40;
      const std::size_t count = round % 3 == 0 ? std::size(kCharacters) : 8;
      for (std::size_t i = 0; i < size; ++i) {
        text::append_utf8(text, kCharacters[first + random() % count]);
      }
      INFO("form " << static_cast<int>(kind) << " of " << text);
      REQUIRE(normalizer.apply(text, scratch) ==
              normalized_at_once(kind, text));
    }
  }
}

TEST_CASE("code points younger than the reference's tables stay as they are") {
  // U+0C3C has combining class 7 since Unicode 14: no reordering.
  CHECK(normalized(make_normal_form_step(NormalForm::Kind::kNfd),
                   "a\u0345\u0C3C") == "a\u0345\u0C3C");
  // U+32FF (Unicode 12.1) would become two ideographs.
  CHECK(normalized(make_normal_form_step(NormalForm::Kind::kNfkc), "\u32FF") ==
        "\u32FF");
  CHECK(normalized(make_normal_form_step(NormalForm::Kind::kNfkc), "\u32FE") ==
        "\u30F2");
}

// A precompiled_charsmap with one rule, "e\u0301" to "\u00E9": its trie (a
// double array as Darts writes it: a label, and an offset that is added without
// carry to the node's place), then the replacements.
Charsmap charsmap_of_one_rule() {
  std::vector<std::uint32_t> units(0x401, 0);
  const auto unit = [](std::uint32_t offset, std::uint32_t label) {
    return offset << 10 | label;
  };
  units[0] = unit(0x100, 0);
  units[0x100 ^ 0x65] = unit(0x165 ^ 0x200, 0x65);
  units[0x200 ^ 0xCC] = unit(0x2CC ^ 0x300, 0xCC);
  units[0x300 ^ 0x81] = unit(0x381 ^ 0x400, 0x81 | 1U << 8);  // with a leaf
  units[0x400] = 1U << 31;  // the replacement at 0
  const auto bytes = static_cast<std::uint32_t>(units.size() * 4);
  std::string blob(4 + bytes, '\0');
  std::memcpy(blob.data(), &bytes, 4);
  std::memcpy(blob.data() + 4, units.data(), bytes);
  blob += std::string("\u00E9") + '\0';
  auto map = Charsmap::parse(blob);
  REQUIRE(map);
  return std::move(*map);
}

TEST_CASE("a charsmap's rules are looked for in clusters of few bytes") {
  const auto mapped = [](std::string_view text) {
    return normalized(make_precompiled_step(charsmap_of_one_rule()), text);
  };
  CHECK(mapped("plain text, \u4E2D\u6587") == "plain text, \u4E2D\u6587");
  CHECK(mapped("xe\u0301y") == "x\u00E9y");
  CHECK(mapped("\u4E2De\u0301") == "\u4E2D\u00E9");
  // A rule for the beginning of a cluster stands for all of it.
  CHECK(mapped("e\u0301\u0327") == "\u00E9");
  CHECK(mapped("ee\u0301\u0327\u0301") == "ee\u0301\u0327\u0301");
  // Marks of Unicode 17, and what joins the character behind it or no more.
  CHECK(mapped("e\u0301\u1AE0") == "e\u0301\u1AE0");
  CHECK(mapped("\U000113D1e\u0301") == "\U000113D1e\u0301");
  CHECK(mapped("\U00011A3Ae\u0301") == "\U00011A3A\u00E9");
}

TEST_CASE("the Bert normalizer cleans, spaces and lowers") {
  CHECK(normalized(make_bert_step({}), "H\u00E9llo\tW\u4F60\u0001\u200B!") ==
        "hello w \u4F60 !");
  BertOptions keep;
  keep.strip_accents = false;
  keep.lowercase = false;
  CHECK(normalized(make_bert_step(keep), "É\u0007\r\nx") == "É  x");
}

TEST_CASE("lower case is taken without regard to what is around") {
  CHECK(normalized(make_lowercase_step(), "ΑΣ İ ǅ ẞ") == "ασ i\u0307 ǆ ß");
}

TEST_CASE("Strip takes white space of the ends that it is told of") {
  CHECK(normalized(make_strip_step(true, false), " \u3000a ") == "a ");
  CHECK(normalized(make_strip_step(false, true), " a \n") == " a");
  CHECK(normalized(make_strip_step(true, true), " \t ") == "");
}

TEST_CASE("texts are replaced from left to right") {
  CHECK(normalized(make_replace_step("aa", "b"), "aaa xaaaa") == "ba xbb");
  CHECK(normalized(make_replace_spaces_step("_"), "a  b c    d  ") ==
        "a_b c_d_");
  CHECK(normalized(make_prepend_step("_"), "") == "");
  CHECK(normalized(make_prepend_step("_"), "a") == "_a");
}

TEST_CASE("marks and controls go where a step says so") {
  CHECK(normalized(make_strip_accents_step(), "a\u0301\u0903b") == "ab");
  CHECK(normalized(make_strip_accents_step(), "\u0301\u0302日本\u3099a") ==
        "日本a");
  CHECK(normalized(make_strip_accents_step(), "no marks, 日本") ==
        "no marks, 日本");
  CHECK(normalized(make_nmt_step(), "a\u0001\u200Bb\tc\u2581") == "a b c ");
}

TEST_CASE("steps are applied in order") {
  Normalizer normalizer;
  normalizer.add(make_prepend_step("\u2581"));
  normalizer.add(make_replace_step(" ", "\u2581"));
  NormalizerScratch scratch;
  CHECK(normalizer.apply(" a b", scratch) == "\u2581\u2581a\u2581b");
}

}  // namespace
}  // namespace trainsight::tokenize
