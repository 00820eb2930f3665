#include "trainsight/batching/order.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace trainsight::batching {
namespace {

using Ids = std::vector<std::uint32_t>;

// Rows of a mega-batch. Source: transformers 5.24.0, `trainer.py` passes
// train_batch_size × gradient_accumulation_steps as the sampler's batch size;
// `trainer_pt_utils.py` has the default multiple.
std::size_t mega_batch_rows(std::size_t rows, const BatchPlan& plan) {
  const std::size_t group = std::size_t{plan.micro_batch} * plan.accumulation;
  std::size_t multiple = plan.mega_batch_mult;
  if (multiple == 0) {
    multiple =
        std::max<std::size_t>(std::min<std::size_t>(rows / (group * 4), 50), 1);
  }
  return group * multiple;
}

// Sorts each mega-batch of shuffled ids longest first (ties stay in shuffled
// order) and swaps the longest row of all into the very first place.
void group_by_length(std::span<const std::uint32_t> lengths,
                     std::size_t mega_rows, Ids& order) {
  // Length (inverted, so that the longest comes first) and place in one number:
  // plain integers sort several times faster than ids that look lengths up.
  std::vector<std::uint64_t> keys;
  Ids sorted;
  std::size_t longest_at = 0;
  for (std::size_t begin = 0; begin < order.size(); begin += mega_rows) {
    const std::size_t end = std::min(begin + mega_rows, order.size());
    keys.clear();
    for (std::size_t i = begin; i < end; ++i) {
      keys.push_back(std::uint64_t{~lengths[order[i]]} << 32 | (i - begin));
    }
    std::sort(keys.begin(), keys.end());
    sorted.clear();
    for (const std::uint64_t key : keys) {
      sorted.push_back(order[begin + (key & 0xFFFFFFFF)]);
    }
    std::copy(sorted.begin(), sorted.end(),
              order.begin() + static_cast<std::ptrdiff_t>(begin));
    if (lengths[order[begin]] > lengths[order[longest_at]]) longest_at = begin;
  }
  if (!order.empty()) std::swap(order[0], order[longest_at]);
}

// Stably brings rows of one bucket together, then shuffles the batches.
void bucket_batches(std::span<const std::uint32_t> lengths,
                    const BatchPlan& plan, std::uint64_t seed, Ids& order,
                    std::vector<std::size_t>& offsets) {
  const auto bucket_of = [&](std::uint32_t id) {
    return lengths[id] == 0 ? 0 : (lengths[id] - 1) / plan.bucket_width;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) {
                     return bucket_of(a) < bucket_of(b);
                   });
  std::vector<std::size_t> begins;
  std::vector<std::uint32_t> sizes;
  for (std::size_t i = 0; i < order.size();) {
    const std::uint32_t bucket = bucket_of(order[i]);
    std::size_t end = i;
    while (end < order.size() && end - i < plan.micro_batch &&
           bucket_of(order[end]) == bucket) {
      ++end;
    }
    if (end - i == plan.micro_batch || !plan.drop_last) {
      begins.push_back(i);
      sizes.push_back(static_cast<std::uint32_t>(end - i));
    }
    i = end;
  }
  Ids batches(begins.size());
  std::iota(batches.begin(), batches.end(), 0U);
  shuffle(batches, epoch_seed(seed, 1));
  Ids result;
  result.reserve(order.size());
  offsets.reserve(batches.size() + 1);
  offsets.push_back(0);
  for (const std::uint32_t b : batches) {
    const auto first = order.begin() + static_cast<std::ptrdiff_t>(begins[b]);
    result.insert(result.end(), first, first + sizes[b]);
    offsets.push_back(result.size());
  }
  order = std::move(result);
}

// Cuts the order into batches whose padded size stays within the budget; a
// row larger than the budget is a batch of its own.
void token_batches(std::span<const std::uint32_t> lengths,
                   const BatchPlan& plan, const Ids& order,
                   std::vector<std::size_t>& offsets) {
  std::uint64_t budget = plan.max_tokens_per_batch;
  if (budget == 0) {
    std::uint32_t longest = plan.max_seq_len;
    if (longest == 0 && !lengths.empty()) {
      longest = *std::max_element(lengths.begin(), lengths.end());
    }
    budget = std::uint64_t{plan.micro_batch} * padded_length(longest, plan);
  }
  offsets.push_back(0);
  std::uint64_t longest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint64_t rows = i - offsets.back();
    const std::uint64_t with_row = std::max<std::uint64_t>(
        longest, padded_length(lengths[order[i]], plan));
    if (rows > 0 && with_row > budget / (rows + 1)) {
      offsets.push_back(i);
      longest = padded_length(lengths[order[i]], plan);
    } else {
      longest = with_row;
    }
  }
  if (!order.empty()) offsets.push_back(order.size());
}

}  // namespace

void shuffle(std::span<std::uint32_t> values, std::uint64_t seed) {
  SplitMix64 random(seed);
  stats::shuffle(values, random);
}

std::uint64_t epoch_seed(std::uint64_t seed, std::uint64_t epoch) {
  if (epoch == 0) return seed;
  SplitMix64 random(seed ^ (epoch * 0xD1B54A32D192ED03U));
  return random.next();
}

Result<BatchSchedule> BatchSchedule::make(
    std::span<const std::uint32_t> lengths, const BatchPlan& plan,
    std::uint64_t epoch) {
  if (Status status = check(plan); !status) return status.error();
  if (lengths.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return Error{ErrorKind::kLimit, "more than 4,294,967,294 rows",
                 "split the data set into shards"};
  }
  BatchSchedule schedule;
  schedule.batch_size_ = plan.micro_batch;
  schedule.batches_per_step_ = std::size_t{plan.world_size} * plan.accumulation;
  Ids& order = schedule.order_;
  order.resize(lengths.size());
  std::iota(order.begin(), order.end(), 0U);
  const std::uint64_t seed = epoch_seed(plan.seed, epoch);
  switch (plan.sampler) {
    case Sampler::kFileOrder:
      break;
    case Sampler::kRandom:
      shuffle(order, seed);
      break;
    case Sampler::kSorted:
      std::stable_sort(order.begin(), order.end(),
                       [lengths](std::uint32_t a, std::uint32_t b) {
                         return lengths[a] < lengths[b];
                       });
      break;
    case Sampler::kLengthGrouped:
    case Sampler::kByTokens:
      shuffle(order, seed);
      group_by_length(lengths, mega_batch_rows(order.size(), plan), order);
      break;
    case Sampler::kBucketed:
      shuffle(order, seed);
      break;
  }
  if (plan.sampler == Sampler::kBucketed) {
    bucket_batches(lengths, plan, seed, order, schedule.offsets_);
  } else if (plan.sampler == Sampler::kByTokens) {
    token_batches(lengths, plan, order, schedule.offsets_);
  }

  const bool fixed_size = schedule.offsets_.empty();
  std::size_t batches =
      !fixed_size ? schedule.offsets_.size() - 1
      : plan.drop_last
          ? order.size() / plan.micro_batch
          : (order.size() + plan.micro_batch - 1) / plan.micro_batch;
  if (plan.drop_last) {
    batches -= batches % plan.world_size;
    if (fixed_size) {
      order.resize(batches * plan.micro_batch);
    } else {
      schedule.offsets_.resize(batches + 1);
      order.resize(schedule.offsets_.back());
    }
  }
  schedule.batch_count_ = batches;
  return schedule;
}

std::span<const std::uint32_t> BatchSchedule::batch(std::size_t b) const {
  const std::span<const std::uint32_t> all = order_;
  if (!offsets_.empty()) {
    return all.subspan(offsets_[b], offsets_[b + 1] - offsets_[b]);
  }
  const std::size_t begin = b * batch_size_;
  return all.subspan(begin, std::min(batch_size_, all.size() - begin));
}

std::span<const std::uint32_t> BatchSchedule::step(std::size_t step) const {
  const std::span<const std::uint32_t> all = order_;
  if (step >= (batch_count_ + batches_per_step_ - 1) / batches_per_step_) {
    return {};
  }
  const std::size_t first = step * batches_per_step_;
  const std::size_t last =
      std::min(first + batches_per_step_, batch_count_) - 1;
  const std::span<const std::uint32_t> head = batch(first);
  const std::span<const std::uint32_t> tail = batch(last);
  const auto begin = static_cast<std::size_t>(head.data() - all.data());
  const auto end =
      static_cast<std::size_t>(tail.data() - all.data()) + tail.size();
  return all.subspan(begin, end - begin);
}

}  // namespace trainsight::batching
