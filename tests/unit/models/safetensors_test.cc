#include "trainsight/models/safetensors.h"

#include <catch2/catch.hpp>

namespace trainsight::models {
namespace {

constexpr std::string_view kHeader =
    R"({"__metadata__":{"format":"pt"},)"
    R"("lm_head.weight":{"dtype":"BF16","shape":[10,8],)"
    R"("data_offsets":[0,160]},)"
    R"("model.norm.weight":{"dtype":"F32","shape":[8],)"
    R"("data_offsets":[160,192]},)"
    R"("scale":{"dtype":"F16","shape":[],"data_offsets":[192,194]}})";

TEST_CASE("a header's elements are counted by type") {
  const auto totals = parse_safetensors_header(kHeader, "m.safetensors");
  REQUIRE(totals);
  CHECK(totals->parameters == 89);
  CHECK(totals->bytes == 194);
  CHECK(totals->tensors == 3);
  CHECK(totals->head == 80);
  CHECK(totals->by_dtype.at("BF16") == 80);
  CHECK(totals->by_dtype.at("F32") == 8);
  CHECK(totals->by_dtype.at("F16") == 1);
}

TEST_CASE("contradictions in a header are located") {
  const auto message = [](std::string_view json) {
    return parse_safetensors_header(json, "m").error().message;
  };
  CHECK(message(R"({"a":{"shape":[1],"data_offsets":[0,2]}})") ==
        "m:1:3: a tensor without a dtype");
  CHECK(message(R"({"a":{"dtype":"X9","shape":[1],"data_offsets":[0,2]}})") ==
        "m:1:8: unknown dtype");
  CHECK(message(R"({"a":{"dtype":"F16","shape":[-1],"data_offsets":[0,2]}})") ==
        "m:1:3: a tensor without a sound shape");
  CHECK(message(R"({"a":{"dtype":"F16","shape":[2],"data_offsets":[0,2]}})") ==
        "m:1:3: data_offsets that do not fit dtype and shape");
  CHECK(parse_safetensors_header("[]", "m").error().kind ==
        ErrorKind::kCorrupt);
}

TEST_CASE("the header's length is little-endian and limited") {
  using namespace std::string_view_literals;
  CHECK(*header_bytes("\x10\x02\0\0\0\0\0\0"sv) == 0x210);
  CHECK(header_bytes("\x10\x02"sv).error().message ==
        "2 bytes are too few for a safetensors file");
  CHECK(header_bytes("version "sv).error().kind == ErrorKind::kLimit);
}

TEST_CASE("an index gives its total and its files once each, sorted") {
  const auto index = parse_weight_index(
      R"({"metadata":{"total_size":194},)"
      R"("weight_map":{"b":"m-2.safetensors","a":"m-1.safetensors",)"
      R"("c":"m-2.safetensors"}})",
      "i");
  REQUIRE(index);
  CHECK(index->total_bytes == 194);
  CHECK(index->files ==
        std::set<std::string>{"m-1.safetensors", "m-2.safetensors"});
  CHECK(parse_weight_index("{}", "i").error().message ==
        "i: no \"weight_map\" object");
}

TEST_CASE("totals of shards add up") {
  auto totals = *parse_safetensors_header(kHeader, "m");
  totals.add(*parse_safetensors_header(kHeader, "m"));
  CHECK(totals.parameters == 178);
  CHECK(totals.by_dtype.at("BF16") == 160);
}

}  // namespace
}  // namespace trainsight::models
