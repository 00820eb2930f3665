// What profile and validate have in common: which data, measured how.
//
// Two stages: ScanArgs is what was typed; resolve() gives ScanSettings or an
// error; only then is anything opened.
#ifndef TRAINSIGHT_CLI_SCAN_ARGS_H_
#define TRAINSIGHT_CLI_SCAN_ARGS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "environment.h"
#include "rule_args.h"
#include "trainsight/chat/select_template.h"
#include "trainsight/core/result.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/pipeline/scan_job.h"
#include "trainsight/tokenize/tokenizer.h"

namespace CLI {
class App;
}

namespace trainsight::cli {

struct ScanArgs {
  std::vector<std::string> paths;
  std::string type = "auto";
  std::string columns;
  std::string dataset_info;  ///< FILE or FILE:NAME
  std::string tokenizer = "o200k_base";
  bool tokenizer_given = false;
  std::string chat_template = "auto";
  bool chat_template_given = false;
  bool add_special_tokens = false;
  std::optional<std::uint32_t> image_tokens;
  std::optional<std::uint32_t> audio_tokens;
  std::optional<std::uint64_t> max_seq_len;
  std::optional<std::string> overlong;
  std::optional<std::uint64_t> micro_batch;
  std::optional<std::uint64_t> pad_to_multiple_of;
  RuleArgs rules;
  std::uint32_t threads = 0;  ///< 0: as many as there are processors
  std::string progress = "auto";
};

struct OutputArgs {
  std::string format = "text";
  std::string color = "auto";
  std::vector<std::string> reports;  ///< "FORMAT=FILE" each
};

/// Adds the options of ScanArgs and OutputArgs to a command.
void add_scan_options(CLI::App& command, ScanArgs& args);
/// Of these only what says how a row is measured.
void add_measure_options(CLI::App& command, ScanArgs& args);
void add_output_options(CLI::App& command, OutputArgs& args,
                        const std::vector<std::string>& formats);

/// Everything that a scan needs, checked.
struct ScanSettings {
  manifest::Dataset dataset;  ///< type, columns, tokenizer; no files yet
  manifest::Training training;
  pipeline::ScanOptions scan;  ///< files expanded
  std::shared_ptr<const tokenize::Tokenizer> tokenizer;
  /// Null where conversations are not rendered. The scan points into it.
  std::shared_ptr<const chat::SelectedTemplate> chat_template;
  /// Null: none. The scan points into it.
  std::shared_ptr<const rules::KnownFindings> known;
};

/// Expands the paths and opens the tokenizer.
/// Errors: kUsage, kNotFound, kUnreadable, and those of a tokenizer's files.
Result<ScanSettings> resolve(const ScanArgs& args,
                             const Environment& environment);

/// Opens the template that `choice` names for this tokenizer; a template that
/// only concatenates gives null. Warns on stderr of what a preset leaves out,
/// and of a template that prints the date.
Result<std::shared_ptr<const chat::SelectedTemplate>> open_chat_template(
    const std::string& choice, const tokenize::TokenizerInfo& tokenizer,
    const Environment& environment);

/// The training section that the flags describe.
manifest::Training training_of(const ScanArgs& args);

/// A scan's result as a manifest, ready to be reported.
struct ScanRun {
  manifest::Manifest manifest;  ///< with profile and prediction
  std::vector<pipeline::FileFailure> failures;
  rules::KnownFindings found;            ///< if settings ask for it
  std::vector<rules::StaleKnown> stale;  ///< known findings that are gone
};

/// Takes all rows of a scan, in input order, a batch at a time.
using RowSink = std::function<void(const std::vector<facts::RowFacts>&)>;

/// Scans and predicts; every row also goes to `on_rows`, if given. Prints what
/// could not be read, and how fast it went when that took over a second, to
/// stderr.
Result<ScanRun> run_scan(const ScanSettings& settings,
                         const std::string& progress,
                         const Environment& environment,
                         const RowSink& on_rows = {});

/// The exit code of a run with these failures.
ExitCode exit_code_of(const std::vector<pipeline::FileFailure>& failures);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_SCAN_ARGS_H_
