#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>

#include "report/formats.h"
#include "sample_report.h"

namespace trainsight::report {
namespace {

using Json = nlohmann::ordered_json;

Json run_of(const RunReport& report) {
  return Json::parse(render_sarif(report))["runs"][0];
}

TEST_CASE("a result has all that code scanning asks for") {
  const Json run = run_of(hostile().validated());
  const Json expected = Json::parse(R"({
    "ruleId": "TS305", "ruleIndex": 1, "level": "error",
    "message": {
      "text": "role \"<b>@team|`\r\n::error::x\" \u0001 \ufffd 100%"},
    "locations": [{
      "physicalLocation": {
        "artifactLocation": {"uri": "odd%3A%2050%25%2C%7C%60.jsonl"},
        "region": {"startLine": 7, "startColumn": 1, "endLine": 7,
                   "byteOffset": 41}},
      "logicalLocations": [
        {"fullyQualifiedName": "/messages/1/role", "kind": "value"}]}],
    "partialFingerprints": {"primaryLocationLineHash": "0000000000000abc:1"},
    "properties": {"count_in_file": 1234, "listed": 1}})");
  CHECK(run["results"][1] == expected);
  CHECK(run["results"][0]["ruleId"] == "max_errors");
  // The set as a whole stands somewhere: at the first line of its first file.
  const Json& whole = run["results"][3]["locations"][0]["physicalLocation"];
  CHECK(run["results"][3]["ruleId"] == "TS806");
  CHECK(run["results"][3]["level"] == "note");
  CHECK(whole["artifactLocation"]["uri"] == "data/a.jsonl");
  CHECK(whole["region"]["startLine"] == 1);
}

TEST_CASE("each rule that is named is described once") {
  const Json run = run_of(hostile().validated());
  const Json& rules = run["tool"]["driver"]["rules"];
  REQUIRE(rules.size() == 4);
  for (const Json& result : run["results"]) {
    CHECK(rules[result["ruleIndex"].get<std::size_t>()]["id"] ==
          result["ruleId"]);
  }
  CHECK(rules[1]["name"] == "unknown-role");
  CHECK(rules[1]["shortDescription"]["text"] == "a role that no trainer knows");
  CHECK(rules[1]["help"]["text"] ==
        "rename it to system, user, assistant or tool");
  CHECK(rules[1]["help"]["markdown"].get<std::string>().substr(0, 20) ==
        "# TS305 unknown-role");
  CHECK(rules[1]["defaultConfiguration"]["level"] == "error");
}

TEST_CASE("the invocation tells exit code and what was not checked") {
  Sample s = hostile();
  s.add_limit("max_cv", gate::Judgement::Outcome::kUnchecked, "", "at most 1",
              "no record has a length");
  const Json invocation = run_of(s.validated())["invocations"][0];
  CHECK(invocation["exitCode"] == 3);
  CHECK(invocation["executionSuccessful"] == false);
  CHECK(invocation["toolExecutionNotifications"][0]["message"]["text"] ==
        "max_cv could not be checked: no record has a length");
  const Json violated = run_of(hostile().validated())["invocations"][0];
  CHECK(violated["exitCode"] == 1);
  CHECK(violated["executionSuccessful"] == true);
  const Json early = run_of(ended_early());
  CHECK(early["results"].empty());
  CHECK(early["invocations"][0]["executionSuccessful"] == false);
  CHECK(early["invocations"][0]["toolExecutionNotifications"][0]["message"]
             ["text"] == "cannot read <x>|.jsonl: gone");
}

TEST_CASE("an upload keeps within what GitHub shows, errors first") {
  Sample s;
  s.add_file("a.jsonl");
  for (std::uint64_t line = 1; line <= 6000; ++line) {
    s.add("TS102", rules::Severity::kWarning, 0, line, "bad");
  }
  s.add("TS302", rules::Severity::kError, 0, 9, "empty");
  const Json run = run_of(s.profiled());
  REQUIRE(run["results"].size() == 5000);
  CHECK(run["results"][0]["ruleId"] == "TS302");
  for (const Json& result : run["results"]) {
    REQUIRE(result["locations"].size() == 1);
  }
}

TEST_CASE("equal results are told apart by their order") {
  Sample s;
  s.add_file("a.jsonl");
  s.add("TS302", rules::Severity::kError, 0, 1, "empty").fingerprint = 7;
  s.add("TS302", rules::Severity::kError, 0, 2, "empty").fingerprint = 7;
  const Json run = run_of(s.profiled());
  const auto hash = [&run](std::size_t i) {
    return run["results"][i]["partialFingerprints"]["primaryLocationLineHash"]
        .get<std::string>();
  };
  CHECK(hash(0) == "0000000000000007:1");
  CHECK(hash(1) == "0000000000000007:2");
}

TEST_CASE("a path outside the working folder is a file URI") {
  Sample s;
  s.add_file("/data/ä.jsonl");
  s.add("TS302", rules::Severity::kError, 0, 1, "empty");
  CHECK(run_of(s.profiled())["results"][0]["locations"][0]["physicalLocation"]
                            ["artifactLocation"]["uri"] ==
        "file:///data/%C3%A4.jsonl");
}

}  // namespace
}  // namespace trainsight::report
