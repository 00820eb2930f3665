#include "trainsight/gate/judge.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace trainsight::gate {
namespace {

using manifest::Policy;
using manifest::Profile;
using manifest::Training;
using Outcome = Judgement::Outcome;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Two rows of 10 and 30 tokens: mean 20, sigma/mu 0.5, P99 and longest 30, and
// a third of the slots empty in one batch.
Profile two_rows() {
  Profile profile;
  profile.type = records::SampleType::kSft;
  profile.records = profile.usable = 2;
  for (const std::uint64_t length : {10, 30}) {
    profile.tokens.sketch.add(length);
    profile.first_label.sketch.add(0);
    profile.in_order.push_back(length);
  }
  return profile;
}

void add_findings(Profile& profile, rules::Severity severity,
                  std::uint64_t count) {
  profile.findings[{"TS102", severity, 0}].count += count;
}

Verdict verdict_on(const Profile& profile, const Policy& policy,
                   const Training& training = {}) {
  REQUIRE(check(policy));
  return judge(Evidence{profile, training}, policy);
}

// The judgement of one limit; fails the test when there is none.
Judgement judgement(const Verdict& verdict, std::string_view limit) {
  for (const Judgement& j : verdict.judgements) {
    if (j.limit == limit) return j;
  }
  FAIL("no judgement on " << limit);
  return {};
}

Outcome outcome(const Profile& profile, const Policy& policy,
                std::string_view limit, const Training& training = {}) {
  return judgement(verdict_on(profile, policy, training), limit).outcome;
}

TEST_CASE("without limits a sound set passes on usable records and errors") {
  const Verdict verdict = verdict_on(two_rows(), {});
  REQUIRE(verdict.judgements.size() == 2);
  CHECK(verdict.judgements[0].limit == "usable_records");
  CHECK(verdict.judgements[0].measured == "2 of 2 records");
  CHECK(verdict.judgements[1].limit == "max_errors");
  CHECK(verdict.exit_code() == ExitCode::kPass);
}

TEST_CASE("a set without a usable record never passes, whatever the limits") {
  Profile profile = two_rows();
  profile.usable = 0;
  Policy loosest;
  loosest.max_errors = 1'000'000;
  loosest.min_records = 0;
  const Verdict verdict = verdict_on(profile, loosest);
  CHECK(verdict.exit_code() == ExitCode::kViolation);
  const Judgement j = judgement(verdict, "usable_records");
  CHECK(j.measured == "0 of 2 records");
  CHECK(j.allowed == "at least 1");
  CHECK(!j.fix.empty());
  CHECK(verdict_on(Profile{}, {}).exit_code() == ExitCode::kViolation);
}

TEST_CASE("a limit that cuts all that is learnt leaves nothing usable") {
  Profile profile = two_rows();
  profile.first_label = {};
  for (const std::uint64_t first : {4, 12}) {
    profile.first_label.sketch.add(first);
  }
  Training training;
  training.max_seq_len = 5;
  CHECK(
      judgement(verdict_on(profile, {}, training), "usable_records").measured ==
      "1 of 2 records");
  training.max_seq_len = 4;
  const Judgement cut =
      judgement(verdict_on(profile, {}, training), "usable_records");
  CHECK(cut.outcome == Outcome::kViolated);
  CHECK(cut.fix == "max_seq_len 4 leaves nothing to learn: raise it");
  training.max_seq_len = 9;
  training.overlong = "drop";
  CHECK(outcome(profile, {}, "usable_records", training) == Outcome::kViolated);
  training.max_seq_len = 10;
  CHECK(outcome(profile, {}, "usable_records", training) == Outcome::kHolds);
}

TEST_CASE("only error findings count, and none is allowed unless stated") {
  Profile profile = two_rows();
  add_findings(profile, rules::Severity::kWarning, 7);
  add_findings(profile, rules::Severity::kInfo, 7);
  CHECK(outcome(profile, {}, "max_errors") == Outcome::kHolds);
  add_findings(profile, rules::Severity::kError, 3);
  const Judgement j = judgement(verdict_on(profile, {}), "max_errors");
  CHECK(j.outcome == Outcome::kViolated);
  CHECK(j.measured == "3 error findings");
  CHECK(j.allowed == "at most 0");
  Policy policy;
  policy.max_errors = 3;
  CHECK(outcome(profile, policy, "max_errors") == Outcome::kHolds);
  policy.max_errors = 2;
  CHECK(outcome(profile, policy, "max_errors") == Outcome::kViolated);
}

TEST_CASE("known findings do not count; one more than is known does") {
  Profile profile = two_rows();
  add_findings(profile, rules::Severity::kError, 3);
  auto& group = profile.findings[{"TS102", rules::Severity::kError, 0}];
  group.known = 3;
  const Judgement all_known = judgement(verdict_on(profile, {}), "max_errors");
  CHECK(all_known.outcome == Outcome::kHolds);
  CHECK(all_known.measured == "0 error findings and 3 known");
  group.count = 4;
  const Judgement one_more = judgement(verdict_on(profile, {}), "max_errors");
  CHECK(one_more.outcome == Outcome::kViolated);
  CHECK(one_more.measured == "1 error finding and 3 known");
  // A manifest may say what it likes: no more is known than was found.
  group.known = 99;
  add_findings(profile, rules::Severity::kError, 0);
  profile.findings[{"TS302", rules::Severity::kError, 0}].count = 2;
  CHECK(judgement(verdict_on(profile, {}), "max_errors").measured ==
        "2 error findings and 4 known");
}

TEST_CASE("malformed records are a share of all records met") {
  Profile profile = two_rows();
  profile.malformed = 2;
  Policy policy;
  policy.max_malformed_pct = 50;
  CHECK(outcome(profile, policy, "max_malformed_pct") == Outcome::kHolds);
  policy.max_malformed_pct = 49.9;
  const Judgement j =
      judgement(verdict_on(profile, policy), "max_malformed_pct");
  CHECK(j.outcome == Outcome::kViolated);
  CHECK(j.measured == "50 %");
  CHECK(j.allowed == "at most 49.9 %");
}

TEST_CASE("a minimum of usable records is judged, and the gap said") {
  Policy policy;
  policy.min_records = 2;
  CHECK(outcome(two_rows(), policy, "min_records") == Outcome::kHolds);
  policy.min_records = 5;
  const Judgement j = judgement(verdict_on(two_rows(), policy), "min_records");
  CHECK(j.outcome == Outcome::kViolated);
  CHECK(j.measured == "2 usable records");
  CHECK(j.fix == "add 3 records, or lower the minimum");
  policy.min_records = 3;
  CHECK(judgement(verdict_on(two_rows(), policy), "min_records").fix ==
        "add 1 record, or lower the minimum");
}

TEST_CASE("duplicates that were not counted are unchecked, never passed") {
  Profile profile = two_rows();
  Policy policy;
  policy.max_duplicate_pct = 50;
  const Verdict unknown = verdict_on(profile, policy);
  CHECK(judgement(unknown, "max_duplicate_pct").outcome == Outcome::kUnchecked);
  CHECK(unknown.exit_code() == ExitCode::kUnchecked);
  profile.duplicates = 1;
  CHECK(outcome(profile, policy, "max_duplicate_pct") == Outcome::kHolds);
  policy.max_duplicate_pct = 49;
  CHECK(outcome(profile, policy, "max_duplicate_pct") == Outcome::kViolated);
}

TEST_CASE("limits on lengths judge the raw lengths") {
  Policy policy;
  policy.max_p99 = policy.max_tokens = 30;
  policy.max_cv = 0.5;
  const Verdict holds = verdict_on(two_rows(), policy);
  CHECK(holds.exit_code() == ExitCode::kPass);
  CHECK(judgement(holds, "max_p99").measured == "30 tokens");
  CHECK(judgement(holds, "max_cv").measured == "0.5");
  policy.max_p99 = policy.max_tokens = 29;
  policy.max_cv = 0.49;
  // A limit on the sequence length does not make the records shorter.
  Training training;
  training.max_seq_len = 10;
  const Verdict violated = verdict_on(two_rows(), policy, training);
  for (const std::string_view limit : {"max_p99", "max_tokens", "max_cv"}) {
    CHECK(judgement(violated, limit).outcome == Outcome::kViolated);
  }
  CHECK(violated.violations() == 3);
}

TEST_CASE("the risk grade is judged by its order") {
  Policy policy;
  for (const char* enough : {"high", "critical"}) {
    policy.max_risk = enough;
    CHECK(outcome(two_rows(), policy, "max_risk") == Outcome::kHolds);
  }
  for (const char* too_low : {"low", "moderate"}) {
    policy.max_risk = too_low;
    CHECK(outcome(two_rows(), policy, "max_risk") == Outcome::kViolated);
  }
}

TEST_CASE("padding waste names the batch that it is about") {
  Policy policy;
  policy.max_waste_pct = 33.4;
  Training training;
  training.micro_batch = 2;
  CHECK(outcome(two_rows(), policy, "max_waste_pct", training) ==
        Outcome::kHolds);
  policy.max_waste_pct = 33.3;
  const Judgement j =
      judgement(verdict_on(two_rows(), policy, training), "max_waste_pct");
  CHECK(j.outcome == Outcome::kViolated);
  CHECK(j.measured == "33.33 % (micro-batch 2, random order)");
  CHECK(j.allowed == "at most 33.3 %");
  CHECK(j.fix == "pack sequences, group by length, or lower --micro-batch");
}

TEST_CASE("a stored prediction is judged as it stands") {
  manifest::Prediction prediction;
  prediction.risk = "low";
  prediction.padding.emplace();
  prediction.padding->micro_batch = 4;
  prediction.padding->waste_ratio = 0.25;
  const Profile profile = two_rows();
  const Training training;
  Evidence evidence{profile, training};
  evidence.prediction = &prediction;
  Policy policy;
  policy.max_waste_pct = 25;
  policy.max_risk = "low";
  const Verdict verdict = judge(evidence, policy);
  CHECK(verdict.exit_code() == ExitCode::kPass);
  CHECK(judgement(verdict, "max_waste_pct").measured ==
        "25 % (micro-batch 4, random order)");
}

TEST_CASE("the waste of prompts says nothing about the step: unchecked") {
  Profile profile = two_rows();
  profile.type = records::SampleType::kGrpo;
  Policy policy;
  policy.max_waste_pct = 100;
  const Judgement j = judgement(verdict_on(profile, policy), "max_waste_pct");
  CHECK(j.outcome == Outcome::kUnchecked);
  CHECK(j.reason == "completions are generated: only prompts can be judged");
}

TEST_CASE("truncation needs a sequence length, and is of records or tokens") {
  Policy policy;
  policy.max_truncated_pct = 50;
  policy.max_lost_tokens_pct = 25;
  const Verdict unknown = verdict_on(two_rows(), policy);
  CHECK(unknown.unchecked() == 2);
  CHECK(judgement(unknown, "max_truncated_pct").reason ==
        "no limit is known: give --max-seq-len");
  // At 20 one of two records loses 10 of all 40 tokens.
  Training training;
  training.max_seq_len = 20;
  const Verdict holds = verdict_on(two_rows(), policy, training);
  CHECK(holds.exit_code() == ExitCode::kPass);
  CHECK(judgement(holds, "max_lost_tokens_pct").measured ==
        "25 % at max_seq_len 20");
  policy.max_truncated_pct = 49;
  policy.max_lost_tokens_pct = 24;
  CHECK(verdict_on(two_rows(), policy, training).violations() == 2);
  // Dropped records count as well: 30 of 40 tokens.
  training.overlong = "drop";
  CHECK(
      judgement(verdict_on(two_rows(), policy, training), "max_lost_tokens_pct")
          .measured == "75 % at max_seq_len 20");
  training.overlong = "split";
  CHECK(
      judgement(verdict_on(two_rows(), policy, training), "max_lost_tokens_pct")
          .outcome == Outcome::kHolds);
}

TEST_CASE("drift is the largest move of records, mean, P50 and P99") {
  Policy policy;
  policy.max_drift_pct = 50;
  const Profile now = two_rows();
  const Training training;
  CHECK(judgement(judge(Evidence{now, training}, policy), "max_drift_pct")
            .reason == "no baseline: give --baseline");
  Profile before = two_rows();
  Evidence evidence{now, training};
  evidence.baseline = &before;
  CHECK(judge(evidence, policy).exit_code() == ExitCode::kPass);
  CHECK(judgement(judge(evidence, policy), "max_drift_pct").measured ==
        "no figure moved");
  before = Profile{};
  for (const std::uint64_t length : {10, 15}) {
    before.tokens.sketch.add(length);
  }
  const Judgement j = judgement(judge(evidence, policy), "max_drift_pct");
  CHECK(j.outcome == Outcome::kViolated);
  CHECK(j.measured == "p99 moved by 100 % (15 → 30)");
  CHECK(j.allowed == "each figure within 50 %");
  // From nothing to something is a whole move.
  before = Profile{};
  CHECK(judgement(judge(evidence, policy), "max_drift_pct").outcome ==
        Outcome::kViolated);
}

TEST_CASE("estimated lengths leave every limit on tokens unchecked") {
  Policy policy;
  policy.max_waste_pct = policy.max_truncated_pct = 100;
  policy.max_lost_tokens_pct = 100;
  policy.max_p99 = policy.max_tokens = 1'000'000;
  policy.max_cv = 100;
  policy.max_risk = "critical";
  policy.max_drift_pct = 100;
  const Profile profile = two_rows();
  const Training training;
  Evidence evidence{profile, training};
  evidence.lengths_are_exact = false;
  evidence.baseline = &profile;
  const Verdict verdict = judge(evidence, policy);
  CHECK(verdict.unchecked() == 8);
  CHECK(verdict.exit_code() == ExitCode::kUnchecked);
  CHECK(judgement(verdict, "max_p99").reason ==
        "lengths are only estimated: name the model's --tokenizer");
}

TEST_CASE("lengths that no record has are unchecked") {
  Policy policy;
  policy.max_p99 = 1'000'000;
  const Judgement j = judgement(verdict_on(Profile{}, policy), "max_p99");
  CHECK(j.outcome == Outcome::kUnchecked);
  CHECK(j.reason == "no record has a length");
}

TEST_CASE("violated and unchecked together are exit code 3, and both listed") {
  Policy policy;
  policy.max_p99 = 1;
  policy.max_duplicate_pct = 100;
  const Verdict verdict = verdict_on(two_rows(), policy);
  CHECK(verdict.violations() == 1);
  CHECK(verdict.unchecked() == 1);
  CHECK(verdict.exit_code() == ExitCode::kUnchecked);
}

TEST_CASE("limits that are no number or out of range are wrong usage") {
  for (const double wrong : {kNaN, kInfinity, -0.1, 100.1}) {
    Policy policy;
    policy.max_waste_pct = wrong;
    const Status status = check(policy);
    REQUIRE(!status);
    CHECK(status.error().kind == ErrorKind::kUsage);
  }
  for (const double wrong : {kNaN, kInfinity, -1.0}) {
    Policy policy;
    policy.max_cv = wrong;
    CHECK(!check(policy));
    policy = {};
    policy.max_drift_pct = wrong;
    CHECK(!check(policy));
  }
  Policy policy;
  policy.max_waste_pct = 100.1;
  CHECK(check(policy).error().message ==
        "max_waste_pct is 100.1, not a percentage from 0 to 100");
  policy = {};
  policy.max_risk = "medium";
  CHECK(check(policy).error().message == "unknown risk \"medium\"");
  CHECK(check(policy).error().hint == "one of low, moderate, high, critical");
  policy = {};
  policy.max_drift_pct = 250;  // a set may grow to more than its double
  CHECK(check(policy));
}

}  // namespace
}  // namespace trainsight::gate
