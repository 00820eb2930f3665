#include "trainsight/report/text_report.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "report/layout.h"
#include "trainsight/predict/predict.h"

namespace trainsight::report {
namespace {

using manifest::Manifest;

// 60 rows of 1 to 60 tokens under a long path, with one shape of three names.
Manifest long_names() {
  Manifest m;
  m.dataset.files.emplace_back();
  m.dataset.files[0].path =
      std::string(70, 'd') + "/" + std::string(50, 'f') + ".jsonl";
  m.dataset.files[0].format = "jsonl";
  m.dataset.tokenizer = manifest::TokenizerRef{
      "some-organisation/a-model-with-a-very-long-name-indeed-v1.5", "", "",
      "exact"};
  m.dataset.chat_template = manifest::TemplateRef{"none", ""};
  manifest::Profile& p = m.profile.emplace();
  p.type = records::SampleType::kSft;
  p.records = p.usable = 60;
  p.bytes = 12345;
  p.schemas.push_back({"instruction-output", records::SampleType::kSft, 60, 0,
                       1,
                       "prompt ← instruction, context ← input, completion ← "
                       "output"});
  for (std::uint64_t length = 1; length <= 60; ++length) {
    p.tokens.sketch.add(length);
    p.label_tokens.sketch.add(length / 2);
    p.in_order.push_back(length);
  }
  p.longest.push_back({0, 60, 60});
  rules::Finding finding;
  finding.code = "TS102";
  finding.severity = rules::Severity::kError;
  finding.line = 123456;
  finding.message = std::string(60, 'm') + " " + std::string(200, 'n');
  rules::FindingGroup& group =
      p.findings[{"TS102", rules::Severity::kError, 0}];
  group.count = 1234567;
  rules::FindingGroup& known =
      p.findings[{"TS506", rules::Severity::kWarning, 0}];
  known.count = 9'999'999'999;
  known.known = 9'999'999'998;
  group.first.push_back(finding);
  m.prediction = predict::predict(p, m.training);
  return m;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string without_colour(const std::string& text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\x1b') {
      at = text.find('m', at);
    } else {
      plain += text[at];
    }
  }
  return plain;
}

gate::Verdict long_verdict() {
  gate::Verdict verdict;
  using Outcome = gate::Judgement::Outcome;
  verdict.judgements.push_back(
      {"max_lost_tokens_pct", Outcome::kViolated,
       "12.34 % at max_seq_len 1073741824", "at most 1 %", "",
       "raise max_seq_len (the longest record has 123456789 tokens) or split "
       "long records"});
  verdict.judgements.push_back({"max_duplicate_pct", Outcome::kUnchecked, "",
                                "at most 1 %", "duplicates were not counted",
                                ""});
  return verdict;
}

TEST_CASE("no line is wider than 80 columns, and none ends in spaces") {
  const Manifest m = long_names();
  for (const std::string& text :
       {profile_report(m, {}, {}), verdict_report(m, long_verdict(), {})}) {
    for (const std::string& line : lines_of(text)) {
      INFO(line);
      CHECK(columns_of(line) <= kColumns);
      CHECK((line.empty() || line.back() != ' '));
    }
  }
}

TEST_CASE("colour adds nothing but colour") {
  const Manifest m = long_names();
  const TextOptions colour{true};
  CHECK(profile_report(m, {}, colour) != profile_report(m, {}, {}));
  CHECK(without_colour(profile_report(m, {}, colour)) ==
        profile_report(m, {}, {}));
  CHECK(without_colour(verdict_report(m, long_verdict(), colour)) ==
        verdict_report(m, long_verdict(), {}));
}

TEST_CASE("a long shape wraps under itself") {
  const std::vector<std::string> lines =
      lines_of(profile_report(long_names(), {}, {}));
  CHECK(lines[2] ==
        "  sft: instruction-output (prompt ← instruction, context ← input, "
        "completion ←");
  CHECK(lines[3] == "    output)");
}

TEST_CASE("names that are the same on both sides are not told") {
  Manifest m = long_names();
  m.profile->schemas[0].mapping = "prompt ← prompt, completion ← answer";
  CHECK(lines_of(profile_report(m, {}, {}))[2] ==
        "  sft: instruction-output (completion ← answer)");
  m.profile->schemas[0].mapping = "text ← text";
  CHECK(lines_of(profile_report(m, {}, {}))[2] == "  sft: instruction-output");
}

TEST_CASE("a set without a length has no table and no verdict") {
  Manifest m = long_names();
  m.dataset.files[0].path = "empty.jsonl";
  m.profile = manifest::Profile{};
  m.prediction = predict::predict(*m.profile, m.training);
  CHECK(profile_report(m, {}, {}) ==
        "trainsight  empty.jsonl\n"
        "  0 records  0 B  jsonl\n"
        "\n"
        "Findings  none\n"
        "\n"
        "Verdict\n"
        "  none: no record has a length\n");
}

TEST_CASE("advice stands at the end, each change with its gain") {
  const std::string report =
      profile_report(long_names(), {{"pack to 512 tokens", "37 % → 1 %"}}, {});
  const std::string end =
      "\nWhat would help most\n  • pack to 512 tokens: 37 % → 1 %\n";
  REQUIRE(report.size() > end.size());
  CHECK(report.substr(report.size() - end.size()) == end);
}

TEST_CASE("a verdict says first what the exit code says") {
  const Manifest m = long_names();
  gate::Verdict verdict;
  CHECK(lines_of(verdict_report(m, verdict, {}))[0] == "PASS");
  verdict = long_verdict();
  CHECK(lines_of(verdict_report(m, verdict, {}))[0] ==
        "FAIL: 1 limit violated; 1 limit could not be checked");
  verdict.judgements.erase(verdict.judgements.begin());
  CHECK(lines_of(verdict_report(m, verdict, {}))[0] ==
        "NOT CHECKED: 1 limit could not be checked");
}

TEST_CASE("a verdict names what it judges") {
  Manifest m = long_names();
  m.dataset.files[0].path = "a.jsonl";
  CHECK(lines_of(verdict_report(m, {}, {}))[1] == "  a.jsonl, 60 records");
  m.dataset.files.emplace_back().path = "b.jsonl";
  CHECK(lines_of(verdict_report(m, {}, {}))[1] ==
        "  2 files, a.jsonl …, 60 records");
}

TEST_CASE("lengths that are no tokens have a grade and no regime") {
  Manifest m = long_names();
  m.prediction =
      predict::predict(*m.profile, m.training, predict::LengthUnit::kOther);
  const std::string report = profile_report(m, {}, {});
  const std::string end =
      "\nVerdict\n  high risk if padded\n"
      "  no regime, throughput or entropy figure: lengths are not in tokens\n";
  REQUIRE(report.size() > end.size());
  CHECK(report.substr(report.size() - end.size()) == end);
}

TEST_CASE("columns that were told are shown") {
  Manifest m = long_names();
  m.dataset.columns = {{"completion", "reply"}, {"prompt", "question"}};
  CHECK(lines_of(profile_report(m, {}, {}))[2] ==
        "  columns as told: completion ← reply, prompt ← question");
}

TEST_CASE("the verdict as JSON has every limit and the exit code") {
  const auto j =
      nlohmann::json::parse(verdict_json(long_names(), long_verdict()));
  CHECK(j["verdict"] == "unchecked");
  CHECK(j["exit_code"] == 3);
  REQUIRE(j["limits"].size() == 2);
  CHECK(j["limits"][0]["outcome"] == "violated");
  CHECK(j["limits"][0]["measured"] == "12.34 % at max_seq_len 1073741824");
  CHECK(j["limits"][1]["outcome"] == "unchecked");
  CHECK(j["limits"][1]["reason"] == "duplicates were not counted");
}

}  // namespace
}  // namespace trainsight::report
