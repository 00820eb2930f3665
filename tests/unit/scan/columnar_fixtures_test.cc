// Parquet and Arrow files that pyarrow wrote (data/make_fixtures.py) against
// the rows that it wrote: every encoding, codec, nesting and page version.
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/memory_source.h"
#include "support/read_rows.h"
#include "trainsight/scan/format_table.h"

namespace trainsight::scan {
namespace {

using tests::MemorySource;
using tests::read_all;
using tests::ReadResult;

std::string fixture(const std::string& name) {
  std::ifstream in(std::string(TRAINSIGHT_SCAN_FIXTURES) + "/" + name,
                   std::ios::binary);
  REQUIRE(in.good());
  return std::string(std::istreambuf_iterator<char>(in), {});
}

// {file, file of its rows}
std::vector<std::pair<std::string, std::string>> fixtures() {
  std::istringstream index(fixture("fixtures.txt"));
  std::vector<std::pair<std::string, std::string>> all;
  std::string file;
  std::string rows;
  while (index >> file >> rows) all.emplace_back(file, rows);
  return all;
}

ReadResult read(const std::string& name, const std::string& bytes,
                std::uint64_t chunk_bytes, std::size_t step = 0) {
  ReadOptions options;
  options.chunk_bytes = chunk_bytes;
  return read_all(
      open_reader(std::make_unique<MemorySource>(bytes, step, name), options));
}

std::string message(const ReadResult& result) {
  return result.error ? result.error->message : "";
}

TEST_CASE("columnar fixtures hold what was written, however they are cut") {
  const auto all = fixtures();
  REQUIRE(all.size() >= 40);
  for (const auto& [file, rows] : all) {
    INFO(file);
    const std::string bytes = fixture(file);
    const std::string expected = fixture(rows);
    for (const std::uint64_t chunk : {1u, 100u, 1000u, 8u << 20}) {
      INFO(chunk);
      const ReadResult got = read(file, bytes, chunk);
      CHECK(message(got) == "");
      CHECK(got.bad.empty());
      CHECK(got.json_lines() == expected);
      CHECK(got.facts.lines == got.rows.size());
      for (std::size_t i = 0; i < got.rows.size(); ++i) {
        CHECK(got.rows[i].line == i + 1);
      }
    }
  }
}

TEST_CASE("an Arrow file or stream can come from a pipe") {
  for (const auto& [file, rows] : fixtures()) {
    if (file.find(".arrow") == std::string::npos) continue;
    INFO(file);
    const ReadResult got = read(file, fixture(file), 300, 97);
    CHECK(message(got) == "");
    CHECK(got.json_lines() == fixture(rows));
  }
}

TEST_CASE("a Parquet file cannot come from a pipe") {
  const ReadResult got =
      read("p.parquet", fixture("flat_none.parquet"), 1 << 20, 100);
  CHECK(message(got) ==
        "cannot read p.parquet: a Parquet file cannot be read in order, its "
        "directory is at its end");
}

TEST_CASE("a codec that we do not have is refused by name") {
  const ReadResult got = read("b.parquet", fixture("brotli.parquet"), 1 << 20);
  CHECK(message(got) ==
        "cannot read b.parquet: column text: compressed with brotli");
  CHECK(got.error->kind == ErrorKind::kUnsupported);
}

TEST_CASE("text that is not UTF-8 makes its row a bad record") {
  const ReadResult got =
      read("n.parquet", fixture("not_utf8.parquet"), 1 << 20);
  CHECK(got.json_lines() == "{\"text\":\"fine\"}\n{\"text\":\"fine too\"}\n");
  REQUIRE(got.bad.size() == 1);
  CHECK(got.bad[0].kind == BadRecordKind::kEncoding);
  CHECK(got.bad[0].line == 2);
  CHECK(got.bad[0].pointer == "/text");
  CHECK(got.bad[0].byte == 3);
  CHECK(got.bad[0].message == "0xE9 is not UTF-8");
}

TEST_CASE("a columnar file cut anywhere is an error, never other rows") {
  for (const std::string file :
       {"chat_v1_snappy.parquet", "chat.arrow", "chat.arrows", "ids.arrow"}) {
    const std::string bytes = fixture(file);
    const std::string whole = read(file, bytes, 1 << 20).json_lines();
    for (std::size_t size = 12; size < bytes.size(); size += 37) {
      INFO(file << " cut to " << size);
      const ReadResult got = read(file, bytes.substr(0, size), 1 << 20);
      const std::string rows = got.json_lines();
      CHECK(whole.compare(0, rows.size(), rows) == 0);
      // A stream that ends between messages is whole.
      if (file != "chat.arrows") CHECK(got.error.has_value());
    }
  }
}

TEST_CASE("a flipped byte never crashes a columnar reader") {
  for (const auto& [file, rows] : fixtures()) {
    const std::string bytes = fixture(file);
    for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 150) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
      ReadOptions options;
      options.expansion_floor_bytes = 1 << 20;
      Result<std::unique_ptr<Reader>> reader = open_reader(
          std::make_unique<MemorySource>(damaged, 0, file), options);
      if (reader) tests::visit_all(**reader, 100'000);
    }
  }
  SUCCEED();
}

TEST_CASE("limits of a row make it a bad record, the next is read") {
  ReadOptions options;
  options.max_values = 12;
  const std::string bytes = fixture("chat_v1_none.parquet");
  const ReadResult got = read_all(open_reader(
      std::make_unique<MemorySource>(bytes, 0, "c.parquet"), options));
  CHECK_FALSE(got.error.has_value());
  CHECK(got.rows.size() + got.bad.size() == 60);
  CHECK(got.rows.size() > 5);
  REQUIRE_FALSE(got.bad.empty());
  CHECK(got.bad[0].kind == BadRecordKind::kTooManyValues);
  CHECK(got.bad[0].message == "over the limit of 12 values");
}

TEST_CASE("equal shapes have equal skeletons in Parquet and Arrow") {
  const ReadResult parquet =
      read("a.parquet", fixture("chat_v1_none.parquet"), 1 << 20);
  const ReadResult arrow = read("a.arrow", fixture("chat.arrow"), 1 << 20);
  REQUIRE(parquet.rows.size() == arrow.rows.size());
  for (std::size_t i = 0; i < parquet.rows.size(); ++i) {
    CHECK(parquet.rows[i].skeleton == arrow.rows[i].skeleton);
  }
}

}  // namespace
}  // namespace trainsight::scan
