// Names of roles, and the nearest to a misspelt one.
#include <catch2/catch.hpp>

#include "trainsight/records/extract.h"

namespace trainsight::records {
namespace {

TEST_CASE("names in use stand for roles", "[records]") {
  CHECK(role_of("gpt") == Role::kAssistant);
  CHECK(role_of("human") == Role::kUser);
  CHECK(role_of("Assistant") == Role::kAssistant);
  CHECK(role_of("observation") == Role::kTool);
  CHECK(role_of("function_call") == Role::kCall);
  CHECK(role_of("assitant") == Role::kUnknown);
  CHECK(role_of("") == Role::kUnknown);
}

TEST_CASE("the nearest name is within two edits", "[records]") {
  CHECK(nearest_role_name("assitant") == "assistant");
  CHECK(nearest_role_name("asistent") == "assistant");
  CHECK(nearest_role_name("usr") == "user");
  CHECK(nearest_role_name("sistem") == "system");
  CHECK(nearest_role_name("narrator").empty());
  CHECK(nearest_role_name("").empty());
  CHECK(nearest_role_name(std::string(1000, 'x')).empty());
}

}  // namespace
}  // namespace trainsight::records
