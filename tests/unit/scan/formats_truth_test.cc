// The shared data that are not plain JSON against truth.json, which an
// independent program wrote: records, text lengths, token counts, lines.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/memory_source.h"
#include "support/read_rows.h"
#include "trainsight/io/open_source.h"
#include "trainsight/scan/format_table.h"

namespace trainsight::scan {
namespace {

using nlohmann::json;
using tests::read_all;
using tests::ReadResult;

std::string data_path(const std::string& name) {
  const char* shared = std::getenv("TRAINSIGHT_SHARED");
  return (shared == nullptr ? "" : std::string(shared)) + "/data/" + name;
}

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

/// The truths, or nullptr where the shared data are not there.
const json* truths() {
  static const json files = [] {
    const std::string text = contents(data_path("truth.json"));
    return text.empty() ? json() : json::parse(text)["files"];
  }();
  if (!files.is_null()) return &files;
  std::cout << "SKIPPED: other formats against truth.json (no shared data; "
               "set TRAINSIGHT_SHARED)\n";
  return nullptr;
}

ReadResult read_file(const std::string& name) {
  Result<std::unique_ptr<io::ByteSource>> file =
      io::open_source(data_path(name));
  REQUIRE(file.has_value());
  return read_all(open_reader(*std::move(file), {}));
}

ReadResult read_in_pieces(const std::string& name) {
  ReadOptions options;
  options.chunk_bytes = 5000;
  const bool needs_map = name.find(".parquet") != std::string::npos;
  return read_all(
      open_reader(std::make_unique<tests::MemorySource>(
                      contents(data_path(name)), needs_map ? 0 : 1013, name),
                  options));
}

// Bytes of the pieces of a row: fields, or a member of each element of a list.
std::uint64_t text_bytes(const json& row,
                         const std::vector<std::string>& fields) {
  std::uint64_t bytes = 0;
  for (const std::string& field : fields) {
    const std::size_t dot = field.find("[].");
    if (dot == std::string::npos) {
      const json& piece = row.at(field);
      if (piece.is_string()) bytes += piece.get<std::string>().size();
      continue;
    }
    for (const json& element : row.at(field.substr(0, dot))) {
      bytes += element.at(field.substr(dot + 3)).get<std::string>().size();
    }
  }
  return bytes;
}

struct TextCase {
  std::string file;
  std::string series;
  std::vector<std::string> fields;
};

TEST_CASE("texts of every format have the lengths of truth.json") {
  const json* const files = truths();
  if (files == nullptr) return;
  const TextCase cases[] = {
      {"humaneval.jsonl.gz", "text", {"prompt", "canonical_solution"}},
      {"hh_rlhf_harmless_test.jsonl.gz", "chosen", {"chosen"}},
      {"hh_rlhf_harmless_test.jsonl.gz", "rejected", {"rejected"}},
      {"dolma_cc_en_head-0091.jsonl.gz", "text", {"text"}},
      {"gsm8k_train_plain.parquet", "text", {"question", "answer"}},
      {"verl_gsm8k_test.parquet", "text", {"prompt[].content"}},
      {"dj_demo_dataset.parquet", "text", {"text"}},
      {"wikitext2_test_500.arrow", "text", {"text"}},
      {"tinyshakespeare_input.txt", "text", {"text"}},
      {"flan_cot_strategyqa_train.tsv",
       "text",
       {"column_1", "column_2", "column_3"}},
      {"instructgpt_fr_to_en_samples.csv", "text", {"context", "ref_text"}},
  };
  for (const TextCase& c : cases) {
    INFO(c.file << " " << c.series);
    const json& truth = files->at(c.file);
    const ReadResult got = read_file(c.file);
    CHECK_FALSE(got.error.has_value());
    CHECK(got.bad.empty());
    REQUIRE(got.rows.size() == truth["records"].get<std::uint64_t>());
    std::vector<std::uint64_t> lengths;
    std::uint64_t sum = 0;
    for (const tests::ReadRow& row : got.rows) {
      lengths.push_back(text_bytes(json::parse(row.json), c.fields));
      sum += lengths.back();
    }
    std::sort(lengths.begin(), lengths.end());
    const json& bytes = truth["series"][c.series]["bytes"];
    CHECK(sum == bytes["sum"].get<std::uint64_t>());
    CHECK(lengths.front() == bytes["min"].get<std::uint64_t>());
    CHECK(lengths.back() == bytes["max"].get<std::uint64_t>());
    const std::size_t p50 = (lengths.size() * 50 + 99) / 100 - 1;
    CHECK(lengths[p50] == bytes["p50"].get<std::uint64_t>());
    if (truth.contains("lines")) {
      CHECK(got.facts.lines == truth["lines"].get<std::uint64_t>());
      CHECK(got.facts.blank_lines == truth["blank_lines"].get<std::uint64_t>());
    }
    const ReadResult pieces = read_in_pieces(c.file);
    CHECK(pieces.json_lines() == got.json_lines());
    CHECK(pieces.facts.lines == got.facts.lines);
    CHECK((pieces.batches > 1 || truth["bytes"] < 10000));
  }
}

TEST_CASE("Parquet texts are those of the same records in JSON Lines") {
  if (truths() == nullptr) return;
  const ReadResult parquet = read_file("gsm8k_train_plain.parquet");
  const ReadResult jsonl = read_file("gsm8k_train.jsonl");
  REQUIRE(parquet.rows.size() == jsonl.rows.size());
  for (std::size_t i = 0; i < parquet.rows.size(); ++i) {
    if (json::parse(parquet.rows[i].json) == json::parse(jsonl.rows[i].json)) {
      continue;
    }
    FAIL("row " << i << " differs");
  }
}

TEST_CASE("stored token ids have the lengths of truth.json") {
  const json* const files = truths();
  if (files == nullptr) return;
  for (const std::string name :
       {"safety_phi3_train_tokenized.arrow", "meg_gpt2_openwebtext.idx"}) {
    INFO(name);
    const ReadResult got = read_file(name);
    CHECK_FALSE(got.error.has_value());
    const json& truth = files->at(name);
    REQUIRE(got.rows.size() == truth["records"].get<std::uint64_t>());
    std::uint64_t sum = 0;
    std::uint64_t longest = 0;
    for (const tests::ReadRow& row : got.rows) {
      const json ids = json::parse(row.json).at("input_ids");
      // Lengths alone read "<N numbers>".
      const std::uint64_t length =
          ids.is_array() ? ids.size()
                         : std::stoull(ids.get<std::string>().substr(1));
      sum += length;
      longest = std::max(longest, length);
    }
    const json& tokens = truth["series"]["input_ids"]["tokens"];
    CHECK(sum == tokens["sum"].get<std::uint64_t>());
    CHECK(longest == tokens["max"].get<std::uint64_t>());
  }
}

TEST_CASE("oddities of the shared files are noted") {
  if (truths() == nullptr) return;
  const ReadResult tsv = read_file("flan_cot_strategyqa_train.tsv");
  REQUIRE(tsv.notes.size() == 1);
  CHECK(tsv.notes[0].kind == FileNote::Kind::kNoHeader);
  const ReadResult csv = read_file("instructgpt_fr_to_en_samples.csv");
  CHECK(csv.notes.empty());
  CHECK(csv.facts.lines == 4801);
  const ReadResult pointer =
      read_file("hh_rlhf_helpful_test.lfs_pointer.jsonl.gz");
  REQUIRE(pointer.error.has_value());
  CHECK(pointer.error->kind == ErrorKind::kUnsupported);
  CHECK(pointer.error->message.find("it is a Git LFS pointer, not the data") !=
        std::string::npos);
}

}  // namespace
}  // namespace trainsight::scan
