// A model's shape as named numbers, to be kept in a document, and back.
//
// The names are those of ModelShape's members; of its parts "latent_kv_rank",
// "experts_count". What has its default is left out. Pure; thread-safe.
#ifndef TRAINSIGHT_MODELS_SHAPE_SIZES_H_
#define TRAINSIGHT_MODELS_SHAPE_SIZES_H_

#include <cstdint>
#include <map>
#include <string>

#include "trainsight/core/result.h"
#include "trainsight/models/model_shape.h"

namespace trainsight::models {

using ShapeSizes = std::map<std::string, std::uint64_t>;

/// All but the name.
ShapeSizes sizes_of(const ModelShape& shape);

/// The shape of these sizes. Errors: kUsage for a name that is none and for a
/// value that its member cannot have; those of check().
Result<ModelShape> shape_from(const ShapeSizes& sizes, std::string name);

}  // namespace trainsight::models

#endif  // TRAINSIGHT_MODELS_SHAPE_SIZES_H_
