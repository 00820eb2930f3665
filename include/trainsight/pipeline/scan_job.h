// ScanJob: files in, a Profile out: the top row of the house.
//
// Workers take batches from the readers, decode, measure and check them; one
// reducer consumes the results in input order, so that the outcome is the same
// for any number of threads. Bounded memory: at most two batches a worker are
// in flight.
//
// This is an edge module: it opens files and starts threads. Progress and
// cancellation come in through ScanObserver.
#ifndef TRAINSIGHT_PIPELINE_SCAN_JOB_H_
#define TRAINSIGHT_PIPELINE_SCAN_JOB_H_

#include <cstdint>
#include <string>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/facts/measure_conversation.h"
#include "trainsight/facts/row_facts.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/records/group_path.h"
#include "trainsight/records/known_keys.h"
#include "trainsight/records/sample.h"
#include "trainsight/rules/check.h"
#include "trainsight/scan/reader.h"
#include "trainsight/targets/survival.h"

namespace trainsight::pipeline {

/// One input, already expanded from folders and globs.
struct InputFile {
  std::string path;   ///< "-" is standard input
  std::string shown;  ///< as messages and reports name it
  std::string glob;   ///< the folder or pattern it came from; may be empty
  std::uint32_t input = 0;  ///< which of the paths that were given it is of
};

struct ScanOptions {
  std::vector<InputFile> files;
  records::SampleType stated_type = records::SampleType::kUnknown;
  records::ColumnMap columns;
  std::uint32_t threads = 1;      ///< at least 1
  std::uint64_t micro_batch = 8;  ///< for the file-order figures
  std::size_t longest_kept = 5;
  bool hash_files = false;  ///< fill DatasetFile::xxh64
  scan::ReadOptions read;
  rules::RuleOptions rules;
  facts::MeasureOptions measure;  ///< tokenizer and chat template
  std::uint32_t max_seq_len = 0;  ///< 0: not given
  /// What survives is counted for each of these.
  std::vector<targets::SurvivalOptions> survival;
  /// Lengths, survival and findings are broken down by this field; empty: not.
  records::GroupPath by;
};

/// Told about progress, from one thread at a time.
class ScanObserver {
 public:
  virtual ~ScanObserver() = default;
  virtual void progress(std::uint64_t bytes_done, std::uint64_t bytes_total,
                        std::uint64_t records) = 0;
  /// Whether the run is to stop (an interrupt).
  virtual bool cancelled() = 0;
  /// Every row, in input order, for those who need more than the profile.
  virtual void rows(const std::vector<facts::RowFacts>& rows) = 0;
};

/// A file that could not be read to its end; the others were.
struct FileFailure {
  std::uint32_t file = 0;
  Error error;
};

struct ScanOutcome {
  std::vector<manifest::DatasetFile> files;
  manifest::Profile profile;
  std::vector<FileFailure> failures;     ///< not empty: exit code 3
  rules::KnownFindings found;            ///< if rules.gather_found
  std::vector<rules::StaleKnown> stale;  ///< of rules.known
};

/// Scans all files. An error only when nothing could be done at all
/// (interrupted); unreadable files are failures in the outcome.
Result<ScanOutcome> scan_files(const ScanOptions& options,
                               ScanObserver& observer);

}  // namespace trainsight::pipeline

#endif  // TRAINSIGHT_PIPELINE_SCAN_JOB_H_
