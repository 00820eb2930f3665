// --by: which value of a row is its group.
#include "trainsight/records/group_path.h"

#include <catch2/catch.hpp>
#include <string>

#include "row.h"

namespace trainsight::records {
namespace {

GroupKey key_of(std::string_view spec, const std::string& json) {
  const auto path = GroupPath::parse(spec);
  REQUIRE(path);
  const JsonRow row(json);
  GroupKey key;
  path->read(row.view(), key);
  return key;
}

GroupKey text(std::string value) {
  return GroupKey{GroupKind::kText, std::move(value), 0};
}

TEST_CASE("a group is the value of a member, by kind", "[records]") {
  CHECK(key_of("source", R"({"source":"web"})") == text("web"));
  CHECK(key_of("n", R"({"n":12})") == GroupKey{GroupKind::kNumber, "12", 0});
  CHECK(key_of("n", R"({"n":0.5})") == GroupKey{GroupKind::kNumber, "0.5", 0});
  CHECK(key_of("b", R"({"b":true})") == GroupKey{GroupKind::kBool, "true", 0});
  CHECK(key_of("b", R"({"b":null})").kind == GroupKind::kNull);
  CHECK(key_of("b", R"({"a":1})").kind == GroupKind::kMissing);
  CHECK(key_of("b", R"({"b":[1,2]})").kind == GroupKind::kList);
  CHECK(key_of("b", R"({"b":["x"]})").kind == GroupKind::kList);
  CHECK(key_of("b", R"({"b":{}})").kind == GroupKind::kObject);
}

TEST_CASE("the text null and a null are two groups", "[records]") {
  CHECK_FALSE(key_of("b", R"({"b":"null"})") == key_of("b", R"({"b":null})"));
  CHECK_FALSE(key_of("b", R"({"b":"1"})") == key_of("b", R"({"b":1})"));
  CHECK(key_of("b", R"({"b":"caf\u00e9"})") == text("café"));
}

TEST_CASE("dots and pointers step into members and lists", "[records]") {
  const std::string row =
      R"({"meta":{"source":"a","x/y":"b"},"m":[{"role":"user"},{"role":"x"}],)"
      R"("a.b":"whole"})";
  CHECK(key_of("meta.source", row) == text("a"));
  CHECK(key_of("/meta/source", row) == text("a"));
  CHECK(key_of("/meta/x~1y", row) == text("b"));
  CHECK(key_of("/m/1/role", row) == text("x"));
  CHECK(key_of("/m/2/role", row).kind == GroupKind::kMissing);
  CHECK(key_of("a.b", row) == text("whole"));
  CHECK(key_of("meta.source.more", row).kind == GroupKind::kMissing);
}

TEST_CASE("a field without a name is refused", "[records]") {
  for (const char* spec : {"", "/", ".", "a..b", "a.", "/a//b", "/a~2"}) {
    INFO(spec);
    const auto path = GroupPath::parse(spec);
    REQUIRE_FALSE(path);
    CHECK(path.error().kind == ErrorKind::kUsage);
  }
}

TEST_CASE("long texts are cut between characters and told apart", "[records]") {
  const std::string long_text(95, 'x');
  const GroupKey a = key_of("s", "{\"s\":\"" + long_text + "éa\"}");
  const GroupKey b = key_of("s", "{\"s\":\"" + long_text + "éb\"}");
  CHECK(a.text == long_text);
  CHECK(b.text == long_text);
  CHECK_FALSE(a == b);
  CHECK(key_of("s", "{\"s\":\"" + std::string(96, 'x') + "\"}").hash == 0);
}

}  // namespace
}  // namespace trainsight::records
