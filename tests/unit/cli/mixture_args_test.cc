#include "cli/mixture_args.h"

#include <catch2/catch.hpp>

namespace trainsight::cli {
namespace {

using Weights = std::vector<double>;
const std::vector<std::string> kInputs = {"a.jsonl", "b/"};

TEST_CASE("a list of weights is one an input") {
  CHECK(*weights_of("0.7,0.3", 2) == Weights{0.7, 0.3});
  CHECK(*weights_of(" 7 , 3e0", 2) == Weights{7, 3});
  CHECK(weights_of("1", 2).error().message == "1 weight for 2 inputs");
  CHECK(weights_of("1,2", 1).error().message == "2 weights for 1 input");
  for (const char* list : {"", "1,", ",1", "1,-1", "0,1", "1,1e999", "1;2"}) {
    INFO(list);
    const auto weights = weights_of(list, 2);
    REQUIRE_FALSE(weights);
    CHECK(weights.error().kind == ErrorKind::kUsage);
  }
}

TEST_CASE("a file of weights names each input once") {
  CHECK(*weights_of_file(R"({"b/": 3, "a.jsonl": 0.5})", "w", kInputs) ==
        Weights{0.5, 3});
  CHECK(weights_of_file(R"({"a.jsonl": 1})", "w", kInputs).error().message ==
        "w: no weight for b/");
  CHECK(weights_of_file(R"({"a.jsonl": 1, "b": 2})", "w", kInputs)
            .error()
            .message == "w:1:17: \"b\" is none of the inputs");
  CHECK(weights_of_file(R"({"a.jsonl": "1", "b/": 2})", "w", kInputs)
            .error()
            .message ==
        "w:1:3: the weight of \"a.jsonl\" is no number above 0");
  CHECK_FALSE(weights_of_file("[1,2]", "w", kInputs));
}

}  // namespace
}  // namespace trainsight::cli
