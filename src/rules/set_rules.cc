#include <fmt/format.h>

#include <algorithm>

#include "set_state.h"

namespace trainsight::rules {
namespace {

using records::SampleType;

// The file and line of a line among all inputs.
struct Place {
  std::uint32_t file = 0;
  std::uint64_t line = 0;
};
Place place_of(std::uint64_t line, const SetState& state) {
  const auto after = std::upper_bound(state.lines_before.begin(),
                                      state.lines_before.end(), line - 1);
  const auto file = static_cast<std::uint32_t>(
      std::distance(state.lines_before.begin(), after) - 1);
  return {file, line - state.lines_before[file]};
}

void report_repeats(RuleId rule, const FingerprintTable::Repeats& repeats,
                    std::string_view what, std::vector<Figure> figures,
                    SetState& state) {
  Severity severity = rule_of(rule).severity;
  if (repeats.count == 0 || !state.wants(rule, severity)) return;
  std::vector<Finding> kept;
  for (const FingerprintTable::Repeat& repeat : repeats.first) {
    const Place place = place_of(repeat.line, state);
    const Place first = place_of(repeat.first_line, state);
    Finding& finding = kept.emplace_back();
    finding.code = rule_of(rule).code;
    finding.severity = severity;
    finding.file = place.file;
    finding.line = place.line;
    finding.message = place.file == first.file
                          ? fmt::format("{} line {}", what, first.line)
                          : fmt::format("{} line {} of file {}", what,
                                        first.line, first.file + 1);
  }
  // Repeats of several files are one group: counts are those of all files.
  const bool one_file = state.whole() != kAllFiles && !kept.empty();
  const FindingLog::Key key{rule_of(rule).code, severity,
                            one_file ? kept.front().file : state.whole()};
  state.add_group(key, repeats.count, std::move(kept));
  state.log.find(key)->figures = std::move(figures);
}

std::optional<std::uint64_t> check_duplicates(SetState& state) {
  if (!state.options.find_duplicates) return std::nullopt;
  const auto is_eval = [&state](std::uint32_t line) {
    return !state.options.is_eval.empty() &&
           state.options.eval(place_of(line, state).file);
  };
  const FingerprintTable::Summary summary = state.fingerprints.summarize(
      state.options.kept_findings, is_eval, state.options.threads);
  const std::uint64_t rows = state.train.rows;
  const auto figures = [rows](const FingerprintTable::Repeats& repeats) {
    return std::vector<Figure>{
        count_figure("identical_rows", repeats.all_rows),
        count_figure("repeated_rows", repeats.count),
        count_figure("rows", rows),
        {"repeated_rows_ratio", rows == 0 ? 0.0
                                          : static_cast<double>(repeats.count) /
                                                static_cast<double>(rows)}};
  };
  report_repeats(RuleId::kDuplicate, summary.exact, "the same row as",
                 figures(summary.exact), state);
  report_repeats(RuleId::kDuplicateFolded, summary.folded,
                 "but for case and white space the same texts as",
                 figures(summary.folded), state);
  report_repeats(RuleId::kLeakage, summary.leaked,
                 "the training data holds it:",
                 {count_figure("leaked_rows", summary.leaked.count)}, state);
  if (!state.fingerprints.complete()) return std::nullopt;
  return summary.exact.count;
}

void check_bias(SetState& state) {
  const RowTally& all = state.train;
  if (all.pairs == 0 || all.chosen_tokens + all.rejected_tokens == 0) return;
  const auto n = static_cast<double>(all.pairs);
  const double chosen = static_cast<double>(all.chosen_tokens) / n;
  const double rejected = static_cast<double>(all.rejected_tokens) / n;
  // Half as long again is where length alone begins to tell the sides apart.
  constexpr double kRatio = 1.5;
  if (chosen < kRatio * rejected && rejected < kRatio * chosen) return;
  state.add(RuleId::kLengthBias, state.whole(), kNoLine,
            fmt::format("chosen has {:.1f} tokens on average, rejected {:.1f}",
                        chosen, rejected),
            {{"chosen_tokens", chosen},
             {"rejected_tokens", rejected},
             count_figure("pairs", all.pairs)});
}

void check_labels(SetState& state) {
  const std::uint64_t trues = state.train.labels_true;
  const std::uint64_t falses = state.train.labels_false;
  if (trues + falses < 2 || (trues > 0 && falses > 0)) return;
  state.add(
      RuleId::kOneClass, state.whole(), kNoLine,
      fmt::format("{} of {} labels are {}: no {} rows", trues + falses,
                  trues + falses, trues > 0 ? "true" : "false",
                  trues > 0 ? "undesirable" : "desirable"),
      {count_figure("true_labels", trues), count_figure("false_labels", falses),
       count_figure("boolean_labels", trues + falses)});
}

void check_prompts(SetState& state) {
  const PromptTally& prompts = state.prompts;
  constexpr std::uint64_t kFewestRows = 20;
  if (prompts.answers > 1 && !prompts.answers_differ) {
    state.add(RuleId::kAnswerConstant, state.whole(), kNoLine,
              fmt::format("\"{}\" is the answer of all {} rows that have one",
                          prompts.answer, prompts.answers),
              {count_figure("constant_answer_rows", prompts.answers),
               {"answer", prompts.answer},
               count_figure("rows", prompts.rows)});
  }
  const std::uint64_t distinct = prompts.prompts.size();
  if (!prompts.many_prompts && prompts.rows >= kFewestRows &&
      distinct * 10 <= prompts.rows) {
    state.add(RuleId::kFewPrompts, state.whole(), kNoLine,
              fmt::format("{} different prompt{} in {} rows", distinct,
                          distinct == 1 ? "" : "s", prompts.rows),
              {count_figure("distinct_prompts", distinct),
               count_figure("rows", prompts.rows)});
  }
}

void check_size(SetState& state) {
  const std::uint64_t rows = state.train.rows;
  if (state.train.usable == 0) {
    state.add(RuleId::kNoUsable, state.whole(), kNoLine,
              fmt::format("0 of {} rows can be trained on", rows),
              {count_figure("rows", rows), count_figure("usable_rows", 0)});
  }
  const targets::Target* target = state.options.target;
  // The least that any provider takes, beyond which nothing is said unasked.
  constexpr std::uint64_t kMostMinimum = 50;
  const std::uint64_t minimum =
      target == nullptr ? kMostMinimum : target->minimum_rows;
  if (rows > 0 && rows < minimum) {
    std::vector<Figure> figures = {count_figure("rows", rows),
                                   count_figure("minimum_rows", minimum)};
    state.add(RuleId::kMinimumRows, state.whole(), kNoLine,
              target == nullptr
                  ? fmt::format("{} row{}: some providers take {} or more",
                                rows, rows == 1 ? "" : "s", minimum)
                  : fmt::format("{} row{}, {} takes {} or more", rows,
                                rows == 1 ? "" : "s", target->title, minimum),
              std::move(figures));
  }
}

// Rows that end with the user are prompts when the votes of all say so: what
// was said about missing answers is then no fault.
void forget_missing_answers(SampleType type, SetState& state) {
  if (type != SampleType::kGrpo ||
      state.options.stated_type != SampleType::kUnknown) {
    return;
  }
  state.known.forget(rule_of(RuleId::kNoAssistant).code);
  state.known.forget(rule_of(RuleId::kNoLastAnswer).code);
  auto& groups = state.log.groups();
  for (auto it = groups.begin(); it != groups.end();) {
    const std::string_view code = std::get<0>(it->first);
    const bool drop = code == rule_of(RuleId::kNoAssistant).code ||
                      code == rule_of(RuleId::kNoLastAnswer).code;
    it = drop ? groups.erase(it) : std::next(it);
  }
}

}  // namespace

std::optional<std::uint64_t> check_set(SampleType type, SetState& state) {
  forget_missing_answers(type, state);
  check_bias(state);
  check_labels(state);
  check_prompts(state);
  check_size(state);
  return check_duplicates(state);
}

}  // namespace trainsight::rules
