// Folding and repeats, against the plain definition.
#include "rules/fingerprint.h"

#include <catch2/catch.hpp>
#include <random>

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

std::string folded(std::string_view text) {
  std::string out;
  append_folded(text, out);
  return out;
}

TEST_CASE("case and runs of white space are folded", "[rules]") {
  CHECK(folded("  Hello\t\n World ") == "hello world ");
  CHECK(folded("ÄÖ É") == "ÄÖ É");  // ASCII letters only
  CHECK(folded("") == "");
}

TEST_CASE("folding by blocks equals folding by bytes", "[rules]") {
  std::mt19937 random(7);  // the same texts on every run
  constexpr std::string_view kAlphabet = "aZ \t\n@[`{\xC3\xA4\x80\xFF\r~M";
  for (int i = 0; i < 2000; ++i) {
    std::string text(random() % 70, ' ');
    for (char& c : text) c = kAlphabet[random() % kAlphabet.size()];
    CHECK(folded(text) == folded_slowly(text));
    const std::size_t cut = text.empty() ? 0 : random() % text.size();
    std::string parts;
    append_folded(text.substr(0, cut), parts);
    append_folded(text.substr(cut), parts);
    CHECK(parts == folded_slowly(text));
  }
}

TEST_CASE("repeats are counted with their first places", "[rules]") {
  FingerprintTable table;
  // Lines 1, 3 and 4 are alike to the byte, 2 and 6 only when folded; 5 is
  // alone; 7 is evaluation data.
  table.add({10, 1, 1});
  table.add({20, 5, 2});
  table.add({10, 1, 3});
  table.add({10, 1, 4});
  table.add({30, 9, 5});
  table.add({20, 6, 6});
  table.add({20, 5, 7});
  const auto summary =
      table.summarize(5, [](std::uint32_t line) { return line == 7; });
  CHECK(summary.exact.count == 2);
  CHECK(summary.exact.all_rows == 3);
  REQUIRE(summary.exact.first.size() == 2);
  CHECK(summary.exact.first[0].line == 3);
  CHECK(summary.exact.first[0].first_line == 1);
  CHECK(summary.exact.first[1].line == 4);
  CHECK(summary.folded.count == 1);
  CHECK(summary.folded.all_rows == 2);
  REQUIRE(summary.folded.first.size() == 1);
  CHECK(summary.folded.first[0].line == 6);
  CHECK(summary.folded.first[0].first_line == 2);
  CHECK(summary.leaked.count == 1);
  REQUIRE(summary.leaked.first.size() == 1);
  CHECK(summary.leaked.first[0].line == 7);
  CHECK(summary.leaked.first[0].first_line == 2);
}

TEST_CASE("only the first few repeats are kept, in line order", "[rules]") {
  FingerprintTable table;
  for (std::uint32_t line = 100; line > 0; --line) table.add({1, 1, line});
  const auto summary = table.summarize(3, [](std::uint32_t) { return false; });
  CHECK(summary.exact.count == 99);
  REQUIRE(summary.exact.first.size() == 3);
  CHECK(summary.exact.first[0].line == 2);
  CHECK(summary.exact.first[2].line == 4);
}

TEST_CASE("an empty table has no repeats", "[rules]") {
  FingerprintTable table;
  CHECK(table.summarize(5, [](std::uint32_t) { return false; }).exact.count ==
        0);
}

}  // namespace
}  // namespace trainsight::rules
