#include "rule_args.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "known_findings_file.h"
#include "scan_args.h"
#include "trainsight/rules/options.h"
#include "trainsight/targets/survival.h"
#include "trainsight/targets/target_table.h"

namespace trainsight::cli {
namespace {

using targets::Overlong;

std::string with_underscores(std::string name) {
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// The samplers' and strategies' names, with those of the trainers beside them.
std::optional<batching::Sampler> sampler_of(const std::string& name) {
  const std::string plain = with_underscores(name);
  return batching::sampler_named(plain == "grouped" ? "length_grouped" : plain);
}

Error unknown(std::string_view what, const std::string& name,
              std::string hint) {
  return Error{ErrorKind::kUsage, fmt::format("unknown {} \"{}\"", what, name),
               std::move(hint)};
}

std::string target_names() {
  std::string names;
  for (const targets::Target& target : targets::targets()) {
    names += std::string(target.name) + ", ";
  }
  return "one of " + names + "all";
}

void add_plan_options(CLI::App& command, RuleArgs& args) {
  const auto group = "Training";
  command
      .add_option("--truncation", args.truncation,
                  "Which end of a cut row stays: keep_start, keep_end "
                  "[keep_start]")
      ->type_name("SIDE")
      ->check(CLI::IsMember({"keep_start", "keep_end"}))
      ->group(group);
  command
      .add_option("--max-prompt-len", args.max_prompt_len,
                  "Longest prompt that an RL trainer takes, in tokens")
      ->type_name("N")
      ->group(group);
  command
      .add_option("--packing", args.packing,
                  "How rows are packed into max_seq_len: bfd, ffd, wrapped, "
                  "next_fit, …")
      ->type_name("STRATEGY")
      ->group(group);
  command
      .add_flag("--drop-incomplete-packs", args.drop_incomplete_packs,
                "A pack that is not full is left out")
      ->group(group);
  command
      .add_option("--sampler", args.sampler,
                  "Order of rows: file_order, random, grouped, sorted, …")
      ->type_name("NAME")
      ->group(group);
  command
      .add_option("--pad-to", args.pad_to,
                  "What batches are padded to: longest, max_seq_len")
      ->type_name("LENGTH")
      ->check(CLI::IsMember({"longest", "max_seq_len"}))
      ->group(group);
  command
      .add_option("--global-batch", args.global_batch,
                  "Rows of one optimiser step over all ranks")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 24))
      ->group(group);
  command
      .add_flag("--drop-last", args.drop_last,
                "Rows that do not fill a batch are left out")
      ->group(group);
  command
      .add_option("--response-marker", args.response_marker,
                  "Text before each answer, for response-only training")
      ->type_name("TEXT")
      ->group(group);
  command
      .add_option("--vocab-size", args.vocab_size,
                  "Rows of the output matrix [the tokenizer's vocabulary]")
      ->type_name("N")
      ->group(group);
  command
      .add_option("--gpu-memory-gb", args.gpu_memory_gb,
                  "Memory of one device, in GB of 10^9 bytes")
      ->type_name("GB")
      ->group(group);
  command
      .add_option("--tokenize-rows-per-second", args.tokenize_rows_per_second,
                  "How fast the trainer tokenizes in one process")
      ->type_name("X")
      ->group(group);
  command
      .add_option("--collective-timeout-minutes",
                  args.collective_timeout_minutes,
                  "How long ranks wait for one another [30]")
      ->type_name("X")
      ->group(group);
}

// The over-long policy: the flag's word, else the target's own.
Overlong overlong_of(const RuleArgs& args, const ScanSettings& settings,
                     const targets::Target* target) {
  const auto& word = settings.training.overlong;
  const Overlong cut = args.truncation == "keep_end" ? Overlong::kTruncateEnd
                                                     : Overlong::kTruncateStart;
  if (!word.has_value()) {
    if (target == nullptr) return cut;
    return args.packing.has_value() ? target->packed_rows : target->rows;
  }
  if (*word == "drop") return Overlong::kDrop;
  if (*word == "split") return Overlong::kSplit;
  if (*word == "error") return Overlong::kRaise;
  return cut;
}

Status resolve_plan(const RuleArgs& args, const ScanSettings& settings,
                    rules::BatchOptions& batches) {
  if (args.sampler.has_value()) {
    batches.sampler = sampler_of(*args.sampler);
    if (!batches.sampler.has_value()) {
      return unknown("sampler", *args.sampler,
                     "one of file_order, random, grouped, sorted, bucketed, "
                     "by_tokens");
    }
  }
  if (args.packing.has_value()) {
    batches.packing = batching::strategy_named(with_underscores(*args.packing));
    if (!batches.packing.has_value()) {
      return unknown("packing strategy", *args.packing,
                     "one of wrapped, next_fit, first_fit, first_fit_shuffle, "
                     "ffd, bfd, mffd");
    }
    if (!settings.training.max_seq_len.has_value()) {
      return Error{ErrorKind::kUsage, "--packing without --max-seq-len",
                   "the length of a pack is max_seq_len"};
    }
  }
  const bool to_max = args.pad_to == "max_seq_len";
  if (to_max && !settings.training.max_seq_len.has_value()) {
    return Error{ErrorKind::kUsage,
                 "--pad-to max_seq_len without --max-seq-len", ""};
  }
  if (args.pad_to.has_value()) batches.pad_to_max_length = to_max;
  batches.micro_batch =
      static_cast<std::uint32_t>(settings.training.micro_batch.value_or(8));
  batches.micro_batch_given = settings.training.micro_batch.has_value();
  batches.pad_to_multiple_of = static_cast<std::uint32_t>(
      settings.training.pad_to_multiple_of.value_or(1));
  batches.drop_incomplete_packs = args.drop_incomplete_packs;
  batches.global_batch = args.global_batch;
  batches.drop_last = args.drop_last;
  batches.gpu_memory_gb = args.gpu_memory_gb;
  batches.tokenize_rows_per_second = args.tokenize_rows_per_second;
  batches.collective_timeout_minutes = args.collective_timeout_minutes;
  return {};
}

void resolve_vocabulary(const RuleArgs& args, const ScanSettings& settings,
                        rules::Vocabulary& vocabulary) {
  const tokenize::TokenizerInfo& info = settings.tokenizer->info();
  for (const tokenize::SpecialToken& token : info.special_tokens) {
    if (token.special) vocabulary.special_tokens.push_back(token.text);
  }
  vocabulary.bos_token = info.bos_token;
  vocabulary.adds_bos = !info.bos_token.empty() &&
                        settings.scan.measure.plain.adds_special_tokens;
  vocabulary.size = args.vocab_size.value_or(info.vocabulary_size);
  vocabulary.count_tokens = [tokenizer =
                                 settings.tokenizer](std::string_view utf8) {
    return tokenizer->make_counter()->count(utf8);
  };
}

// What the target does; --add-special-tokens holds whatever it does.
void resolve_plain(facts::PlainTexts of_target, facts::PlainTexts& plain) {
  of_target.adds_special_tokens |= plain.adds_special_tokens;
  plain = of_target;
}

Status resolve_targets(const RuleArgs& args, ScanSettings& settings) {
  rules::RuleOptions& rules = settings.scan.rules;
  if (args.target.empty()) return {};
  std::optional<std::uint32_t> limit = rules.max_seq_len;
  const bool packing = args.packing.has_value();
  for (const targets::Target& target : targets::targets()) {
    if (args.target != "all" && target.name != args.target) continue;
    if (args.target != "all") {
      rules.target = &target;
      settings.training.target = args.target;
      settings.scan.measure.conversations = target.conversations;
      resolve_plain(target.plain, settings.scan.measure.plain);
      resolve_plain(target.plain_preferences,
                    settings.scan.measure.plain_preferences);
    }
    if (auto survival = targets::survival_options(target, limit, packing)) {
      settings.scan.survival.push_back(*std::move(survival));
    }
  }
  if (rules.target == nullptr && args.target != "all") {
    return unknown("target", args.target, target_names());
  }
  return {};
}

}  // namespace

void add_rule_options(CLI::App& command, RuleArgs& args) {
  command
      .add_option("--eval", args.eval,
                  "Evaluation data: checked on its own, and for rows that the "
                  "training data holds; may be given several times")
      ->type_name("PATH")
      ->allow_extra_args(false)
      ->group("Data");
  command
      .add_flag("--duplicates,!--no-duplicates", args.find_duplicates,
                "Look for repeated rows, in 16 bytes a record [on]")
      ->group("Data");
  command
      .add_option("--large-document-bytes", args.large_document_bytes,
                  "Size from which one JSON document is reported [2147483647]")
      ->type_name("N")
      ->group("Data");
  add_plan_options(command, args);
  const auto group = "Rules";
  command
      .add_option("--target", args.target,
                  "Trainer or provider whose rules hold: trl, axolotl, openai, "
                  "…; all compares what survives")
      ->type_name("NAME")
      ->group(group);
  command
      .add_option("--select", args.select,
                  "Only these rules: codes, beginnings of codes, names")
      ->type_name("RULES")
      ->group(group);
  command.add_option("--ignore", args.ignore, "All rules but these")
      ->type_name("RULES")
      ->group(group);
  command
      .add_option("--severity", args.severity,
                  "Least severity that is reported, or RULE=SEVERITY, …")
      ->type_name("LEVEL")
      ->group(group);
  command
      .add_option("--max-findings", args.max_findings,
                  "Places listed of each rule and file; all are counted [5]")
      ->type_name("N")
      ->check(CLI::Range(0u, 10'000u))
      ->group(group);
  command
      .add_option("--known-findings", args.known_findings,
                  "A list of findings that are accepted: they are counted as "
                  "known, and fail no gate")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--write-known-findings", args.write_known_findings,
                  "Write all that is found as such a list")
      ->type_name("FILE")
      ->group(group);
}

Status resolve_rules(const RuleArgs& args, ScanSettings& settings) {
  rules::RuleOptions& rules = settings.scan.rules;
  if (Status status = resolve_targets(args, settings); !status) return status;
  rules.selection.apply(rules.target);
  if (!args.select.empty()) {
    if (Status s = rules.selection.select(args.select); !s) return s;
  }
  if (Status s = rules.selection.ignore(args.ignore); !s) return s;
  if (Status s = rules.selection.set_severity(args.severity); !s) return s;
  if (Status s = resolve_plan(args, settings, rules.batches); !s) return s;
  resolve_vocabulary(args, settings, rules.vocabulary);
  if (!args.known_findings.empty()) {
    auto known = read_known_findings(args.known_findings, settings.scan.files);
    if (!known) return known.error();
    settings.known = std::make_shared<rules::KnownFindings>(*std::move(known));
    rules.known = settings.known.get();
  }
  rules.gather_found = !args.write_known_findings.empty();
  rules.kept_findings = args.max_findings;
  rules.find_duplicates = args.find_duplicates;
  rules.overlong = overlong_of(args, settings, rules.target);
  rules.max_prompt_len = args.max_prompt_len;
  if (!rules.max_prompt_len.has_value() && rules.target != nullptr &&
      rules.target->max_prompt_len > 0) {
    rules.max_prompt_len = rules.target->max_prompt_len;
  }
  rules.response_marker = args.response_marker;
  rules.has_template = settings.chat_template != nullptr;
  if (args.large_document_bytes.has_value()) {
    settings.scan.read.large_document_bytes = *args.large_document_bytes;
  }
  return {};
}

}  // namespace trainsight::cli
