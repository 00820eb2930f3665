#include "trainsight/plan/lengths.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "trainsight/stats/expected_longest.h"

namespace trainsight::plan {
namespace {

// Batches that a simulation of padding-free sums draws at most.
constexpr std::uint64_t kMostDraws = 20000;
// Share of a pack that best-fit packing fills.
constexpr double kPackFill = 0.98;

double real(std::uint64_t value) { return static_cast<double>(value); }

std::uint64_t rounded_up(std::uint64_t length, std::uint64_t multiple) {
  return static_cast<std::uint64_t>(
      stats::padded_length(real(length), multiple));
}

}  // namespace

std::string_view name_of(Packing packing) {
  switch (packing) {
    case Packing::kPadded:
      return "padded";
    case Packing::kPacked:
      return "packed";
    case Packing::kPaddingFree:
      return "padding-free";
  }
  return "padded";
}

Batches::Batches(const DataSet& data, const Batching& batching)
    : batching_(batching) {
  kept_ = batching.max_seq_len == 0
              ? data.lengths
              : stats::apply_limit(data.lengths, batching.overlong,
                                   batching.max_seq_len);
  for (const stats::LengthMass& mass : kept_) {
    const double count = real(mass.count);
    rows_ += count;
    tokens_ += count * mass.length;
    squares_ += count * mass.length * mass.length;
    longest_ = static_cast<std::uint64_t>(std::ceil(mass.length));
  }
  if (kept_.empty()) longest_ = batching.max_seq_len;
  longest_ = std::max<std::uint64_t>(longest_, 1);
}

Batches::Known& Batches::known(std::uint64_t sequences) {
  for (Known& entry : known_) {
    if (entry.sequences == sequences) return entry;
  }
  known_.push_back({sequences, {}, 0, false});
  return known_.back();
}

double Batches::largest_sum(std::uint64_t sequences) {
  Known& entry = known(sequences);
  if (entry.sum > 0) return entry.sum;
  std::vector<double> up_to;
  double rows = 0;
  for (const stats::LengthMass& mass : kept_) {
    up_to.push_back(rows += real(mass.count));
  }
  std::mt19937_64 random(batching_.seed);
  const std::uint64_t batches = std::min<std::uint64_t>(
      kMostDraws / std::max<std::uint64_t>(sequences, 1) + 1,
      static_cast<std::uint64_t>(rows_ / real(sequences)) + 1);
  // The longest row is drawn at some time, with others as they come.
  double largest = 0;
  for (std::uint64_t b = 0; b < batches; ++b) {
    double sum = b == 0 ? real(longest_) : 0;
    for (std::uint64_t i = b == 0 ? 1 : 0; i < sequences; ++i) {
      const double at = static_cast<double>(random() >> 11) * 0x1.0p-53 * rows;
      const auto found = std::upper_bound(up_to.begin(), up_to.end(), at);
      const auto index = std::min<std::size_t>(
          static_cast<std::size_t>(found - up_to.begin()), kept_.size() - 1);
      sum += kept_[index].length;
    }
    largest = std::max(largest, sum);
  }
  entry.sum = largest;
  return largest;
}

memory::Batch Batches::largest(std::uint64_t sequences) {
  memory::Batch batch;
  batch.sequences = sequences;
  batch.scored_length = batching_.completion_budget;
  switch (batching_.packing) {
    case Packing::kPadded:
      batch.length = rounded_up(longest_, batching_.pad_to_multiple_of);
      break;
    case Packing::kPacked:
      batch.length =
          batching_.max_seq_len != 0 ? batching_.max_seq_len : longest_;
      break;
    case Packing::kPaddingFree:
      batch.length = longest_;
      batch.flat_tokens =
          kept_.empty()
              ? sequences * longest_
              : static_cast<std::uint64_t>(std::ceil(largest_sum(sequences)));
      break;
  }
  batch.length += batching_.completion_budget;
  if (batch.flat_tokens != 0) {
    batch.flat_tokens += sequences * batching_.completion_budget;
  }
  return batch;
}

double Batches::mean_completion() const {
  if (batching_.completions.empty()) return real(batching_.completion_budget);
  double sum = 0, count = 0;
  for (const stats::LengthMass& mass : batching_.completions) {
    sum += real(mass.count) * mass.length;
    count += real(mass.count);
  }
  return sum / count;
}

double Batches::longest_completion(std::uint64_t of) const {
  if (batching_.completions.empty()) return real(batching_.completion_budget);
  return stats::expected_longest(batching_.completions, of);
}

throughput::Rollout Batches::rollout(double sequences,
                                     std::uint64_t together) const {
  throughput::Rollout r;
  r.sequences = sequences;
  r.prompt_tokens = rows_ > 0 ? tokens_ / rows_ : real(longest_);
  r.completion_tokens = mean_completion();
  r.longest_completion = longest_completion(together);
  return r;
}

Batches::Typical Batches::typical(std::uint64_t sequences) {
  Known& entry = known(sequences);
  if (entry.has_typical) return entry.typical;
  Typical t;
  const double b = real(sequences);
  const double answer = mean_completion();
  if (kept_.empty()) {
    const double width = real(longest_) + longest_completion(sequences);
    t.work = {b * width, b * width * width};
    t.useful_tokens = b * (real(longest_) + answer);
  } else {
    const double mean = tokens_ / rows_, square = squares_ / rows_;
    const double rows = rows_ * real(batching_.generations);
    switch (batching_.packing) {
      case Packing::kPadded: {
        const double width =
            stats::expected_longest(kept_, sequences,
                                    batching_.pad_to_multiple_of) +
            longest_completion(sequences);
        t.work = {b * width, b * width * width};
        t.useful_tokens = b * (mean + answer);
        t.micro_batches = std::ceil(rows / b);
        break;
      }
      case Packing::kPacked: {
        const double pack =
            real(batching_.max_seq_len != 0 ? batching_.max_seq_len : longest_);
        t.useful_tokens = b * pack * kPackFill;
        t.work = {b * pack, t.useful_tokens * square / std::max(mean, 1.0)};
        t.micro_batches = std::ceil(tokens_ / t.useful_tokens);
        break;
      }
      case Packing::kPaddingFree:
        // (p + c)^2 with the two independent; c is near its mean.
        t.work = {b * (mean + answer),
                  b * (square + 2 * mean * answer + answer * answer)};
        t.useful_tokens = b * (mean + answer);
        t.micro_batches = std::ceil(rows / b);
        break;
    }
  }
  Known& slot = known(sequences);
  slot.typical = t;
  slot.has_typical = true;
  return t;
}

double Batches::typical_over_largest(std::uint64_t sequences) {
  return typical(sequences).work.tokens / real(largest(sequences).tokens());
}

}  // namespace trainsight::plan
