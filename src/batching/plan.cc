#include "trainsight/batching/plan.h"

#include <fmt/format.h>

#include <array>
#include <string>

namespace trainsight::batching {
namespace {

struct SamplerName {
  Sampler sampler;
  std::string_view name;
};

constexpr std::array<SamplerName, 6> kSamplerNames = {{
    {Sampler::kFileOrder, "file_order"},
    {Sampler::kRandom, "random"},
    {Sampler::kLengthGrouped, "length_grouped"},
    {Sampler::kSorted, "sorted"},
    {Sampler::kBucketed, "bucketed"},
    {Sampler::kByTokens, "by_tokens"},
}};

Error usage(std::string message) {
  return Error{ErrorKind::kUsage, std::move(message), ""};
}

}  // namespace

std::string_view name_of(Sampler sampler) {
  for (const SamplerName& row : kSamplerNames) {
    if (row.sampler == sampler) return row.name;
  }
  return "";
}

std::optional<Sampler> sampler_named(std::string_view name) {
  for (const SamplerName& row : kSamplerNames) {
    if (row.name == name) return row.sampler;
  }
  return std::nullopt;
}

Status check(const BatchPlan& plan) {
  if (plan.micro_batch == 0) return usage("micro-batch must be at least 1");
  if (plan.world_size == 0) return usage("world size must be at least 1");
  if (plan.accumulation == 0) return usage("accumulation must be at least 1");
  // Each factor is checked before it is multiplied in, so nothing overflows.
  if (plan.micro_batch > kMaxGlobalBatch ||
      plan.world_size > kMaxGlobalBatch / plan.micro_batch ||
      plan.accumulation >
          kMaxGlobalBatch / plan.micro_batch / plan.world_size) {
    return usage(
        fmt::format("global batch is larger than {}", kMaxGlobalBatch));
  }
  if (plan.max_seq_len > kMaxSequenceLength) {
    return usage(
        fmt::format("max_seq_len is larger than {}", kMaxSequenceLength));
  }
  if (plan.pad_to_multiple_of == 0 ||
      plan.pad_to_multiple_of > kMaxSequenceLength) {
    return usage(
        fmt::format("pad_to_multiple_of must be 1 to {}", kMaxSequenceLength));
  }
  if (plan.pad_to_max_length && plan.max_seq_len == 0) {
    return usage("padding to the maximum needs max_seq_len");
  }
  if (plan.sampler == Sampler::kBucketed && plan.bucket_width == 0) {
    return usage("bucket width must be at least 1");
  }
  return {};
}

std::uint64_t global_batch(const BatchPlan& plan) {
  return std::uint64_t{plan.micro_batch} * plan.world_size * plan.accumulation;
}

std::uint32_t padded_length(std::uint32_t length, const BatchPlan& plan) {
  const std::uint64_t wanted =
      plan.pad_to_max_length ? plan.max_seq_len : length;
  const std::uint64_t multiple = plan.pad_to_multiple_of;
  const std::uint64_t padded = (wanted + multiple - 1) / multiple * multiple;
  // Only a row of nearly 2^32 tokens could pass the end; it keeps its length.
  return padded > 0xFFFFFFFFU ? length : static_cast<std::uint32_t>(padded);
}

std::uint64_t steps_of(std::uint64_t batches, const BatchPlan& plan) {
  const std::uint64_t per_step =
      std::uint64_t{plan.world_size} * plan.accumulation;
  return plan.drop_last ? batches / per_step
                        : (batches + per_step - 1) / per_step;
}

}  // namespace trainsight::batching
