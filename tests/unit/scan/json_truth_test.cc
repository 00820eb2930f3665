// Every JSON file of the shared data against truth.json, which an independent
// program wrote: records, malformed lines, blank lines, line ends.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "support/memory_source.h"
#include "support/read_rows.h"
#include "trainsight/io/open_source.h"
#include "trainsight/scan/format_table.h"

namespace trainsight::scan {
namespace {

using Numbers = std::vector<std::uint64_t>;

std::string data_path(const std::string& name) {
  const char* shared = std::getenv("TRAINSIGHT_SHARED");
  return (shared == nullptr ? "" : std::string(shared)) + "/data/" + name;
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

bool is_plain_json(const nlohmann::json& truth) {
  const std::string format = truth.value("format", "");
  return !truth.contains("compression") &&
         (format == "jsonl" || format == "json-array" ||
          format == "json-object" || format == "json-object-map");
}

Numbers bad_lines(const tests::ReadResult& result) {
  Numbers lines;
  for (const BadRecord& bad : result.bad) lines.push_back(bad.line);
  return lines;
}

void compare(const tests::ReadResult& result, const nlohmann::json& truth) {
  REQUIRE(!result.error.has_value());
  CHECK(result.rows.size() == truth["records"].get<std::uint64_t>());
  CHECK(result.facts.bytes == truth["bytes"].get<std::uint64_t>());
  CHECK(result.facts.ends_with_newline ==
        truth["ends_with_newline"].get<bool>());
  if (truth["format"] != "jsonl") {
    CHECK(result.bad.empty());
    return;
  }
  CHECK(result.facts.lines == truth["lines"].get<std::uint64_t>());
  CHECK(result.facts.crlf_lines == truth["crlf_lines"].get<std::uint64_t>());
  CHECK(result.facts.blank_lines == truth["blank_lines"].get<std::uint64_t>());
  CHECK(result.facts.first_blank_lines ==
        truth["blank_line_numbers"].get<Numbers>());
  CHECK(bad_lines(result) == truth["malformed_line_numbers"].get<Numbers>());
}

TEST_CASE("every JSON file gives the records of truth.json, however read") {
  const std::string text = contents(data_path("truth.json"));
  if (text.empty()) {
    std::cout << "SKIPPED: JSON files against truth.json (no shared data; set "
                 "TRAINSIGHT_SHARED)\n";
    return;
  }
  const nlohmann::json files = nlohmann::json::parse(text)["files"];
  std::size_t compared = 0;
  for (const auto& [name, truth] : files.items()) {
    if (!is_plain_json(truth)) continue;
    INFO(name);
    ++compared;
    Result<std::unique_ptr<io::ByteSource>> file =
        io::open_source(data_path(name));
    REQUIRE(file.has_value());
    const tests::ReadResult mapped =
        tests::read_all(open_reader(std::move(*file), {}));
    compare(mapped, truth);

    ReadOptions small;
    small.chunk_bytes = 4096;
    const tests::ReadResult streamed =
        tests::read_all(open_reader(std::make_unique<tests::MemorySource>(
                                        contents(data_path(name)), 1000, name),
                                    small));
    compare(streamed, truth);
    CHECK((streamed.batches > 1 || truth["records"] == 1 ||
           truth["bytes"] < small.chunk_bytes));
    CHECK(streamed.json_lines() == mapped.json_lines());
  }
  CHECK(compared == 35);
}

}  // namespace
}  // namespace trainsight::scan
