// A plan as a screen of text and as JSON.
//
// The verdict comes first; 80 columns, readable without colour. Pure: the same
// plan gives the same bytes.
#ifndef TRAINSIGHT_REPORT_PLAN_REPORT_H_
#define TRAINSIGHT_REPORT_PLAN_REPORT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "trainsight/plan/plan.h"

namespace trainsight::report {

struct PlanDocument {
  plan::Job job;
  plan::Outlook outlook;
  plan::Limits limits;
  plan::Exposure exposure;
  std::vector<plan::Alternative> alternatives;  ///< best first
  std::vector<plan::Remark> remarks;
  std::string framework;         ///< "trl (transformers >= 4.45)"
  std::string framework_source;  ///< where its facts are written
  std::string data;              ///< name of the data set; empty: none
  std::uint64_t records = 0;
  std::string length_unit;         ///< "o200k_base"
  std::vector<std::string> notes;  ///< assumptions, a sentence each
  struct ConfigKey {
    std::string key, value, meaning;
  };
  std::vector<ConfigKey> stored;              ///< of the manifest's job
  std::vector<ConfigKey> config_read;         ///< of trainers' files
  std::vector<std::string> config_ignored;    ///< keys that say nothing here
  std::vector<std::string> config_defaulted;  ///< settings the files leave out
  double typical_ratio = 1;  ///< tokens of a typical batch / largest
};

struct PlanTextOptions {
  bool color = false;
  bool why = false;           ///< every term with its formula
  std::size_t rows = 8;       ///< of alternatives
  std::size_t long_rows = 3;  ///< of rows above the limit
};

std::string plan_report(const PlanDocument& document,
                        const PlanTextOptions& options);
/// One JSON object; sizes in bytes, times in seconds or hours, as named.
std::string plan_json(const PlanDocument& document);

}  // namespace trainsight::report

#endif  // TRAINSIGHT_REPORT_PLAN_REPORT_H_
