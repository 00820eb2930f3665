#include "trainsight/chat/media_allowance.h"

#include <catch2/catch.hpp>

namespace trainsight::chat {
namespace {

TEST_CASE("a family is found in a model's name, however it is written") {
  REQUIRE(find_media_family("Qwen/Qwen2.5-VL-7B-Instruct") != nullptr);
  CHECK(find_media_family("Qwen/Qwen2.5-VL-7B-Instruct")->name == "qwen2.5-vl");
  CHECK(find_media_family("google/gemma-3-4b-it")->image_tokens == 256);
  CHECK(find_media_family("llava_1.5_7b")->image_tokens == 576);
  CHECK(find_media_family("Qwen/Qwen3-8B") == nullptr);
}

TEST_CASE("parts are counted with the user's figures, or the family's") {
  records::Sample sample;
  sample.images = 3;
  sample.audios = 2;
  const MediaFamily* const gemma = find_media_family("gemma-3");
  const MediaAllowance family = make_allowance(gemma, {}, {});
  CHECK(family.tokens(sample) == 3 * 256);
  CHECK(family.estimated);
  CHECK(family.words ==
        "an image counts as 256 tokens, estimated for gemma-3 (896 x 896 "
        "pixels, always 256 tokens)");
  const MediaAllowance given = make_allowance(gemma, 100, 10);
  CHECK(given.tokens(sample) == 3 * 100 + 2 * 10);
  CHECK_FALSE(given.estimated);
  CHECK(given.words ==
        "an image counts as 100 tokens; an audio clip counts as 10 tokens");
  CHECK(make_allowance(nullptr, {}, {}).words.empty());
  CHECK(make_allowance(nullptr, {}, {}).tokens(sample) == 0);
}

}  // namespace
}  // namespace trainsight::chat
