#include "scan/megatron_reader.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "support/memory_source.h"
#include "support/read_rows.h"

namespace trainsight::scan {
namespace {

using namespace std::string_literals;
using tests::MemorySource;
using tests::read_all;
using tests::ReadResult;

template <typename T>
void put(std::string& out, T value) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  out.append(bytes, sizeof(T));
}

std::string index_of(const std::vector<std::int32_t>& lengths,
                     std::uint8_t code = 8, std::uint64_t version = 1) {
  std::string out = "MMIDIDX\0\0"s;
  put(out, version);
  put(out, code);
  put(out, std::uint64_t{lengths.size()});
  put(out, std::uint64_t{2});
  for (const std::int32_t length : lengths) put(out, length);
  for (std::size_t i = 0; i < lengths.size(); ++i) put(out, std::int64_t{0});
  put(out, std::int64_t{0});
  put(out, static_cast<std::int64_t>(lengths.size()));
  return out;
}

ReadResult read(const std::string& bytes, std::size_t step = 0,
                std::uint64_t chunk_bytes = 8 << 20) {
  ReadOptions options;
  options.chunk_bytes = chunk_bytes;
  return read_all(open_reader(
      std::make_unique<MemorySource>(bytes, step, "a.idx"), options));
}

TEST_CASE("megatron: every sequence is a row of known length") {
  for (const std::size_t step : {0u, 5u}) {
    for (const std::uint64_t chunk : {1u, 24u, 1000u}) {
      const ReadResult got = read(index_of({3, 0, 70000}), step, chunk);
      CHECK_FALSE(got.error.has_value());
      CHECK(got.json_lines() ==
            "{\"input_ids\":\"<3 numbers>\"}\n{\"input_ids\":[]}\n"
            "{\"input_ids\":\"<70000 numbers>\"}\n");
      CHECK(got.rows[2].line == 3);
      CHECK(got.rows[2].offset == 42);
    }
  }
}

TEST_CASE("megatron: a negative length is a bad record") {
  const ReadResult got = read(index_of({3, -1, 4}));
  CHECK(got.rows.size() == 2);
  REQUIRE(got.bad.size() == 1);
  CHECK(got.bad[0].line == 2);
  CHECK(got.bad[0].message == "a sequence of -1 tokens");
}

TEST_CASE("megatron: what cannot be read is said") {
  const auto message = [](const std::string& bytes) {
    const ReadResult got = read(bytes);
    return got.error ? got.error->message : "";
  };
  const std::string whole = index_of({3, 4});
  CHECK(message(whole.substr(0, whole.size() - 1)) ==
        "cannot read a.idx: the index is shorter than its header says");
  CHECK(message(whole.substr(0, 20)) ==
        "cannot read a.idx: the index is shorter than its header says");
  CHECK(message(index_of({1}, 8, 2)) ==
        "cannot read a.idx: an index of version 2");
  CHECK(message(index_of({1}, 77)) ==
        "cannot read a.idx: an index of type code 77");
  CHECK(message("TNTIDX\0\0...."s) ==
        "cannot read a.idx: an index of the old format TNTIDX, which does not "
        "hold lengths of sequences");
  std::string huge = whole;
  std::memset(huge.data() + 18, 0xFF, 8);
  CHECK(message(huge) ==
        "cannot read a.idx: the index is shorter than its header says");
}

}  // namespace
}  // namespace trainsight::scan
