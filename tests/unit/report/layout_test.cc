#include "report/layout.h"

#include <catch2/catch.hpp>
#include <string>

namespace trainsight::report {
namespace {

TEST_CASE("thousands are grouped by commas") {
  CHECK(grouped(0) == "0");
  CHECK(grouped(999) == "999");
  CHECK(grouped(1000) == "1,000");
  CHECK(grouped(1234567) == "1,234,567");
  CHECK(grouped(18446744073709551615u) == "18,446,744,073,709,551,615");
}

TEST_CASE("a share that is not zero never shows as 0.0 %") {
  CHECK(percent(0) == "0.0 %");
  CHECK(percent(0.0001) == "< 0.1 %");
  CHECK(percent(0.0006) == "0.1 %");
  CHECK(percent(0.373) == "37.3 %");
  CHECK(percent(0.9999) == "> 99.9 %");
  CHECK(percent(1) == "100.0 %");
}

TEST_CASE("sizes take the unit that keeps them short") {
  CHECK(size_of(0) == "0 B");
  CHECK(size_of(1023) == "1023 B");
  CHECK(size_of(1024) == "1.0 KiB");
  CHECK(size_of(1536) == "1.5 KiB");
  // 1023.99 KiB would round to 1024.0 KiB.
  CHECK(size_of(1048570) == "1.0 MiB");
  CHECK(size_of(std::uint64_t{5} << 40) == "5.0 TiB");
}

TEST_CASE("means keep about four digits") {
  CHECK(rounded(0) == "0.00");
  CHECK(rounded(38.25) == "38.25");
  CHECK(rounded(156.64) == "156.6");
  CHECK(rounded(1628.4) == "1,628");
}

TEST_CASE("one is singular, all other numbers are plural") {
  CHECK(counted(0, "record") == "0 records");
  CHECK(counted(1, "record") == "1 record");
  CHECK(counted(1234, "record") == "1,234 records");
}

TEST_CASE("columns count code points, not bytes") {
  CHECK(columns_of("σ/μ") == 3);
  CHECK(padded_left("σ", 3) == "  σ");
  CHECK(padded_right("σ", 3) == "σ  ");
  CHECK(padded_right("long", 3) == "long");
}

TEST_CASE("a path that is cut keeps its name") {
  CHECK(shortened("short.jsonl", 20) == "short.jsonl");
  CHECK(shortened("a/very/long/path/to/train.jsonl", 20) ==
        "a/very…o/train.jsonl");
  CHECK(columns_of(shortened("ä/ö/ü/ä/ö/ü/ä/ö/ü/ä/ö/ü", 10)) == 10);
}

TEST_CASE("control characters cannot reach the terminal") {
  CHECK(shortened("a\x1b[31m\nb\x7f", 40) == "a?[31m?b?");
}

TEST_CASE("bytes that are no UTF-8 become replacement characters") {
  CHECK(shortened("a\xff"
                  "b",
                  40) ==
        "a\xef\xbf\xbd"
        "b");
}

TEST_CASE("text wraps between words at 80 columns") {
  const std::string word(30, 'x');
  CHECK(wrapped(word + " " + word + " " + word, 4) ==
        word + " " + word + "\n    " + word);
  // 4 + 30 + 1 + 45 is exactly 80.
  CHECK(wrapped(word + " " + std::string(45, 'y'), 4) ==
        word + " " + std::string(45, 'y'));
  CHECK(wrapped(word + " " + std::string(46, 'y'), 4) ==
        word + "\n    " + std::string(46, 'y'));
  CHECK(wrapped("", 4).empty());
}

TEST_CASE("a word longer than a line is broken") {
  CHECK(wrapped("a " + std::string(90, 'x') + " b", 2) ==
        "a\n  " + std::string(78, 'x') + "\n  " + std::string(12, 'x') + " b");
}

TEST_CASE("bars are drawn in eighths, and what is there is seen") {
  CHECK(bar(0, 8).empty());
  CHECK(bar(1, 3) == "███");
  CHECK(bar(0.5, 3) == "█▌");
  CHECK(bar(0.0001, 8) == "▏");
  CHECK(bar(2, 2) == "██");
}

TEST_CASE("without colour a style changes nothing") {
  CHECK(Style(false).red("x") == "x");
  CHECK(Style(true).red("x") == "\x1b[31mx\x1b[0m");
}

}  // namespace
}  // namespace trainsight::report
