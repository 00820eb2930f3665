#include "trainsight/text/utf8.h"

#include <catch2/catch.hpp>

namespace trainsight::text {
namespace {

std::string repaired(std::string_view bytes) {
  std::string out;
  append_repaired_utf8(bytes, out);
  return out;
}

TEST_CASE("ill-formed bytes are found where they stand") {
  CHECK(find_invalid_utf8("plain ASCII, longer than a word") ==
        std::string_view::npos);
  CHECK(find_invalid_utf8("caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80") ==
        std::string_view::npos);
  CHECK(find_invalid_utf8("caf\xE9") == 3);
  CHECK(find_invalid_utf8("\xC0\xAF") == 0);          // overlong
  CHECK(find_invalid_utf8("ab\xED\xA0\x80") == 2);    // a surrogate
  CHECK(find_invalid_utf8("\xF4\x90\x80\x80") == 0);  // above U+10FFFF
  CHECK(find_invalid_utf8("abc\xE2\x82") == 3);       // cut
}

TEST_CASE("code points are counted without their continuation bytes") {
  CHECK(count_code_points("") == 0);
  CHECK(count_code_points("caf\xC3\xA9") == 4);
  CHECK(count_code_points("\xF0\x9F\x98\x80\xF0\x9F\x98\x80 and text") == 11);
}

// The examples of the Unicode Standard's table 3-8 (maximal subparts).
TEST_CASE("each maximal subpart becomes one replacement character") {
  const std::string fffd = "\xEF\xBF\xBD";
  CHECK(repaired("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") ==
        fffd + fffd + fffd + fffd + fffd + fffd + fffd + fffd + "A");
  CHECK(repaired("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") ==
        fffd + fffd + fffd + fffd + "A");
  CHECK(repaired("ok \xE2\x82\xAC") == "ok \xE2\x82\xAC");
}

TEST_CASE("code points go out and come back") {
  for (const char32_t c : {0x24u, 0xE9u, 0x20ACu, 0xFFFFu, 0x1F600u}) {
    std::string bytes;
    append_utf8(bytes, c);
    std::size_t at = 0;
    CHECK(decode_utf8(bytes, at) == c);
    CHECK(at == bytes.size());
  }
}

}  // namespace
}  // namespace trainsight::text
