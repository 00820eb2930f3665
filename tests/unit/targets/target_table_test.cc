// The facts about targets are whole, and their names are known.
#include "trainsight/targets/target_table.h"

#include <catch2/catch.hpp>
#include <set>

namespace trainsight::targets {
namespace {

TEST_CASE("every target says where its facts come from", "[targets]") {
  std::set<std::string_view> names;
  for (const Target& target : targets()) {
    CHECK_FALSE(target.title.empty());
    CHECK_FALSE(target.source.empty());
    CHECK(target.as_of.size() == 7);
    names.insert(target.name);
  }
  CHECK(names == std::set<std::string_view>{
                     "trl", "axolotl", "llama-factory", "torchtune", "verl",
                     "openrlhf", "ms-swift", "megatron", "openai", "together",
                     "fireworks", "mistral"});
}

TEST_CASE("a target is found by its name alone", "[targets]") {
  REQUIRE(find_target("openai") != nullptr);
  CHECK(find_target("openai")->minimum_rows == 10);
  CHECK(find_target("OpenAI") == nullptr);
  CHECK(find_target("") == nullptr);
}

TEST_CASE("a torchtune pack stops at a longer row", "[targets]") {
  CHECK(find_target("torchtune")->packed_rows == Overlong::kRaise);
  CHECK(find_target("torchtune")->rows == Overlong::kTruncateStart);
}

}  // namespace
}  // namespace trainsight::targets
