#include "scan/json_document_reader.h"

#include <catch2/catch.hpp>
#include <string>

#include "support/memory_source.h"
#include "support/read_rows.h"

namespace trainsight::scan {
namespace {

using tests::MemorySource;
using tests::read_all;
using tests::ReadResult;
using Lines = std::vector<std::uint64_t>;

ReadResult read(std::string_view bytes, const char* name = "x.json",
                const ReadOptions& options = {}) {
  return read_all(
      open_reader(std::make_unique<MemorySource>(bytes, 0, name), options));
}

Lines row_lines(const ReadResult& result) {
  Lines lines;
  for (const tests::ReadRow& row : result.rows) lines.push_back(row.line);
  return lines;
}

Lines row_offsets(const ReadResult& result) {
  Lines offsets;
  for (const tests::ReadRow& row : result.rows) offsets.push_back(row.offset);
  return offsets;
}

// Line 1 "[", row at line 2 offset 4, row at line 5 offset 19, one more there.
constexpr std::string_view kPretty =
    "[\n  {\n \"a\": 1\n  },\n"
    "  {\"a\": \"]},[{\\\"\"}, {\"a\": 3}\n]\n";

TEST_CASE("a pretty-printed array gives its elements with line and offset") {
  const ReadResult r = read(kPretty);
  CHECK(r.json_lines() == "{\"a\":1}\n{\"a\":\"]},[{\\\"\"}\n{\"a\":3}\n");
  CHECK(row_lines(r) == Lines{2, 5, 5});
  CHECK(row_offsets(r) == Lines{4, 21, 39});
  CHECK(r.facts.lines == 6);
  CHECK(r.facts.ends_with_newline);
  CHECK(r.bad.empty());
  CHECK(r.notes.empty());
}

// The rows stand in the member "data", the first on line 3 at offset 33.
constexpr std::string_view kInMember =
    "{\"version\": \"1 ]}\", \"data\": [\n\n"
    "  {\"a\": 1}, {\"a\":\n [2]},\n  {\"a\": 3}\n],\n \"more\": [{}]}\n";

TEST_CASE("a list of objects under a member's name is the rows") {
  const ReadResult whole = read(kInMember);
  CHECK(whole.json_lines() == "{\"a\":1}\n{\"a\":[2]}\n{\"a\":3}\n");
  CHECK(row_lines(whole) == Lines{3, 3, 5});
  CHECK(kInMember.substr(row_offsets(whole)[0], 8) == "{\"a\": 1}");
  CHECK(kInMember.substr(row_offsets(whole)[2], 8) == "{\"a\": 3}");
  CHECK(whole.facts.lines == 7);
  CHECK(whole.bad.empty());
  REQUIRE(whole.notes.size() == 1);
  CHECK(whole.notes[0].kind == FileNote::Kind::kObjectMap);
  CHECK(whole.notes[0].message ==
        "one object; the list in its member \"data\" is taken as the rows "
        "(loaders: field=\"data\")");
  for (const std::uint64_t chunk : {1u, 2u, 7u, 16u, 30u, 50u}) {
    for (const std::size_t step : {0u, 1u, 5u}) {
      ReadOptions options;
      options.chunk_bytes = chunk;
      const ReadResult r = read_all(open_reader(
          std::make_unique<MemorySource>(kInMember, step, "x.json"), options));
      CAPTURE(chunk, step);
      CHECK(r.json_lines() == whole.json_lines());
      CHECK(row_lines(r) == row_lines(whole));
      CHECK(row_offsets(r) == row_offsets(whole));
      CHECK(r.facts.lines == whole.facts.lines);
      CHECK(r.bad.empty());
    }
  }
}

TEST_CASE("a record with a list in it stays one record") {
  for (const char* json :
       {R"({"messages":[{"role":"user","content":"x"}]})",
        R"({"data":[{"a":1}],"text":"x"})", R"({"data":[1,2]})",
        R"({"data":[{"a":1}],"rows":[{"b":1}]})", R"({"data":[]})",
        R"({"version":"1","data":[{"title":"t","paragraphs":[{"qas":[]}]}]})",
        R"({"stuff":[{"a":1}]})"}) {
    INFO(json);
    const ReadResult r = read(json);
    CHECK(r.rows.size() == 1);
    REQUIRE(r.notes.size() == 1);
    CHECK(r.notes[0].kind == FileNote::Kind::kSingleObject);
  }
}

TEST_CASE("a list of rows that is cut or followed by something is told") {
  const ReadResult cut = read("{\"data\": [{\"a\":1},\n{\"a\":2}\n");
  CHECK(cut.rows.size() == 2);
  REQUIRE(cut.bad.size() == 1);
  CHECK(cut.bad[0].message == "the file ends before the ']' of its document");
  const ReadResult more = read("{\"data\":[\n{\"a\":1}]}\n{\"b\":2}");
  CHECK(more.rows.size() == 1);
  REQUIRE(more.bad.size() == 1);
  CHECK(more.bad[0].kind == BadRecordKind::kTrailing);
}

TEST_CASE("JSON rows under another format's name are noted") {
  for (const char* name : {"x.csv", "x.txt", "x.parquet", "x.csv.gz"}) {
    for (const char* text :
         {"{\"a\":1}\n{\"a\":2}\n", "[{\"a\":1},\n{\"a\":2}]"}) {
      CAPTURE(name, text);
      const ReadResult r = read(text, name);
      CHECK(r.rows.size() == 2);
      REQUIRE(r.notes.size() == 1);
      CHECK(r.notes[0].kind == FileNote::Kind::kNameMismatch);
    }
  }
  CHECK(read("{\"a\":1}\n", "x.jsonl").notes.empty());
  CHECK(read("\n", "x.csv").notes.empty());
}

TEST_CASE("chunks and streams of any size give the same rows and lines") {
  const ReadResult whole = read(kPretty);
  for (const std::uint64_t chunk : {1u, 2u, 7u, 16u, 30u}) {
    for (const std::size_t step : {0u, 1u, 5u}) {
      ReadOptions options;
      options.chunk_bytes = chunk;
      const ReadResult r = read_all(open_reader(
          std::make_unique<MemorySource>(kPretty, step, "x.json"), options));
      CAPTURE(chunk, step);
      CHECK(r.json_lines() == whole.json_lines());
      CHECK(row_lines(r) == row_lines(whole));
      CHECK(row_offsets(r) == row_offsets(whole));
      CHECK(r.facts.lines == whole.facts.lines);
      CHECK(r.facts.bytes == kPretty.size());
      CHECK(r.bad.empty());
    }
  }
}

TEST_CASE("rows of one long line are all on line 1") {
  ReadOptions options;
  options.chunk_bytes = 1;
  const ReadResult r = read(R"([{"a":1},{"a":2},{"a":3}])", "x.json", options);
  CHECK(r.batches > 2);
  CHECK(row_lines(r) == Lines{1, 1, 1});
  CHECK(r.facts.lines == 1);
}

TEST_CASE("an array under a name of JSON Lines is read and noted") {
  const ReadResult r = read("[\n {\"a\":1},\n {\"a\":2}\n]\n", "x.jsonl");
  CHECK(r.rows.size() == 2);
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].kind == FileNote::Kind::kArrayInJsonl);
  CHECK(r.notes[0].line == 1);
}

TEST_CASE("an empty array has no rows and no fault") {
  const ReadResult r = read("[ ]\n");
  CHECK(r.rows.empty());
  CHECK(r.bad.empty());
}

TEST_CASE("one object is one row") {
  const ReadResult r =
      read("{\n  \"conversations\": [ {\"from\": \"a\"} ]\n}\n");
  CHECK(r.json_lines() == "{\"conversations\":[{\"from\":\"a\"}]}\n");
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].kind == FileNote::Kind::kSingleObject);
  CHECK(r.facts.lines == 3);
}

TEST_CASE("an object whose members are objects is a map of rows") {
  const ReadResult r =
      read("{\"a/1.json\": {\"q\": 1},\n \"b\\\":\": {\"q\": 2} , \"c\":{}}");
  CHECK(r.json_lines() == "{\"q\":1}\n{\"q\":2}\n{}\n");
  CHECK(row_lines(r) == Lines{1, 2, 2});
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].kind == FileNote::Kind::kObjectMap);
  // A name that training data use for a field makes it one record.
  CHECK(read(R"({"input": {"m": 1}, "target": {"m": 2}})").rows.size() == 1);
  CHECK(read(R"({"x": {"m": 1}, "y": 2})").rows.size() == 1);
}

TEST_CASE("a member of a map that is no object is a bad record") {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) {
    text += "\"k" + std::to_string(i) + "\":{},";
  }
  const ReadResult r = read(text + "\"z\":7, x}");
  CHECK(r.rows.size() == 200'000);
  REQUIRE(r.bad.size() == 2);
  CHECK(r.bad[0].kind == BadRecordKind::kNotAnObject);
  CHECK(r.bad[1].kind == BadRecordKind::kSyntax);
  CHECK(r.bad[1].message == "a member name and ':' are missing here");
}

TEST_CASE("objects over several lines may follow each other") {
  const ReadResult r = read("{\n\"a\": 1\n}\n{\n\"a\": 2\n}{\"a\":3}\n");
  CHECK(r.json_lines() == "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n");
  CHECK(row_lines(r) == Lines{1, 4, 6});
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].kind == FileNote::Kind::kConcatenated);
}

TEST_CASE("a fault spoils its row, and the rows around it are kept") {
  const ReadResult r = read(
      "[\n{\"a\":1},\n{\"a\":NaN},\n{\"a\":\"lost quote},\n{\"a\":4},\n"
      "7,\n{\"a\":6}\n]\n");
  CHECK(r.json_lines().substr(0, 8) == "{\"a\":1}\n");
  REQUIRE(r.bad.size() >= 2);
  CHECK(r.bad[0].kind == BadRecordKind::kNotANumber);
  CHECK(r.bad[0].line == 3);
  CHECK(r.bad[0].byte == 5);
  CHECK(r.bad[0].pointer == "/a");
  CHECK(r.bad[1].kind == BadRecordKind::kControlChar);
  CHECK(r.bad[1].line == 4);
}

TEST_CASE("faults between the rows of an array are told") {
  const ReadResult r = read("[{\"a\":1},,{\"a\":2},7,\n]\ntrailing");
  CHECK(r.rows.size() == 2);
  REQUIRE(r.bad.size() == 4);
  CHECK(r.bad[0].message == "a value is missing before a comma");
  CHECK(r.bad[0].offset == 9);
  CHECK(r.bad[1].kind == BadRecordKind::kNotAnObject);
  CHECK(r.bad[2].message == "a comma before ']'");
  CHECK(r.bad[2].line == 2);
  CHECK(r.bad[3].kind == BadRecordKind::kTrailing);
  CHECK(r.bad[3].line == 3);
}

TEST_CASE("a file that ends early keeps its rows and is told once") {
  const ReadResult between = read("[{\"a\":1},{\"a\":2}");
  CHECK(between.rows.size() == 2);
  REQUIRE(between.bad.size() == 1);
  CHECK(between.bad[0].kind == BadRecordKind::kTruncated);
  CHECK(between.bad[0].line == 1);
  CHECK(between.bad[0].message ==
        "the file ends before the ']' of its document");

  const ReadResult inside = read("[{\"a\":1},\n{\"a\":");
  CHECK(inside.rows.size() == 1);
  REQUIRE(inside.bad.size() == 1);
  CHECK(inside.bad[0].kind == BadRecordKind::kTruncated);
  CHECK(inside.bad[0].line == 2);
}

TEST_CASE("a row over the limit is passed over") {
  const std::string text = "[\n{\"a\":1},\n{\"a\":\"" + std::string(5000, 'x') +
                           "\",\n\"b\":1},\n{\"a\":3}]";
  for (const std::uint64_t chunk : {1u, 1u << 20}) {
    for (const std::size_t step : {0u, 100u}) {
      ReadOptions options;
      options.chunk_bytes = chunk;
      options.max_record_bytes = 1000;
      const ReadResult r = read_all(open_reader(
          std::make_unique<MemorySource>(text, step, "x.json"), options));
      CAPTURE(chunk, step);
      CHECK(r.json_lines() == "{\"a\":1}\n{\"a\":3}\n");
      CHECK(row_lines(r) == Lines{2, 5});
      REQUIRE(r.bad.size() == 1);
      CHECK(r.bad[0].kind == BadRecordKind::kTooLong);
      CHECK(r.bad[0].line == 3);
      CHECK(r.facts.lines == 5);
    }
  }
}

TEST_CASE("a large document is noted at its end") {
  ReadOptions options;
  options.large_document_bytes = 10;
  const ReadResult r = read("[{\"a\":1},{\"a\":2}]", "x.json", options);
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].kind == FileNote::Kind::kLargeDocument);
  CHECK(read("[{\"a\":1}]", "x.json", options).notes.empty());
}

TEST_CASE("a byte order mark before a document is noted") {
  const ReadResult r = read("\xEF\xBB\xBF[{\"a\":1}]");
  CHECK(row_offsets(r) == Lines{4});
  REQUIRE(r.notes.size() == 1);
  CHECK(r.notes[0].kind == FileNote::Kind::kBom);
}

}  // namespace
}  // namespace trainsight::scan
