// The table that decides: ways of batching side by side, as text and JSON.
//
// At most 80 columns. Pure.
#ifndef TRAINSIGHT_REPORT_BATCHING_REPORT_H_
#define TRAINSIGHT_REPORT_BATCHING_REPORT_H_

#include <string>
#include <vector>

#include "trainsight/batching/compare.h"
#include "trainsight/batching/settings.h"
#include "trainsight/report/text_report.h"

namespace trainsight::report {

/// What the table says about, besides the comparison itself.
struct BatchingSubject {
  std::string name;  ///< of the data set
  batching::BatchPlan plan;
  std::uint64_t rows = 0;
  std::uint32_t pack_length = 0;
};

std::string batching_report(const BatchingSubject& subject,
                            const batching::Comparison& comparison,
                            const TextOptions& options);

std::string batching_json(const BatchingSubject& subject,
                          const batching::Comparison& comparison);

}  // namespace trainsight::report

#endif  // TRAINSIGHT_REPORT_BATCHING_REPORT_H_
