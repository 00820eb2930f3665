// A model's shape from its config.json, as Hugging Face transformers writes it.
//
// A family (model_type) says what its configuration leaves out: biases, norms,
// a tied head, names of the members. A family that is not known is taken for a
// Llama and said so in `notes`, since most new ones are; the parameter count
// is then a guess until weights stand beside it.
//
// Source: configuration_*.py and modeling_*.py of huggingface/transformers and
// of the models' own repositories. Pure; thread-safe.
#ifndef TRAINSIGHT_MODELS_CONFIG_JSON_H_
#define TRAINSIGHT_MODELS_CONFIG_JSON_H_

#include <string>
#include <string_view>
#include <vector>

#include "trainsight/core/result.h"
#include "trainsight/models/model_shape.h"

namespace trainsight::models {

/// Longer files are refused before they are parsed.
inline constexpr std::uint64_t kMostConfigBytes = 4u << 20;

struct ModelConfig {
  ModelShape shape;          ///< check() holds
  std::string model_type;    ///< as written
  std::string torch_dtype;   ///< "bfloat16"; empty when not stated
  std::string quantization;  ///< quantization_config.quant_method, or empty
  bool known_family = true;
  std::vector<std::string> notes;  ///< what was assumed, a sentence each
};

/// `name` names the file in messages and, without folders, the model.
/// Errors: kCorrupt (no JSON object, a size missing or absurd), kLimit,
/// kUnsupported for what is no decoder-only transformer.
Result<ModelConfig> parse_config_json(std::string_view json,
                                      std::string_view name);

}  // namespace trainsight::models

#endif  // TRAINSIGHT_MODELS_CONFIG_JSON_H_
