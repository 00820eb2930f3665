#include "scan_args.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

#include "data_files.h"
#include "dataset_info_args.h"
#include "open_tokenizer.h"
#include "output.h"
#include "progress.h"
#include "trainsight/chat/media_allowance.h"
#include "trainsight/chat/presets.h"
#include "trainsight/core/version.h"
#include "trainsight/predict/predict.h"
#include "trainsight/scan/format_table.h"
#include "trainsight/text/xxhash64.h"
#include "trainsight/tokenize/control_tokens.h"

namespace trainsight::cli {
namespace {

using records::SampleType;

constexpr std::uint32_t kMostThreads = 1024;

Result<SampleType> type_named(const std::string& name) {
  if (name == "auto") return SampleType::kUnknown;
  for (std::size_t i = 1; i < records::kSampleTypeCount; ++i) {
    const auto type = static_cast<SampleType>(i);
    if (type != SampleType::kEmbedding && records::name_of(type) == name) {
      return type;
    }
  }
  return Error{ErrorKind::kUsage, "unknown type \"" + name + "\"",
               "one of auto, pretrain, sft, dpo, kto, grpo, prm"};
}

// Each file with the folder or glob that it came from.
Result<std::vector<pipeline::InputFile>> expand(
    const std::vector<std::string>& paths) {
  std::vector<pipeline::InputFile> files;
  std::uint32_t number = 0;
  for (const std::string& path : paths) {
    const std::uint32_t this_input = number++;
    auto expanded = data_files(path);
    if (!expanded) return expanded.error();
    if (const auto splits = splits_of(*expanded); !splits.empty()) {
      print_note(fmt::format("{} holds splits, and all are read: {}", path,
                             fmt::join(splits, ", ")));
    }
    for (std::string& file : *expanded) {
      pipeline::InputFile input;
      input.input = this_input;
      if (file != path) input.glob = path;
      input.shown = file == "-" ? "<stdin>" : file;
      input.path = std::move(file);
      files.push_back(std::move(input));
    }
  }
  return files;
}

// Without a target --overlong says what happens, to rows of any type.
targets::SurvivalOptions generic_survival(std::uint32_t max_seq_len,
                                          std::string_view policy) {
  targets::SurvivalOptions options;
  options.name = "generic";
  options.max_seq_len = max_seq_len;
  options.overlong = policy == "drop"    ? targets::Overlong::kDrop
                     : policy == "split" ? targets::Overlong::kSplit
                     : policy == "error" ? targets::Overlong::kRaise
                                         : targets::Overlong::kTruncateStart;
  options.pairs = options.prompts = options.overlong;
  return options;
}

// Inputs and columns as the flags and a registration of the data set say them.
// LLaMA-Factory reads the one beside the data, so its target does too.
Result<AppliedInfo> columns_told(const ScanArgs& args) {
  std::string place = args.dataset_info;
  if (place.empty() && args.rules.target == "llama-factory") {
    place = dataset_info_beside(args.paths);
  }
  if (place.empty()) return AppliedInfo{args.columns, args.paths, ""};
  auto applied = apply_dataset_info(place, args.paths);
  if (!applied) return applied;
  print_note(applied->note);
  if (!args.columns.empty()) {  // what was typed comes last, and counts
    if (!applied->columns.empty()) applied->columns += ',';
    applied->columns += args.columns;
  }
  return applied;
}

// What a template writes as a control token and the vocabulary takes for text.
void tell_missing_tokens(const chat::SelectedTemplate& selected,
                         const tokenize::Tokenizer& tokenizer) {
  if (tokenizer.info().vocabulary_size == 0) return;  // bytes, code points
  const auto counter = tokenizer.make_counter();
  std::vector<std::string> missing;
  for (const std::string& marker :
       chat::control_markers_of(*selected.chat_template)) {
    if (counter->count(marker) > 1) missing.push_back(marker);
  }
  if (missing.empty()) return;
  print_warning(
      fmt::format("{} has no {}, which the chat template ({}) writes: counted "
                  "as plain text",
                  tokenizer.info().name, fmt::join(missing, ", "),
                  selected.chat_template->name()));
}

predict::LengthUnit unit_of(const tokenize::Tokenizer& tokenizer) {
  const std::string& name = tokenizer.info().name;
  return name == "bytes" || name == "chars" ? predict::LengthUnit::kOther
                                            : predict::LengthUnit::kTokens;
}

}  // namespace

void add_scan_options(CLI::App& command, ScanArgs& args) {
  command
      .add_option("paths,--dataset", args.paths,
                  "Files, folders or quoted globs; - is standard input")
      ->type_name("PATH")
      ->group("Data");
  add_measure_options(command, args);
  const auto training = "Training";
  command
      .add_option("--overlong", args.overlong,
                  "What happens to longer ones: truncate, drop, split, error "
                  "[truncate]")
      ->type_name("POLICY")
      ->group(training);
  command
      .add_option("--micro-batch,--batch-size", args.micro_batch,
                  "Sequences of one forward pass [8]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 20))
      ->group(training);
  command
      .add_option("--pad-to-multiple-of", args.pad_to_multiple_of,
                  "Batches are padded up to a multiple of this [1]")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 16))
      ->group(training);
  command
      .add_option("--threads", args.threads,
                  "Worker threads; the result does not depend on it [all]")
      ->type_name("N")
      ->check(CLI::Range(1u, kMostThreads))
      ->group("Run");
  command
      .add_option("--progress", args.progress,
                  "Progress on stderr: auto, always, never [auto]")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group("Run");
}

void add_measure_options(CLI::App& command, ScanArgs& args) {
  const auto group = "Data";
  command
      .add_option("--type", args.type,
                  "What the rows train: auto, pretrain, sft, dpo, kto, grpo, "
                  "prm [auto]")
      ->type_name("TYPE")
      ->group(group);
  command
      .add_option("--columns", args.columns,
                  "Names of columns: prompt=question,completion=answer")
      ->type_name("MAP")
      ->group(group);
  command
      .add_option(
          "--dataset-info", args.dataset_info,
          "Columns as LLaMA-Factory's dataset_info.json registers them; "
          "by the file's name, or NAME")
      ->type_name("FILE[:NAME]")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--tokenizer",
          [&args](const std::string& name) {
            args.tokenizer = name;
            args.tokenizer_given = true;
          },
          "Unit of lengths: bytes, chars, o200k_base, a vocabulary file or "
          "folder, or a model of the local Hugging Face cache [o200k_base]")
      ->type_name("NAME|PATH")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--chat-template",
          [&args](const std::string& name) {
            args.chat_template = name;
            args.chat_template_given = true;
          },
          "How conversations are written: auto (the tokenizer's own), none, "
          "jinja, or a preset: chatml, llama3, gemma, … [auto]")
      ->type_name("NAME")
      ->group(group);
  command
      .add_flag("--add-special-tokens", args.add_special_tokens,
                "Count the BOS and EOS that the tokenizer adds to plain texts")
      ->group(group);
  command
      .add_option("--image-tokens", args.image_tokens,
                  "Tokens of an image part; by default an estimate by family")
      ->type_name("N")
      ->group(group);
  command
      .add_option("--audio-tokens", args.audio_tokens,
                  "Tokens of an audio part; by default an estimate by family")
      ->type_name("N")
      ->group(group);
  const auto training = "Training";
  command
      .add_option("--max-seq-len", args.max_seq_len,
                  "Longest sequence that the trainer takes, in tokens")
      ->type_name("N")
      ->check(CLI::Range(1u, 1u << 30))
      ->group(training);
}

void add_output_options(CLI::App& command, OutputArgs& args,
                        const std::vector<std::string>& formats) {
  command
      .add_option(
          "--format", args.format,
          fmt::format("What is printed: {} [text]", fmt::join(formats, ", ")))
      ->type_name("FORMAT")
      ->check(CLI::IsMember(formats))
      ->group("Output");
  command
      .add_option("--color", args.color,
                  "Colour: auto, always, never; NO_COLOR counts [auto]")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->group("Output");
}

manifest::Training training_of(const ScanArgs& args) {
  manifest::Training training;
  training.max_seq_len = args.max_seq_len;
  training.overlong = args.overlong;
  training.micro_batch = args.micro_batch;
  training.pad_to_multiple_of = args.pad_to_multiple_of;
  return training;
}

Result<std::shared_ptr<const chat::SelectedTemplate>> open_chat_template(
    const std::string& choice, const tokenize::TokenizerInfo& tokenizer,
    const Environment& environment) {
  chat::TemplateVariables variables;
  variables.bos_token = tokenizer.bos_token;
  variables.eos_token = tokenizer.eos_token;
  variables.date = environment.now;
  auto selected =
      chat::select_template(choice, tokenizer.chat_template, variables);
  if (!selected) return selected.error();
  // Without a template of its own there is nothing to say about `auto`.
  if (choice != "auto" || !tokenizer.chat_template.empty()) {
    for (const std::string& note : selected->notes) print_warning(note);
  }
  if (selected->chat_template != nullptr &&
      selected->chat_template->name() == "jinja" &&
      tokenizer.chat_template.find("strftime_now") != std::string::npos) {
    print_warning(fmt::format(
        "the chat template may print the date: lengths are those "
        "of {:04}-{:02}-{:02}",
        environment.now.year, environment.now.month, environment.now.day));
  }
  if (selected->chat_template == nullptr ||
      selected->chat_template->name() == "none") {
    return std::shared_ptr<const chat::SelectedTemplate>();
  }
  return std::shared_ptr<const chat::SelectedTemplate>(
      std::make_shared<chat::SelectedTemplate>(*std::move(selected)));
}

Result<ScanSettings> resolve(const ScanArgs& args,
                             const Environment& environment) {
  ScanSettings settings;
  auto told = columns_told(args);
  if (!told) return told.error();
  if (told->paths.empty()) {
    return Error{ErrorKind::kUsage, "no data set given",
                 "name a file, a folder, or - for standard input"};
  }
  auto type = type_named(args.type);
  if (!type) return type.error();
  auto columns = records::ColumnMap::parse(told->columns);
  if (!columns) return columns.error();
  settings.training = training_of(args);
  if (auto overlong = predict::overlong_of(settings.training); !overlong) {
    return overlong.error();
  }
  auto files = expand(told->paths);
  if (!files) return files.error();
  if (!args.rules.eval.empty()) {
    auto eval = expand(args.rules.eval);
    if (!eval) return eval.error();
    settings.scan.rules.is_eval.assign(files->size(), false);
    settings.scan.rules.is_eval.resize(files->size() + eval->size(), true);
    files->insert(files->end(), eval->begin(), eval->end());
  }
  auto tokenizer = open_tokenizer(args.tokenizer, environment);
  if (!tokenizer) return tokenizer.error();
  settings.tokenizer = *tokenizer;

  settings.dataset.type = args.type;
  settings.dataset.columns = columns->named();
  settings.scan.rules.named_columns = settings.dataset.columns;
  const tokenize::TokenizerInfo& info = settings.tokenizer->info();
  settings.dataset.tokenizer = manifest::TokenizerRef{
      info.name, info.xxh64, info.kind,
      info.exactness == tokenize::Exactness::kExact ? "exact" : "estimated"};
  // A template's control tokens are tokens, also where the vocabulary's own
  // library would take them for text.
  auto with_control =
      args.chat_template == "none"
          ? settings.tokenizer
          : tokenize::with_control_tokens(settings.tokenizer,
                                          tokenize::control_tokens_of(info));
  auto chat_template =
      open_chat_template(args.chat_template, with_control->info(), environment);
  if (!chat_template) return chat_template.error();
  settings.chat_template = *chat_template;
  if (settings.chat_template != nullptr) {
    settings.tokenizer = std::move(with_control);
    tell_missing_tokens(*settings.chat_template, *settings.tokenizer);
  }
  settings.dataset.chat_template = manifest::TemplateRef{"none", ""};
  if (settings.chat_template != nullptr) {
    settings.dataset.chat_template->name =
        settings.chat_template->chat_template->name();
    if (settings.chat_template->chat_template->name() == "jinja") {
      settings.dataset.chat_template->xxh64 =
          text::hex64(text::xxh64(info.chat_template));
    }
  }

  pipeline::ScanOptions& scan = settings.scan;
  scan.files = *std::move(files);
  scan.stated_type = *type;
  scan.columns = *std::move(columns);
  scan.threads = args.threads == 0 ? environment.cpu_count : args.threads;
  scan.threads = std::min(scan.threads, kMostThreads);
  scan.rules.threads = scan.threads;
  scan.micro_batch = args.micro_batch.value_or(predict::kDefaultMicroBatch);
  scan.rules.stated_type = *type;
  scan.measure.tokenizer = settings.tokenizer.get();
  scan.measure.plain.adds_special_tokens = args.add_special_tokens;
  scan.measure.plain_preferences.adds_special_tokens = args.add_special_tokens;
  scan.measure.media =
      chat::make_allowance(chat::find_media_family(args.tokenizer),
                           args.image_tokens, args.audio_tokens);
  scan.rules.media_words = scan.measure.media.words;
  if (settings.chat_template != nullptr) {
    scan.measure.chat_template = settings.chat_template->chat_template.get();
    scan.measure.fallback_template = settings.chat_template->fallback.get();
  }
  if (args.max_seq_len.has_value()) {
    scan.max_seq_len = static_cast<std::uint32_t>(*args.max_seq_len);
    scan.rules.max_seq_len = scan.max_seq_len;
  }
  if (Status status = resolve_rules(args.rules, settings); !status) {
    return status.error();
  }
  if (scan.survival.empty() && scan.max_seq_len > 0) {
    scan.survival.push_back(generic_survival(
        scan.max_seq_len, settings.training.overlong.value_or("truncate")));
  }
  return settings;
}

Result<ScanRun> run_scan(const ScanSettings& settings,
                         const std::string& progress,
                         const Environment& environment,
                         const RowSink& on_rows) {
  const auto start = std::chrono::steady_clock::now();
  Result<pipeline::ScanOutcome> outcome = [&] {
    Progress observer(progress, environment);
    observer.on_rows = on_rows;
    return pipeline::scan_files(settings.scan, observer);
  }();
  if (!outcome) return outcome.error();
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  for (const pipeline::FileFailure& failure : outcome->failures) {
    print_error(failure.error);
  }
  ScanRun run;
  run.failures = std::move(outcome->failures);
  run.found = std::move(outcome->found);
  run.stale = std::move(outcome->stale);
  manifest::Manifest& m = run.manifest;
  m.tool_name = "trainsight";
  m.tool_version = version();
  m.dataset = settings.dataset;
  m.dataset.files = std::move(outcome->files);
  m.training = settings.training;
  m.profile = std::move(outcome->profile);
  m.prediction =
      predict::predict(*m.profile, m.training, unit_of(*settings.tokenizer));
  if (seconds > 1.0 && progress != "never") {
    print_note(fmt::format(
        "{:.1f} MB in {:.2f} s, {:.0f} MB/s, {} thread{}",
        static_cast<double>(m.profile->bytes) / 1e6, seconds,
        static_cast<double>(m.profile->bytes) / 1e6 / seconds,
        settings.scan.threads, settings.scan.threads == 1 ? "" : "s"));
  }
  return run;
}

ExitCode exit_code_of(const std::vector<pipeline::FileFailure>& failures) {
  ExitCode code = ExitCode::kPass;
  for (const pipeline::FileFailure& failure : failures) {
    code = graver(code, trainsight::exit_code_of(failure.error.kind));
  }
  return code;
}

}  // namespace trainsight::cli
