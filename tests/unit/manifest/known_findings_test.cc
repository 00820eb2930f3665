#include "trainsight/manifest/known_findings.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace trainsight::manifest {
namespace {

constexpr const char* kHead =
    R"({"apiVersion": "trainsight/v1", "kind": "KnownFindings", "findings": )";

std::string list_with(const std::string& findings) {
  return kHead + findings + "}";
}

std::string fault_of(const std::string& json) {
  const auto list = parse_known_findings(json, "k.json");
  return list ? "none" : list.error().message;
}

TEST_CASE("a list is written one row a line, and read again") {
  std::vector<KnownEntry> entries = {{"TS302", "a.jsonl", {3, {0xA, 0xB}}},
                                     {"TS801", "", {1, {}}}};
  const std::string json = to_json(entries, "1.2.3");
  CHECK(json == R"({
  "apiVersion": "trainsight/v1",
  "kind": "KnownFindings",
  "tool": {
    "name": "trainsight",
    "version": "1.2.3"
  },
  "findings": [
    {
      "code": "TS302",
      "name": "empty-answer",
      "file": "a.jsonl",
      "count": 3,
      "rows": [
        "000000000000000a",
        "000000000000000b"
      ]
    },
    {
      "code": "TS801",
      "name": "no-usable-records",
      "file": "",
      "count": 1
    }
  ]
}
)");
  const auto read = parse_known_findings(json, "k.json");
  REQUIRE(read);
  CHECK(to_json(*read, "1.2.3") == json);
  CHECK(read->at(0).group.by_number() == 1);
}

TEST_CASE("rows may stand in any order, and an empty list is a list") {
  const auto list = parse_known_findings(
      list_with(R"([{"code": "TS302", "file": "a", "count": 2,
                     "rows": ["00000000000000ff", "000000000000000a"]}])"),
      "k.json");
  REQUIRE(list);
  CHECK(list->at(0).group.rows == std::vector<std::uint64_t>{0xA, 0xFF});
  CHECK(parse_known_findings(list_with("[]"), "k.json")->empty());
}

TEST_CASE("what is no list of known findings is refused with its place") {
  CHECK(fault_of("[]") != "none");
  CHECK(
      fault_of(R"({"apiVersion": "trainsight/v1", "kind": "KnownFindings"})") ==
      "k.json:1:1: findings: missing");
  CHECK(fault_of(R"({"apiVersion": "trainsight/v2", "kind": "KnownFindings",
                     "findings": []})") ==
        "k.json is \"KnownFindings\" of \"trainsight/v2\", this trainsight "
        "reads \"KnownFindings\" of \"trainsight/v1\"");
  CHECK(fault_of(R"({"apiVersion": "trainsight/v1", "kind": "DatasetManifest",
                     "dataset": {"files": ["a"]}})") ==
        "k.json is \"DatasetManifest\" of \"trainsight/v1\", this trainsight "
        "reads \"KnownFindings\" of \"trainsight/v1\"");
  const auto entry_fault = [](const std::string& entry) {
    const std::string fault = fault_of(list_with("[" + entry + "]"));
    return fault.substr(std::min(fault.size(), fault.find("findings")));
  };
  CHECK(entry_fault(R"({"code": "TS302", "file": "a", "count": 1})") == "");
  CHECK(entry_fault(R"({"code": "TS999", "file": "a", "count": 1})") ==
        "findings[0].code: no rule is called \"TS999\"");
  CHECK(entry_fault(R"({"code": "empty-answer", "file": "a", "count": 1})") ==
        "findings[0].code: no rule is called \"empty-answer\"");
  CHECK(entry_fault(R"({"code": "TS302", "file": "a"})") ==
        "findings[0].count: missing, 0, or less than there are rows");
  CHECK(entry_fault(R"({"code": "TS302", "count": 1,
                        "rows": ["000000000000000a", "000000000000000b"]})") ==
        "findings[0].count: missing, 0, or less than there are rows");
  CHECK(entry_fault(R"({"code": "TS302", "count": 1, "rows": ["a"]})") ==
        "findings[0].rows: not 16 hex digits");
  CHECK(entry_fault(R"({"code": "TS302", "count": 1, "rows": [1]})") ==
        "findings[0].rows: numbers, not hashes");
  CHECK(entry_fault(R"({"code": "TS302", "count": 1, "row": []})") ==
        "findings[0].row: not a known member");
  CHECK(entry_fault(R"("TS302")") == "findings[0]: an object belongs here");
  CHECK(entry_fault("1") == "findings: a list of numbers");
  CHECK(entry_fault(R"({"code": "TS302", "file": "a", "count": 1},
                       {"code": "TS302", "file": "a", "count": 2})") ==
        "findings[1].code: TS302 stands twice for this file");
}

}  // namespace
}  // namespace trainsight::manifest
