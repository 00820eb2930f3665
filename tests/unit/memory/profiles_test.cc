#include "trainsight/memory/profiles.h"

#include <catch2/catch.hpp>
#include <set>

namespace trainsight::memory {
namespace {

TEST_CASE("every framework has a profile with its source") {
  for (const std::string_view name :
       {"trl", "axolotl", "llama-factory", "unsloth", "litgpt", "torchtune",
        "megatron", "deepspeed"}) {
    INFO(name);
    REQUIRE(find_profile(name) != nullptr);
  }
  std::set<std::string_view> names;
  for (const Profile& profile : profiles()) {
    INFO(profile.name);
    CHECK(names.insert(profile.name).second);
    CHECK_FALSE(profile.versions.empty());
    CHECK_FALSE(profile.source.empty());
  }
  CHECK(find_profile("nothing") == nullptr);
}

TEST_CASE("a profile's facts about 4-bit bases hold for those alone") {
  Settings s;
  s.method = Method::kLora;
  CHECK(apply(*find_profile("litgpt"), s).kept_input_bytes == 0);
  s.base = BaseStorage::kNf4;
  CHECK(apply(*find_profile("litgpt"), s).kept_input_bytes == 4);
  CHECK(apply(*find_profile("trl@4.44"), s).upcast_frozen);
  CHECK_FALSE(apply(*find_profile("trl"), s).upcast_frozen);
}

TEST_CASE("full fine-tuning takes the framework's precision") {
  CHECK(apply(*find_profile("trl"), {}).precision == Precision::kMixed32);
  CHECK(apply(*find_profile("megatron"), {}).precision == Precision::kMegatron);
  CHECK(apply(*find_profile("axolotl"), {}).precision == Precision::kPure16);
}

}  // namespace
}  // namespace trainsight::memory
