// The texts of each schema: what is there, in which order, what is learnt.
#include <catch2/catch.hpp>

#include "row.h"

namespace trainsight::records {
namespace {

TEST_CASE("plain pairs give a prompt and a learnt answer", "[records]") {
  struct Row {
    const char* json;
    const char* schema;
  };
  const Row rows[] = {
      {R"({"prompt":"q","completion":"a"})", "prompt-completion"},
      {R"({"prompt":"q","response":"a"})", "prompt-response"},
      {R"({"prompt":"q","generation":"a"})", "prompt-generation"},
      {R"({"question":"q","answer":"a"})", "question-answer"},
      {R"({"query":"q","response":"a"})", "query-response"},
      {R"({"problem":"q","solution":"a"})", "problem-solution"},
      {R"({"instruction":"q","output":"a"})", "instruction-output"},
      {R"({"input":"q","output":"a"})", "input-output"},
  };
  for (const Row& row : rows) {
    const Extracted e(row.json);
    CHECK(e.schema() == row.schema);
    CHECK(e.pieces() == "prompt:q completion!:a");
    CHECK(e.sample.type == SampleType::kSft);
  }
}

TEST_CASE("the input of an instruction is its context", "[records]") {
  const Extracted e(
      R"({"instruction":"i","input":"c","output":"o","system":"s"})");
  CHECK(e.pieces() == "system:s prompt:i context:c completion!:o");
}

TEST_CASE("an answer that is null or missing is told", "[records]") {
  CHECK(
      Extracted(R"({"instruction":"i","output":null})").sample.answer_is_null);
  CHECK(Extracted(R"({"prompt":"p","chosen":"c"})").sample.answer_is_null);
  CHECK_FALSE(Extracted(R"({"instruction":"i","input":null,"output":"o"})")
                  .sample.answer_is_null);
}

TEST_CASE("messages: the assistant's turns are learnt", "[records]") {
  const Extracted e(R"({"messages":[{"role":"system","content":"s"},
      {"role":"user","content":"u"},{"role":"assistant","content":"a"},
      {"role":"tool","content":"t"},{"role":"assistant","content":"b"}]})");
  CHECK(e.schema() == "messages");
  CHECK(e.pieces() == "system:s prompt:u completion!:a tool:t completion!:b");
  CHECK(e.sample.dialect == Dialect::kRoleContent);
  CHECK_FALSE(e.sample.ends_with_user);
}

TEST_CASE("a turn can be switched off", "[records]") {
  for (const char* off : {R"("weight":0)", R"("train":false)",
                          R"("training":false)", R"("loss":false)"}) {
    const Extracted e(R"({"messages":[{"role":"user","content":"u"},)"
                      R"({"role":"assistant","content":"a",)" +
                      std::string(off) + "}]}");
    CHECK(e.pieces() == "prompt:u completion:a");
  }
}

TEST_CASE("three dialects of conversations", "[records]") {
  const Extracted sharegpt(R"({"conversations":[{"from":"human","value":"u"},
      {"from":"gpt","value":"a"}]})");
  CHECK(sharegpt.pieces() == "prompt:u completion!:a");
  CHECK(sharegpt.sample.dialect == Dialect::kFromHumanGpt);
  const Extracted user(R"({"conversations":[{"from":"user","value":"u"},
      {"from":"assistant","value":"a"}]})");
  CHECK(user.sample.dialect == Dialect::kFromUserAssistant);
  const Extracted pairs(R"({"conversation":[{"human":"u","assistant":"a"}]})");
  CHECK(pairs.pieces() == "prompt:u completion!:a");
  CHECK(pairs.sample.dialect == Dialect::kPairs);
}

TEST_CASE("parts of a content: texts are pieces, images are counted",
          "[records]") {
  const Extracted e(R"({"messages":[{"role":"user","content":[
      {"type":"text","text":"look"},{"type":"image_url","image_url":{}},
      {"type":"input_audio","input_audio":{}}]},
      {"role":"assistant","content":"ok"}]})");
  CHECK(e.pieces() == "prompt:look completion!:ok");
  CHECK(e.sample.images == 1);
  CHECK(e.sample.image_parts == 1);
  CHECK(e.sample.audios == 1);
  const Extracted listed(R"({"messages":[{"role":"user","content":"x"}],
      "images":["a","b"]})");
  CHECK(listed.sample.images == 2);
  CHECK(listed.sample.image_parts == 0);
}

TEST_CASE("preferences: prompt, chosen, rejected", "[records]") {
  const Extracted e(R"({"prompt":"p","chosen":"c","rejected":"r"})");
  CHECK(e.pieces() == "prompt:p chosen+!:c rejected-!:r");
  CHECK_FALSE(e.sample.sides_are_whole);
  const Extracted lists(R"({"prompt":[{"role":"user","content":"p"}],
      "chosen":[{"role":"assistant","content":"c"}],
      "rejected":[{"role":"assistant","content":"r"}]})");
  CHECK(lists.pieces() == "prompt:p chosen+!:c rejected-!:r");
}

TEST_CASE("whole transcripts on both sides do not repeat the prompt",
          "[records]") {
  const Extracted e(R"({"prompt":"p",
      "chosen":[{"role":"user","content":"p"},
                {"role":"assistant","content":"c"}],
      "rejected":[{"role":"user","content":"p"},
                  {"role":"assistant","content":"r"}]})");
  CHECK(e.sample.sides_are_whole);
  CHECK(e.pieces() == "prompt+:p chosen+!:c prompt-:p rejected-!:r");
}

TEST_CASE("other carriers of preferences", "[records]") {
  CHECK(Extracted(R"({"input":{"messages":[{"role":"user","content":"p"}]},
      "preferred_output":[{"role":"assistant","content":"c"}],
      "non_preferred_output":[{"role":"assistant","content":"r"}]})")
            .pieces() == "prompt:p chosen+!:c rejected-!:r");
  CHECK(Extracted(R"({"messages":[{"role":"user","content":"p"},
      {"role":"assistant","content":"c"}],"rejected_response":"r"})")
            .pieces() == "prompt:p chosen+!:c rejected-!:r");
  CHECK(Extracted(R"({"prompt":"p","answers":[{"answer":"b","rank":2},
      {"answer":"a","rank":1},{"answer":"c","rank":3}]})")
            .pieces() == "prompt:p chosen+!:a rejected-!:c");
  CHECK(Extracted(R"({"conversations":[{"from":"human","value":"p"}],
      "chosen":{"from":"gpt","value":"c"},
      "rejected":{"from":"gpt","value":"r"}})")
            .pieces() == "prompt:p chosen+!:c rejected-!:r");
}

TEST_CASE("unpaired preferences know their label", "[records]") {
  const Extracted e(R"({"prompt":"p","completion":"c","label":false})");
  CHECK(e.sample.type == SampleType::kKto);
  CHECK(e.sample.has_label);
  CHECK_FALSE(e.sample.label);
  CHECK_FALSE(Extracted(R"({"prompt":"p","completion":"c","label":"false"})")
                  .sample.has_label);
}

TEST_CASE("steps and segments", "[records]") {
  CHECK(Extracted(
            R"({"prompt":"p","completions":["a","b"],"labels":[true,false]})")
            .pieces() == "prompt:p completion!:a completion!:b");
  CHECK(Extracted(R"({"segments":[{"label":false,"text":"q"},
      {"label":true,"text":"a"}]})")
            .pieces() == "prompt:q completion!:a");
}

TEST_CASE("rows of ids keep the lists", "[records]") {
  const Extracted e(R"({"input_ids":[5,6],"labels":[-100,6]})");
  REQUIRE(e.sample.ids.input_ids != nullptr);
  CHECK(e.sample.ids.input_ids->count == 2);
  CHECK(e.sample.type == SampleType::kSft);
  CHECK(Extracted(R"({"input_ids":[5,6]})").sample.type ==
        SampleType::kPretrain);
}

TEST_CASE("a stated type decides what a conversation is", "[records]") {
  const char* json = R"({"messages":[{"role":"user","content":"u"},
      {"role":"assistant","content":"a"}]})";
  CHECK(Extracted(json, SampleType::kGrpo).sample.type == SampleType::kGrpo);
  CHECK(Extracted(json, SampleType::kPretrain).pieces() ==
        "prompt!:u completion!:a");
}

TEST_CASE("a system prompt beside a conversation is its first turn",
          "[records]") {
  CHECK(Extracted(
            R"({"system":"s","conversations":[{"from":"human","value":"q"},)"
            R"({"from":"gpt","value":"a"}]})")
            .pieces() == "system:s prompt:q completion!:a");
  CHECK(
      Extracted(R"({"system":"s","messages":[{"role":"system","content":"t"},)"
                R"({"role":"user","content":"q"}]})")
          .pieces() == "system:t prompt:q");
  CHECK(Extracted(R"({"system":" ","messages":[{"role":"user","content":"q"},)"
                  R"({"role":"assistant","content":"a"}]})")
            .pieces() == "prompt:q completion!:a");
}

}  // namespace
}  // namespace trainsight::records
