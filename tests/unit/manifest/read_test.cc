#include "trainsight/manifest/read.h"

#include <catch2/catch.hpp>
#include <string>

#include "trainsight/manifest/write.h"

namespace trainsight::manifest {
namespace {

// A manifest with `members` (each with its comma) on line 2.
std::string with(const std::string& members) {
  return "{\"apiVersion\":\"trainsight/v1\",\"kind\":\"DatasetManifest\",\n" +
         members + "\"dataset\":{\"files\":[\"a.jsonl\"]}}";
}

Error error_of(const std::string& json) {
  const auto read = parse_manifest(json, "m.json");
  REQUIRE(!read);
  return read.error();
}

// A manifest whose profile has these members.
std::string with_profile(const std::string& members) {
  return with("\"profile\":{" + members + "},\n");
}

// Members that every profile needs; two records of 10 and 30 tokens.
std::string needed(const std::string& sketch) {
  return "\"records\":2,\"usable\":2,\"malformed\":0,"
         "\"tokens\":{\"sketch\":\"" +
         sketch + "\"}";
}

std::string sketch_text() {
  Manifest m;
  m.dataset.files.emplace_back();
  m.profile.emplace();
  m.profile->tokens.sketch.add(10);
  m.profile->tokens.sketch.add(30);
  const std::string json = to_json(m);
  const std::string mark = "\"sketch\": \"";
  const std::size_t begin = json.find(mark) + mark.size();
  return json.substr(begin, json.find('"', begin) - begin);
}

TEST_CASE("a manifest by hand needs no more than a file") {
  const auto read = parse_manifest(with(""), "m.json");
  REQUIRE(read);
  REQUIRE(read->dataset.files.size() == 1);
  CHECK(read->dataset.files[0].path == "a.jsonl");
  CHECK(read->dataset.type == "auto");
  CHECK(!read->profile.has_value());
  CHECK(!read->training.micro_batch.has_value());
}

TEST_CASE("a glob stands for a path") {
  const auto read = parse_manifest(
      R"({"apiVersion":"trainsight/v1","kind":"DatasetManifest",
"dataset":{"files":[{"glob":"data/*.jsonl"}]}})",
      "m.json");
  REQUIRE(read);
  CHECK(read->dataset.files[0].glob == "data/*.jsonl");
}

TEST_CASE("an unknown member is an error with its place and nearest name") {
  const Error top = error_of(with("\"polcy\":{},\n"));
  CHECK(top.kind == ErrorKind::kUsage);
  CHECK(top.message == "m.json:2:2: polcy: not a known member");
  CHECK(top.hint == "did you mean \"policy\"?");
  const Error limit = error_of(with("\"policy\":{\n  \"max_wast_pct\": 3},\n"));
  CHECK(limit.message == "m.json:3:4: policy.max_wast_pct: not a known member");
  CHECK(limit.hint == "did you mean \"max_waste_pct\"?");
  const Error far = error_of(with("\"wholly_different\":1,\n"));
  CHECK(far.hint.empty());
}

TEST_CASE("members of others begin with x- and are passed over") {
  CHECK(parse_manifest(with("\"x-team\":{\"anything\":[1]},\n"), "m.json"));
  CHECK(
      parse_manifest(with("\"policy\":{\"x-why\":\"because\"},\n"), "m.json"));
}

TEST_CASE("below profile and prediction a newer manifest's members pass") {
  CHECK(parse_manifest(
      with_profile(needed(sketch_text()) + ",\"newer\":{\"a\":1}"), "m.json"));
  CHECK(parse_manifest(with("\"prediction\":{\"newer\":1},\n"), "m.json"));
}

TEST_CASE("a member that stands twice is no member to rely on") {
  const Error error =
      error_of(with("\"policy\":{\"max_p99\":1,\"max_p99\":100000},\n"));
  CHECK(error.kind == ErrorKind::kUsage);
  CHECK(error.message == "m.json:2:2: policy: a member stands twice");
}

TEST_CASE("a member of the document that stands twice is told as well") {
  CHECK(error_of(with("\"policy\":{},\"policy\":{},\n")).message ==
        "m.json:1:1: the document: a member stands twice");
}

TEST_CASE("another version or kind is not guessed at") {
  const Error version =
      error_of(R"({"apiVersion":"trainsight/v2","kind":"DatasetManifest"})");
  CHECK(version.kind == ErrorKind::kUnsupported);
  CHECK(version.message ==
        "m.json: apiVersion is \"trainsight/v2\", this trainsight reads "
        "\"trainsight/v1\"");
  const Error kind = error_of(R"({"apiVersion":"trainsight/v1","kind":"Pod"})");
  CHECK(kind.kind == ErrorKind::kUnsupported);
  CHECK(kind.message == "m.json: kind is \"Pod\", not \"DatasetManifest\"");
  CHECK(error_of("{}").kind == ErrorKind::kUnsupported);
}

TEST_CASE("broken JSON is corrupt and says where") {
  const Error error = error_of("{\"apiVersion\":\n  tru}");
  CHECK(error.kind == ErrorKind::kCorrupt);
  CHECK(error.message.substr(0, 11) == "m.json:2:3:");
  CHECK(error_of("").kind == ErrorKind::kCorrupt);
  CHECK(error_of("[1]").kind == ErrorKind::kCorrupt);
}

TEST_CASE("a value of another type is wrong usage, with both types named") {
  const auto message = [](const std::string& members) {
    const Error error = error_of(with(members));
    CHECK(error.kind == ErrorKind::kUsage);
    return error.message;
  };
  CHECK(message("\"policy\":{\"max_p99\":\"many\"},\n") ==
        "m.json:2:12: policy.max_p99: text where a whole number belongs");
  CHECK(message("\"policy\":{\"max_p99\":1.5},\n") ==
        "m.json:2:12: policy.max_p99: a number where a whole number belongs");
  CHECK(message("\"policy\":{\"max_p99\":-1},\n") ==
        "m.json:2:12: policy.max_p99: a negative number");
  CHECK(message("\"policy\":{\"max_cv\":true},\n") ==
        "m.json:2:12: policy.max_cv: true or false where a number belongs");
  CHECK(message("\"training\":{\"drop_last\":1},\n") ==
        "m.json:2:14: training.drop_last: a number where true or false "
        "belongs");
  CHECK(message("\"policy\":[],\n") ==
        "m.json:2:2: policy: a list where an object belongs");
}

TEST_CASE("a number beyond all numbers is no limit") {
  CHECK(error_of(with("\"policy\":{\"max_cv\":1e999},\n")).kind ==
        ErrorKind::kUsage);
}

TEST_CASE("null is the same as an absent member") {
  const auto read =
      parse_manifest(with("\"policy\":{\"max_p99\":null},\n"), "m.json");
  REQUIRE(read);
  CHECK(!read->policy.max_p99.has_value());
}

TEST_CASE("sizes of a run are within what the flags accept") {
  CHECK(error_of(with("\"training\":{\"micro_batch\":0},\n")).message ==
        "m.json:2:2: training.micro_batch: must be from 1 to 1048576");
  CHECK(!parse_manifest(with("\"training\":{\"micro_batch\":1048577},\n"),
                        "m.json"));
  CHECK(!parse_manifest(with("\"training\":{\"pad_to_multiple_of\":65537},\n"),
                        "m.json"));
  CHECK(!parse_manifest(with("\"training\":{\"max_seq_len\":1073741825},\n"),
                        "m.json"));
  CHECK(parse_manifest(
      with("\"training\":{\"micro_batch\":1048576,\"max_seq_len\":1073741824,"
           "\"pad_to_multiple_of\":65536},\n"),
      "m.json"));
}

TEST_CASE("a manifest names at least one file") {
  const std::string head =
      "{\"apiVersion\":\"trainsight/v1\",\"kind\":\"DatasetManifest\"";
  for (const std::string rest :
       {"}", ",\"dataset\":{}}", ",\"dataset\":{\"files\":[]}}",
        ",\"dataset\":{\"files\":[1,2]}}", ",\"dataset\":{\"files\":[{}]}}",
        ",\"dataset\":{\"files\":[[]]}}"}) {
    INFO(rest);
    CHECK(error_of(head + rest).kind == ErrorKind::kUsage);
  }
}

TEST_CASE("a profile without its figures is corrupt") {
  CHECK(error_of(with_profile("\"records\":1")).kind == ErrorKind::kCorrupt);
  CHECK(error_of(with_profile("\"records\":1,\"usable\":1,\"malformed\":0"))
            .message == "m.json:2:2: profile.tokens: missing");
  CHECK(error_of(with_profile("\"records\":1,\"usable\":1,\"malformed\":0,"
                              "\"tokens\":{}"))
            .message == "m.json:2:50: profile.tokens.sketch: missing");
}

TEST_CASE("hostile sketches are refused") {
  for (const std::string sketch :
       {"", "1:", "2:AAAA", "1:!!!!", "1:////////////////////////",
        "1:gICAgICAgICAgICA", "0123"}) {
    INFO(sketch);
    const auto read = parse_manifest(with_profile(needed(sketch)), "m.json");
    if (read) {
      // The one text among them that may be a sketch is that of no records.
      CHECK(read->profile->tokens.sketch.count() == 0);
    } else {
      CHECK(exit_code_of(read.error().kind) == ExitCode::kUnchecked);
    }
  }
  // A sketch of more than the limit of text is refused before it is decoded.
  const Error large =
      error_of(with_profile(needed("1:" + std::string(2u << 20, 'A'))));
  CHECK(large.kind == ErrorKind::kLimit);
}

TEST_CASE("counts that contradict each other are corrupt") {
  const std::string sketch = sketch_text();
  CHECK(parse_manifest(with_profile(needed(sketch)), "m.json"));
  const std::string tail =
      ",\"malformed\":0,\"tokens\":{\"sketch\":\"" + sketch + "\"}";
  const Error few = error_of(with_profile("\"records\":1,\"usable\":1" + tail));
  CHECK(few.kind == ErrorKind::kCorrupt);
  CHECK(few.message ==
        "m.json:2:2: profile.records: fewer than are usable or have a length");
  CHECK(error_of(with_profile("\"records\":2,\"usable\":3" + tail)).kind ==
        ErrorKind::kCorrupt);
}

TEST_CASE("an order that is not the sketch's is no order") {
  const auto order = [](const std::string& list) {
    const auto read = parse_manifest(
        with_profile(needed(sketch_text()) + ",\"in_order\":" + list),
        "m.json");
    REQUIRE(read);
    return read->profile->in_order;
  };
  CHECK(order("[30,10]") == std::vector<std::uint64_t>{30, 10});
  CHECK(order("[30]").empty());
  CHECK(order("[30,11]").empty());
  CHECK(order("[-30,70]").empty());
  CHECK(order("[[30],[10]]").empty());
  std::string many = "[0";
  for (std::size_t i = 0; i < kMostInOrder; ++i) many += ",0";
  CHECK(error_of(
            with_profile(needed(sketch_text()) + ",\"in_order\":" + many + "]"))
            .kind == ErrorKind::kLimit);
}

TEST_CASE("findings of a newer rule keep their severity and count") {
  const auto read = parse_manifest(
      with_profile(needed(sketch_text()) +
                   R"(,"findings":[{"code":"TS777","severity":"error",
"file":"a.jsonl","count":3,"first":[{"line":4,"message":"new"}]}])"),
      "m.json");
  REQUIRE(read);
  REQUIRE(read->profile->findings.size() == 1);
  const auto& [key, group] = *read->profile->findings.begin();
  CHECK(std::get<1>(key) == rules::Severity::kError);
  CHECK(group.count == 3);
  REQUIRE(group.first.size() == 1);
  CHECK(group.first[0].line == 4);
}

TEST_CASE("a policy file has the members of policy, and no others") {
  const auto policy =
      parse_policy(R"({"max_p99": 2048, "max_risk": "high"})", "p.json");
  REQUIRE(policy);
  CHECK(policy->max_p99 == 2048);
  CHECK(policy->max_risk == "high");
  CHECK(!policy->max_cv.has_value());
  const auto unknown = parse_policy("{\"max_p9\": 1}", "p.json");
  REQUIRE(!unknown);
  CHECK(unknown.error().message == "p.json:1:3: max_p9: not a known member");
  CHECK(unknown.error().hint == "did you mean \"max_p99\"?");
  CHECK(!parse_policy("{\"max_p99\": 1", "p.json"));
}

TEST_CASE("the nearest name is near, or none") {
  const std::vector<std::string_view> names = {"max_p99", "max_cv", "seed"};
  CHECK(nearest_name("max_p95", names) == "max_p99");
  CHECK(nearest_name("maxcv", names) == "max_cv");
  CHECK(nearest_name("sede", names) == "seed");
  CHECK(nearest_name("something", names).empty());
  CHECK(nearest_name(std::string(1000, 'x'), names).empty());
}

}  // namespace
}  // namespace trainsight::manifest
