#include <catch2/catch.hpp>
#include <string>

#include "trainsight/manifest/read.h"
#include "trainsight/manifest/write.h"
#include "trainsight/rules/rule_table.h"

namespace trainsight::manifest {
namespace {

Lengths lengths_of(std::initializer_list<std::uint64_t> lengths) {
  Lengths result;
  for (const std::uint64_t length : lengths) result.sketch.add(length);
  return result;
}

// A profile in which every member has a value that is not its default.
Profile full_profile() {
  Profile p;
  p.type = records::SampleType::kDpo;
  p.records = 4;
  p.usable = 3;
  p.malformed = 2;
  p.blank_lines = 1;
  p.lines = 7;
  p.bytes = 1234;
  p.duplicates = 1;
  p.types[static_cast<std::size_t>(records::SampleType::kDpo)] = 3;
  p.types[static_cast<std::size_t>(records::SampleType::kUnknown)] = 1;
  p.schemas.push_back(
      {"preference", records::SampleType::kDpo, 3, 1, 9, "prompt ← prompt"});
  p.in_order = {30, 10, 20'000};
  p.tokens = lengths_of({30, 10, 20'000});
  p.content_tokens = lengths_of({29, 9, 19'999});
  p.fields[static_cast<std::size_t>(records::Field::kPrompt)] =
      lengths_of({3, 1, 2});
  p.chosen_side = lengths_of({30, 5, 7});
  p.rejected_side = lengths_of({4, 10, 20'000});
  p.first_label = lengths_of({3, 1});
  p.label_tokens = lengths_of({27, 9, 0});
  p.file_order_slots = 600;
  p.file_order_tokens = 400;
  p.file_order_micro_batch = 2;
  Survival survival;
  survival.target = "generic";
  survival.max_seq_len = 16;
  survival.overlong = "drop";
  survival.kept = {1, 10};
  survival.dropped = {2, 20'030};
  survival.truncated = {3, 4};
  survival.unlabelled = {1, 2};
  p.survival.push_back(survival);
  p.longest = {{1, 12, 20'000}, {0, 2, 30}};

  const rules::Rule& rule = rules::rules().front();
  rules::Finding finding;
  finding.code = rule.code;
  finding.severity = rules::Severity::kError;
  finding.file = 1;
  finding.line = 5;
  finding.offset = 77;
  finding.pointer = "/messages/0";
  finding.fingerprint = 0xABCDEF0123456789;
  finding.message = "something \"quoted\" ← here";
  finding.figures = {{"row_tokens", std::int64_t{-3}},
                     {"share_ratio", 0.25},
                     {"word", std::string("x")}};
  rules::FindingGroup& group =
      p.findings[{rule.code, rules::Severity::kError, 1}];
  group.count = 9;
  group.known = 4;
  group.first = {finding, finding};
  group.figures = {{"rows", std::int64_t{9}}};
  p.findings[{rule.code, rules::Severity::kWarning, rules::kAllFiles}].count =
      1;
  return p;
}

Manifest full_manifest() {
  Manifest m;
  m.name = "a set";
  m.created = "2026-01-02T03:04:05Z";
  m.tool_name = "trainsight";
  m.tool_version = "0.1.0";
  m.dataset.type = "dpo";
  DatasetFile& a = m.dataset.files.emplace_back();
  a.path = "a.jsonl";
  a.bytes = 10;
  a.modified = "2026-01-01T00:00:00Z";
  a.xxh64 = "0123456789abcdef";
  a.records = 3;
  a.malformed = 2;
  a.usable = 1;
  a.format = "jsonl";
  DatasetFile& b = m.dataset.files.emplace_back();
  b.path = "d/b c.jsonl";
  b.bytes = 20;
  b.records = 1;
  b.role = "eval";
  b.glob = "d/*.jsonl";
  m.dataset.columns = {{"prompt", "question"}, {"chosen", "good"}};
  m.dataset.tokenizer = {"o200k_base", "00ff", "byte-level BPE", "exact"};
  m.dataset.chat_template = {"chatml", "abcd"};
  m.training.target = "trl";
  m.training.max_seq_len = 2048;
  m.training.overlong = "drop";
  m.training.pad_to_multiple_of = 8;
  m.training.micro_batch = 4;
  m.training.accumulation = 2;
  m.training.world_size = 16;
  m.training.sampler = "random";
  m.training.packing = "none";
  m.training.drop_last = true;
  m.training.epochs = 1.5;
  m.training.seed = 42;
  m.training.model = "./Qwen3-8B";
  m.training.method = "qlora";
  m.training.gpu = "h100";
  m.training.precision = "mixed";
  m.training.settings = {{"lora_rank", "32"}, {"optimizer", "adamw8bit"}};
  m.policy.max_waste_pct = 30.5;
  m.policy.max_p99 = 2048;
  m.policy.max_tokens = 4096;
  m.policy.max_cv = 0.75;
  m.policy.max_risk = "high";
  m.policy.max_truncated_pct = 1;
  m.policy.max_lost_tokens_pct = 2;
  m.policy.max_errors = 3;
  m.policy.max_malformed_pct = 4;
  m.policy.max_duplicate_pct = 5;
  m.policy.min_records = 6;
  m.policy.max_drift_pct = 7;
  m.profile = full_profile();
  Prediction p;
  p.made_for = m.training;
  p.regime = "clean execution";
  p.in_transition = true;
  p.risk = "high";
  p.padding.emplace();
  p.padding->micro_batch = 4;
  p.padding->sampler = "random";
  p.padding->waste_ratio = 0.25;
  p.padding->method = "simulated";
  p.padding->expected_longest = 123.5;
  p.padding->file_order_waste_ratio = 0.5;
  p.padding->whole_step = false;
  MemoryFigure& memory = p.memory.emplace();
  memory.verdict = "tight";
  memory.peak_bytes = 20;
  memory.low_bytes = 10;
  memory.high_bytes = 30;
  memory.usable_bytes = 25;
  memory.phase = "backward";
  memory.model = "qwen3-8b";
  memory.method = "qlora";
  memory.gpu = "h100";
  memory.gpus = 2;
  memory.micro_batch = 4;
  memory.length = 2048;
  memory.tokens = 8192;
  memory.safe_micro_batch = 3;
  memory.safe_length = 1024;
  memory.defaults = {"trl", "1 GPU"};
  memory.notes = {"a sentence"};
  p.throughput = {1000.0, 900, 1100, ""};
  p.throughput_index = {0.5, 0.4, 0.6, ""};
  p.entropy = {std::nullopt, 0, 0, "out of range"};
  m.prediction = p;
  return m;
}

TEST_CASE("a manifest that is read is written again unchanged") {
  const std::string first = to_json(full_manifest());
  const auto read = parse_manifest(first, "m.json");
  if (!read) FAIL(read.error().message);
  CHECK(to_json(*read) == first);
}

TEST_CASE("a manifest without a profile survives the round trip") {
  Manifest m;
  m.dataset.files.emplace_back().path = "a.jsonl";
  const std::string first = to_json(m);
  CHECK(first == R"({
  "apiVersion": "trainsight/v1",
  "kind": "DatasetManifest",
  "dataset": {
    "type": "auto",
    "files": [
      {
        "path": "a.jsonl"
      }
    ]
  }
}
)");
  const auto read = parse_manifest(first, "m.json");
  REQUIRE(read);
  CHECK(to_json(*read) == first);
}

TEST_CASE("what a gate needs is read at the lesser depth as well") {
  const auto read =
      parse_manifest(to_json(full_manifest()), "m.json", Depth::kTokens);
  REQUIRE(read);
  const Profile& p = *read->profile;
  CHECK(p.tokens.sketch.sum() == 20'040);
  CHECK(p.first_label.sketch.count() == 2);
  CHECK(p.in_order.size() == 3);
  CHECK(p.findings.size() == 2);
  CHECK(p.content_tokens.sketch.count() == 0);
  CHECK(p.fields[2].sketch.count() == 0);
  CHECK(read->prediction->made_for == read->training);
}

TEST_CASE("a memory figure that is not whole is passed over") {
  Manifest m = full_manifest();
  SECTION("a verdict that nobody knows") {
    m.prediction->memory->verdict = "surely";
  }
  SECTION("a peak above its interval") {
    m.prediction->memory->peak_bytes = 31;
  }
  SECTION("a GPU without memory") { m.prediction->memory->usable_bytes = 0; }
  const auto read = parse_manifest(to_json(m), "m.json");
  REQUIRE(read);
  CHECK_FALSE(read->prediction->memory.has_value());
}

TEST_CASE("settings of a job are strings") {
  const auto read = parse_manifest(
      R"({"apiVersion": "trainsight/v1", "kind": "DatasetManifest",
          "dataset": {"files": [{"path": "a.jsonl"}]},
          "training": {"settings": {"lora_rank": 32}}})",
      "m.json");
  REQUIRE_FALSE(read);
  CHECK(read.error().kind == ErrorKind::kUsage);
  INFO(read.error().message);
  CHECK(read.error().message.find("lora_rank must be a string") !=
        std::string::npos);
}

TEST_CASE("bytes that are no UTF-8 are shown, not refused") {
  Manifest m;
  m.dataset.files.emplace_back().path = "a\xff.jsonl";
  const auto read = parse_manifest(to_json(m), "m.json");
  REQUIRE(read);
  CHECK(read->dataset.files[0].path == "a\xef\xbf\xbd.jsonl");
}

}  // namespace
}  // namespace trainsight::manifest
