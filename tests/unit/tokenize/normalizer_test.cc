// Expected values: what tokenizers 0.23.3 answers, and by hand where said.
#include "tokenize/normalizer.h"

#include <catch2/catch.hpp>
#include <string>
#include <utility>

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
  CHECK(nfc("日本語 и кириллица") == "日本語 и кириллица");
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
