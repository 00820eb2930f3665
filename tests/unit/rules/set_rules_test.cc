// Rules about sets: the same whatever the batches are.
#include <catch2/catch.hpp>

#include "checked.h"

namespace trainsight::rules {
namespace {

using records::SampleType;

std::string figure(const FindingLog& log, std::string_view code,
                   std::string_view name) {
  for (const auto& [key, group] : log.groups()) {
    if (std::get<0>(key) != code) continue;
    std::vector<Figure> figures = group.figures;
    if (!group.first.empty()) {
      figures.insert(figures.end(), group.first[0].figures.begin(),
                     group.first[0].figures.end());
    }
    for (const Figure& f : figures) {
      if (f.name != name) continue;
      if (const auto* n = std::get_if<std::int64_t>(&f.value)) {
        return std::to_string(*n);
      }
      if (const auto* x = std::get_if<double>(&f.value)) {
        return std::to_string(*x);
      }
      return std::get<std::string>(f.value);
    }
  }
  return "absent";
}

TEST_CASE("findings do not depend on how rows are batched", "[rules]") {
  std::vector<std::string> rows;
  for (int i = 0; i < 40; ++i) {
    rows.push_back(R"({"prompt":"q)" + std::to_string(i % 7) +
                   R"(","completion":"a","n":)" +
                   (i % 13 == 12 ? "\"x\"" : std::to_string(i % 3)) + "}");
  }
  rows[17] = R"({"prompt":"q","completion":null})";
  const std::string all = shown(check(rows, {}, rows.size()).log, "TS");
  CHECK_FALSE(all.empty());
  for (const std::size_t batch : {1u, 2u, 3u, 7u, 39u}) {
    CHECK(shown(check(rows, {}, batch).log, "TS") == all);
  }
}

TEST_CASE("repeated rows", "[rules]") {
  const SetResult result = check({R"({"text":"a"})", R"({"text":"b"})",
                                  R"({"text":"a"})", R"({"text":" A "})"});
  CHECK(shown(result.log, "TS802") == "TS802 warning × 1 at 3");
  CHECK(shown(result.log, "TS803") == "TS803 info × 1 at 4");
  CHECK(result.duplicates == std::optional<std::uint64_t>(1));
  CHECK(figure(result.log, "TS802", "identical_rows") == "2");
}

TEST_CASE("duplicates can be left out", "[rules]") {
  RuleOptions options;
  options.find_duplicates = false;
  const SetResult result =
      check({R"({"text":"a"})", R"({"text":"a"})"}, options);
  CHECK(shown(result.log, "TS80").find("TS802") == std::string::npos);
  CHECK_FALSE(result.duplicates.has_value());
}

TEST_CASE("a set that is all prompts lacks no answers", "[rules]") {
  const std::vector<std::string> rows(
      3, R"({"messages":[{"role":"user","content":"u"}]})");
  CHECK(shown(check(rows).log, "TS308") == "TS308 error × 3 at 1 2 3");
  CHECK(shown(check(rows, {}, 8, SampleType::kGrpo).log, "TS308").empty());
}

TEST_CASE("minimums are those of the target", "[rules]") {
  const std::vector<std::string> rows(7, R"({"text":"a"})");
  CHECK(shown(check(rows).log, "TS806") == "TS806 info × 1 at 0");
  RuleOptions options;
  options.target = targets::find_target("openai");
  options.selection.apply(options.target);
  const SetResult result = check(rows, options);
  CHECK(shown(result.log, "TS806") == "TS806 error × 1 at 0");
  CHECK(figure(result.log, "TS806", "minimum_rows") == "10");
}

TEST_CASE("fewer rows than a global batch", "[rules]") {
  const std::vector<std::string> rows = {R"({"text":"aaaa"})",
                                         R"({"text":"b"})", R"({"text":"c"})"};
  RuleOptions options;
  options.max_seq_len = 2;
  options.overlong = targets::Overlong::kDrop;
  options.batches.global_batch = 2;
  CHECK(shown(check(rows, options).log, "TS805").empty());
  options.batches.global_batch = 3;
  CHECK(shown(check(rows, options).log, "TS805") == "TS805 warning × 1 at 0");
  options.batches.drop_last = true;
  const SetResult result = check(rows, options);
  CHECK(shown(result.log, "TS805") == "TS805 error × 1 at 0");
  CHECK(figure(result.log, "TS805", "kept_rows") == "2");
  CHECK(figure(result.log, "TS805", "optimizer_steps") == "0");
}

TEST_CASE("the worst batch and the chance to meet it", "[rules]") {
  // 19 rows of 1 token and one of 100, batches of 2: C(19,2·N)/C(20,2·N)
  // leaves 1 − 0 by step 10, and by step 20 no more rows than there are.
  std::vector<std::string> rows(19, R"({"text":"a"})");
  rows.push_back(R"({"text":")" + std::string(100, 'b') + "\"}");
  RuleOptions options;
  options.batches.micro_batch = 2;
  options.batches.micro_batch_given = true;
  const SetResult result = check(rows, options);
  CHECK(shown(result.log, "TS601") == "TS601 warning × 1 at 20");
  CHECK(figure(result.log, "TS601", "worst_batch_tokens") == "200");
  CHECK(figure(result.log, "TS601", "median_batch_tokens") == "2");
  CHECK(figure(result.log, "TS601", "chance_by_step_20_ratio") == "1.000000");
}

TEST_CASE("logits of the longest row against the device", "[rules]") {
  RuleOptions options;
  options.vocabulary.size = 1000;
  options.batches.micro_batch = 1;
  options.batches.gpu_memory_gb = 0.0001;  // 100,000 bytes
  // 12 tokens × 1,000 × 4 = 48,000 bytes fit twice, 13 do not.
  CHECK(shown(check({R"({"text":"aaaaaaaaaaaa"})"}, options).log, "TS602")
            .empty());
  const SetResult result = check({R"({"text":"aaaaaaaaaaaaa"})"}, options);
  CHECK(shown(result.log, "TS602") == "TS602 error × 1 at 1");
  CHECK(figure(result.log, "TS602", "logits_bytes") == "52000");
}

TEST_CASE("a document for 32-bit offsets is told with its size", "[rules]") {
  SetChecker set({});
  FileSummary summary;
  summary.bytes = 3'000'000'000;
  summary.notes.push_back(
      {scan::FileNote::Kind::kLargeDocument, 0, 0, "one JSON document"});
  set.file(summary);
  const SetResult result = set.finish(SampleType::kUnknown);
  CHECK(shown(result.log, "TS116") == "TS116 warning × 1 at 0");
  CHECK(figure(result.log, "TS116", "file_bytes") == "3000000000");
  CHECK(figure(result.log, "TS116", "offset_limit_bytes") == "2147483647");
}

TEST_CASE("tools that Arrow pads, and how much it costs", "[rules]") {
  const auto row = [](const std::string& name) {
    return R"({"messages":[{"role":"user","content":"x"},)"
           R"({"role":"assistant","content":"y"}],)"
           R"("tools":[{"name":"t","parameters":{")" +
           name + R"(":{"type":"string"}}}]})";
  };
  RuleOptions options;
  options.vocabulary.count_tokens = [](std::string_view text) {
    return static_cast<std::uint64_t>(text.size());
  };
  const SetResult result = check({row("city"), row("unit")}, options);
  CHECK(shown(result.log, "TS203") ==
        "TS203 warning × 2 at 1/tools/0/parameters 2/tools/0/parameters");
  CHECK(figure(result.log, "TS203", "nulls_added_per_row") == "1");
  // `, "unit": null` is 14 bytes.
  CHECK(figure(result.log, "TS203", "tokens_added_per_row") == "14");
}

}  // namespace
}  // namespace trainsight::rules
