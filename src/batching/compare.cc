#include "trainsight/batching/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainsight::batching {
namespace {

// A way that is more trouble than another must save at least this share of
// time to be recommended in its place.
constexpr double kWorthwhile = 0.02;

// Unscaled time of an epoch: see the formula in compare.h.
struct Timed {
  Choice choice;
  double work = 0;
};

Timed padded_choice(Sampler sampler, const PaddingFigures& figures,
                    const CompareOptions& options) {
  Timed timed;
  Choice& choice = timed.choice;
  choice.name = name_of(sampler);
  choice.sampler = sampler;
  choice.waste_ratio = figures.waste_ratio;
  choice.tokens_lost = figures.kept.tokens_lost;
  choice.tokens = figures.tokens;
  choice.rows_cut = figures.kept.rows_split;
  choice.sequences = figures.rows;
  choice.steps = figures.steps;
  choice.tokens_per_step = figures.tokens_per_step;
  choice.rank_imbalance_ratio = figures.rank_imbalance_ratio;
  timed.work =
      (figures.slots + options.attention_ratio * figures.squared_slots) /
      (1 - figures.rank_imbalance_ratio);
  return timed;
}

// Packs are taken as padded to their full length, as most trainers do.
Timed packed_choice(std::string name, const PackOptions& packing,
                    const PackingFigures& figures,
                    const CompareOptions& options) {
  const BatchPlan& plan = options.plan;
  Timed timed;
  Choice& choice = timed.choice;
  choice.name = std::move(name);
  choice.packing = packing;
  choice.tokens_lost = figures.tokens_lost;
  choice.rows_cut = figures.rows_split;
  choice.segments_without_label = figures.segments_without_label;
  choice.segments_per_sequence = figures.segments_per_pack;
  const std::uint64_t batch = plan.micro_batch;
  std::uint64_t packs = figures.packs;
  if (plan.drop_last) packs -= packs % (batch * plan.world_size);
  const double share =
      figures.packs == 0
          ? 0
          : static_cast<double>(packs) / static_cast<double>(figures.packs);
  choice.sequences = static_cast<double>(packs);
  choice.tokens = static_cast<double>(figures.tokens) * share;
  const double length = packing.pack_length;
  const double slots = choice.sequences * length;
  if (figures.packs > 0) choice.waste_ratio = 1 - figures.efficiency_ratio;
  choice.steps = steps_of((packs + batch - 1) / batch, plan);
  if (choice.steps > 0) {
    choice.tokens_per_step = choice.tokens / static_cast<double>(choice.steps);
  }
  const double squares = options.document_masks
                             ? figures.squares_masked * share
                             : choice.sequences * length * length;
  timed.work = slots + options.attention_ratio * squares;
  return timed;
}

PackOptions packing_with(const CompareOptions& options,
                         std::uint32_t pack_length, Strategy strategy) {
  PackOptions packing;
  packing.pack_length = pack_length;
  packing.strategy = strategy;
  packing.overlong = options.plan.overlong;
  packing.seed = options.plan.seed;
  return packing;
}

struct NamedPacking {
  std::string name;
  PackOptions packing;
};

std::vector<NamedPacking> packings(const CompareOptions& options,
                                   std::uint32_t pack_length, bool in_order) {
  std::vector<NamedPacking> all;
  if (!options.can_pack || pack_length == 0) return all;
  const auto add = [&](Strategy strategy) {
    all.push_back({std::string(name_of(strategy)),
                   packing_with(options, pack_length, strategy)});
  };
  add(Strategy::kBestFitDecreasing);
  all.push_back(all.back());
  all.back().name = "bfd_split";
  all.back().packing.overlong = Overlong::kSplit;
  add(Strategy::kFirstFitDecreasing);
  add(Strategy::kModifiedFirstFitDecreasing);
  if (!in_order) return all;
  all.push_back(all.front());
  all.back().name = "bfd_1000";
  all.back().packing.window_rows = 1000;
  add(Strategy::kFirstFitShuffle);
  add(Strategy::kFirstFit);
  add(Strategy::kNextFit);
  add(Strategy::kWrapped);
  return all;
}

// How much a way of batching asks of the user; lower first among equals.
// Empty: never recommended on its own.
std::optional<int> trouble(const Choice& choice, std::size_t index,
                           std::size_t current, const CompareOptions& options) {
  if (index == current) return 0;
  if (choice.sampler) {
    // Sorted epochs are a curriculum and file order is whatever it is;
    // batches by tokens change the meaning of the batch size.
    if (*choice.sampler == Sampler::kRandom) return 1;
    if (*choice.sampler == Sampler::kLengthGrouped) return 2;
    return std::nullopt;
  }
  if (choice.rows_cut > 0 && !options.may_cut_rows) return std::nullopt;
  if (choice.name == "bfd") return 3;
  if (choice.name == "bfd_split" || choice.name == "wrapped") return 4;
  return std::nullopt;
}

std::string price_of(const Choice& choice, const Choice& current,
                     const CompareOptions& options) {
  if (choice.sampler == Sampler::kLengthGrouped) {
    return "rows of similar length share a batch, so losses go up and down "
           "with it";
  }
  if (choice.sampler == Sampler::kRandom) return "none";
  std::string price = fmt::format(
      "{} optimiser {} instead of {} at the same batch (a global batch of {} "
      "{} comes nearest to the same tokens a step)",
      choice.steps, choice.steps == 1 ? "step" : "steps", current.steps,
      choice.equal_global_batch,
      choice.equal_global_batch == 1 ? "pack" : "packs");
  if (choice.rows_cut > 0) {
    price += fmt::format(", and {} rows are cut", choice.rows_cut);
  }
  if (!options.document_masks) {
    price += ", and rows of a pack attend to each other";
  }
  return price;
}

std::string sentence_of(const Comparison& comparison,
                        const CompareOptions& options) {
  const Choice& now = comparison.choices[comparison.current];
  const Choice& best = comparison.choices[comparison.recommended];
  if (now.tokens <= 0) {
    return fmt::format("{} batches have no token to train on", now.name);
  }
  if (comparison.recommended == comparison.current) {
    return fmt::format(
        "keep {} batches: {:.1f} % of slots are padding, and nothing else "
        "would save {:.0f} % of the time",
        now.name, now.waste_ratio * 100, kWorthwhile * 100);
  }
  const std::string what =
      best.packing ? fmt::format("pack with {} into sequences of {} tokens",
                                 best.name, best.packing->pack_length)
                   : fmt::format("use {} batches", best.name);
  std::string lost;
  if (best.tokens_lost != now.tokens_lost) {
    lost = fmt::format(", {} tokens lost instead of {}", best.tokens_lost,
                       now.tokens_lost);
  }
  return fmt::format(
      "{}: {:.1f} % of slots empty instead of {:.1f} %, about {:.0f} % of the "
      "time per trained token{}; price: {}",
      what, best.waste_ratio * 100, now.waste_ratio * 100,
      best.relative_time * 100, lost, price_of(best, now, options));
}

// Relates every choice to the current one, and recommends.
Comparison related(std::vector<Timed> timed, std::size_t current,
                   const CompareOptions& options) {
  Comparison comparison;
  comparison.current = current;
  comparison.recommended = current;
  const Timed& base = timed[current];
  const auto per = [](double a, double b) { return b > 0 ? a / b : 0; };
  const double base_time = per(base.work, base.choice.tokens);
  const double base_step =
      per(base.work, static_cast<double>(base.choice.steps));
  const double base_tokens = base.choice.tokens_per_step;
  for (Timed& entry : timed) {
    Choice& choice = entry.choice;
    choice.relative_time = per(per(entry.work, choice.tokens), base_time);
    choice.relative_step_time =
        per(per(entry.work, static_cast<double>(choice.steps)), base_step);
    const double sequence_tokens = per(choice.tokens, choice.sequences);
    const std::uint64_t ranks = options.plan.world_size;
    const double rank_tokens = sequence_tokens * static_cast<double>(ranks);
    choice.equal_global_batch =
        ranks * std::max<std::uint64_t>(
                    1, static_cast<std::uint64_t>(
                           std::llround(per(base_tokens, rank_tokens))));
    comparison.choices.push_back(choice);
  }
  if (base_time > 0) {
    const auto& choices = comparison.choices;
    std::uint64_t least_lost = choices[current].tokens_lost;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (trouble(choices[i], i, current, options)) {
        least_lost = std::min(least_lost, choices[i].tokens_lost);
      }
    }
    // Less lost counts before less time; the more troublesome way must be
    // faster by a worthwhile margin.
    std::optional<std::size_t> best;
    for (int level = 0; level <= 4; ++level) {
      for (std::size_t i = 0; i < choices.size(); ++i) {
        if (trouble(choices[i], i, current, options) != level) continue;
        if (choices[i].tokens_lost > least_lost || choices[i].steps == 0) {
          continue;
        }
        if (!best || choices[i].relative_time <
                         choices[*best].relative_time - kWorthwhile) {
          best = i;
        }
      }
    }
    if (best) comparison.recommended = *best;
  }
  comparison.sentence = sentence_of(comparison, options);
  return comparison;
}

// Padding of one sampler and packing of one strategy, from rows or counts.
template <typename Pad, typename Pack>
Result<Comparison> compared(const CompareOptions& options,
                            std::uint32_t longest, bool in_order, Pad pad,
                            Pack pack_with) {
  std::vector<Timed> timed;
  std::size_t current = 0;
  for (const Sampler sampler :
       {Sampler::kFileOrder, Sampler::kRandom, Sampler::kLengthGrouped,
        Sampler::kBucketed, Sampler::kByTokens, Sampler::kSorted}) {
    const bool needs_order = sampler == Sampler::kFileOrder;
    if (needs_order && !in_order && options.plan.sampler != sampler) continue;
    BatchPlan plan = options.plan;
    plan.sampler = sampler;
    const Result<PaddingFigures> figures = pad(plan);
    if (!figures) return figures.error();
    if (sampler == options.plan.sampler) current = timed.size();
    timed.push_back(padded_choice(sampler, *figures, options));
  }
  std::uint32_t length = options.pack_length;
  if (length == 0) length = options.plan.max_seq_len;
  if (length == 0) length = std::min(longest, kMaxSequenceLength);
  for (const NamedPacking& way : packings(options, length, in_order)) {
    const Result<PackingFigures> figures = pack_with(way.packing);
    if (!figures) return figures.error();
    timed.push_back(packed_choice(way.name, way.packing, *figures, options));
  }
  return related(std::move(timed), current, options);
}

Status check(const CompareOptions& options) {
  // Written so that NaN fails as well.
  if (!(options.attention_ratio >= 0 && options.attention_ratio <= 1)) {
    return Error{ErrorKind::kUsage, "attention ratio must be 0 to 1", ""};
  }
  return check(options.plan);
}

}  // namespace

double attention_ratio(std::uint64_t layers, std::uint64_t query_width,
                       std::uint64_t matmul_parameters) {
  return static_cast<double>(layers) * static_cast<double>(query_width) /
         static_cast<double>(matmul_parameters);
}

Result<Comparison> compare(std::span<const std::uint32_t> lengths,
                           const CompareOptions& options,
                           std::span<const std::uint32_t> first_labels) {
  if (Status status = check(options); !status) return status.error();
  const std::uint32_t longest =
      lengths.empty() ? 0 : *std::max_element(lengths.begin(), lengths.end());
  return compared(
      options, longest, /*in_order=*/true,
      [&](const BatchPlan& plan) { return padding(lengths, plan); },
      [&](const PackOptions& packing) {
        return pack(lengths, packing, first_labels);
      });
}

Result<Comparison> compare_pairs(std::span<const std::uint32_t> chosen,
                                 std::span<const std::uint32_t> rejected,
                                 const CompareOptions& options) {
  if (Status status = check(options); !status) return status.error();
  CompareOptions padded = options;
  padded.can_pack = false;
  return compared(
      padded, /*longest=*/0, /*in_order=*/true,
      [&](const BatchPlan& plan) {
        return padding_of_pairs(chosen, rejected, plan);
      },
      [](const PackOptions&) -> Result<PackingFigures> {
        return PackingFigures{};  // can_pack is false: never asked
      });
}

Result<Comparison> compare(const LengthCounts& counts,
                           const CompareOptions& options) {
  if (Status status = check(options); !status) return status.error();
  const std::uint32_t longest = counts.empty() ? 0 : counts.back().length;
  return compared(
      options, longest, /*in_order=*/false,
      [&](const BatchPlan& plan) { return padding(counts, plan); },
      [&](const PackOptions& packing) { return pack(counts, packing); });
}

}  // namespace trainsight::batching
