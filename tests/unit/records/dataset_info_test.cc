// dataset_info.json: what LLaMA-Factory is told, and what we make of it.
#include "trainsight/records/dataset_info.h"

#include <catch2/catch.hpp>
#include <string>

#include "row.h"

namespace trainsight::records {
namespace {

std::string spec_of(const std::string& entry) {
  const auto all = parse_dataset_info("{\"set\":" + entry + "}", "info");
  REQUIRE(all);
  REQUIRE(all->size() == 1);
  const auto spec = column_spec(all->front());
  return spec ? *spec : "error: " + spec.error().message;
}

TEST_CASE("registrations are read in order, with what is not used",
          "[records]") {
  const auto all = parse_dataset_info(
      R"({"a":{"file_name":"a.json","num_samples":5,"split":"x"},)"
      R"("b":{"hf_hub_url":"org/b","ranking":true}})",
      "info");
  REQUIRE(all);
  REQUIRE(all->size() == 2);
  CHECK((*all)[0].name == "a");
  CHECK((*all)[0].file_name == "a.json");
  CHECK((*all)[0].formatting == "alpaca");
  CHECK((*all)[0].ignored == std::vector<std::string>{"num_samples", "split"});
  CHECK((*all)[1].elsewhere == "hf_hub_url org/b");
  CHECK((*all)[1].ranking);
}

TEST_CASE("listed columns take the place of all defaults", "[records]") {
  CHECK(spec_of("{}").empty());
  CHECK(spec_of(R"({"columns":{"prompt":"q","response":"a"}})") ==
        "instruction=q,input=,output=a");
  CHECK(spec_of(R"({"columns":{"prompt":"q","query":"c","response":"a",)"
                R"("system":"s","history":"h","tools":null}})") ==
        "instruction=q,input=c,output=a,history=h,system=s");
  CHECK(spec_of(R"({"columns":{"prompt":"content"}})") ==
        "text=content,input=,output=");
}

TEST_CASE("preferences count only when they are ranked", "[records]") {
  CHECK(spec_of(R"({"ranking":true,"columns":{"prompt":"q","chosen":"c",)"
                R"("rejected":"r"}})") ==
        "instruction=q,input=,output=,chosen=c,rejected=r");
  CHECK(spec_of(R"({"columns":{"prompt":"q","response":"a","chosen":"c"}})") ==
        "instruction=q,input=,output=a");
  CHECK(spec_of(R"({"columns":{"prompt":"q","response":"a","kto_tag":"k"}})") ==
        "instruction=q,input=,output=a,kto_tag=k");
}

TEST_CASE("conversations have tags, sharegpt's own by default", "[records]") {
  CHECK(spec_of(R"({"formatting":"sharegpt"})") ==
        "role_tag=from,content_tag=value,user_tag=human,assistant_tag=gpt,"
        "observation_tag=observation,function_tag=function_call,"
        "system_tag=system");
  CHECK(spec_of(
            R"({"formatting":"sharegpt","columns":{"messages":"d"},)"
            R"("tags":{"role_tag":"speaker","content_tag":"said",)"
            R"("user_tag":"USR","assistant_tag":"BOT","system_tag":null}})") ==
        "conversations=d,role_tag=speaker,content_tag=said,user_tag=USR,"
        "assistant_tag=BOT");
  CHECK(spec_of(R"({"formatting":"openai","columns":{"messages":"m"}})") ==
        "messages=m");
}

TEST_CASE("what cannot be is said with its place", "[records]") {
  CHECK(spec_of(R"({"formatting":"chatml"})") ==
        "error: \"set\" has the formatting \"chatml\"");
  CHECK(spec_of(R"({"columns":{"prompt":"a,b"}})") ==
        "error: \"set\" names a column with ',' or '='");
  CHECK(
      parse_dataset_info(R"({"s":{"columns":[1]}})", "info").error().message ==
      "info:1:8: \"columns\" is no object");
  CHECK(
      parse_dataset_info(R"({"s":{"file_name":1}})", "info").error().message ==
      "info:1:8: \"file_name\" is no string");
  CHECK(parse_dataset_info(R"({"features":7})", "info").error().message ==
        "info:1:3: \"features\" registers no data set: it is no object");
  CHECK_FALSE(parse_dataset_info("[]", "info"));
}

TEST_CASE("tags tell who speaks and what is said", "[records]") {
  const auto map = ColumnMap::parse(
      "conversations=d,role_tag=speaker,content_tag=said,user_tag=USR,"
      "assistant_tag=BOT");
  REQUIRE(map);
  const Extracted e(
      R"({"d":[{"speaker":"USR","said":"hi"},{"speaker":"BOT","said":"yo"},)"
      R"({"speaker":"user","said":"x"}]})",
      SampleType::kUnknown, *map);
  CHECK(e.pieces() == "prompt:hi completion!:yo text:x");
  CHECK(e.sample.messages[2].role == Role::kUnknown);
}

TEST_CASE("an empty column is no member at all", "[records]") {
  const auto map = ColumnMap::parse("input=");
  REQUIRE(map);
  const Extracted e(R"({"instruction":"i","input":"x","output":"o"})",
                    SampleType::kUnknown, *map);
  CHECK(e.pieces() == "prompt:i completion!:o");
  CHECK(map->named() == std::map<std::string, std::string>{{"input", ""}});
}

}  // namespace
}  // namespace trainsight::records
