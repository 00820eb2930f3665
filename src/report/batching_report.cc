#include "trainsight/report/batching_report.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "layout.h"

namespace trainsight::report {
namespace {

using batching::Choice;
using batching::Trainer;

constexpr Trainer kTrainers[] = {Trainer::kTrl, Trainer::kAxolotl,
                                 Trainer::kLlamaFactory, Trainer::kMegatron,
                                 Trainer::kVerl};

std::uint64_t whole(double value) {
  return static_cast<std::uint64_t>(std::llround(value));
}

std::string row_of(const Choice& choice, char mark) {
  return fmt::format(
      "{} {}{}{}{}{}{}{}{}", mark, padded_right(choice.name, 18),
      padded_left(percent(choice.waste_ratio), 8),
      padded_left(grouped(choice.tokens_lost), 10),
      padded_left(grouped(whole(choice.sequences)), 10),
      padded_left(grouped(choice.rows_cut), 7),
      padded_left(grouped(choice.steps), 8),
      padded_left(grouped(whole(choice.tokens_per_step)), 9),
      padded_left(fmt::format("{:.2f}", choice.relative_time), 7));
}

std::string_view noun_of(records::SampleType type) {
  if (type == records::SampleType::kDpo) return "pair";
  return type == records::SampleType::kGrpo ? "prompt" : "row";
}

std::string rollouts_section(const Rollouts& rollouts, const Choice& current,
                             const Style& style) {
  const batching::RolloutFigures& figures = rollouts.figures;
  const batching::Generation& generation = rollouts.generation;
  const auto line = [](std::string_view name, const std::string& value) {
    return fmt::format("  {}{}\n", padded_right(name, 18), wrapped(value, 20));
  };
  std::string out = style.bold("Rollouts") + "\n";
  out +=
      line("prompts", fmt::format("{} of their slots are padding ({})",
                                  percent(current.waste_ratio), current.name));
  if (generation.completion_budget > 0) {
    out +=
        line("context",
             fmt::format("{} tokens: the longest prompt and {} {}",
                         grouped(figures.context_needed),
                         grouped(generation.completion_budget),
                         rollouts.budget_given ? "generated" : "as expected"));
  } else {
    out += line("context", fmt::format("{} tokens and what is generated: say "
                                       "--completion-budget N",
                                       grouped(figures.context_needed)));
  }
  if (figures.step_waste_ratio.has_value()) {
    out +=
        line("prompt + answer",
             fmt::format(
                 "{} of the slots of a step are padding, {} {} a "
                 "prompt, lengths as stated",
                 percent(*figures.step_waste_ratio), generation.generations,
                 generation.generations == 1 ? "completion" : "completions"));
  } else if (generation.completions.empty()) {
    out += line("prompt + answer",
                "unknown until --completion-tokens MEAN,P99 says how long "
                "completions are");
  } else {
    out += line("prompt + answer", "known for the random sampler only");
  }
  return out;
}

}  // namespace

std::string batching_report(const BatchingSubject& subject,
                            const batching::Comparison& comparison,
                            const TextOptions& options) {
  const Style style(options.color);
  std::string out = style.bold("Ways to batch") + "  " +
                    shortened(subject.name, kColumns - 16) + "\n";
  std::string plan = fmt::format(
      "{}, micro-batch {}, {} rank{}, accumulation {}, ",
      counted(subject.rows, noun_of(subject.type)), subject.plan.micro_batch,
      subject.plan.world_size, subject.plan.world_size == 1 ? "" : "s",
      subject.plan.accumulation);
  plan += subject.plan.max_seq_len > 0
              ? fmt::format("max_seq_len {}", subject.plan.max_seq_len)
              : std::string("no max_seq_len");
  if (subject.pack_length > 0) {
    plan += fmt::format(", packs of {} tokens", grouped(subject.pack_length));
  }
  out += "  " + wrapped(plan, 2) + "\n\n";
  out += style.dim(fmt::format(
      "  {}{}{}{}{}{}{}{}\n", padded_right("", 18), padded_left("waste", 8),
      padded_left("lost tok", 10), padded_left("sequences", 10),
      padded_left("cut", 7), padded_left("steps", 8),
      padded_left("tok/step", 9), padded_left("time", 7)));
  for (std::size_t i = 0; i < comparison.choices.size(); ++i) {
    const char mark = i == comparison.recommended ? '>' : ' ';
    const std::string row = row_of(comparison.choices[i], mark);
    out += (i == comparison.recommended ? style.bold(row) : row) + "\n";
  }
  out += style.dim(
      "  waste: slots without a token; cut: rows in more than one piece;\n"
      "  time: an epoch's, per token trained, relative to " +
      comparison.choices[comparison.current].name + "\n");
  if (subject.type == records::SampleType::kDpo) {
    out += style.dim(
        "  a pair is two sequences, padded to the longest of their batch\n");
  }
  if (subject.rollouts.has_value()) {
    out +=
        "\n" + rollouts_section(*subject.rollouts,
                                comparison.choices[comparison.current], style);
  }
  out += fmt::format("\n  {}\n",
                     wrapped(fmt::format("> {}{}",
                                         subject.rollouts.has_value()
                                             ? "of the prompts alone, "
                                               "generation not counted: "
                                             : "",
                                         comparison.sentence),
                             4));
  const Choice& chosen = comparison.choices[comparison.recommended];
  for (const Trainer trainer : kTrainers) {
    out += "\n" + style.bold(batching::name_of(trainer)) + "\n";
    for (const std::string& line :
         batching::settings_for(trainer, chosen, subject.plan)) {
      out += "  " + line + "\n";
    }
  }
  return out;
}

std::string batching_json(const BatchingSubject& subject,
                          const batching::Comparison& comparison) {
  using Json = nlohmann::ordered_json;
  Json j = Json::object();
  j["dataset"] = subject.name;
  j["rows"] = subject.rows;
  j["plan"]["micro_batch"] = subject.plan.micro_batch;
  j["plan"]["world_size"] = subject.plan.world_size;
  j["plan"]["accumulation"] = subject.plan.accumulation;
  j["plan"]["sampler"] = batching::name_of(subject.plan.sampler);
  if (subject.plan.max_seq_len > 0) {
    j["plan"]["max_seq_len"] = subject.plan.max_seq_len;
  }
  if (subject.pack_length > 0) j["plan"]["pack_length"] = subject.pack_length;
  j["plan"]["seed"] = subject.plan.seed;
  if (subject.rollouts.has_value()) {
    const batching::RolloutFigures& figures = subject.rollouts->figures;
    Json r = Json::object();
    r["generations"] = subject.rollouts->generation.generations;
    r["completion_budget"] = subject.rollouts->generation.completion_budget;
    r["context_tokens"] = figures.context_needed;
    r["prompt_waste_ratio"] =
        comparison.choices[comparison.current].waste_ratio;
    if (figures.step_waste_ratio.has_value()) {
      r["step_waste_ratio"] = *figures.step_waste_ratio;
    }
    j["rollouts"] = std::move(r);
  }
  j["choices"] = Json::array();
  for (const Choice& choice : comparison.choices) {
    Json c = Json::object();
    c["name"] = choice.name;
    c["kind"] = choice.packing.has_value() ? "packed" : "padded";
    c["waste_ratio"] = choice.waste_ratio;
    c["tokens"] = choice.tokens;
    c["tokens_lost"] = choice.tokens_lost;
    c["sequences"] = choice.sequences;
    c["rows_cut"] = choice.rows_cut;
    if (choice.segments_without_label.has_value()) {
      c["segments_without_label"] = *choice.segments_without_label;
    }
    c["segments_per_sequence"] = choice.segments_per_sequence;
    c["steps"] = choice.steps;
    c["tokens_per_step"] = choice.tokens_per_step;
    c["equal_global_batch"] = choice.equal_global_batch;
    c["rank_imbalance_ratio"] = choice.rank_imbalance_ratio;
    c["relative_time"] = choice.relative_time;
    c["relative_step_time"] = choice.relative_step_time;
    j["choices"].push_back(std::move(c));
  }
  j["current"] = comparison.choices[comparison.current].name;
  const Choice& chosen = comparison.choices[comparison.recommended];
  j["recommended"] = chosen.name;
  j["sentence"] = comparison.sentence;
  for (const Trainer trainer : kTrainers) {
    j["settings"][std::string(batching::name_of(trainer))] =
        batching::settings_for(trainer, chosen, subject.plan);
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace trainsight::report
