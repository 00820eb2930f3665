#include "scan/jsonl_reader.h"

#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "support/memory_source.h"
#include "support/read_rows.h"
#include "support/temp_folder.h"
#include "trainsight/io/open_source.h"

namespace trainsight::scan {
namespace {

using tests::MemorySource;
using tests::read_all;
using tests::ReadResult;
using Lines = std::vector<std::uint64_t>;

ReadResult read(std::string_view bytes, const ReadOptions& options = {},
                std::size_t step = 0) {
  return read_all(open_reader(
      std::make_unique<MemorySource>(bytes, step, "x.jsonl"), options));
}

Lines row_lines(const ReadResult& result) {
  Lines lines;
  for (const tests::ReadRow& row : result.rows) lines.push_back(row.line);
  return lines;
}

TEST_CASE("every line is a row with its line and offset") {
  const ReadResult r = read("{\"a\":1}\n{\"a\":22}\n{\"a\":3}");
  CHECK(r.json_lines() == "{\"a\":1}\n{\"a\":22}\n{\"a\":3}\n");
  CHECK(row_lines(r) == Lines{1, 2, 3});
  CHECK(r.rows[1].offset == 8);
  CHECK(r.rows[2].offset == 17);
  CHECK(r.facts.lines == 3);
  CHECK_FALSE(r.facts.ends_with_newline);
  CHECK(r.facts.bytes == 24);
  CHECK(r.notes.empty());
}

TEST_CASE("blank lines are counted, and shift no line number") {
  const ReadResult r =
      read("{\"t\":\"a\"}\n\n{\"t\":\"b\"}\n   \n{\"t\":\"c\"}\n\n \t\n");
  CHECK(row_lines(r) == Lines{1, 3, 5});
  CHECK(r.facts.blank_lines == 4);
  CHECK(r.facts.first_blank_lines == Lines{2, 4, 6, 7});
  CHECK(r.facts.trailing_blank_lines == 2);
  CHECK(r.facts.lines == 7);
  CHECK(r.bad.empty());
}

TEST_CASE("CR LF ends a line, and the CR is no part of the record") {
  const ReadResult r =
      read("{\"t\":\"a\"}\r\n{\"t\":\"b\"}\n\r\n{\"t\":\"c\"}\r\n");
  CHECK(row_lines(r) == Lines{1, 2, 4});
  CHECK(r.facts.crlf_lines == 3);
  CHECK(r.facts.blank_lines == 1);
}

TEST_CASE("a file of CR alone is read by CR and noted") {
  const ReadResult r = read("{\"t\":\"a\"}\r{\"t\":\"b\"}\r");
  CHECK(r.json_lines() == "{\"t\":\"a\"}\n{\"t\":\"b\"}\n");
  CHECK(row_lines(r) == Lines{1, 2});
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].kind == FileNote::Kind::kLoneCr);
  // With an LF anywhere, a CR is white space inside a line.
  const ReadResult mixed = read("{\"t\":\"a\"}\r{\"t\":\"b\"}\n");
  REQUIRE(mixed.bad.size() == 1);
  CHECK(mixed.bad[0].kind == BadRecordKind::kTrailing);
}

TEST_CASE("a byte order mark is noted at the start and bad inside") {
  const ReadResult r = read("\xEF\xBB\xBF{\"t\":\"a\"}\n{\"t\":\"b\"}\n");
  CHECK(row_lines(r) == Lines{1, 2});
  CHECK(r.rows[0].offset == 3);
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].kind == FileNote::Kind::kBom);
  CHECK(r.notes[0].offset == 0);

  const ReadResult inside =
      read("{\"t\":\"red apple\"}\n\xEF\xBB\xBF{\"t\":\"b\"}\n");
  CHECK(inside.notes.empty());
  REQUIRE(inside.bad.size() == 1);
  CHECK(inside.bad[0].kind == BadRecordKind::kByteOrderMark);
  CHECK(inside.bad[0].line == 2);
  CHECK(inside.bad[0].offset == 18);
}

TEST_CASE("a bad line is told with its place, and reading goes on") {
  const ReadResult r = read(
      "{\"text\":\"ok\"}\n{\"text\":\"caf\xE9\"}\n{\"text\":\"ok too\"}\n");
  CHECK(row_lines(r) == Lines{1, 3});
  REQUIRE(r.bad.size() == 1);
  CHECK(r.bad[0].kind == BadRecordKind::kNotUtf8);
  CHECK(r.bad[0].line == 2);
  CHECK(r.bad[0].offset == 14);
  CHECK(r.bad[0].byte == 12);  // byte 13 of the line, counted from 1
  CHECK(r.bad[0].bytes == 15);
  CHECK(r.bad[0].pointer == "/text");
}

TEST_CASE("lines that are arrays are bad records of their own") {
  const ReadResult r = read("[{\"a\":1},{\"a\":2}]\n[{\"a\":3}]\n");
  REQUIRE(r.bad.size() == 2);
  CHECK(r.bad[0].kind == BadRecordKind::kNotAnObject);
  CHECK(r.bad[1].line == 2);
}

TEST_CASE("empty and blank files have no rows") {
  const ReadResult empty = read("");
  CHECK(empty.rows.empty());
  CHECK(empty.facts.lines == 0);
  const ReadResult blank = read("\n \n\t\n");
  CHECK(blank.rows.empty());
  CHECK(blank.bad.empty());
  CHECK(blank.facts.blank_lines == 3);
  CHECK(blank.facts.trailing_blank_lines == 3);
}

TEST_CASE("a line over the limit counts its CR LF") {
  ReadOptions options;
  options.max_record_bytes = 16;
  options.chunk_bytes = 8;
  const std::string text = "{\"a\":1}\r\n{\"a\":\"" + std::string(100, 'x') +
                           "\"}\r\n{\"a\":\"" + std::string(100, 'y') +
                           "\"}\n{\"a\":2}\r\n";
  for (const std::size_t step : {0u, 1u, 3u}) {
    CAPTURE(step);
    const ReadResult r = read_all(open_reader(
        std::make_unique<MemorySource>(text, step, "x.jsonl"), options));
    CHECK(r.rows.size() == 2);
    CHECK(r.bad.size() == 2);
    CHECK(r.facts.crlf_lines == 3);
  }
}

TEST_CASE("a line over the limit is measured in bytes only") {
  const std::string text = "{\"t\":\"a\"}\n{\"t\":\"" + std::string(5000, 'x') +
                           "\"}\n{\"t\":\"c\"}\n";
  ReadOptions options;
  options.max_record_bytes = 1000;
  for (const std::uint64_t chunk : {1u, 700u, 1u << 20}) {
    for (const std::size_t step : {0u, 100u}) {
      options.chunk_bytes = chunk;
      const ReadResult r = read(text, options, step);
      CAPTURE(chunk, step);
      CHECK(row_lines(r) == Lines{1, 3});
      REQUIRE(r.bad.size() == 1);
      CHECK(r.bad[0].kind == BadRecordKind::kTooLong);
      CHECK(r.bad[0].line == 2);
      CHECK(r.bad[0].offset == 10);
      CHECK(r.bad[0].bytes == 5008);
      CHECK(r.bad[0].message ==
            "a record of 5008 bytes is over the limit of 1000");
      CHECK(r.facts.lines == 3);
      CHECK(r.facts.bytes == text.size());
    }
  }
}

TEST_CASE("an error of the source comes after the rows before it") {
  auto source = std::make_unique<MemorySource>(
      "{\"t\":\"a\"}\n{\"t\":\"b\"}\n{\"t\":\"c\"}\n", 4, "x.jsonl");
  source->fail_at(25, {ErrorKind::kCorrupt, "x.jsonl: cut", ""});
  const ReadResult r = read_all(open_reader(std::move(source), {}));
  CHECK(row_lines(r) == Lines{1, 2});
  REQUIRE(r.error.has_value());
  CHECK(r.error->message == "x.jsonl: cut");
}

TEST_CASE("a file that changes while it is read ends in an error") {
  const tests::TempFolder folder;
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "{\"t\":\"some text\"}\n";
  const std::string path = folder.write("x.jsonl", text);
  ReadOptions options;
  options.chunk_bytes = 64 << 10;
  Result<std::unique_ptr<Reader>> reader =
      open_reader(std::move(io::open_source(path)).value(), options);
  REQUIRE(reader.has_value());
  REQUIRE(::truncate(path.c_str(), 100'000) == 0);
  const ReadResult r = read_all(**reader);
  REQUIRE(r.error.has_value());
  CHECK(r.error->kind == ErrorKind::kChanged);
  CHECK(r.error->message == path + " changed while it was read");
}

TEST_CASE("a line of 2 GB passes in bounded memory") {
  // A hole: no disk is used; the bytes read as NUL.
  const tests::TempFolder folder;
  const std::string path = folder.write("big.jsonl", "{\"t\":\"a\"}\n");
  REQUIRE(::truncate(path.c_str(), 10 + (std::int64_t{2} << 30)) == 0);
  {
    std::ofstream out(path, std::ios::binary | std::ios::app);
    out << "\n{\"t\":\"c\"}\n";
  }
  const ReadResult r =
      read_all(open_reader(std::move(io::open_source(path)).value(), {}));
  REQUIRE(!r.error.has_value());
  CHECK(row_lines(r) == Lines{1, 3});
  REQUIRE(r.bad.size() == 1);
  CHECK(r.bad[0].kind == BadRecordKind::kTooLong);
  CHECK(r.bad[0].bytes == std::uint64_t{2} << 30);
}

TEST_CASE("content decides the format before the name") {
  const auto format_of = [](std::string_view bytes, const char* name) {
    Result<std::unique_ptr<Reader>> reader =
        open_reader(std::make_unique<MemorySource>(bytes, 0, name), {});
    REQUIRE(reader.has_value());
    return std::string((*reader)->format());
  };
  CHECK(format_of("{\"a\":1}\n{\"a\":2}\n", "x.json") == "jsonl");
  CHECK(format_of("{\"a\":1}\n{\"a\":2}\n", "x") == "jsonl");
  CHECK(format_of("[{\"a\":1}]", "x.jsonl") == "json");
  CHECK(format_of("{\n \"a\":1}", "x.jsonl") == "json");
  CHECK(format_of("{\"a\":1}\n", "x.json") == "json");
  CHECK(format_of("{\"a\":1}\n", "x.jsonl") == "jsonl");
  // The first line is broken, the others are a record each.
  CHECK(format_of("{\"a\":1\n{\"a\":2}\n", "x.json") == "jsonl");
  CHECK(format_of("{\"a\":\"x\n{\"a\":2}\n", "x.jsonl") == "jsonl");
  CHECK(format_of("oops\n{\"a\":2}\n", "x.jsonl") == "jsonl");
  CHECK(format_of("", "x.json") == "jsonl");
}

}  // namespace
}  // namespace trainsight::scan
