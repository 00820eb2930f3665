// dataset_info.json: how LLaMA-Factory is told what a file of rows means.
//
// One JSON object; each member registers a data set: its file (or hub), its
// formatting (alpaca, sharegpt, openai), columns and tags. As there, listed
// columns take the place of all defaults, and a default column is one that
// need not be listed: {"columns": {"prompt": "q"}} has no response.
// Source: LLaMA-Factory src/llamafactory/data/parser.py (01d3ac6) and
// data/README.md.
//
// Pure: bytes in, values out. Limits: those of JsonDocument, and kMostEntries.
#ifndef TRAINSIGHT_RECORDS_DATASET_INFO_H_
#define TRAINSIGHT_RECORDS_DATASET_INFO_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::records {

/// One data set as it is registered.
struct Registration {
  std::string name;
  std::string file_name;  ///< relative to the folder of the file; or empty
  std::string elsewhere;  ///< "hf_hub_url org/set" when it is no local file
  std::string formatting = "alpaca";  ///< or "sharegpt", "openai"
  bool ranking = false;
  std::map<std::string, std::string> columns;  ///< as listed; null ones not
  std::map<std::string, std::string> tags;     ///< as listed; null ones not
  bool has_columns = false;  ///< they are listed, and no default holds
  bool has_tags = false;
  /// Members that say nothing about the rows: "num_samples", "split".
  std::vector<std::string> ignored;
};

inline constexpr std::size_t kMostEntries = 100'000;

/// All registrations, in the order of the file. `name` stands before messages.
/// Errors: kCorrupt for broken JSON, kUsage for a member of a wrong type,
/// kLimit.
Result<std::vector<Registration>> parse_dataset_info(std::string_view json,
                                                     std::string_view name);

/// What it says as `--columns` takes it (ColumnMap::parse):
/// "instruction=q,input=,output=a"; empty when it says nothing that rows do not
/// say themselves. The formatting sharegpt without tags is that of from, value,
/// human, gpt and no other. Errors: kUnsupported for an unknown
/// formatting, and for names with a comma or an equals sign.
Result<std::string> column_spec(const Registration& registration);

}  // namespace trainsight::records

#endif  // TRAINSIGHT_RECORDS_DATASET_INFO_H_
