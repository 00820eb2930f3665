#include "trainsight/text/xxhash64.h"

#include <catch2/catch.hpp>

namespace trainsight::text {
namespace {

// Values published for XXH64 with seed 0 (empty, "a", "abc") in the reference
// implementation's documentation and many ports.
TEST_CASE("xxh64 gives the published values") {
  CHECK(xxh64("") == 0xEF46DB3751D8E999u);
  CHECK(xxh64("a") == 0xD24EC4F1A98C6E5Bu);
  CHECK(xxh64("abc") == 0x44BC2CF5AD770999u);
  CHECK(hex64(xxh64("abc")) == "44bc2cf5ad770999");
}

TEST_CASE("xxh64 of pieces equals xxh64 of the whole, wherever it is cut") {
  std::string bytes;
  for (int i = 0; i < 200; ++i) bytes.push_back(static_cast<char>(i * 7));
  for (std::size_t size : {0u, 1u, 31u, 32u, 33u, 64u, 200u}) {
    const std::string_view whole = std::string_view(bytes).substr(0, size);
    for (std::size_t cut = 0; cut <= size; ++cut) {
      Xxh64Stream stream;
      stream.update(whole.substr(0, cut));
      stream.update(whole.substr(cut));
      CHECK(stream.digest() == xxh64(whole));
    }
  }
}

}  // namespace
}  // namespace trainsight::text
