#include "scan/csv_reader.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/memory_source.h"
#include "support/read_rows.h"

namespace trainsight::scan {
namespace {

using tests::MemorySource;
using tests::read_all;
using tests::ReadResult;

ReadResult read_csv(const std::string& text, const ReadOptions& options = {},
                    std::size_t step = 0) {
  return read_all(
      open_csv(std::make_unique<MemorySource>(text, step, "a.csv"), options));
}

ReadResult read_tsv(const std::string& text) {
  return read_all(
      open_tsv(std::make_unique<MemorySource>(text, 0, "a.tsv"), {}));
}

TEST_CASE("csv: the header names the members of every row") {
  const ReadResult got = read_csv("prompt,completion\nHi,there\na,\n");
  CHECK(got.json_lines() ==
        "{\"prompt\":\"Hi\",\"completion\":\"there\"}\n"
        "{\"prompt\":\"a\",\"completion\":\"\"}\n");
  REQUIRE(got.rows.size() == 2);
  CHECK(got.rows[0].line == 2);
  CHECK(got.rows[0].offset == 18);
  CHECK(got.rows[1].line == 3);
  CHECK(got.rows[0].skeleton == got.rows[1].skeleton);
  CHECK(got.facts.lines == 3);
  CHECK(got.facts.bytes == 30);
  CHECK(got.facts.ends_with_newline);
  CHECK(got.notes.empty());
}

TEST_CASE("csv: quotes hold delimiters, line ends and doubled quotes") {
  const ReadResult got = read_csv(
      "a,b\n\"x, y\",\"line 1\nline 2\"\n\"say \"\"hi\"\"\",\"\"\nu,v");
  CHECK(got.json_lines() ==
        "{\"a\":\"x, y\",\"b\":\"line 1\\nline 2\"}\n"
        "{\"a\":\"say \\\"hi\\\"\",\"b\":\"\"}\n"
        "{\"a\":\"u\",\"b\":\"v\"}\n");
  CHECK(got.rows[1].line == 4);
  CHECK(got.rows[2].line == 5);
  CHECK(got.facts.lines == 5);
  CHECK_FALSE(got.facts.ends_with_newline);
}

TEST_CASE("csv: a quote inside an unquoted field is a plain byte") {
  CHECK(read_csv("a,b\n5\" pipe,x\"y\n").json_lines() ==
        "{\"a\":\"5\\\" pipe\",\"b\":\"x\\\"y\"}\n");
}

TEST_CASE("csv: bytes behind a closing quote belong to the field") {
  CHECK(read_csv("a,b\n\"x\"y\"z,2\n").json_lines() ==
        "{\"a\":\"xy\\\"z\",\"b\":\"2\"}\n");
}

TEST_CASE("csv: CR LF ends lines and is counted") {
  const ReadResult got = read_csv("a,b\r\n1,\"2\"\r\n\r\n\"x\r\ny\",4\r\n");
  CHECK(got.json_lines() ==
        "{\"a\":\"1\",\"b\":\"2\"}\n{\"a\":\"x\\r\\ny\",\"b\":\"4\"}\n");
  CHECK(got.facts.crlf_lines == 4);
  CHECK(got.facts.blank_lines == 1);
  CHECK(got.facts.first_blank_lines == std::vector<std::uint64_t>{3});
  CHECK(got.facts.trailing_blank_lines == 0);
}

TEST_CASE("csv: CR alone ends lines where there is no LF") {
  const ReadResult got = read_csv("a,b\r1,2\r3,4\r");
  CHECK(got.json_lines() ==
        "{\"a\":\"1\",\"b\":\"2\"}\n{\"a\":\"3\",\"b\":\"4\"}\n");
  REQUIRE(got.notes.size() == 1);
  CHECK(got.notes[0].kind == FileNote::Kind::kLoneCr);
}

TEST_CASE("csv: a byte order mark is no part of the first name") {
  const ReadResult got = read_csv("\xEF\xBB\xBFtext\nx\n");
  CHECK(got.json_lines() == "{\"text\":\"x\"}\n");
  REQUIRE(got.notes.size() == 1);
  CHECK(got.notes[0].kind == FileNote::Kind::kBom);
  CHECK(got.rows[0].offset == 8);
}

TEST_CASE("csv: semicolons and tabs are found and noted") {
  const ReadResult got = read_csv("a;b\n\"1;1\";2\n");
  CHECK(got.json_lines() == "{\"a\":\"1;1\",\"b\":\"2\"}\n");
  REQUIRE(got.notes.size() == 1);
  CHECK(got.notes[0].message ==
        "its fields are separated by semicolons: loaders of CSV see one "
        "column");
  CHECK(read_csv("a\tb\n1\t2\n").json_lines() == "{\"a\":\"1\",\"b\":\"2\"}\n");
}

TEST_CASE("csv: another number of fields than the header's is a bad record") {
  const ReadResult got = read_csv("a,b\n1\n1,2\n1,2,3\n");
  CHECK(got.json_lines() == "{\"a\":\"1\",\"b\":\"2\"}\n");
  REQUIRE(got.bad.size() == 2);
  CHECK(got.bad[0].kind == BadRecordKind::kFieldCount);
  CHECK(got.bad[0].line == 2);
  CHECK(got.bad[0].message == "1 fields, the header has 2");
  CHECK(got.bad[1].line == 4);
  CHECK(got.bad[1].offset == 10);
  CHECK(got.bad[1].message == "3 fields, the header has 2");
}

TEST_CASE("csv: a quote that is never closed is a bad record to the end") {
  const ReadResult got = read_csv("a,b\n1,2\n\"x,3\ny,4\n");
  CHECK(got.rows.size() == 1);
  REQUIRE(got.bad.size() == 1);
  CHECK(got.bad[0].kind == BadRecordKind::kQuote);
  CHECK(got.bad[0].line == 3);
  CHECK(got.bad[0].bytes == 9);
}

TEST_CASE("csv: text that is not UTF-8 and NUL bytes are bad records") {
  const ReadResult got = read_csv(std::string("a\ncaf\xE9\nok\nx\0y\n", 14));
  CHECK(got.json_lines() == "{\"a\":\"ok\"}\n");
  REQUIRE(got.bad.size() == 2);
  CHECK(got.bad[0].kind == BadRecordKind::kNotUtf8);
  CHECK(got.bad[0].byte == 3);
  CHECK(got.bad[0].message == "0xE9 is not UTF-8");
  CHECK(got.bad[1].kind == BadRecordKind::kNulByte);
  CHECK(got.bad[1].line == 4);
}

TEST_CASE("csv: a name may be empty or stand twice") {
  const ReadResult got = read_csv(",a,a\n1,2,3\n");
  CHECK(got.json_lines() == "{\"\":\"1\",\"a\":\"2\",\"a\":\"3\"}\n");
}

TEST_CASE("csv: an empty file and a lone header have no rows") {
  CHECK(read_csv("").rows.empty());
  CHECK_FALSE(read_csv("").error.has_value());
  CHECK(read_csv("a,b").rows.empty());
  CHECK(read_csv("a,b").facts.lines == 1);
  CHECK(read_csv("\n\n").facts.blank_lines == 2);
}

TEST_CASE("csv: a record over the limit is measured and passed over") {
  ReadOptions options;
  options.chunk_bytes = 16;
  options.max_record_bytes = 100;
  const std::string text =
      "a,b\n1,2\n\"" + std::string(5000, 'x') + "\n" + "\",2\n3,4\n";
  for (const std::size_t step : {0u, 7u}) {
    const ReadResult got = read_csv(text, options, step);
    CHECK(got.json_lines() ==
          "{\"a\":\"1\",\"b\":\"2\"}\n{\"a\":\"3\",\"b\":\"4\"}\n");
    REQUIRE(got.bad.size() == 1);
    CHECK(got.bad[0].kind == BadRecordKind::kTooLong);
    CHECK(got.bad[0].line == 3);
    CHECK(got.bad[0].bytes == 5006);
    CHECK(got.rows[1].line == 5);
    CHECK(got.facts.lines == 5);
  }
}

TEST_CASE("csv: chunks of any size and streams of any step read the same") {
  const std::string text =
      "a,b\n\"x, \"\"y\"\"\n z\",2\r\n\n\"\",\"q\"r\n5\" p,\"\"\"\"\n"
      "last,\"one\"";
  const ReadResult whole = read_csv(text);
  REQUIRE(whole.rows.size() == 4);
  for (std::uint64_t chunk = 1; chunk < 40; ++chunk) {
    for (const std::size_t step : {0u, 1u, 3u, 100u}) {
      ReadOptions options;
      options.chunk_bytes = chunk;
      const ReadResult got = read_csv(text, options, step);
      CHECK(got.json_lines() == whole.json_lines());
      REQUIRE(got.rows.size() == whole.rows.size());
      for (std::size_t i = 0; i < got.rows.size(); ++i) {
        CHECK(got.rows[i].line == whole.rows[i].line);
        CHECK(got.rows[i].offset == whole.rows[i].offset);
      }
      CHECK(got.facts.lines == whole.facts.lines);
      CHECK(got.facts.bytes == text.size());
      CHECK(got.facts.crlf_lines == 1);
      CHECK(got.facts.blank_lines == 1);
    }
  }
}

TEST_CASE("csv: the error of a source comes after the whole records before") {
  auto memory = std::make_unique<MemorySource>("a,b\n1,2\n3,4", 4, "a.csv");
  memory->fail_at(11, Error{ErrorKind::kCorrupt, "cut", ""});
  const ReadResult got = read_all(open_csv(std::move(memory), {}));
  CHECK(got.json_lines() == "{\"a\":\"1\",\"b\":\"2\"}\n");
  REQUIRE(got.error.has_value());
  CHECK(got.error->message == "cut");
}

TEST_CASE("csv: a header without end is refused") {
  const ReadResult got = read_csv("\"a,b\n1,2\n");
  REQUIRE(got.error.has_value());
  CHECK(got.error->kind == ErrorKind::kLimit);
}

TEST_CASE("tsv: a first record of sentences is no header") {
  const ReadResult got = read_tsv(
      "Is this a question?\tno\tBecause so.\nAnd \"this\"?\tyes\tSo.\n");
  CHECK(got.json_lines() ==
        "{\"column_1\":\"Is this a question?\",\"column_2\":\"no\","
        "\"column_3\":\"Because so.\"}\n"
        "{\"column_1\":\"And \\\"this\\\"?\",\"column_2\":\"yes\","
        "\"column_3\":\"So.\"}\n");
  REQUIRE(got.notes.size() == 1);
  CHECK(got.notes[0].kind == FileNote::Kind::kNoHeader);
  CHECK(got.notes[0].message ==
        "no header: the 3 columns are called column_1 to column_3");
  CHECK(got.rows[0].line == 1);
}

TEST_CASE("tsv: names make a header") {
  CHECK(read_tsv("question\tanswer\nWhy?\tso\n").json_lines() ==
        "{\"question\":\"Why?\",\"answer\":\"so\"}\n");
  CHECK(read_tsv("word\tfrequency\nthe\t100\nof\t50\n").json_lines() ==
        "{\"word\":\"the\",\"frequency\":\"100\"}\n"
        "{\"word\":\"of\",\"frequency\":\"50\"}\n");
  CHECK(read_tsv("hello\tworld\ngood\tday\n").rows.size() == 2);
}

TEST_CASE("tsv: a field that begins with a quote is text") {
  const ReadResult got =
      read_tsv("text\tlabel\n\"Quoted\" start\t1\n\"two\nthree\t2\n");
  CHECK(got.bad.size() == 1);  // the line break separates here
  CHECK(got.json_lines() ==
        "{\"text\":\"\\\"Quoted\\\" start\",\"label\":\"1\"}\n"
        "{\"text\":\"three\",\"label\":\"2\"}\n");
}

TEST_CASE("tsv: a spreadsheet's quoting is understood") {
  CHECK(read_tsv("text\tlabel\n\"a\tb\"\t1\n\"say \"\"x\"\"\"\t2\n")
            .json_lines() ==
        "{\"text\":\"a\\tb\",\"label\":\"1\"}\n"
        "{\"text\":\"say \\\"x\\\"\",\"label\":\"2\"}\n");
}

}  // namespace
}  // namespace trainsight::scan
