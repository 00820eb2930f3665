// Which schema a row meets: the precedence of preflight notes, section 5.2.
#include <catch2/catch.hpp>
#include <set>

#include "row.h"

namespace trainsight::records {
namespace {

TEST_CASE("preferences come before everything that looks like a prompt",
          "[records]") {
  CHECK(Extracted(R"({"prompt":"p","completion":"x","chosen":"c",
      "rejected":"r"})")
            .sample.type == SampleType::kDpo);
  CHECK(Extracted(R"({"messages":[],"rejected_response":"r"})").sample.type ==
        SampleType::kDpo);
  CHECK(Extracted(R"({"chosen":"c","rejected":"r"})").schema() ==
        "implicit-preference");
}

TEST_CASE("a label makes an unpaired preference of a completion", "[records]") {
  CHECK(Extracted(R"({"prompt":"p","completion":"c","label":true})")
            .sample.type == SampleType::kKto);
  CHECK(Extracted(R"({"messages":[],"label":true})").sample.type ==
        SampleType::kKto);
  // A label that is a class and no boolean does not.
  CHECK(Extracted(R"({"messages":[],"label":"news"})").schema() == "messages");
}

TEST_CASE("conversations come before pairs, pairs before text", "[records]") {
  CHECK(
      Extracted(R"({"messages":[],"prompt":"p","completion":"c"})").schema() ==
      "messages");
  CHECK(Extracted(R"({"prompt":"p","completion":"c","text":"t"})").schema() ==
        "prompt-completion");
  CHECK(Extracted(R"({"instruction":"i","output":"o","text":"t"})").schema() ==
        "instruction-output");
  CHECK(Extracted(R"({"text":"t","source":"x"})").schema() == "text");
}

TEST_CASE("a reward table makes prompts for RL", "[records]") {
  CHECK(Extracted(R"({"data_source":"d","prompt":[],"reward_model":{}})")
            .schema() == "verl");
  CHECK(Extracted(R"({"prompt":"p","answer":"42"})").sample.type ==
        SampleType::kGrpo);
}

TEST_CASE("the stated type decides between the schemas of a row", "[records]") {
  const char* json = R"({"question":"q","answer":"a"})";
  CHECK(Extracted(json).schema() == "question-answer");
  CHECK(Extracted(json, SampleType::kGrpo).schema() == "question");
  // Nothing of the stated type: the row is what it is.
  CHECK(Extracted(R"({"text":"t"})", SampleType::kSft).schema() == "text");
}

TEST_CASE("embedding sets are recognised and not profiled", "[records]") {
  CHECK(Extracted(R"({"query":"q","pos":["a"],"neg":["b"]})").sample.type ==
        SampleType::kEmbedding);
}

TEST_CASE("messages as text are no list", "[records]") {
  CHECK(Extracted(R"({"messages":"[]"})").schema() == "messages-as-text");
  CHECK(Extracted(R"({"foo":"bar"})").schema() == "none");
}

TEST_CASE("names of schemas are different", "[records]") {
  std::set<std::string_view> names;
  for (const Schema& schema : schemas()) names.insert(schema.name);
  CHECK(names.size() == schemas().size());
}

TEST_CASE("every key is found by its own name", "[records]") {
  for (std::size_t i = 0; i < kKeyCount; ++i) {
    CHECK(find_key(name_of(static_cast<Key>(i))) == i);
  }
  CHECK(find_key("nothing_of_ours") == kNoKey);
  CHECK(find_key("") == kNoKey);
}

}  // namespace
}  // namespace trainsight::records
