#include "scan/decompressing_source.h"

#include <zlib.h>
#include <zstd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "support/memory_source.h"

namespace trainsight::scan {
namespace {

using tests::MemorySource;

std::string gzip(const std::string& text) {
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8,
                       Z_DEFAULT_STRATEGY) == Z_OK);
  std::string out(deflateBound(&stream, text.size()), '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3);
  REQUIRE(ZSTD_isError(size) == 0);
  out.resize(size);
  return out;
}

struct Outcome {
  std::string text;
  std::string error;
  ErrorKind kind = ErrorKind::kInternal;
  std::vector<FileNote> notes;
};

Outcome decompress(const std::string& stored, std::size_t step,
                   std::size_t read_bytes, const ReadOptions& options = {}) {
  const auto source = make_decompressing_source(
      std::make_unique<MemorySource>(stored, step, "a.gz"),
      compression_of(stored), options);
  Outcome outcome;
  std::vector<char> buffer(read_bytes);
  while (true) {
    const Result<std::size_t> got = source->read(buffer);
    if (!got) {
      outcome.error = got.error().message;
      outcome.kind = got.error().kind;
      REQUIRE_FALSE(source->read(buffer).has_value());
      break;
    }
    if (*got == 0) break;
    outcome.text.append(buffer.data(), *got);
  }
  outcome.notes = source->notes();
  return outcome;
}

std::string sample_text() {
  std::string text;
  for (int i = 0; i < 5000; ++i) {
    text += "{\"n\": " + std::to_string(i * 7919 % 1013) + "}\n";
  }
  return text;
}

TEST_CASE("compression is told by magic numbers alone") {
  CHECK(compression_of("\x1f\x8b\x08 and more") == Compression::kGzip);
  CHECK(compression_of("\x28\xb5\x2f\xfd more") == Compression::kZstd);
  CHECK(compression_of("\x5a\x2a\x4d\x18 skippable") == Compression::kZstd);
  CHECK(compression_of("version https://git-lfs") == Compression::kNone);
  CHECK(compression_of("\x1f\x8b") == Compression::kNone);
  CHECK(compression_of("") == Compression::kNone);
}

TEST_CASE("gzip and zstd give the same bytes however they are read") {
  const std::string text = sample_text();
  for (const std::string& stored : {gzip(text), zstd(text)}) {
    for (const std::size_t step : {0u, 1u, 7u, 100000u}) {
      for (const std::size_t read_bytes : {1u, 4096u, 1u << 20}) {
        const Outcome outcome = decompress(stored, step, read_bytes);
        CHECK(outcome.text == text);
        CHECK(outcome.error.empty());
        CHECK(outcome.notes.empty());
      }
    }
  }
}

TEST_CASE("several members are one stream, noted once") {
  for (const std::size_t step : {0u, 1u}) {
    const Outcome gz =
        decompress(gzip("one\n") + gzip("") + gzip("two\n"), step, 64);
    CHECK(gz.text == "one\ntwo\n");
    REQUIRE(gz.notes.size() == 1);
    CHECK(gz.notes[0].kind == FileNote::Kind::kSecondMember);
    CHECK(gz.notes[0].offset == gzip("one\n").size());
    CHECK(gz.notes[0].message ==
          "several gzip streams one after the other: readers that stop after "
          "the first lose rows");
    const std::string skippable("\x50\x2a\x4d\x18\x03\x00\x00\x00xyz", 11);
    const Outcome zs =
        decompress(zstd("one\n") + skippable + zstd("two\n"), step, 64);
    CHECK(zs.text == "one\ntwo\n");
    CHECK(zs.error.empty());
    CHECK(zs.notes.size() == 1);
  }
}

TEST_CASE("bytes behind the stream are noted and not read") {
  for (const std::size_t step : {0u, 1u}) {
    const Outcome outcome = decompress(gzip("one\n") + "garbage", step, 64);
    CHECK(outcome.text == "one\n");
    CHECK(outcome.error.empty());
    REQUIRE(outcome.notes.size() == 1);
    CHECK(outcome.notes[0].kind == FileNote::Kind::kTrailingGarbage);
    CHECK(outcome.notes[0].offset == gzip("one\n").size());
    CHECK(outcome.notes[0].message ==
          "bytes after the end of the gzip stream that are no gzip data: they "
          "are not read");
    CHECK(decompress(zstd("one\n") + "x", step, 64).notes.size() == 1);
  }
}

TEST_CASE("zero padding behind a gzip stream is no garbage") {
  const std::string padded = gzip("one\n") + std::string(1000, '\0');
  CHECK(decompress(padded, 0, 64).notes.empty());
  const Outcome outcome = decompress(padded + gzip("two\n"), 1, 64);
  CHECK(outcome.text == "one\ntwo\n");
}

TEST_CASE("a cut stream gives what was before the cut, then an error") {
  const std::string text = sample_text();
  const std::string stored = gzip(text);
  for (const std::size_t step : {0u, 13u}) {
    const Outcome outcome =
        decompress(stored.substr(0, stored.size() / 2), step, 4096);
    CHECK(outcome.kind == ErrorKind::kCorrupt);
    CHECK(outcome.text == text.substr(0, outcome.text.size()));
    CHECK(outcome.text.size() > 1000);
    CHECK(outcome.error == "cannot read a.gz: the gzip stream is cut after " +
                               std::to_string(stored.size() / 2) + " bytes (" +
                               std::to_string(outcome.text.size()) +
                               " decompressed)");
  }
  const std::string frame = zstd(text);
  const Outcome outcome = decompress(frame.substr(0, frame.size() - 1), 0, 64);
  CHECK(outcome.kind == ErrorKind::kCorrupt);
}

TEST_CASE("a cut in the trailer of a gzip member is a cut stream") {
  const std::string stored = gzip("one\n");
  const Outcome outcome =
      decompress(stored.substr(0, stored.size() - 3), 0, 64);
  CHECK(outcome.text == "one\n");
  CHECK(outcome.kind == ErrorKind::kCorrupt);
}

TEST_CASE("damaged data are named with zlib's reason") {
  std::string stored = gzip(sample_text());
  stored[stored.size() - 6] = static_cast<char>(stored[stored.size() - 6] ^ 1);
  const Outcome outcome = decompress(stored, 0, 1 << 20);
  CHECK(outcome.kind == ErrorKind::kCorrupt);
  CHECK(outcome.error.find("damaged gzip data before byte") !=
        std::string::npos);
  CHECK(outcome.error.find(": incorrect data check") != std::string::npos);
}

TEST_CASE("a bomb ends at the limit of expansion") {
  const std::string text(4 << 20, 'a');
  ReadOptions options;
  options.expansion_floor_bytes = 1 << 20;
  options.max_expansion_ratio = 100;
  for (const std::string& stored : {gzip(text), zstd(text)}) {
    const Outcome outcome = decompress(stored, 0, 64 << 10, options);
    CHECK(outcome.kind == ErrorKind::kLimit);
    CHECK(outcome.text.size() <= (1 << 20) + (64 << 10));
    CHECK(outcome.error.find("more than 100 times: a decompression bomb") !=
          std::string::npos);
    options.max_expansion_ratio = 1'000'000;
    CHECK(decompress(stored, 0, 64 << 10, options).error.empty());
    options.max_expansion_ratio = 100;
  }
}

TEST_CASE("a zstd window over 128 MiB is refused before it is allocated") {
  // Magic, a frame header descriptor without single-segment flag, and a window
  // descriptor of exponent 18 (2^28 bytes); then an empty last block.
  const std::string stored("\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00", 9);
  const Outcome outcome = decompress(stored, 0, 64);
  CHECK(outcome.kind == ErrorKind::kLimit);
  CHECK(outcome.error == "cannot read a.gz: its zstd window is over 128 MiB");
}

TEST_CASE("an error of the stored file is given as it is") {
  const std::string stored = gzip(sample_text());
  auto memory = std::make_unique<MemorySource>(stored, 100, "a.gz");
  memory->fail_at(300,
                  Error{ErrorKind::kUnreadable, "cannot read a.gz: io", ""});
  const auto source =
      make_decompressing_source(std::move(memory), Compression::kGzip, {});
  std::vector<char> buffer(1 << 20);
  const Result<std::size_t> first = source->read(buffer);
  REQUIRE(first.has_value());
  CHECK(*first > 0);
  const Result<std::size_t> second = source->read(buffer);
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().message == "cannot read a.gz: io");
}

}  // namespace
}  // namespace trainsight::scan
