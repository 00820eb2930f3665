// From --model to a shape: a built-in name, a config.json, a folder, or a model
// in the local Hugging Face cache. Nothing is downloaded.
#ifndef TRAINSIGHT_CLI_OPEN_MODEL_H_
#define TRAINSIGHT_CLI_OPEN_MODEL_H_

#include <string>
#include <vector>

#include "environment.h"
#include "trainsight/core/result.h"
#include "trainsight/models/model_shape.h"

namespace trainsight::cli {

struct OpenedModel {
  models::ModelShape shape;
  std::string folder;  ///< with its files; empty for a built-in one
  std::vector<std::string> notes;
};

/// A path that exists comes first, then a built-in name, then the cache. Where
/// safetensors stand beside the configuration, their headers have the last
/// word on the number of parameters.
/// Errors: kNotFound with the nearest known name, those of the files.
Result<OpenedModel> open_model(const std::string& name,
                               const Environment& environment);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_OPEN_MODEL_H_
