// The table of output formats: what `profile` and `validate` can print.
//
// A format is a row of the table and one file that turns a RunReport into
// text. Every format gets the same RunReport, and none of them decides
// anything: the exit code is settled before. Pure; the same report gives the
// same bytes.
#ifndef TRAINSIGHT_REPORT_FORMAT_TABLE_H_
#define TRAINSIGHT_REPORT_FORMAT_TABLE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/exit_code.h"
#include "trainsight/core/result.h"
#include "trainsight/gate/judge.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/report/text_report.h"
#include "trainsight/rules/selection.h"

namespace trainsight::report {

/// Something that kept the run from checking all that it was asked to.
struct Problem {
  std::string file;  ///< that could not be read; empty: the run as a whole
  Error error;
};

/// What a run has to say. Points into values of the caller.
struct RunReport {
  std::string_view command;  ///< "profile", "validate"
  std::string_view version;  ///< of trainsight
  /// With a profile and, of `profile`, a prediction. Null: the run ended
  /// before there was one, and `problems` says why.
  const manifest::Manifest* manifest = nullptr;
  const gate::Verdict* verdict = nullptr;  ///< of `validate`
  /// Which rules were on; null: not known (of a stored profile).
  const rules::RuleSelection* selection = nullptr;
  std::vector<Problem> problems;
  ExitCode exit_code = ExitCode::kPass;
  /// The working directory: paths below it are given relative to it where a
  /// format is read on another machine. Empty: paths stay as they are.
  std::string folder;
  TextOptions text;
};

struct Format {
  std::string_view name;    ///< of --format
  std::string_view reader;  ///< who reads it, a few words
  std::string (*render)(const RunReport& report);
  /// Whether there is something to print when the run ended early, too.
  bool tells_errors = false;
};

/// All formats; the first is the default.
std::span<const Format> formats();

/// The format of that name; nullptr when there is none.
const Format* find_format(std::string_view name);

}  // namespace trainsight::report

#endif  // TRAINSIGHT_REPORT_FORMAT_TABLE_H_
