#include "trainsight/stats/sketch_codec.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "stats/base64.h"

namespace trainsight::stats {
namespace {

std::string text_of(const std::vector<std::uint8_t>& bytes) {
  return "1:" + to_base64(bytes);
}

std::string error_of(const std::string& text) {
  const auto result = SketchCodec::parse(text);
  return result ? "" : result.error().message;
}

TEST_CASE("base64 follows the vectors of RFC 4648, without padding") {
  const auto encoded = [](const std::string& s) {
    return to_base64(std::vector<std::uint8_t>(s.begin(), s.end()));
  };
  CHECK(encoded("") == "");
  CHECK(encoded("f") == "Zg");
  CHECK(encoded("fo") == "Zm8");
  CHECK(encoded("foo") == "Zm9v");
  CHECK(encoded("foobar") == "Zm9vYmFy");
  CHECK(parse_base64("Zm9vYmFy").has_value());
  CHECK_FALSE(parse_base64("Zg==").has_value());
  CHECK_FALSE(parse_base64("Zh").has_value());
  CHECK_FALSE(parse_base64("Z").has_value());
  CHECK_FALSE(parse_base64("Zm 9").has_value());
}

TEST_CASE("the text of a sketch is what the header says") {
  LengthSketch sketch;
  CHECK(SketchCodec::to_text(sketch) == text_of({0}));
  // Lengths 5 (twice), 6 and 9: three entries; 5 is joined to 6; 9 is 3 on.
  for (const std::uint64_t length : {5, 5, 6, 9}) sketch.add(length);
  CHECK(SketchCodec::to_text(sketch) ==
        text_of({3, 5, (1 << 1) | 1, 0 << 1, 1, 0 << 1}));
}

TEST_CASE("a sketch survives its text") {
  LengthSketch sketch;
  for (std::uint64_t i = 0; i < 100000; ++i) sketch.add(i * i % 50021);
  const std::string text = SketchCodec::to_text(sketch);
  const auto parsed = SketchCodec::parse(text);
  REQUIRE(parsed.has_value());
  CHECK(parsed->same_counts(sketch));
  CHECK(parsed->digest().centroids() == sketch.digest().centroids());
  CHECK(SketchCodec::to_text(*parsed) == text);
  for (const double p : {0.01, 0.5, 0.9, 0.99}) {
    CHECK(parsed->quantile(p) == sketch.quantile(p));
    CHECK(parsed->digest_quantile(p) == sketch.digest_quantile(p));
  }
}

TEST_CASE("an empty sketch survives, and grows afterwards") {
  auto parsed = SketchCodec::parse(SketchCodec::to_text(LengthSketch()));
  REQUIRE(parsed.has_value());
  parsed->add(7);
  CHECK(parsed->min() == 7);
  CHECK(parsed->digest_quantile(0.5) == 7);
}

TEST_CASE("a tail of one record at the very end survives") {
  LengthSketch sketch;
  sketch.add(LengthSketch::kMaxLength);
  const auto parsed = SketchCodec::parse(SketchCodec::to_text(sketch));
  REQUIRE(parsed.has_value());
  CHECK(parsed->same_counts(sketch));
}

TEST_CASE("texts that no sketch writes are refused with a reason") {
  const std::string prefix = "cannot read a length sketch: ";
  CHECK(error_of("") == prefix + "not of version 1");
  CHECK(error_of("2:AA") == prefix + "not of version 1");
  CHECK(error_of("1:A") == prefix + "not base64");
  CHECK(error_of("1:") == prefix + "impossible counts");
  CHECK(error_of(text_of({0, 0})) == prefix + "bytes after its end");
  // More entries than bytes; a joined last entry; an overlong number; an
  // index beyond the last bucket.
  CHECK(error_of(text_of({200, 1, 0})) == prefix + "impossible counts");
  CHECK(error_of(text_of({1, 5, 1})) == prefix + "impossible counts");
  CHECK(error_of(text_of({1, 0x85, 0, 0})) == prefix + "impossible counts");
  CHECK(error_of(text_of({1, 0xFF, 0xFF, 0x7F, 0})) ==
        prefix + "impossible counts");
  const auto other = SketchCodec::parse("2:AA");
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().kind == ErrorKind::kUnsupported);
  const auto huge = SketchCodec::parse(std::string(2 << 20, 'A'));
  REQUIRE_FALSE(huge.has_value());
  CHECK(huge.error().kind == ErrorKind::kLimit);
}

TEST_CASE("a tail that contradicts itself is refused") {
  // One record of 16,400: index 16,385, excess 16 (offset 15), its square
  // 268,960,000, min and max at the offset 15, one centroid.
  const std::vector<std::uint8_t> good = {
      1,    0x81, 0x80, 1,    0,   // one entry
      15,                          // excess - count
      0x80, 0x82, 0xA0, 0x80, 1,   // 16,400^2
      15,   15,                    // min, max
      1,    1,    0x90, 0x80, 1};  // one centroid
  REQUIRE(error_of(text_of(good)) == "");
  CHECK(SketchCodec::parse(text_of(good)).value().max() == 16400);
  const auto changed = [&](std::size_t at, std::uint8_t value) {
    std::vector<std::uint8_t> bytes = good;
    bytes[at] = value;
    return error_of(text_of(bytes));
  };
  const std::string prefix = "cannot read a length sketch: ";
  CHECK(changed(5, 64) == prefix + "impossible counts");
  CHECK(changed(10, 2) == prefix + "impossible sum of squares");
  CHECK(changed(11, 14) == prefix + "impossible extremes");
  CHECK(changed(12, 16) == prefix + "impossible extremes");
  CHECK(changed(14, 2) == prefix + "impossible digest");
  CHECK(changed(17, 2) == prefix + "impossible digest");
}

}  // namespace
}  // namespace trainsight::stats
