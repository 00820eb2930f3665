#include <fmt/format.h>

#include <algorithm>

#include "layout.h"
#include "trainsight/batching/compare.h"
#include "trainsight/report/text_report.h"

namespace trainsight::report {
namespace {

using batching::Choice;

// Changes that gain less than this are noise beside what is not modelled.
constexpr double kLeastGainRatio = 0.03;
constexpr std::uint64_t kMostLength = batching::kMaxSequenceLength;

// Advice compares simulated epochs: of a large set a thinned one, of the same
// shape, tells the same (within 0.1 points of waste) in a few milliseconds.
constexpr std::uint64_t kMostRows = 50'000;
constexpr std::uint64_t kSimulatedRows = 5 * kMostRows;

batching::LengthCounts counts_of(const stats::LengthSketch& sketch) {
  batching::LengthCounts counts;
  const std::uint64_t thinning = sketch.count() / kMostRows + 1;
  std::uint64_t left = 0;  // of the rows seen, those not yet stood for
  for (stats::LengthBin bin : sketch.bins()) {
    left += bin.count;
    bin.count = left / thinning;
    left %= thinning;
    if (bin.count == 0) continue;
    const auto length = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(bin.last, kMostLength));
    if (!counts.empty() && counts.back().length == length) {
      counts.back().count += bin.count;
    } else {
      counts.push_back({length, bin.count});
    }
  }
  return counts;
}

// Without a limit: the least usual length that takes the longest row.
std::uint32_t usual_pack_length(std::uint64_t longest) {
  std::uint32_t length = 2048;
  while (length < longest && length < kMostLength) length *= 2;
  return length;
}

batching::CompareOptions options_of(const manifest::Manifest& m) {
  batching::CompareOptions options;
  const manifest::Training& t = m.training;
  const auto at_most = [](const std::optional<std::uint64_t>& value,
                          std::uint64_t fallback, std::uint64_t most) {
    return static_cast<std::uint32_t>(std::min(value.value_or(fallback), most));
  };
  options.plan.micro_batch = at_most(t.micro_batch, 8, 1u << 20);
  options.plan.pad_to_multiple_of = at_most(t.pad_to_multiple_of, 1, 1u << 16);
  options.plan.max_seq_len = at_most(t.max_seq_len, 0, kMostLength);
  if (t.overlong == "drop") options.plan.overlong = batching::Overlong::kDrop;
  if (t.overlong == "split") options.plan.overlong = batching::Overlong::kSplit;
  options.plan.simulated_rows = kSimulatedRows;
  options.pack_length = options.plan.max_seq_len > 0
                            ? options.plan.max_seq_len
                            : usual_pack_length(m.profile->tokens.sketch.max());
  const records::SampleType type = m.profile->type;
  options.can_pack =
      type != records::SampleType::kDpo && type != records::SampleType::kGrpo;
  options.may_cut_rows = type == records::SampleType::kPretrain;
  return options;
}

// Says what a choice gains over today's batches.
class Gains {
 public:
  Gains(const manifest::Manifest& m, const Choice& now) : now_(now) {
    const manifest::Profile& profile = *m.profile;
    is_rl_ = profile.type == records::SampleType::kGrpo;
    if (profile.type == records::SampleType::kDpo) {
      // The comparison sees a pair as its longer side; both sides have slots:
      // waste = 1 − (chosen + rejected) / (2 · slots of the longer sides).
      const auto sides =
          static_cast<double>(profile.chosen_side.sketch.sum()) +
          static_cast<double>(profile.rejected_side.sketch.sum());
      fill_ = sides / (2 * static_cast<double>(profile.tokens.sketch.sum()));
    }
    // As the section on padding has it: one number a screen, though a
    // comparison simulates its own.
    waste_now_ = waste_of(now);
    if (m.prediction.has_value() && m.prediction->padding.has_value() &&
        now.sampler == batching::Sampler::kRandom) {
      waste_now_ = m.prediction->padding->waste_ratio;
    }
  }

  [[nodiscard]] std::string of(const Choice& then) const {
    std::string padding =
        fmt::format("padding {}{} → {}", is_rl_ ? "of the prompts " : "",
                    percent(waste_now_), percent(waste_of(then)));
    if (is_rl_) return padding;  // generation takes the time
    return fmt::format("{}, {:.0f} % of the time per token", padding,
                       100.0 * then.relative_time / now_.relative_time);
  }

 private:
  [[nodiscard]] double waste_of(const Choice& choice) const {
    return 1 - (1 - choice.waste_ratio) * fill_;
  }

  const Choice& now_;
  bool is_rl_ = false;
  double fill_ = 1;
  double waste_now_ = 0;
};

// The fastest choice of a kind that loses no tokens that are kept now.
const Choice* best_of(const batching::Comparison& comparison, bool packed) {
  const Choice& now = comparison.choices[comparison.current];
  const Choice* best = nullptr;
  for (const Choice& choice : comparison.choices) {
    if (choice.packing.has_value() != packed ||
        choice.tokens_lost > now.tokens_lost || choice.rows_cut > 0 ||
        choice.sampler == batching::Sampler::kSorted ||
        choice.sampler == batching::Sampler::kByTokens) {
      continue;
    }
    if (best == nullptr || choice.relative_time < best->relative_time) {
      best = &choice;
    }
  }
  if (best == nullptr ||
      best->relative_time > now.relative_time * (1 - kLeastGainRatio)) {
    return nullptr;
  }
  return best;
}

}  // namespace

std::vector<Advice> advise(const manifest::Manifest& manifest) {
  std::vector<Advice> advice;
  const stats::LengthSketch& tokens = manifest.profile->tokens.sketch;
  if (tokens.count() < 2 || tokens.max() == 0) return advice;
  const auto comparison =
      batching::compare(counts_of(tokens), options_of(manifest));
  if (!comparison) return advice;
  const Choice& now = comparison->choices[comparison->current];
  const Gains gains(manifest, now);
  const std::uint64_t steps_now = std::max<std::uint64_t>(now.steps, 1);
  if (const Choice* packed = best_of(*comparison, true)) {
    advice.push_back({fmt::format("pack ({}) to {} tokens", packed->name,
                                  grouped(packed->packing->pack_length)),
                      fmt::format("{}; {:.0f} % of the steps at that batch",
                                  gains.of(*packed),
                                  100.0 * static_cast<double>(packed->steps) /
                                      static_cast<double>(steps_now))});
  }
  if (const Choice* sorted = best_of(*comparison, false)) {
    advice.push_back(
        {fmt::format("batch by length ({})", sorted->name),
         gains.of(*sorted) + "; batches are then alike, and losses saw-tooth"});
  }
  if (!advice.empty()) {
    advice.push_back({"the whole table",
                      "trainsight pack --dry-run, with the same options"});
  }
  return advice;
}

}  // namespace trainsight::report
