#include "pack_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>
#include <vector>

#include "output.h"
#include "pack_output.h"
#include "pack_rows.h"
#include "trainsight/batching/compare.h"
#include "trainsight/batching/order.h"
#include "trainsight/batching/pack.h"
#include "trainsight/batching/plan.h"
#include "trainsight/report/batching_report.h"

namespace trainsight::cli {
namespace {

using batching::BatchPlan;
using batching::PackOptions;
using batching::Sampler;
using batching::Strategy;

// What people call the samplers and strategies besides their own names.
std::optional<Sampler> sampler_of(const std::string& name) {
  if (name == "sort") return Sampler::kSorted;
  if (name == "bucket") return Sampler::kBucketed;
  if (name == "grouped") return Sampler::kLengthGrouped;
  if (name == "shuffle") return Sampler::kRandom;
  return batching::sampler_named(name);
}

Error unknown_strategy(const std::string& name) {
  return Error{ErrorKind::kUsage, "unknown strategy \"" + name + "\"",
               "packs: bfd, bfd_split, ffd, mffd, first_fit, "
               "first_fit_shuffle, next_fit, wrapped; orders: sort, bucket, "
               "grouped, random, file_order"};
}

Result<batching::Overlong> overlong_of(const PackArgs& args) {
  const std::string word = args.scan.overlong.value_or("truncate");
  if (word == "truncate") return batching::Overlong::kTruncateKeepStart;
  const auto named = batching::overlong_named(word);
  if (named.has_value()) return *named;
  return Error{ErrorKind::kUsage, "unknown over-long policy \"" + word + "\"",
               "one of truncate, drop, split, error"};
}

Result<BatchPlan> plan_of(const PackArgs& args) {
  BatchPlan plan;
  plan.micro_batch =
      static_cast<std::uint32_t>(args.scan.micro_batch.value_or(8));
  plan.world_size = args.world_size;
  plan.accumulation = args.accumulation;
  const auto sampler = sampler_of(args.sampler);
  if (!sampler.has_value()) {
    return Error{ErrorKind::kUsage, "unknown sampler \"" + args.sampler + "\"",
                 "one of random, file_order, grouped, sort, bucket, by_tokens"};
  }
  plan.sampler = *sampler;
  plan.pad_to_multiple_of =
      static_cast<std::uint32_t>(args.scan.pad_to_multiple_of.value_or(1));
  plan.pad_to_max_length = args.pad_to_max_length;
  plan.max_seq_len =
      static_cast<std::uint32_t>(args.scan.max_seq_len.value_or(0));
  auto overlong = overlong_of(args);
  if (!overlong) return overlong.error();
  plan.overlong = *overlong;
  plan.drop_last = args.drop_last;
  plan.seed = args.seed;
  if (Status status = batching::check(plan); !status) return status.error();
  return plan;
}

// The scanned rows with everything that says how to batch them.
struct Packing {
  ScanRun run;
  PackRows rows;
  BatchPlan plan;
  std::uint32_t pack_length = 0;
  std::vector<std::string> paths;
};

std::uint32_t longest_of(const PackRows& rows) {
  const auto longest =
      std::max_element(rows.lengths.begin(), rows.lengths.end());
  return longest == rows.lengths.end() ? 0 : *longest;
}

Result<Packing> scan_rows(const PackArgs& args,
                          const Environment& environment) {
  Packing packing;
  auto plan = plan_of(args);
  if (!plan) return plan.error();
  packing.plan = *plan;
  auto settings = resolve(args.scan, environment);
  if (!settings) return settings.error();
  for (const pipeline::InputFile& file : settings->scan.files) {
    packing.paths.push_back(file.path);
  }
  auto run = run_scan(*settings, args.scan.progress, environment,
                      [&packing](const std::vector<facts::RowFacts>& rows) {
                        packing.rows.add(rows);
                      });
  if (!run) return run.error();
  packing.run = *std::move(run);
  if (!packing.run.failures.empty()) return packing.run.failures.front().error;
  packing.pack_length = args.pack_length.value_or(
      packing.plan.max_seq_len > 0 ? packing.plan.max_seq_len
                                   : longest_of(packing.rows));
  return packing;
}

std::string name_of(const Packing& packing) {
  const auto& files = packing.run.manifest.dataset.files;
  return files.size() == 1
             ? files[0].path
             : fmt::format("{} files, {} …", files.size(), files[0].path);
}

Error no_completions(const char* why, const char* hint) {
  return Error{ErrorKind::kUsage, why, hint};
}

// "MEAN,P99" as lengths of completions, cut at `budget`.
Result<batching::LengthCounts> completions_of(const std::string& words,
                                              std::uint32_t budget) {
  double mean = 0;
  double p99 = 0;
  const std::size_t comma = words.find(',');
  if (comma == std::string::npos ||
      !CLI::detail::lexical_cast(words.substr(0, comma), mean) ||
      !CLI::detail::lexical_cast(words.substr(comma + 1), p99)) {
    return no_completions("--completion-tokens needs a mean and a P99",
                          "for instance --completion-tokens 300,1500");
  }
  return batching::completion_counts(mean, p99, budget);
}

// What is known of generation: prompts padded by themselves, and the whole step
// when the user says how long completions are.
Result<report::Rollouts> rollouts_of(const PackArgs& args,
                                     const Packing& packing) {
  report::Rollouts rollouts;
  batching::Generation& generation = rollouts.generation;
  rollouts.budget_given = args.completion_budget.has_value();
  generation.completion_budget = args.completion_budget.value_or(0);
  generation.generations = args.generations;
  if (!args.completion_tokens.empty()) {
    auto completions = completions_of(
        args.completion_tokens, args.completion_budget.value_or(1u << 24));
    if (!completions) return completions.error();
    generation.completions = *std::move(completions);
    if (!rollouts.budget_given) {
      generation.completion_budget = generation.completions.back().length;
    }
  }
  auto figures = batching::padding_of_rollouts(
      batching::count_lengths(packing.rows.lengths), packing.plan, generation);
  if (!figures) return figures.error();
  rollouts.figures = *std::move(figures);
  return rollouts;
}

Status check_generation(const PackArgs& args, records::SampleType type) {
  const bool given = args.completion_budget.has_value() ||
                     !args.completion_tokens.empty() || args.generations != 1;
  if (!given || type == records::SampleType::kGrpo) return {};
  return no_completions(
      "completions are generated for prompts only, and these "
      "rows hold their answers",
      "say --type grpo if they are prompts for RL");
}

Status print_comparison(const PackArgs& args, const Packing& packing,
                        const Environment& environment) {
  const records::SampleType type = packing.run.manifest.profile->type;
  if (Status status = check_generation(args, type); !status) return status;
  batching::CompareOptions options;
  options.plan = packing.plan;
  options.pack_length = packing.pack_length;
  options.can_pack =
      type != records::SampleType::kDpo && type != records::SampleType::kGrpo;
  options.may_cut_rows = type == records::SampleType::kPretrain;
  const auto comparison =
      type == records::SampleType::kDpo
          ? batching::compare_pairs(packing.rows.chosen, packing.rows.rejected,
                                    options)
          : batching::compare(packing.rows.lengths, options,
                              packing.rows.first_labels);
  if (!comparison) return comparison.error();
  report::BatchingSubject subject;
  subject.name = name_of(packing);
  subject.plan = packing.plan;
  subject.rows = packing.rows.lengths.size();
  subject.type = type;
  if (options.can_pack) subject.pack_length = packing.pack_length;
  if (type == records::SampleType::kGrpo) {
    auto rollouts = rollouts_of(args, packing);
    if (!rollouts) return rollouts.error();
    subject.rollouts = *std::move(rollouts);
  }
  return write_stdout(
      args.output.format == "json"
          ? report::batching_json(subject, *comparison)
          : report::batching_report(subject, *comparison,
                                    report::TextOptions{use_color(
                                        args.output.color, environment)}));
}

Status write_order(const PackArgs& args, const Packing& packing,
                   Sampler sampler) {
  if (!args.index.empty()) {
    return Error{ErrorKind::kUsage,
                 "an order is written as JSON Lines, not as an index of packs",
                 "give -o OUT.jsonl"};
  }
  BatchPlan plan = packing.plan;
  plan.sampler = sampler;
  plan.drop_last = false;  // every row is in the file
  const auto schedule =
      batching::BatchSchedule::make(packing.rows.lengths, plan);
  if (!schedule) return schedule.error();
  auto bytes = RowBytes::open(packing.paths, packing.rows);
  if (!bytes) return bytes.error();
  if (Status status =
          write_reordered(args.out, schedule->order(), packing.rows, *bytes);
      !status) {
    return status;
  }
  if (!args.no_verify) {
    if (Status status =
            check_reordered(args.out, schedule->order(), packing.rows, *bytes);
        !status) {
      return status;
    }
  }
  return write_stdout(fmt::format(
      "{}: {} rows in {} order{}\n", args.out, packing.rows.lengths.size(),
      batching::name_of(sampler),
      args.no_verify ? "" : ", read back: every row is there once"));
}

Status write_packs(const PackArgs& args, const Packing& packing,
                   PackOptions options) {
  batching::Assignment assignment;
  const auto figures = batching::pack(packing.rows.lengths, options,
                                      packing.rows.first_labels, &assignment);
  if (!figures) return figures.error();
  batching::shuffle_packs(assignment, args.seed);
  std::string written;
  if (!args.index.empty()) {
    if (Status status =
            write_index(args.index, assignment,
                        batching::index_info(*figures, options, assignment));
        !status) {
      return status;
    }
    if (!args.no_verify) {
      if (Status status = check_index(args.index, packing.rows, options);
          !status) {
        return status;
      }
    }
    written = args.index + ".json and .npy";
  }
  if (!args.out.empty()) {
    auto bytes = RowBytes::open(packing.paths, packing.rows);
    if (!bytes) return bytes.error();
    if (Status status =
            write_packed(args.out, assignment, options, packing.rows, *bytes);
        !status) {
      return status;
    }
    if (!args.no_verify) {
      if (Status status =
              check_packed(args.out, assignment, options, packing.rows, *bytes);
          !status) {
        return status;
      }
    }
    if (!written.empty()) written += ", ";
    written += args.out;
  }
  if (figures->tokens_lost > 0) {
    print_warning(fmt::format(
        "{} tokens of {} are lost: {} rows cut, {} dropped; bfd_split and "
        "wrapped lose none",
        figures->tokens_lost, figures->tokens_in, figures->rows_truncated,
        figures->rows_dropped));
  }
  if (figures->rows_empty > 0) {
    print_warning(fmt::format("{} rows without tokens are in no pack",
                              figures->rows_empty));
  }
  return write_stdout(fmt::format(
      "{}: {} rows in {} packs of {} tokens, {:.2f} % full{}\n", written,
      figures->rows_packed, figures->packs, options.pack_length,
      100.0 * figures->efficiency_ratio,
      args.no_verify ? "" : ", read back: every row is there once"));
}

Status write_chosen(const PackArgs& args, const Packing& packing) {
  // bfd_split is TRL's name for best fit that cuts over-long rows.
  std::string name = args.strategy;
  const bool splits = name == "bfd_split" || name == "split";
  if (splits) name = "bfd";
  if (const auto sampler = sampler_of(name); sampler.has_value()) {
    return write_order(args, packing, *sampler);
  }
  const auto strategy = batching::strategy_named(name);
  if (!strategy.has_value()) return unknown_strategy(args.strategy);
  PackOptions options;
  options.pack_length = packing.pack_length;
  options.strategy = *strategy;
  options.overlong =
      splits ? batching::Overlong::kSplit : packing.plan.overlong;
  options.window_rows = args.window_rows;
  options.drop_incomplete = args.drop_incomplete;
  options.seed = args.seed;
  return write_packs(args, packing, options);
}

}  // namespace

CLI::App* add_pack(CLI::App& app, PackArgs& args) {
  CLI::App* command = app.add_subcommand(
      "pack", "Compare ways of batching; write the chosen one, losing nothing");
  add_scan_options(*command, args.scan);
  const auto group = "Packing";
  command
      ->add_option("--strategy", args.strategy,
                   "Packs: bfd, bfd_split, ffd, mffd, first_fit, "
                   "first_fit_shuffle, next_fit, wrapped; orders: sort, "
                   "bucket, grouped, random, file_order [bfd]")
      ->type_name("NAME")
      ->group(group);
  command
      ->add_option("--pack-length", args.pack_length,
                   "Tokens of a pack [max-seq-len, or the longest row]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 24))
      ->group(group);
  command
      ->add_option("--window", args.window_rows,
                   "Pack windows of this many rows, in file order [all rows]")
      ->type_name("N")
      ->group(group);
  command
      ->add_option("--sampler", args.sampler,
                   "The present order, which others are compared with [random]")
      ->type_name("NAME")
      ->group(group);
  command
      ->add_option("--world-size", args.world_size, "Data-parallel ranks [1]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 20))
      ->group(group);
  command
      ->add_option("--accumulation", args.accumulation,
                   "Micro-steps of an optimiser step [1]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 20))
      ->group(group);
  command->add_option("--seed", args.seed, "Seed of every random order [42]")
      ->type_name("N")
      ->group(group);
  command
      ->add_option("--completion-budget", args.completion_budget,
                   "RL: most tokens that are generated for a prompt")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 24))
      ->group(group);
  command
      ->add_option("--completion-tokens", args.completion_tokens,
                   "RL: mean and P99 of the completions' lengths, as measured "
                   "or expected")
      ->type_name("MEAN,P99")
      ->group(group);
  command
      ->add_option("--generations", args.generations,
                   "RL: completions of each prompt [1]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 20))
      ->group(group);
  command
      ->add_flag("--drop-last", args.drop_last,
                 "Leave out rows that fill no batch")
      ->group(group);
  command
      ->add_flag("--pad-to-max-length", args.pad_to_max_length,
                 "The present batches are padded to max-seq-len")
      ->group(group);
  command
      ->add_flag("--drop-incomplete", args.drop_incomplete,
                 "wrapped: leave out a last, shorter pack")
      ->group(group);
  command
      ->add_flag("--dry-run", args.dry_run,
                 "Only print the comparison and the trainers' settings")
      ->group("Output");
  command
      ->add_option("-o,--out", args.out,
                   "Write JSON Lines: rows in order, or a pack a line")
      ->type_name("FILE")
      ->group("Output");
  command
      ->add_option("--index", args.index,
                   "Write PREFIX.offsets.npy, PREFIX.rows.npy, PREFIX.json")
      ->type_name("PREFIX")
      ->group("Output");
  command
      ->add_flag("--no-verify", args.no_verify,
                 "Do not read the output back to prove it")
      ->group("Output");
  add_output_options(*command, args.output, {"text", "json"});
  command->footer(
      "Examples:\n"
      "  trainsight pack train.jsonl --max-seq-len 2048 --dry-run\n"
      "  trainsight pack train.jsonl --max-seq-len 2048 --index packs\n"
      "  trainsight pack train.jsonl --strategy sort -o sorted.jsonl\n"
      "  trainsight pack prompts.jsonl --type grpo --generations 8 \\\n"
      "    --completion-budget 2048 --completion-tokens 400,1800");
  return command;
}

ExitCode run_pack(const PackArgs& args, const Environment& environment) {
  const bool writes = !args.out.empty() || !args.index.empty();
  if (args.dry_run && writes) {
    return fail(Error{ErrorKind::kUsage, "--dry-run writes nothing",
                      "leave --dry-run or the output away"});
  }
  auto packing = scan_rows(args, environment);
  if (!packing) return fail(packing.error());
  if (packing->rows.lengths.empty() || packing->pack_length == 0) {
    return fail(Error{ErrorKind::kUnsupported, "there are no tokens to pack",
                      "trainsight profile says what was read"});
  }
  Status status = writes ? write_chosen(args, *packing)
                         : print_comparison(args, *packing, environment);
  return status ? ExitCode::kPass : fail(status.error());
}

}  // namespace trainsight::cli
