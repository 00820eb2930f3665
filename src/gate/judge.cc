#include "trainsight/gate/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "trainsight/predict/predict.h"
#include "trainsight/risk/assessment.h"
#include "trainsight/rules/finding.h"

namespace trainsight::gate {
namespace {

using manifest::Policy;
using manifest::Profile;
using Outcome = Judgement::Outcome;

std::string percent(double pct) { return fmt::format("{:.4g} %", pct); }

// "1 usable record", "2 usable records".
std::string counted(std::uint64_t n, std::string_view noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

double percent_of(std::uint64_t part, std::uint64_t whole) {
  return whole == 0
             ? 0.0
             : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

// Builds the judgements of one run.
class Judge {
 public:
  Judge(const Evidence& evidence, const Policy& policy)
      : e_(evidence), policy_(policy) {}

  Verdict run();

 private:
  void at_most(std::string_view limit, double measured, double allowed,
               std::string shown, std::string shown_limit, std::string fix);
  void unchecked(std::string_view limit, std::string allowed,
                 std::string reason);
  // Whether limits on tokens can be judged; says so otherwise.
  bool lengths_known(std::string_view limit, const std::string& allowed);

  // The prediction at hand, if it is about this way of training.
  [[nodiscard]] const manifest::Prediction* at_hand() const {
    const bool fits =
        e_.prediction != nullptr && e_.prediction->made_for == e_.training;
    return fits ? e_.prediction : nullptr;
  }

  // Usable records at the limit on the length that is judged, which may be
  // another than the profile was made with.
  [[nodiscard]] std::uint64_t usable() const;

  void judge_usable();
  void judge_errors();
  void judge_malformed();
  void judge_min_records();
  void judge_duplicates();
  void judge_p99();
  void judge_max_tokens();
  void judge_cv();
  void judge_risk();
  void judge_waste();
  void judge_truncation();
  void judge_drift();

  const Evidence& e_;
  const Policy& policy_;
  Verdict verdict_;
};

void Judge::at_most(std::string_view limit, double measured, double allowed,
                    std::string shown, std::string shown_limit,
                    std::string fix) {
  Judgement j;
  j.limit = limit;
  j.measured = std::move(shown);
  j.allowed = std::move(shown_limit);
  j.outcome = measured <= allowed ? Outcome::kHolds : Outcome::kViolated;
  if (j.outcome == Outcome::kViolated) j.fix = std::move(fix);
  verdict_.judgements.push_back(std::move(j));
}

void Judge::unchecked(std::string_view limit, std::string allowed,
                      std::string reason) {
  Judgement j;
  j.limit = limit;
  j.outcome = Outcome::kUnchecked;
  j.allowed = std::move(allowed);
  j.reason = std::move(reason);
  verdict_.judgements.push_back(std::move(j));
}

bool Judge::lengths_known(std::string_view limit, const std::string& allowed) {
  if (!e_.lengths_are_exact) {
    unchecked(limit, allowed,
              "lengths are only estimated: name the model's --tokenizer");
    return false;
  }
  if (e_.profile.tokens.sketch.count() == 0) {
    unchecked(limit, allowed, "no record has a length");
    return false;
  }
  return true;
}

std::uint64_t Judge::usable() const {
  const Profile& p = e_.profile;
  if (!e_.lengths_are_exact || !e_.training.max_seq_len) return p.usable;
  const stats::Overlong overlong =
      predict::overlong_of(e_.training).value_or(stats::Overlong::kTruncate);
  const manifest::Survival left =
      predict::survival(p, *e_.training.max_seq_len, overlong);
  // Of rows with a length; a dropped row and one without labels may be the
  // same row, so that only one of the two is taken off.
  const std::uint64_t lost = overlong == stats::Overlong::kDrop
                                 ? left.dropped.records
                                 : left.unlabelled.records;
  const std::uint64_t rows = p.tokens.sketch.count();
  return std::min(p.usable, rows - std::min(rows, lost));
}

void Judge::judge_usable() {
  Judgement j;
  j.limit = "usable_records";
  j.measured = fmt::format("{} of {} records", usable(), e_.profile.records);
  j.allowed = "at least 1";
  if (usable() == 0) {
    j.outcome = Outcome::kViolated;
    j.fix =
        e_.profile.usable == 0
            ? "nothing can be trained on: check --type, --columns and the file"
            : fmt::format("max_seq_len {} leaves nothing to learn: raise it",
                          e_.training.max_seq_len.value_or(0));
  }
  verdict_.judgements.push_back(std::move(j));
}

void Judge::judge_errors() {
  const std::uint64_t allowed = policy_.max_errors.value_or(0);
  std::uint64_t errors = 0;
  std::uint64_t known = 0;
  for (const auto& [key, group] : e_.profile.findings) {
    if (std::get<1>(key) != rules::Severity::kError) continue;
    const std::uint64_t accepted = std::min(group.known, group.count);
    if (__builtin_add_overflow(errors, group.count - accepted, &errors)) {
      errors = ~std::uint64_t{0};
      break;
    }
    known += accepted;
  }
  std::string shown = counted(errors, "error finding");
  if (known > 0) shown += fmt::format(" and {} known", known);
  at_most("max_errors", static_cast<double>(errors),
          static_cast<double>(allowed), std::move(shown),
          fmt::format("at most {}", allowed),
          "fix the rows listed under findings, or allow them: --max-errors, "
          "--known-findings");
}

void Judge::judge_malformed() {
  if (!policy_.max_malformed_pct) return;
  const double pct = percent_of(e_.profile.malformed,
                                e_.profile.malformed + e_.profile.records);
  at_most("max_malformed_pct", pct, *policy_.max_malformed_pct, percent(pct),
          "at most " + percent(*policy_.max_malformed_pct),
          "fix or drop the lines that are not JSON objects");
}

void Judge::judge_min_records() {
  if (!policy_.min_records) return;
  Judgement j;
  j.limit = "min_records";
  j.measured = counted(usable(), "usable record");
  j.allowed = fmt::format("at least {}", *policy_.min_records);
  if (usable() < *policy_.min_records) {
    j.outcome = Outcome::kViolated;
    j.fix = fmt::format("add {}, or lower the minimum",
                        counted(*policy_.min_records - usable(), "record"));
  }
  verdict_.judgements.push_back(std::move(j));
}

void Judge::judge_duplicates() {
  if (!policy_.max_duplicate_pct) return;
  const std::string allowed = "at most " + percent(*policy_.max_duplicate_pct);
  if (!e_.profile.duplicates.has_value()) {
    unchecked("max_duplicate_pct", allowed,
              "duplicates were not counted: profile with --duplicates");
    return;
  }
  const double pct = percent_of(*e_.profile.duplicates, e_.profile.records);
  at_most("max_duplicate_pct", pct, *policy_.max_duplicate_pct, percent(pct),
          allowed, "remove exact duplicates: trainsight fix --drop-duplicates");
}

void Judge::judge_p99() {
  if (!policy_.max_p99) return;
  const std::string allowed =
      fmt::format("at most {} tokens", *policy_.max_p99);
  if (!lengths_known("max_p99", allowed)) return;
  const std::uint64_t p99 = e_.profile.tokens.sketch.quantile(0.99);
  at_most("max_p99", static_cast<double>(p99),
          static_cast<double>(*policy_.max_p99), fmt::format("{} tokens", p99),
          allowed, "drop or split the longest 1 % of the records");
}

void Judge::judge_max_tokens() {
  if (!policy_.max_tokens) return;
  const std::string allowed =
      fmt::format("at most {} tokens", *policy_.max_tokens);
  if (!lengths_known("max_tokens", allowed)) return;
  const std::uint64_t max = e_.profile.tokens.sketch.max();
  at_most("max_tokens", static_cast<double>(max),
          static_cast<double>(*policy_.max_tokens),
          fmt::format("{} tokens", max), allowed,
          "drop or split the records listed as longest");
}

void Judge::judge_cv() {
  if (!policy_.max_cv) return;
  const std::string allowed = fmt::format("at most {:.4g}", *policy_.max_cv);
  if (!lengths_known("max_cv", allowed)) return;
  const double cv = e_.profile.tokens.sketch.cv();
  at_most("max_cv", cv, *policy_.max_cv, fmt::format("{:.4g}", cv), allowed,
          "train short and long records in separate runs, or pack");
}

void Judge::judge_risk() {
  if (!policy_.max_risk) return;
  const std::string allowed = "at most " + *policy_.max_risk;
  if (!lengths_known("max_risk", allowed)) return;
  std::string risk = at_hand() != nullptr ? at_hand()->risk : "";
  auto grade = risk::parse_grade(risk);
  if (!grade) {
    risk = predict::predict(e_.profile, e_.training).risk;
    grade = risk::parse_grade(risk);
  }
  const auto limit = risk::parse_grade(*policy_.max_risk);
  at_most("max_risk", static_cast<double>(*grade), static_cast<double>(*limit),
          risk, allowed,
          "the grade is of padded random batches: pack, or group by length");
}

void Judge::judge_waste() {
  if (!policy_.max_waste_pct) return;
  const std::string allowed = "at most " + percent(*policy_.max_waste_pct);
  if (!lengths_known("max_waste_pct", allowed)) return;
  const manifest::Prediction* stored = at_hand();
  const manifest::Prediction::Padding padding =
      stored != nullptr && stored->padding.has_value()
          ? *stored->padding
          : predict::random_padding(
                e_.profile, e_.training,
                e_.training.micro_batch.value_or(predict::kDefaultMicroBatch));
  if (!padding.whole_step) {
    unchecked("max_waste_pct", allowed,
              "completions are generated: only prompts can be judged");
    return;
  }
  const double pct = 100.0 * padding.waste_ratio;
  at_most("max_waste_pct", pct, *policy_.max_waste_pct,
          fmt::format("{} (micro-batch {}, random order)", percent(pct),
                      padding.micro_batch),
          allowed, "pack sequences, group by length, or lower --micro-batch");
}

void Judge::judge_truncation() {
  if (!policy_.max_truncated_pct && !policy_.max_lost_tokens_pct) return;
  const auto judge_one = [this](std::string_view limit, double allowed_pct,
                                bool of_tokens) {
    const std::string allowed = "at most " + percent(allowed_pct);
    if (!lengths_known(limit, allowed)) return;
    if (!e_.training.max_seq_len) {
      unchecked(limit, allowed, "no limit is known: give --max-seq-len");
      return;
    }
    const manifest::Survival survival = predict::survival(
        e_.profile, *e_.training.max_seq_len,
        predict::overlong_of(e_.training).value_or(stats::Overlong::kTruncate));
    const std::uint64_t records =
        survival.truncated.records + survival.dropped.records;
    const std::uint64_t tokens =
        survival.truncated.tokens + survival.dropped.tokens;
    const stats::LengthSketch& sketch = e_.profile.tokens.sketch;
    const double pct = of_tokens ? percent_of(tokens, sketch.sum())
                                 : percent_of(records, sketch.count());
    at_most(limit, pct, allowed_pct,
            fmt::format("{} at max_seq_len {}", percent(pct),
                        *e_.training.max_seq_len),
            allowed,
            fmt::format("raise max_seq_len (the longest record has {} tokens) "
                        "or split long records",
                        sketch.max()));
  };
  if (policy_.max_truncated_pct) {
    judge_one("max_truncated_pct", *policy_.max_truncated_pct, false);
  }
  if (policy_.max_lost_tokens_pct) {
    judge_one("max_lost_tokens_pct", *policy_.max_lost_tokens_pct, true);
  }
}

void Judge::judge_drift() {
  if (!policy_.max_drift_pct) return;
  const std::string allowed =
      "each figure within " + percent(*policy_.max_drift_pct);
  if (e_.baseline == nullptr) {
    unchecked("max_drift_pct", allowed, "no baseline: give --baseline");
    return;
  }
  if (!lengths_known("max_drift_pct", allowed)) return;
  struct Measure {
    std::string_view name;
    double now, before;
  };
  const stats::LengthSketch& now = e_.profile.tokens.sketch;
  const stats::LengthSketch& before = e_.baseline->tokens.sketch;
  const Measure measures[] = {
      {"records", static_cast<double>(now.count()),
       static_cast<double>(before.count())},
      {"mean tokens", now.mean(), before.mean()},
      {"p50", static_cast<double>(now.quantile(0.5)),
       static_cast<double>(before.quantile(0.5))},
      {"p99", static_cast<double>(now.quantile(0.99)),
       static_cast<double>(before.quantile(0.99))},
  };
  const Measure* worst = nullptr;
  double worst_pct = 0;
  for (const Measure& m : measures) {
    const double pct = m.before == 0 ? (m.now == 0 ? 0 : 100)
                                     : 100 * std::fabs(m.now / m.before - 1);
    if (worst == nullptr || pct > worst_pct) {
      worst = &m;
      worst_pct = pct;
    }
  }
  at_most("max_drift_pct", worst_pct, *policy_.max_drift_pct,
          worst_pct == 0
              ? std::string("no figure moved")
              : fmt::format("{} moved by {} ({:.6g} → {:.6g})", worst->name,
                            percent(worst_pct), worst->before, worst->now),
          allowed, "accept the new data: write a new baseline with profile");
}

Verdict Judge::run() {
  judge_usable();
  judge_errors();
  judge_malformed();
  judge_min_records();
  judge_duplicates();
  judge_waste();
  judge_p99();
  judge_max_tokens();
  judge_cv();
  judge_risk();
  judge_truncation();
  judge_drift();
  return std::move(verdict_);
}

Status check_percent(std::string_view name, const std::optional<double>& pct,
                     double most = 100.0) {
  if (!pct || (std::isfinite(*pct) && *pct >= 0 && *pct <= most)) return {};
  return Error{ErrorKind::kUsage,
               fmt::format("{} is {}, not a percentage from 0 to {:g}", name,
                           *pct, most),
               ""};
}

}  // namespace

ExitCode Verdict::exit_code() const {
  ExitCode code = ExitCode::kPass;
  if (violations() > 0) code = graver(code, ExitCode::kViolation);
  if (unchecked() > 0) code = graver(code, ExitCode::kUnchecked);
  return code;
}

std::size_t Verdict::violations() const {
  return static_cast<std::size_t>(std::count_if(
      judgements.begin(), judgements.end(),
      [](const Judgement& j) { return j.outcome == Outcome::kViolated; }));
}

std::size_t Verdict::unchecked() const {
  return static_cast<std::size_t>(std::count_if(
      judgements.begin(), judgements.end(),
      [](const Judgement& j) { return j.outcome == Outcome::kUnchecked; }));
}

Status check(const Policy& policy) {
  constexpr double kAnyDrift = 1e9;
  for (Status status :
       {check_percent("max_waste_pct", policy.max_waste_pct),
        check_percent("max_truncated_pct", policy.max_truncated_pct),
        check_percent("max_lost_tokens_pct", policy.max_lost_tokens_pct),
        check_percent("max_malformed_pct", policy.max_malformed_pct),
        check_percent("max_duplicate_pct", policy.max_duplicate_pct),
        check_percent("max_drift_pct", policy.max_drift_pct, kAnyDrift),
        check_percent("max_cv", policy.max_cv, kAnyDrift)}) {
    if (!status) return status;
  }
  if (policy.max_risk && !risk::parse_grade(*policy.max_risk)) {
    return Error{ErrorKind::kUsage, "unknown risk \"" + *policy.max_risk + "\"",
                 "one of low, moderate, high, critical"};
  }
  return {};
}

Verdict judge(const Evidence& evidence, const Policy& policy) {
  return Judge(evidence, policy).run();
}

}  // namespace trainsight::gate
