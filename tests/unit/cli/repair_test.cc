#include "cli/repair.h"

#include <catch2/catch.hpp>

#include "trainsight/scan/json_document.h"

namespace trainsight::cli {
namespace {

std::string joined(std::string_view line) {
  const auto parts = parts_of_line(line);
  if (!parts.has_value()) return "none";
  std::string all;
  if (parts->had_mark) all += 'm';
  if (parts->had_list) all += 'l';
  if (parts->had_comma) all += 'c';
  for (const std::string_view object : parts->objects) {
    all += '|';
    all += object;
  }
  return all;
}

std::string decoded(const std::string& record) {
  const auto document = scan::JsonDocument::parse(record, "record");
  REQUIRE(document);
  return decode_messages(document->view()).value_or("none");
}

TEST_CASE("objects on a line are told apart") {
  CHECK(joined(R"({"a":1}{"b":2})") == R"(|{"a":1}|{"b":2})");
  CHECK(joined(R"({"a":"}{"} , {"b":[{}]} )") == R"(c|{"a":"}{"}|{"b":[{}]})");
  CHECK(joined(R"({"a":1},)") == R"(c|{"a":1})");
  CHECK(joined(R"([{"a":1},{"b":2}])") == R"(l|{"a":1}|{"b":2})");
  CHECK(joined("\xEF\xBB\xBF{\"a\":1}") == R"(m|{"a":1})");
  CHECK(joined(R"([{"a":1}] [{"b":2}])") == R"(l|{"a":1}|{"b":2})");
}

TEST_CASE("a line with anything else is left alone") {
  for (const char* line :
       {"", "  ", "{", R"({"a":1} 2)", "[]", "[1]", R"([{"a":1},])",
        R"([{"a":1} {"b":2}])", R"({"a":NaN}{"b":1})", R"({"a":1},,{"b":1})",
        R"(,{"a":1})", R"([[{"a":1}]])", R"({"a":1}])", R"([{"a":1})",
        R"("x")"}) {
    INFO(line);
    CHECK(joined(line) == "none");
  }
}

TEST_CASE("message lists in strings are decoded, the rest stays as it is") {
  CHECK(decoded(
            R"({"n":1.0, "messages":"[{\"role\":\"user\"}]" ,"x":"\u00e9"})") ==
        R"({"n":1.0, "messages":[{"role":"user"}] ,"x":"\u00e9"})");
  CHECK(decoded(R"({"conversations":"[1,\n 2]","messages":" [] "})") ==
        R"({"conversations":[1,  2],"messages":[]})");
  CHECK(decoded(R"({"m\u0065ssages":"[]"})") == R"({"m\u0065ssages":[]})");
}

TEST_CASE("what only looks like a list in a string is left alone") {
  CHECK(decoded(R"({"messages":[1]})") == "none");
  CHECK(decoded(R"({"messages":"[{'role': 'user'}]"})") == "none");
  CHECK(decoded(R"({"messages":"{}"})") == "none");
  CHECK(decoded(R"({"messages":""})") == "none");
  // It would close the array and add a member.
  CHECK(decoded(R"({"messages":"[1],\"evil\":[2]"})") == "none");
  CHECK(decoded(R"({"messages":"[1],\"list\":[2]"})") == "none");
  // Half of a surrogate pair has no bytes to be put there.
  CHECK(decoded("{\"messages\":\"[\\\"\\ud83d\\\"]\"}") == "none");
}

TEST_CASE("a record becomes one line") {
  CHECK(on_one_line(" {\"a\":\r\n 1}\n") == "{\"a\":   1}");
}

}  // namespace
}  // namespace trainsight::cli
