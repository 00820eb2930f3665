#include "scan/text_lines_reader.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/memory_source.h"
#include "support/read_rows.h"

namespace trainsight::scan {
namespace {

using tests::MemorySource;
using tests::read_all;
using tests::ReadResult;

ReadResult read_text(const std::string& text, const ReadOptions& options = {},
                     std::size_t step = 0) {
  return read_all(open_text_lines(
      std::make_unique<MemorySource>(text, step, "a.txt"), options));
}

TEST_CASE("text: every line that is not blank is a row") {
  const ReadResult got = read_text("one\n\n  \t\ntwo \r\n\xC3\xA9");
  CHECK(got.json_lines() ==
        "{\"text\":\"one\"}\n{\"text\":\"two \"}\n{\"text\":\"\xC3\xA9\"}\n");
  CHECK(got.rows[1].line == 4);
  CHECK(got.rows[1].offset == 9);
  CHECK(got.facts.lines == 5);
  CHECK(got.facts.blank_lines == 2);
  CHECK(got.facts.first_blank_lines == std::vector<std::uint64_t>{2, 3});
  CHECK(got.facts.crlf_lines == 1);
  CHECK_FALSE(got.facts.ends_with_newline);
}

TEST_CASE("text: chunks of any size and streams of any step read the same") {
  const std::string text = "one\n\ntwo\r\nthree is longer\n\n\nfour\n\n";
  const ReadResult whole = read_text(text);
  REQUIRE(whole.rows.size() == 4);
  CHECK(whole.facts.trailing_blank_lines == 1);
  for (std::uint64_t chunk = 1; chunk < 40; ++chunk) {
    for (const std::size_t step : {0u, 1u, 5u}) {
      ReadOptions options;
      options.chunk_bytes = chunk;
      const ReadResult got = read_text(text, options, step);
      CHECK(got.json_lines() == whole.json_lines());
      CHECK(got.facts.lines == whole.facts.lines);
      CHECK(got.facts.blank_lines == whole.facts.blank_lines);
      CHECK(got.facts.first_blank_lines == whole.facts.first_blank_lines);
      CHECK(got.rows.back().line == whole.rows.back().line);
      CHECK(got.rows.back().offset == whole.rows.back().offset);
    }
  }
}

TEST_CASE("text: the whole file can be one row") {
  ReadOptions options;
  options.text_is_one_document = true;
  options.chunk_bytes = 4;
  for (const std::size_t step : {0u, 3u}) {
    const ReadResult got = read_text("one\n\ntwo\n", options, step);
    CHECK(got.json_lines() == "{\"text\":\"one\\n\\ntwo\\n\"}\n");
    CHECK(got.facts.lines == 3);
    options.max_record_bytes = 5;
    const ReadResult longer = read_text("one\n\ntwo\n", options, step);
    CHECK(longer.rows.empty());
    REQUIRE(longer.bad.size() == 1);
    CHECK(longer.bad[0].message == "9 bytes, over the limit of 5");
    options.max_record_bytes = 100;
  }
}

TEST_CASE("text: faults are bad records of their line") {
  const ReadResult got = read_text(std::string("ok\n\xFF\xFE\na\0b\n", 10));
  CHECK(got.rows.size() == 1);
  REQUIRE(got.bad.size() == 2);
  CHECK(got.bad[0].kind == BadRecordKind::kNotUtf8);
  CHECK(got.bad[0].line == 2);
  CHECK(got.bad[1].kind == BadRecordKind::kNulByte);
  CHECK(got.bad[1].byte == 1);
}

TEST_CASE("text: a long line is measured and passed over") {
  ReadOptions options;
  options.chunk_bytes = 8;
  options.max_record_bytes = 10;
  for (const std::size_t step : {0u, 3u}) {
    const ReadResult got =
        read_text("a\n" + std::string(3000, 'x') + "\nb\n", options, step);
    CHECK(got.json_lines() == "{\"text\":\"a\"}\n{\"text\":\"b\"}\n");
    REQUIRE(got.bad.size() == 1);
    CHECK(got.bad[0].line == 2);
    CHECK(got.bad[0].offset == 2);
    CHECK(got.rows[1].line == 3);
  }
}

TEST_CASE("text: only names of text files are taken for text") {
  CHECK(sniff_text_lines({"hello", "a.TXT", true}) == Likeness::kNamed);
  CHECK(sniff_text_lines({"hello", "a.md", true}) == Likeness::kNo);
  CHECK(sniff_text_lines({std::string_view("h\0", 2), "a.txt", true}) ==
        Likeness::kNo);
}

}  // namespace
}  // namespace trainsight::scan
