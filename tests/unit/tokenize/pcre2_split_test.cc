#include "tokenize/pcre2_split.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "support/split_in_sequence.h"
#include "tokenize/pretokenize.h"
#include "tokenize/unicode_classes.h"
#include "trainsight/text/utf8.h"

namespace trainsight::tokenize {
namespace {

std::vector<std::string> matches(std::string_view regex,
                                 const std::string& text) {
  std::vector<std::string> found;
  const auto splitter = RegexSplitter::make(regex);
  REQUIRE(splitter);
  const auto matcher = (*splitter)->make_matcher();
  Span match;
  for (std::size_t at = 0; matcher->next(text, at, match); at = match.end) {
    found.push_back(text.substr(match.begin, match.end - match.begin));
  }
  return found;
}

using Strings = std::vector<std::string>;

TEST_CASE("matches are found in order") {
  CHECK(matches("[0-9]+", "a12b3") == Strings{"12", "3"});
  CHECK(matches("(?i:'s)", "x'S y'\xC5\xBF") == Strings{"'S", "'\xC5\xBF"});
  CHECK(matches("a.", "a\na\r") == Strings{"a\r"});
}

// Each as Split of tokenizers 0.23.3 has it.
TEST_CASE("classes hold classes and are intersected") {
  const std::string text = "ab cba  xam b.(,|) wq";
  CHECK(matches("[a-c[x-z]m]+", text) == Strings{"ab", "cba", "xam", "b"});
  CHECK(matches("[^(\\s|[.,]x)]+", text) ==
        Strings{"ab", "cba", "am", "b", "wq"});
  CHECK(matches("[a-d&&[^b]]+", text) == Strings{"a", "c", "a", "a"});
  CHECK(matches("[ab&&[bc]]+", text) == Strings{"b", "b", "b"});
  CHECK(matches("x[a-d&&[^bc]]*m", text) == Strings{"xam"});
  CHECK(matches("[\\p{L}\\p{M}&&[^\\p{Han}]]+", "a\xE4\xBD\xA0\xC3\xA9") ==
        Strings{"a", "\xC3\xA9"});
}

TEST_CASE("word characters are those of the engine") {
  // a, superscript two, a joiner, an underscore, a hyphen, a Devanagari sign.
  const std::string text = "a\xC2\xB2\xE2\x80\x8D_-\xE0\xA4\xBF";
  CHECK(matches("\\w+", text) == Strings{"a\xC2\xB2", "_", "\xE0\xA4\xBF"});
  CHECK(matches("[\\w-]+", text) == Strings{"a\xC2\xB2", "_-\xE0\xA4\xBF"});
  CHECK(matches("\\W+", text) == Strings{"\xE2\x80\x8D", "-"});
}

TEST_CASE("ends are those of lines in one syntax, of the text in the other") {
  const std::string text = "ab  \n ba \n\nab \n";
  CHECK(matches("\\s+$", text) == Strings{"  ", " \n", " \n"});
  CHECK(matches("^a", text) == Strings{"a", "a"});
  const auto found = [&](std::string_view regex) {
    const auto splitter = RegexSplitter::make(regex, RegexSyntax::kRust);
    REQUIRE(splitter);
    Strings all;
    const auto matcher = (*splitter)->make_matcher();
    Span match;
    for (std::size_t at = 0; matcher->next(text, at, match); at = match.end) {
      all.push_back(text.substr(match.begin, match.end - match.begin));
    }
    return all;
  };
  CHECK(found("\\s+$") == Strings{" \n"});
  CHECK(found("^a") == Strings{"a"});
}

TEST_CASE("what the engines read in different ways is refused by name") {
  const auto message = [](std::string_view regex) {
    const auto made = RegexSplitter::make(regex);
    return made ? std::string("(accepted)") : made.error().message;
  };
  CHECK(message("[0-9]*") ==
        "regular expression [0-9]*: a match of no characters is not "
        "supported");
  CHECK(message("\\bx") == "regular expression \\bx: \\b is not supported");
  CHECK(message("[\\W]") ==
        "regular expression [\\W]: \\W in a class is not supported");
  for (const std::string regex :
       {"[^a-z&&[^b]]", "[a&&b]", "[&&[b]]", "[a&&[b]c]", "[a&&[b]&&[c]]"}) {
    CHECK(message(regex) == "regular expression " + regex +
                                ": an intersection of classes is not "
                                "supported");
  }
  for (const std::string regex :
       {"[a[^b]]", "[[:alpha:]]", "[a-[z]]", "[a[-z]]", "[[a]-z]", "[[a-]z]",
        "[a[]]", "[a["}) {
    CHECK(message(regex) == "regular expression " + regex +
                                ": a class inside a class is not supported");
  }
  CHECK(message("[a[b]") ==
        "regular expression [a[b]: an open character class is not supported");
  CHECK(message("\\p{Thai}") ==
        "regular expression \\p{Thai}: \\p{Thai} is not supported");
  CHECK(message("(?m)a") == "regular expression (?m)a: (?m) is not supported");
  CHECK(message("a\\") ==
        "regular expression a\\: a backslash at the end is not supported");
  CHECK(message("(a") == "regular expression (a: missing closing parenthesis");
}

// \p{…} and \s in and out of brackets, against the tables, for every code
// point: the additions make the library's version of Unicode not matter.
TEST_CASE("classes are those of Unicode 16") {
  struct Row {
    const char* regex;
    bool (*holds)(CharClass);
  };
  for (const Row& row : {
           Row{"\\p{L}", [](CharClass c) { return is_letter(c); }},
           Row{"[\\p{L}]", [](CharClass c) { return is_letter(c); }},
           Row{"\\P{L}", [](CharClass c) { return !is_letter(c); }},
           Row{"\\p{N}", [](CharClass c) { return c == CharClass::kNumber; }},
           Row{"\\p{M}", [](CharClass c) { return c == CharClass::kMark; }},
           Row{"\\p{P}", [](CharClass c) { return c == CharClass::kPunct; }},
           Row{"\\p{S}", [](CharClass c) { return c == CharClass::kSymbol; }},
           Row{"\\s", [](CharClass c) { return is_space(c); }},
           Row{"[^\\S]", [](CharClass c) { return is_space(c); }},
           Row{"\\S", [](CharClass c) { return !is_space(c); }},
           Row{"[\\p{Lu}\\p{Lt}]",
               [](CharClass c) { return c == CharClass::kUpper; }},
           Row{"\\p{Ll}", [](CharClass c) { return c == CharClass::kLower; }},
           Row{"[\\p{Lm}\\p{Lo}]",
               [](CharClass c) { return c == CharClass::kLetter; }},
       }) {
    const auto splitter = RegexSplitter::make(row.regex);
    REQUIRE(splitter);
    const auto matcher = (*splitter)->make_matcher();
    std::size_t wrong = 0;
    for (char32_t c = 0; c < 0x110000; ++c) {
      if (c >= 0xD800 && c < 0xE000) continue;
      std::string text;
      text::append_utf8(text, c);
      Span match;
      const bool matched = matcher->next(text, 0, match);
      if (matched != row.holds(class_of(c))) ++wrong;
    }
    INFO(row.regex);
    CHECK(wrong == 0);
  }
}

// U+3005 and U+3007 are Han; U+3001, U+3002 and U+3006 are used with it only,
// which is another property (Script_Extensions).
TEST_CASE("a script is that of the characters themselves") {
  CHECK(matches("\\p{Han}+",
                "\xE3\x80\x81\xE3\x80\x85\xE3\x80\x87\xE3\x80\x82\xE4\xB8\x80"
                "\xE3\x80\x86") ==
        Strings{"\xE3\x80\x85\xE3\x80\x87", "\xE4\xB8\x80"});
}

// One engine against the other.
TEST_CASE("hand-written scanners cut where PCRE2 does on their sources") {
  std::mt19937_64 random(42);
  for (const Pattern pattern :
       {Pattern::kGpt2, Pattern::kLlama3, Pattern::kQwen2, Pattern::kQwen35,
        Pattern::kO200k, Pattern::kTekken, Pattern::kDigit1Gpt2,
        Pattern::kDeepSeekV3}) {
    for (int round = 0; round < 1500; ++round) {
      std::string text;
      for (std::size_t i = 0, n = random() % 60; i < n; ++i) {
        static constexpr std::u32string_view kLikely =
            U"aAbB'sStLldmreREvV  \n\r\t!/.(12\u017F\u00A0\u3000\u4E2D\u6587"
            U"\u0410\u042F\u0430\u044F\u0451\u0461\uAC00\uB000\u5000\u8FFF"
            U"\u00E9\u0301\u0915\u093E\u0663\U0001F600\uFE0F\u01C5\u02B0"
            U"\u3042\u30FB\u3099\u309B\u3040\u9FA6\u200B";
        char32_t c = kLikely[random() % kLikely.size()];
        if (random() % 12 == 0) {
          c = static_cast<char32_t>(random() % 0x20000);
          if (c >= 0xD800 && c < 0xE000) c = U'x';
        }
        text::append_utf8(text, c);
      }
      INFO("pattern " << static_cast<int>(pattern) << " round " << round
                      << " text " << text);
      std::vector<std::size_t> ends;
      for (std::size_t at = 0; at < text.size(); ends.push_back(at)) {
        at = word_end(pattern, text, at);
      }
      REQUIRE(ends == split_in_sequence(sources_of_pattern(pattern), text));
    }
  }
}

}  // namespace
}  // namespace trainsight::tokenize
