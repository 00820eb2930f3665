#include "validate_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <utility>

#include "job_memory.h"
#include "job_store.h"
#include "known_findings_file.h"
#include "manifest_files.h"
#include "output.h"
#include "report_output.h"
#include "trainsight/gate/judge.h"
#include "trainsight/io/files.h"
#include "trainsight/manifest/read.h"
#include "trainsight/memory/verdict.h"
#include "trainsight/predict/predict.h"

namespace trainsight::cli {
namespace {

constexpr std::uint64_t kMostPolicyBytes = 1u << 20;

// Settings of `over` take the place of those of `base`.
template <typename T>
void override_with(std::optional<T>& base, const std::optional<T>& over) {
  if (over.has_value()) base = over;
}

void override_policy(manifest::Policy& base, const manifest::Policy& over) {
  override_with(base.max_waste_pct, over.max_waste_pct);
  override_with(base.max_p99, over.max_p99);
  override_with(base.max_tokens, over.max_tokens);
  override_with(base.max_cv, over.max_cv);
  override_with(base.max_risk, over.max_risk);
  override_with(base.max_truncated_pct, over.max_truncated_pct);
  override_with(base.max_lost_tokens_pct, over.max_lost_tokens_pct);
  override_with(base.max_errors, over.max_errors);
  override_with(base.max_malformed_pct, over.max_malformed_pct);
  override_with(base.max_duplicate_pct, over.max_duplicate_pct);
  override_with(base.min_records, over.min_records);
  override_with(base.max_drift_pct, over.max_drift_pct);
}

// Whether a flag asks for something else than what was stored.
bool override_training(manifest::Training& base,
                       const manifest::Training& over) {
  const manifest::Training before = base;
  override_with(base.max_seq_len, over.max_seq_len);
  override_with(base.overlong, over.overlong);
  override_with(base.micro_batch, over.micro_batch);
  override_with(base.pad_to_multiple_of, over.pad_to_multiple_of);
  return base.max_seq_len != before.max_seq_len ||
         base.overlong != before.overlong ||
         base.micro_batch != before.micro_batch ||
         base.pad_to_multiple_of != before.pad_to_multiple_of;
}

// What a gate judges, from a stored profile or a scan.
struct Subject {
  manifest::Manifest manifest;
  ExitCode code = ExitCode::kPass;  ///< of what could not be read
  std::vector<report::Problem> problems;
  /// Which rules were on; absent: the profile was stored.
  std::optional<rules::RuleSelection> selection;
};

// A scan as a subject; writes the list of known findings, if asked to.
Subject subject_of(ScanRun run, const ScanSettings& settings,
                   const RuleArgs& rules) {
  Subject subject;
  warn_of_stale(run, settings);
  const std::string& path = rules.write_known_findings;
  if (!path.empty()) {
    Status status = write_known_findings(run, path);
    if (!status) subject.code = fail(status.error());
  }
  subject.code = graver(subject.code, exit_code_of(run.failures));
  subject.problems = problems_of(run);
  subject.selection = settings.scan.rules.selection;
  subject.manifest = std::move(run.manifest);
  return subject;
}

// The data set that a manifest describes, to be scanned.
Result<Subject> scan_manifest(manifest::Manifest m, const ValidateArgs& args,
                              const Environment& environment) {
  ScanArgs scan = args.scan;
  describe_scan(m, args.manifest, scan);
  override_training(m.training, training_of(args.scan));
  scan.max_seq_len = m.training.max_seq_len;
  scan.overlong = m.training.overlong;
  scan.micro_batch = m.training.micro_batch;
  scan.pad_to_multiple_of = m.training.pad_to_multiple_of;
  auto settings = resolve(scan, environment);
  if (!settings) return settings.error();
  auto run = run_scan(*settings, args.scan.progress, environment);
  if (!run) return run.error();
  Subject subject = subject_of(*std::move(run), *settings, args.scan.rules);
  subject.manifest.name = m.name;
  subject.manifest.policy = m.policy;
  copy_job(m.training, subject.manifest.training);
  subject.manifest.prediction->made_for = subject.manifest.training;
  return subject;
}

Result<Subject> scan_paths(const ValidateArgs& args,
                           const Environment& environment) {
  auto settings = resolve(args.scan, environment);
  if (!settings) return settings.error();
  auto run = run_scan(*settings, args.scan.progress, environment);
  if (!run) return run.error();
  return subject_of(*std::move(run), *settings, args.scan.rules);
}

Error other_measure(const std::string& what) {
  return Error{ErrorKind::kChanged,
               fmt::format("the stored profile was made with another {}", what),
               "profile again with it, or leave the flag away"};
}

// A stored profile answers only for what it was made with.
Status check_same_measure(const manifest::Manifest& m, const ScanArgs& args) {
  const std::string stored =
      m.dataset.tokenizer.has_value() ? m.dataset.tokenizer->name : "";
  if (args.tokenizer_given && args.tokenizer != stored) {
    return other_measure(fmt::format("tokenizer ({})", stored));
  }
  const std::string chat = m.dataset.chat_template.has_value()
                               ? m.dataset.chat_template->name
                               : "none";
  if (args.chat_template_given && args.chat_template != chat &&
      "preset " + args.chat_template != chat) {
    return other_measure(fmt::format("chat template ({})", chat));
  }
  if (args.type != "auto" && args.type != m.dataset.type) {
    return other_measure(fmt::format("--type ({})", m.dataset.type));
  }
  if (!args.columns.empty()) {
    auto map = records::ColumnMap::parse(args.columns);
    if (!map) return map.error();
    if (map->named() != m.dataset.columns)
      return other_measure("column mapping");
  }
  return {};
}

Result<Subject> from_manifest(const ValidateArgs& args,
                              const Environment& environment) {
  auto m = read_manifest(args.manifest, manifest::Depth::kTokens);
  if (!m) return m.error();
  if (!m->profile.has_value()) {
    return scan_manifest(*std::move(m), args, environment);
  }
  if (!args.scan.rules.known_findings.empty() ||
      !args.scan.rules.write_known_findings.empty()) {
    return Error{ErrorKind::kUsage,
                 "a stored profile does not hold every finding's row, which "
                 "known findings are compared by",
                 "give the list to profile, whose manifest says what is known"};
  }
  if (Status status = check_same_measure(*m, args.scan); !status) {
    return status.error();
  }
  if (Status status = check_unchanged(*m, args.manifest, args.verify);
      !status) {
    return status.error();
  }
  if (override_training(m->training, training_of(args.scan))) {
    m->prediction.reset();  // it was made for another way of training
  }
  if (auto overlong = predict::overlong_of(m->training); !overlong) {
    return overlong.error();
  }
  Subject subject;
  subject.manifest = *std::move(m);
  // Reports name files as they are seen from here, not from the manifest.
  for (manifest::DatasetFile& file : subject.manifest.dataset.files) {
    if (file.path != "<stdin>") {
      file.path = seen_from_here(args.manifest, file.path);
    }
  }
  return subject;
}

Result<manifest::Policy> policy_of(const ValidateArgs& args,
                                   const manifest::Policy& stored) {
  manifest::Policy policy = stored;
  if (!args.policy_file.empty()) {
    auto bytes = io::read_file(args.policy_file, kMostPolicyBytes);
    if (!bytes) return bytes.error();
    auto file = manifest::parse_policy(*bytes, args.policy_file);
    if (!file) return file.error();
    override_policy(policy, *file);
  }
  override_policy(policy, args.policy);
  if (Status status = gate::check(policy); !status) return status.error();
  return policy;
}

void add_limit_options(CLI::App& command, manifest::Policy& policy) {
  const auto add = [&command](const char* flag, auto& target, const char* type,
                              const char* help) {
    command.add_option(flag, target, help)->type_name(type)->group("Limits");
  };
  add("--max-waste-pct", policy.max_waste_pct, "PCT",
      "Padding waste of random batches, percent of slots");
  add("--max-p99", policy.max_p99, "N", "P99 of the lengths, tokens");
  add("--max-tokens", policy.max_tokens, "N", "Longest record, tokens");
  add("--max-cv", policy.max_cv, "X", "Spread of the lengths, σ/μ");
  add("--max-risk", policy.max_risk, "GRADE",
      "Risk grade: low, moderate, high, critical");
  add("--max-truncated-pct", policy.max_truncated_pct, "PCT",
      "Records cut or dropped at max_seq_len");
  add("--max-lost-tokens-pct", policy.max_lost_tokens_pct, "PCT",
      "Tokens lost at max_seq_len");
  add("--max-errors", policy.max_errors, "N", "ERROR findings [0]");
  add("--max-malformed-pct", policy.max_malformed_pct, "PCT",
      "Records that cannot be read");
  add("--max-duplicate-pct", policy.max_duplicate_pct, "PCT",
      "Records that repeat an earlier one");
  add("--min-records", policy.min_records, "N", "Usable records");
  add("--max-drift-pct", policy.max_drift_pct, "PCT",
      "Change of records, mean, P50 and P99 to the baseline");
}

void add_fit_options(CLI::App& command, ValidateArgs& args) {
  const auto group = "Memory";
  command
      .add_flag("--require-fit", args.require_fit,
                "The job must fit the GPU, the interval's upper end included")
      ->group(group);
  command
      .add_flag("--allow-tight", args.allow_tight,
                "With --require-fit: refuse only what does not fit")
      ->group(group);
  command
      .add_option("--min-headroom-pct", args.min_headroom_pct,
                  "Memory that stays free at the predicted peak, percent")
      ->type_name("PCT")
      ->check(CLI::Range(0.0, 100.0))
      ->group(group);
  add_job_options(command, args.job, false);
}

constexpr double kGiB = 1024.0 * 1024 * 1024;

std::string fix_of(const manifest::MemoryFigure& figure) {
  constexpr auto kRanks = "trainsight plan ranks other ways to run it";
  if (figure.safe_micro_batch == 0 && figure.safe_length == 0) {
    return fmt::format("no batch fits: {}", kRanks);
  }
  if (figure.safe_micro_batch >= figure.micro_batch) {
    // It fits, and still leaves less free than is asked for.
    return fmt::format("a smaller micro-batch or length; {}", kRanks);
  }
  std::string fix;
  if (figure.safe_micro_batch > 0) {
    fix = fmt::format("micro-batch {} at this length", figure.safe_micro_batch);
  }
  if (figure.safe_length > 0) {
    fix +=
        fmt::format("{}{} tokens at micro-batch {}", fix.empty() ? "" : ", or ",
                    figure.safe_length, figure.micro_batch);
  }
  return fmt::format("{}; {}", fix, kRanks);
}

// The figure of the job that the flags, the trainer's files and the training
// section describe: the stored one where it is about just that, else anew.
// Nothing without a length to predict from.
Result<std::optional<manifest::MemoryFigure>> figure_of(
    const ValidateArgs& given, const manifest::Manifest& m,
    const Environment& environment) {
  using Figure = std::optional<manifest::MemoryFigure>;
  if (m.prediction && m.prediction->memory && !names_job(given.job) &&
      m.prediction->made_for == m.training) {
    return Figure(m.prediction->memory);
  }
  ValidateArgs args = given;
  auto config = apply_configs(args.job, args.scan);
  if (!config) return config.error();
  if (auto stored = restore_job(m.training, args.job); !stored) {
    return stored.error().with_context(args.manifest);
  }
  if (m.profile->tokens.sketch.count() == 0) return Figure();
  auto figure =
      predict_memory(args.job, args.scan, m, args.manifest, environment);
  if (!figure) return figure.error();
  return Figure(*std::move(figure));
}

// The job's memory as limits of the gate.
Result<std::vector<gate::Judgement>> judge_fit(const ValidateArgs& args,
                                               const manifest::Manifest& m,
                                               const Environment& environment) {
  auto found = figure_of(args, m, environment);
  if (!found) return found.error();
  std::vector<gate::Judgement> judgements;
  if (!found->has_value()) return judgements;  // the gate says so already
  const manifest::MemoryFigure& figure = **found;
  const auto peak = static_cast<double>(figure.peak_bytes);
  const auto low = static_cast<double>(figure.low_bytes);
  const auto high = static_cast<double>(figure.high_bytes);
  const auto usable = static_cast<double>(figure.usable_bytes);
  using Outcome = gate::Judgement::Outcome;
  if (args.require_fit) {
    gate::Judgement j;
    j.limit = "require_fit";
    const memory::Verdict verdict = memory::judge({low, peak, high}, usable);
    const bool holds = verdict == memory::Verdict::kFits ||
                       (args.allow_tight && verdict == memory::Verdict::kTight);
    j.outcome = holds ? Outcome::kHolds : Outcome::kViolated;
    j.measured = fmt::format(
        "{:.1f} GiB ({:.1f} to {:.1f}) for {} x {} tokens, {} on {}",
        peak / kGiB, low / kGiB, high / kGiB, figure.micro_batch, figure.length,
        figure.phase, figure.gpu);
    j.allowed = fmt::format(
        "{} {:.1f} GiB",
        args.allow_tight ? "lower end at most" : "upper end at most",
        usable / kGiB);
    if (!holds) j.fix = fix_of(figure);
    judgements.push_back(std::move(j));
  }
  if (args.min_headroom_pct) {
    gate::Judgement j;
    j.limit = "min_headroom_pct";
    const double headroom = 100 * (1 - peak / usable);
    j.outcome = headroom >= *args.min_headroom_pct ? Outcome::kHolds
                                                   : Outcome::kViolated;
    j.measured = fmt::format("{:.1f} % of {:.1f} GiB", headroom, usable / kGiB);
    j.allowed = fmt::format("at least {:g} %", *args.min_headroom_pct);
    if (j.outcome == Outcome::kViolated) j.fix = fix_of(figure);
    judgements.push_back(std::move(j));
  }
  return judgements;
}

}  // namespace

CLI::App* add_validate(CLI::App& app, ValidateArgs& args) {
  CLI::App* command = app.add_subcommand(
      "validate", "Judge a data set by limits; the exit code is the verdict");
  command
      ->add_option("--manifest", args.manifest,
                   "A manifest: its profile is judged, or its files scanned")
      ->type_name("FILE")
      ->group("Data");
  command
      ->add_flag("--verify", args.verify,
                 "Compare the files' hashes even if size and time are the same")
      ->group("Data");
  add_scan_options(*command, args.scan);
  add_rule_options(*command, args.scan.rules);
  add_limit_options(*command, args.policy);
  add_fit_options(*command, args);
  command
      ->add_option("--policy", args.policy_file,
                   "Limits from a JSON file; flags override them")
      ->type_name("FILE")
      ->group("Limits");
  command
      ->add_option("--baseline", args.baseline,
                   "A manifest with the last accepted profile")
      ->type_name("FILE")
      ->group("Limits");
  add_report_options(*command, args.output);
  command->footer(
      "Exit codes: 0 pass, 1 a limit is violated, 2 wrong usage, 3 could not\n"
      "check, 4 internal error, 130 interrupted.\n"
      "Examples:\n"
      "  trainsight validate --manifest manifest.json --max-waste-pct 30\n"
      "  trainsight validate --dataset train.jsonl --max-p99 2048\n"
      "  trainsight validate --dataset train.jsonl --format github\n"
      "  trainsight validate --dataset train.jsonl --known-findings "
      "known.json\n"
      "  trainsight validate --dataset train.jsonl --report junit=report.xml\n"
      "  trainsight validate --manifest m.json --baseline last.json "
      "--max-drift-pct 10");
  return command;
}

ExitCode run_validate(const ValidateArgs& args,
                      const Environment& environment) {
  const auto end_with = [&args, &environment](const Error& error) {
    return fail_with_reports(error, "validate", args.output, environment);
  };
  if (args.manifest.empty() == args.scan.paths.empty()) {
    return end_with(Error{ErrorKind::kUsage,
                          args.manifest.empty()
                              ? "neither --manifest nor --dataset given"
                              : "--manifest and --dataset given together",
                          "give one of them"});
  }
  Result<Subject> subject = args.manifest.empty()
                                ? scan_paths(args, environment)
                                : from_manifest(args, environment);
  if (!subject) return end_with(subject.error());
  const manifest::Manifest& m = subject->manifest;
  auto policy = policy_of(args, m.policy);
  if (!policy) return end_with(policy.error());
  std::optional<manifest::Manifest> baseline;
  if (!args.baseline.empty()) {
    auto read = read_manifest(args.baseline, manifest::Depth::kTokens);
    if (!read) return end_with(read.error());
    baseline = *std::move(read);
    if (!baseline->profile.has_value()) {
      return end_with(Error{ErrorKind::kUsage,
                            args.baseline + " holds no profile",
                            "write one: trainsight profile --manifest-out …"});
    }
  }
  gate::Evidence evidence{*m.profile, m.training};
  evidence.lengths_are_exact = !m.dataset.tokenizer.has_value() ||
                               m.dataset.tokenizer->exactness != "estimated";
  evidence.prediction = m.prediction.has_value() ? &*m.prediction : nullptr;
  evidence.baseline = baseline.has_value() ? &*baseline->profile : nullptr;
  gate::Verdict verdict = gate::judge(evidence, *policy);
  if (args.require_fit || args.min_headroom_pct.has_value()) {
    auto fit = judge_fit(args, m, environment);
    if (!fit) return end_with(fit.error());
    verdict.judgements.insert(verdict.judgements.end(), fit->begin(),
                              fit->end());
  }
  report::RunReport report;
  report.command = "validate";
  report.manifest = &m;
  report.verdict = &verdict;
  report.selection =
      subject->selection.has_value() ? &*subject->selection : nullptr;
  report.problems = subject->problems;
  report.exit_code = graver(subject->code, verdict.exit_code());
  return give_reports(std::move(report), args.output, environment);
}

}  // namespace trainsight::cli
