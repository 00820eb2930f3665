// Exact parameter counts and types from safetensors files, without a look at
// the weights: the header of one file, or the index of a sharded model.
//
// A file is 8 bytes (little-endian length n of the header), n bytes of JSON
// {"tensor": {"dtype": "BF16", "shape": [r, c], "data_offsets": [from, to]},
// …, "__metadata__": {…}}, then the data.
// Source: huggingface/safetensors README, "Format"; its limit of 100,000,000
// bytes for a header is kept. Pure; thread-safe.
#ifndef TRAINSIGHT_MODELS_SAFETENSORS_H_
#define TRAINSIGHT_MODELS_SAFETENSORS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "trainsight/core/result.h"

namespace trainsight::models {

/// The longest header that the format allows.
inline constexpr std::uint64_t kMostHeaderBytes = 100'000'000;

struct TensorTotals {
  std::uint64_t parameters = 0;  ///< elements of all tensors
  std::uint64_t bytes = 0;       ///< of their data
  std::uint64_t tensors = 0;
  /// Elements by dtype, as written: {"BF16": 8030261248}.
  std::map<std::string, std::uint64_t> by_dtype;
  /// Elements of lm_head.weight (or embed_out.weight); 0 when not stored.
  std::uint64_t head = 0;

  void add(const TensorTotals& other);
};

/// Length of the header, from a file's first 8 bytes. Errors: kCorrupt (fewer
/// bytes), kLimit (longer than the format allows).
Result<std::uint64_t> header_bytes(std::string_view first_bytes);

/// The header's JSON. Errors: kCorrupt (no such JSON; a dtype, shape and
/// offsets that contradict each other), kLimit.
Result<TensorTotals> parse_safetensors_header(std::string_view json,
                                              std::string_view name);

/// What model.safetensors.index.json says of a sharded model.
struct WeightIndex {
  std::optional<std::uint64_t> total_bytes;       ///< metadata.total_size
  std::optional<std::uint64_t> total_parameters;  ///< newer writers
  std::set<std::string> files;                    ///< sorted shard names
};

/// Errors: kCorrupt, kLimit.
Result<WeightIndex> parse_weight_index(std::string_view json,
                                       std::string_view name);

}  // namespace trainsight::models

#endif  // TRAINSIGHT_MODELS_SAFETENSORS_H_
