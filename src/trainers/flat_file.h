// A trainer's file as a flat list of keys and values, whatever it was written
// in: YAML, JSON (which is YAML), or command-line arguments.
#ifndef TRAINSIGHT_TRAINERS_FLAT_FILE_H_
#define TRAINSIGHT_TRAINERS_FLAT_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"

namespace trainsight::trainers {

/// One scalar, or a list of scalars joined by commas.
struct FlatValue {
  std::string key;    ///< "fsdp_config.offload_params", "datasets[0].path"
  std::string value;  ///< "" for null
};

/// Keys in the order of the file. Errors: those of parse_trainer_config().
Result<std::vector<FlatValue>> flatten_yaml(std::string_view text,
                                            std::string_view name);

/// Words like "--num-layers 32 --bf16": the key without its dashes; a flag
/// without a value is "true". "\" at a line's end and "#" comments are passed
/// over. Values with "$" are left out: nobody here knows the variable.
std::vector<FlatValue> flatten_arguments(std::string_view text);

}  // namespace trainsight::trainers

#endif  // TRAINSIGHT_TRAINERS_FLAT_FILE_H_
