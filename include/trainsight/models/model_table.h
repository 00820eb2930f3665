// The built-in models: shapes and published parameter totals by name.
//
// Names are those that people type ("llama-3.1-8b") or the Hub's
// ("meta-llama/Llama-3.1-8B"); case does not count. The facts' sources are
// named in the table (src/models/model_table.cc). Thread-safety: constant.
#ifndef TRAINSIGHT_MODELS_MODEL_TABLE_H_
#define TRAINSIGHT_MODELS_MODEL_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "trainsight/models/model_shape.h"

namespace trainsight::models {

/// How well the total is known.
enum class TotalEvidence : std::uint8_t {
  kExact,    ///< the count equals a stated exact figure
  kRounded,  ///< a rounded figure, within 0.5 %
  kNamed,    ///< only the size in the model's name
};

struct BuiltinModel {
  ModelShape shape;  ///< shape.name is the short name
  std::string hub_name;
  std::uint64_t published_parameters = 0;  ///< the count, where not kExact
  TotalEvidence evidence = TotalEvidence::kExact;
};

std::size_t builtin_model_count();
/// REQUIRES: index < builtin_model_count().
BuiltinModel builtin_model(std::size_t index);

/// By short name, Hub name, or the part of the Hub name after the slash. What
/// says nothing of the shape does not count: the owner, "-instruct", "-chat",
/// "-base", "-hf", "-bnb-4bit" and the like, a release's date ("-2507"), and
/// "Meta-" before Llama.
std::optional<BuiltinModel> find_builtin_model(std::string_view name);

/// The built-in short name that is nearest to `name`, for a hint; empty when
/// none is near.
std::string nearest_builtin_model(std::string_view name);

}  // namespace trainsight::models

#endif  // TRAINSIGHT_MODELS_MODEL_TABLE_H_
