#include "trainsight/models/shape_sizes.h"

#include <catch2/catch.hpp>

#include "trainsight/models/model_table.h"

namespace trainsight::models {
namespace {

TEST_CASE("every built-in shape comes back from its sizes") {
  for (std::size_t i = 0; i < builtin_model_count(); ++i) {
    const ModelShape shape = builtin_model(i).shape;
    INFO(shape.name);
    const ShapeSizes sizes = sizes_of(shape);
    const auto back = shape_from(sizes, shape.name);
    REQUIRE(back);
    CHECK(back->name == shape.name);
    CHECK(sizes_of(*back) == sizes);
    CHECK(count_parameters(*back).total == count_parameters(shape).total);
    CHECK(count_parameters(*back).matmul_per_token ==
          count_parameters(shape).matmul_per_token);
    CHECK(back->attention_softcap == shape.attention_softcap);
  }
}

TEST_CASE("what has its default is left out") {
  ModelShape shape;
  shape.hidden = 64;
  shape.gated_mlp = false;
  CHECK(sizes_of(shape) == ShapeSizes{{"gated_mlp", 0}, {"hidden", 64}});
}

TEST_CASE("sizes that make no shape are refused") {
  const auto error = [](const ShapeSizes& sizes) {
    const auto shape = shape_from(sizes, "m");
    REQUIRE_FALSE(shape);
    return shape.error().message;
  };
  CHECK(error({{"norm", 4}}) == "norm: must be from 0 to 3");
  CHECK(error({{"layer", 4}}) == "unknown \"layer\"");
  ShapeSizes huge = sizes_of(find_builtin_model("gpt2")->shape);
  huge["hidden"] = ~std::uint64_t{0};
  CHECK(error(huge).find("hidden") != std::string::npos);
}

}  // namespace
}  // namespace trainsight::models
