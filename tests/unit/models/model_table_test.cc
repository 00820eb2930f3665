#include "trainsight/models/model_table.h"

#include <catch2/catch.hpp>
#include <set>

namespace trainsight::models {
namespace {

TEST_CASE("every built-in model counts to its published total, exactly") {
  std::size_t exact = 0;
  for (std::size_t i = 0; i < builtin_model_count(); ++i) {
    const BuiltinModel model = builtin_model(i);
    INFO(model.shape.name);
    REQUIRE(check(model.shape));
    CHECK(count_parameters(model.shape).total == model.published_parameters);
    exact += model.evidence == TotalEvidence::kExact ? 1 : 0;
  }
  CHECK(builtin_model_count() == 216);
  CHECK(exact == 198);
}

TEST_CASE("totals that this file states itself agree with the count") {
  // From model cards and Hub metadata, not from the table.
  struct Stated {
    std::string_view name;
    std::uint64_t parameters;
  };
  const Stated stated[] = {
      {"gpt2", 124'439'808},
      {"llama-2-7b", 6'738'415'616},
      {"llama-3.1-8b", 8'030'261'248},
      {"llama-3.1-70b", 70'553'706'496},
      {"mixtral-8x7b", 46'702'792'704},
      {"qwen2.5-7b", 7'615'616'512},
      {"gpt-oss-20b", 20'914'757'184},
      {"pythia-160m", 162'322'944},
      {"gemma-2-9b", 9'241'705'984},
      {"falcon-7b", 6'921'720'704},
  };
  for (const Stated& s : stated) {
    INFO(s.name);
    const auto model = find_builtin_model(s.name);
    REQUIRE(model);
    CHECK(count_parameters(model->shape).total == s.parameters);
  }
}

TEST_CASE("a model is found by its short, Hub and usual names in any case") {
  for (const std::string_view name :
       {"llama-3.1-8b", "Llama-3.1-8B", "meta-llama/Llama-3.1-8B",
        "meta-llama/Llama-3.1-8B-Instruct", "LLAMA_3.1_8b"}) {
    INFO(name);
    const auto model = find_builtin_model(name);
    REQUIRE(model);
    CHECK(model->shape.name == "llama-3.1-8b");
  }
  CHECK(find_builtin_model("mistral-7b")->shape.name == "mistral-7b-v0.1");
  CHECK(find_builtin_model("Qwen/Qwen2.5-7B-Instruct")->shape.name ==
        "qwen2.5-7b");
  struct Named {
    std::string_view hub, name;
  };
  for (const Named& each : {
           Named{"NousResearch/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b"},
           Named{"unsloth/Meta-Llama-3.1-8B-bnb-4bit", "llama-3.1-8b"},
           Named{"unsloth/llama-3-8b-bnb-4bit", "llama-3-8b"},
           Named{"mistralai/Mixtral-8x7B-Instruct-v0.1", "mixtral-8x7b"},
           Named{"unsloth/gemma-3-4b-it-unsloth-bnb-4bit", "gemma-3-4b"},
           Named{"deepseek-ai/DeepSeek-V3-0324", "deepseek-v3"},
           Named{"EleutherAI/pythia-160m-deduped", "pythia-160m"},
           Named{"mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3"},
           Named{"mistralai/Mistral-7B-Instruct-v0.1", "mistral-7b-v0.1"},
           Named{"mistralai/Mistral-Nemo-Instruct-2407", "mistral-nemo-12b"},
           Named{"Qwen/Qwen3-30B-A3B-Instruct-2507", "qwen3-30b-a3b"},
           Named{"Qwen/Qwen3-4B-Thinking-2507", "qwen3-4b"},
           Named{"Qwen/Qwen2.5-7B-Instruct-AWQ", "qwen2.5-7b"},
           Named{"mistralai/Mixtral-8x22B-v0.1", "mixtral-8x22b-v0.1"},
           Named{"mistralai/Mixtral-8x22B-Instruct-v0.1", "mixtral-8x22b"},
           // Three sizes, told apart by their dates and versions.
           Named{"mistralai/Mistral-Small-Instruct-2409", "mistral-small-22b"},
           Named{"mistralai/Mistral-Small-24B-Instruct-2501",
                 "mistral-small-24b"},
       }) {
    INFO(each.hub);
    const auto model = find_builtin_model(each.hub);
    REQUIRE(model);
    CHECK(model->shape.name == each.name);
  }
  // Its date alone tells the shape, and is not known: no guess.
  CHECK_FALSE(find_builtin_model("mistralai/Mistral-Small-Instruct-2603"));
  CHECK_FALSE(find_builtin_model("llama-9-1b"));
  CHECK_FALSE(find_builtin_model(""));
}

TEST_CASE("short names are unique") {
  std::set<std::string> names;
  for (std::size_t i = 0; i < builtin_model_count(); ++i) {
    const std::string name = builtin_model(i).shape.name;
    INFO(name);
    CHECK(names.insert(name).second);
  }
}

TEST_CASE("a misspelt name gets the nearest known one, a strange one none") {
  CHECK(nearest_builtin_model("llama3.1-8b") == "llama-3.1-8b");
  CHECK(nearest_builtin_model("qwen2.5-7bb") == "qwen2.5-7b");
  CHECK(nearest_builtin_model("zzzzzzzzzzzzzzzzzzzzzzzz").empty());
}

}  // namespace
}  // namespace trainsight::models
