// --columns: the user's own names.
#include <catch2/catch.hpp>

#include "row.h"

namespace trainsight::records {
namespace {

ColumnMap map_of(std::string_view spec) {
  auto map = ColumnMap::parse(spec);
  REQUIRE(map);
  return *map;
}

TEST_CASE("a column map gives members their meaning", "[records]") {
  const Extracted e(R"({"frage":"q","antwort":"a"})", SampleType::kUnknown,
                    map_of("prompt=frage,completion=antwort"));
  CHECK(e.schema() == "prompt-completion");
  CHECK(e.pieces() == "prompt:q completion!:a");
}

TEST_CASE("a mapped field is not looked for under its own name", "[records]") {
  const Extracted e(R"({"prompt":"wrong","real":"q","completion":"a"})",
                    SampleType::kUnknown, map_of("prompt=real"));
  CHECK(e.pieces() == "prompt:q completion!:a");
}

TEST_CASE("a broken column map is refused with the reason", "[records]") {
  const auto no_equals = ColumnMap::parse("prompt");
  REQUIRE_FALSE(no_equals);
  CHECK(no_equals.error().message == "column mapping \"prompt\" has no '='");
  const auto unknown = ColumnMap::parse("prompt=a,answr=b");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message ==
        "unknown field \"answr\" in the column mapping");
  CHECK(map_of("").empty());
}

}  // namespace
}  // namespace trainsight::records
