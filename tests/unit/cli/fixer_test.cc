#include "cli/fixer.h"

#include <catch2/catch.hpp>

#include "support/fixed.h"

namespace trainsight::cli {
namespace {

using tests::fixed;
using tests::Fixed;

TEST_CASE("each mechanical fault is repaired, counted and placed") {
  const Fixed f = fixed(
      "\xEF\xBB\xBF{\"a\":1}\r\n"                           // 1
      "\n"                                                  // 2
      "{\"b\":2}{\"c\":3}\n"                                // 3
      "{\"d\":4},\n"                                        // 4
      "[{\"e\":5},{\"f\":6}]\n"                             // 5
      "{\"messages\":\"[{\\\"role\\\":\\\"user\\\"}]\"}\n"  // 6
      "{\"g\":\n"                                           // 7: left
      "{\"h\":8}");                                         // 8
  CHECK(f.out ==
        "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n{\"d\":4}\n{\"e\":5}\n{\"f\":6}\n"
        "{\"messages\":[{\"role\":\"user\"}]}\n{\"g\":\n{\"h\":8}\n");
  CHECK(f.changes.json() ==
        "[{\"change\":\"byte_order_mark\",\"text\":\"byte order marks "
        "removed\",\"count\":1,\"lines\":[1]},"
        "{\"change\":\"blank_line\",\"text\":\"blank lines "
        "removed\",\"count\":1,\"lines\":[2]},"
        "{\"change\":\"crlf\",\"text\":\"CR LF line ends made "
        "LF\",\"count\":1,\"lines\":[]},"
        "{\"change\":\"split_line\",\"text\":\"lines of several objects "
        "split\",\"count\":1,\"lines\":[3]},"
        "{\"change\":\"split_list\",\"text\":\"arrays on a line split into "
        "their objects\",\"count\":1,\"lines\":[5]},"
        "{\"change\":\"comma\",\"text\":\"lines that had commas after a "
        "record\",\"count\":1,\"lines\":[4]},"
        "{\"change\":\"decoded_messages\",\"text\":\"message lists decoded "
        "from strings\",\"count\":1,\"lines\":[6]},"
        "{\"change\":\"last_newline\",\"text\":\"line end added at the end of "
        "the file\",\"count\":1,\"lines\":[]},"
        "{\"change\":\"left\",\"text\":\"records left as they are: no safe "
        "repair\",\"count\":1,\"lines\":[7]}]");
}

TEST_CASE("an array becomes lines, and says so even when it was one line") {
  const Fixed f =
      fixed("[{\"a\":1},\n {\"b\":\n 2}, 3]", false, 8u << 20, "in.json");
  CHECK(f.out == "{\"a\":1}\n{\"b\":  2}\n3\n");
  CHECK(f.changes.count(Change::kArray) == 2);
  CHECK(f.changes.count(Change::kLayout) == 1);
  CHECK(f.changes.count(Change::kLeft) == 1);
  CHECK(f.changes.count(Change::kLastNewline) == 0);
}

TEST_CASE("commas and an end that is missing lose no row of a document") {
  const Fixed f = fixed("[{\"a\":1},,\n{\"b\":2},", false, 8u << 20, "in.json");
  CHECK_FALSE(f.refused);
  CHECK(f.out == "{\"a\":1}\n{\"b\":2}\n");
  CHECK(f.changes.count(Change::kComma) == 1);
  CHECK(f.changes.count(Change::kUnclosed) == 1);
}

TEST_CASE("what follows after a document is not dropped: fix refuses") {
  CHECK(fixed("[{\"a\":1}][{\"b\":2}]", false, 8u << 20, "in.json").refused);
  CHECK(fixed("[{\"a\":1}\n]\n{\"b\":2}\n").refused);
}

TEST_CASE("a broken record of several lines is put on one") {
  const Fixed f =
      fixed("[{\"a\":\n{\"b\":1}\n x}]", false, 8u << 20, "in.json");
  CHECK(f.out == "{\"a\": {\"b\":1}  x}\n");
  CHECK(f.changes.count(Change::kLeft) == 1);
  CHECK(f.changes.count(Change::kLayout) == 1);
}

TEST_CASE("an object of rows loses their names, and that is listed") {
  const Fixed f =
      fixed("{\"x\":{\"a\":1},\"y\":{\"a\":2}}", false, 8u << 20, "in.json");
  CHECK(f.out == "{\"a\":1}\n{\"a\":2}\n");
  CHECK(f.changes.count(Change::kObjectMap) == 2);
  CHECK(f.changes.count(Change::kArray) == 0);
}

TEST_CASE("duplicates go when asked, by what is written") {
  const std::string in =
      "{\"messages\":[1]}\n{\"messages\":\"[1]\"}\n{\"a\":1}{\"a\":1}\n"
      "{\"a\": 1}\n{bad\n{bad\n";
  CHECK(fixed(in).lines == 7);
  const Fixed f = fixed(in, true);
  CHECK(f.out == "{\"messages\":[1]}\n{\"a\":1}\n{\"a\": 1}\n{bad\n{bad\n");
  CHECK(f.changes.count(Change::kDuplicate) == 2);
  CHECK(f.changes.count(Change::kDecodedMessages) == 0);
}

TEST_CASE("a sound file stays as it is") {
  const std::string in = "{\"a\":1.0}\n{\"b\" : \"\\u00e9\"}\n";
  const Fixed f = fixed(in);
  CHECK(f.out == in);
  CHECK(f.changes.text() == "  nothing to repair\n");
  CHECK(f.changes.json() == "[]");
  CHECK(fixed("").out.empty());
}

TEST_CASE("places are in order, the first few shown") {
  std::string in = "\xEF\xBB\xBF";
  for (int i = 0; i < 7; ++i) in += "{\"a\":1}{\"b\":2}\n";
  in += "\xEF\xBB\xBF{\"c\":3}\n";
  CHECK(fixed(in).changes.text() ==
        "          2  byte order marks removed\n"
        "             line 1, 8\n"
        "          7  lines of several objects split\n"
        "             line 1, 2, 3, 4, 5, …\n");
}

}  // namespace
}  // namespace trainsight::cli
