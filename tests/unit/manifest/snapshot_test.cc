#include "trainsight/manifest/snapshot.h"

#include <catch2/catch.hpp>
#include <string>

namespace trainsight::manifest {
namespace {

std::string document(const std::string& rest) {
  return R"({"apiVersion": "trainsight/v1", "kind": "TrainingSnapshot")" +
         rest + "}";
}

std::string error_of(const std::string& json) {
  const auto snapshot = parse_snapshot(json, "s.json");
  REQUIRE_FALSE(snapshot);
  return snapshot.error().message;
}

std::string measured_error(const std::string& members) {
  return error_of(document(", \"measured\": {" + members + "}"));
}

TEST_CASE("a snapshot says what was measured, and of which job") {
  const auto s = parse_snapshot(document(R"(, "created": "2026-06-01T12:00:00Z",
        "training": {"model": "llama-3.1-8b", "method": "lora", "gpu": "h100",
                     "micro_batch": 4, "settings": {"lora_rank": "16"}},
        "health": {"score": 93},
        "measured": {"peak_allocated_bytes": 44023414784,
                     "peak_device_bytes": 47244640256,
                     "step_seconds": 1.25, "steps": 500,
                     "tokens_per_second": 9000,
                     "largest_batch": {"sequences": 4, "length": 2048}})"),
                                "s.json");
  REQUIRE(s);
  CHECK(s->created == "2026-06-01T12:00:00Z");
  CHECK(s->training.model == "llama-3.1-8b");
  CHECK(s->training.settings.at("lora_rank") == "16");
  CHECK(s->peak_allocated_bytes == 44023414784);
  CHECK(s->peak_device_bytes == 47244640256);
  CHECK(s->step_seconds == 1.25);
  CHECK(s->steps == 500);
  REQUIRE(s->largest_batch);
  CHECK(s->largest_batch->sequences == 4);
  CHECK(s->largest_batch->length == 2048);
}

TEST_CASE("one figure is enough") {
  const auto s = parse_snapshot(
      document(", \"measured\": {\"step_seconds\": 2}"), "s.json");
  REQUIRE(s);
  CHECK(s->step_seconds == 2.0);
  CHECK_FALSE(s->peak_allocated_bytes);
  CHECK_FALSE(s->largest_batch);
  CHECK(s->training == Training());
}

TEST_CASE("what is no snapshot is refused with the place") {
  CHECK(error_of("{").starts_with("s.json:1:"));
  CHECK(error_of(R"({"apiVersion": "trainsight/v2"})") ==
        "s.json: apiVersion is \"trainsight/v2\", this trainsight reads "
        "\"trainsight/v1\"");
  CHECK(error_of(
            R"({"apiVersion": "trainsight/v1", "kind": "DatasetManifest"})") ==
        "s.json: kind is \"DatasetManifest\", not \"TrainingSnapshot\"");
  CHECK(error_of(document("")) == "s.json:1:1: measured: missing");
  CHECK(measured_error("") ==
        "s.json:1:62: measured.peak_allocated_bytes: missing, as are "
        "peak_device_bytes and step_seconds");
  CHECK(measured_error(R"("step_seconds": "2")") ==
        "s.json:1:75: measured.step_seconds: text where a number belongs");
  CHECK(error_of(document(R"(, "training": {"modell": "x"},
        "measured": {"step_seconds": 2})"))
            .find("training.modell") != std::string::npos);
}

TEST_CASE("figures that no run has are refused") {
  const std::string at = "s.json:1:62: measured.";
  for (const char* peak : {"0", "1048575", "10995116277761"}) {
    CHECK(measured_error("\"peak_device_bytes\": " + std::string(peak)) ==
          at + "peak_device_bytes: must be from 1 MiB to 10 TiB");
  }
  for (const char* step : {"0", "-1", "1e7"}) {
    CHECK(measured_error("\"step_seconds\": " + std::string(step)) ==
          at + "step_seconds: must be from 0.000001 to 1000000");
  }
  // The optimizer's states are not there in the first step.
  CHECK(measured_error(R"("peak_allocated_bytes": 9000000000, "steps": 1)") ==
        at + "steps: must be at least 2: the optimizer's states come with the "
             "first");
  CHECK(measured_error(R"("step_seconds": 1, "largest_batch": {"sequences": 0,
        "length": 5})")
            .find("measured.largest_batch.sequences: must be from 1 to "
                  "1048576") != std::string::npos);
  CHECK(
      measured_error(R"("step_seconds": 1, "largest_batch": {"sequences": 1})")
          .find("measured.largest_batch.length: must be from 1 to "
                "1073741824") != std::string::npos);
  CHECK(error_of(std::string(kMostSnapshotBytes + 1, ' ')) ==
        "s.json: longer than 16777216 bytes");
}

}  // namespace
}  // namespace trainsight::manifest
