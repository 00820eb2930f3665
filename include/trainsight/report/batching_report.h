// The table that decides: ways of batching side by side, as text and JSON.
//
// At most 80 columns. Pure.
#ifndef TRAINSIGHT_REPORT_BATCHING_REPORT_H_
#define TRAINSIGHT_REPORT_BATCHING_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "trainsight/batching/compare.h"
#include "trainsight/batching/settings.h"
#include "trainsight/records/sample.h"
#include "trainsight/report/text_report.h"

namespace trainsight::report {

/// Prompts of RL with what is known of their completions.
struct Rollouts {
  batching::Generation generation;
  bool budget_given = false;  ///< by the user, not taken from the lengths
  batching::RolloutFigures figures;
};

/// What the table says about, besides the comparison itself.
struct BatchingSubject {
  std::string name;  ///< of the data set
  batching::BatchPlan plan;
  std::uint64_t rows = 0;
  std::uint32_t pack_length = 0;  ///< 0: these rows are not packed
  /// kDpo: rows are pairs of sequences; kGrpo: rows are prompts.
  records::SampleType type = records::SampleType::kUnknown;
  std::optional<Rollouts> rollouts;  ///< kGrpo
};

std::string batching_report(const BatchingSubject& subject,
                            const batching::Comparison& comparison,
                            const TextOptions& options);

std::string batching_json(const BatchingSubject& subject,
                          const batching::Comparison& comparison);

}  // namespace trainsight::report

#endif  // TRAINSIGHT_REPORT_BATCHING_REPORT_H_
