#include "trainsight/text/json_text.h"

#include <catch2/catch.hpp>

namespace trainsight::text {
namespace {

std::string unescaped(std::string_view json) {
  std::string out = "<";
  append_unescaped({json, Encoding::kJsonEscaped}, out);
  CHECK(utf8_bytes({json, Encoding::kJsonEscaped}) == out.size() - 1);
  return out.substr(1);
}

TEST_CASE("every escape of RFC 8259 is decoded") {
  CHECK(unescaped(R"(\"\\\/\b\f\n\r\t)") == "\"\\/\b\f\n\r\t");
  CHECK(unescaped(R"(a\u0041\u00e9\u20AC)") == "aA\xC3\xA9\xE2\x82\xAC");
  CHECK(unescaped(R"(\ud83d\ude00!)") == "\xF0\x9F\x98\x80!");
  CHECK(unescaped("no escape") == "no escape");
}

TEST_CASE("half a surrogate pair becomes a replacement character") {
  const std::string fffd = "\xEF\xBF\xBD";
  CHECK(unescaped(R"(smile \ud83d)") == "smile " + fffd);
  CHECK(unescaped(R"(\ude00x)") == fffd + "x");
  CHECK(unescaped(R"(\ud83d\u0041)") == fffd + "A");
  CHECK(unescaped(R"(\ud83d\ud83d\ude00)") == fffd + "\xF0\x9F\x98\x80");
}

TEST_CASE("broken escapes are copied and nothing is read past the end") {
  CHECK(unescaped("\\") == "\\");
  CHECK(unescaped("\\u12") == "\\u12");
  CHECK(unescaped("\\q\\n") == "\\q\n");
}

TEST_CASE("text without escapes is not copied") {
  const std::string_view text = "plain";
  std::string scratch = "kept";
  CHECK(as_utf8({text, Encoding::kUtf8}, scratch).data() == text.data());
  CHECK(scratch == "kept");
}

TEST_CASE("blank means ASCII white space, escaped or not") {
  CHECK(is_blank({"", Encoding::kUtf8}));
  CHECK(is_blank({" \t\v\f\r\n", Encoding::kUtf8}));
  CHECK(is_blank({R"( \n\t\u0020)", Encoding::kJsonEscaped}));
  CHECK_FALSE(is_blank({R"(\n.)", Encoding::kJsonEscaped}));
  CHECK_FALSE(is_blank({"\xC2\xA0", Encoding::kUtf8}));
}

TEST_CASE("escaping and unescaping give the text back") {
  std::string text;
  for (int c = 0; c < 128; ++c) text.push_back(static_cast<char>(c));
  text += "\xE2\x82\xAC";
  std::string json;
  append_json_escaped(text, json);
  CHECK(unescaped(json) == text);
}

}  // namespace
}  // namespace trainsight::text
