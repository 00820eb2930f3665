// Public measured runs as settings of the memory model: reads any CSV with the
// columns of memory_cases.csv.
//
// A row says its framework by its source's address, and in `notes`, in words,
// what its columns have no room for ("torch.compile", "fused torch AdamW",
// "objective=DPO"). This turns both into Settings; it knows code, not results:
// no measured value is looked at.
#ifndef TRAINSIGHT_TESTS_BENCH_MEMORY_CASES_H_
#define TRAINSIGHT_TESTS_BENCH_MEMORY_CASES_H_

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/memory/peak.h"
#include "trainsight/memory/settings.h"
#include "trainsight/models/model_shape.h"

namespace trainsight::bench {

/// What a measured figure counts.
enum class Metric : std::uint8_t { kAllocated, kReserved, kDevice };

struct MemoryCase {
  std::size_t row = 0;  ///< from 0, header not counted
  /// Why it cannot be predicted, and only row, model and source say something;
  /// empty: it can.
  std::string problem;
  std::string model, method, source, notes;
  std::string project;  ///< the source's project: "pytorch/torchtune"
  models::ModelShape shape;
  models::ParameterCounts counts;
  memory::Settings settings;
  memory::Batch batch;
  Metric metric = Metric::kDevice;
  bool metric_stated = false;
  bool fully_described = false;  ///< micro-batch, length, checkpointing known
  bool last_stage = false;       ///< measured on the last pipeline rank
  std::optional<double> measured_gib;
  bool out_of_memory = false;
  double usable_gib = 0;  ///< of its GPU; 0 when not known
};

/// A case for every row that is not blank. Columns may stand in any order, be
/// missing (their defaults are those of a plain run) or be others; names of
/// columns in any case. Errors: kCorrupt for a first line that names no such
/// columns at all.
Result<std::vector<MemoryCase>> read_memory_cases(std::string_view csv);

/// Predicted bytes of what the case measures.
double predicted_bytes(const MemoryCase& one,
                       const memory::Coefficients& coefficients,
                       memory::Peak* peak = nullptr);

}  // namespace trainsight::bench

#endif  // TRAINSIGHT_TESTS_BENCH_MEMORY_CASES_H_
