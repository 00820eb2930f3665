// Folding, against the plain definition.
#include "rules/folded_text.h"

#include <catch2/catch.hpp>
#include <random>
#include <string>

#include "trainsight/text/json_text.h"

namespace trainsight::rules {
namespace {

// One byte after the other, as the header says.
std::string folded_slowly(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool space = c == ' ' || (c >= '\t' && c <= '\r');
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  }
  return out;
}

std::string folded(std::string_view text,
                   text::Encoding encoding = text::Encoding::kUtf8) {
  FoldedText out;
  out.append({text, encoding});
  return std::string(out.view());
}

TEST_CASE("case and runs of white space are folded", "[rules]") {
  CHECK(folded("  Hello\t\n World ") == "hello world ");
  CHECK(folded("ÄÖ É") == "ÄÖ É");  // ASCII letters only
  CHECK(folded("") == "");
}

TEST_CASE("escapes are undone before folding", "[rules]") {
  constexpr auto kEscaped = text::Encoding::kJsonEscaped;
  CHECK(folded("A\\n\\n \\tB", kEscaped) == "a b");
  CHECK(folded("\\u0041\\u0020\\u00c4\\ud83d\\ude00", kEscaped) == "a Ä😀");
  CHECK(folded("say \\\"Hi\\\"", kEscaped) == "say \"hi\"");
  CHECK(folded("a\\q\\u00", kEscaped) == "a\\q\\u00");  // no valid escapes
  CHECK(folded("a\\nB") == "a\\nb");  // not escaped: a backslash and an n
}

TEST_CASE("pieces end in a mark of their own", "[rules]") {
  FoldedText out;
  out.append({" One ", text::Encoding::kUtf8});
  out.end_piece('\xF8');
  out.append({"  two", text::Encoding::kUtf8});
  out.end_piece('\xF9');
  CHECK(out.view() == "one\xF8 two\xF9 ");
  out.clear();
  CHECK(out.view().empty());
}

TEST_CASE("folding by blocks equals folding by bytes", "[rules]") {
  std::mt19937 random(7);  // the same texts on every run
  constexpr std::string_view kAlphabet =
      "aZ \t\n@[`{\xC3\xA4\x80\xFF\r~M\\nu0 abcdefghijklmnopqrstuvwxyz\"/";
  for (int i = 0; i < 4000; ++i) {
    std::string text(random() % 300, ' ');
    for (char& c : text) c = kAlphabet[random() % kAlphabet.size()];
    CHECK(folded(text) == folded_slowly(text));
    // As a file would hold it, and as a file might hold it.
    std::string escaped;
    text::append_json_escaped(text, escaped);
    CHECK(folded(escaped, text::Encoding::kJsonEscaped) == folded_slowly(text));
    std::string scratch;
    CHECK(folded(text, text::Encoding::kJsonEscaped) ==
          folded_slowly(
              text::as_utf8({text, text::Encoding::kJsonEscaped}, scratch)));
    const std::size_t cut = text.empty() ? 0 : random() % text.size();
    FoldedText parts;
    parts.append({std::string_view(text).substr(0, cut)});
    parts.append({std::string_view(text).substr(cut)});
    CHECK(parts.view() == folded_slowly(text));
  }
}

}  // namespace
}  // namespace trainsight::rules
