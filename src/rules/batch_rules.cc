#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "set_state.h"
#include "trainsight/batching/pack.h"
#include "trainsight/batching/padding.h"

namespace trainsight::rules {
namespace {

using batching::LengthCounts;
using batching::PackingFigures;
using batching::PaddingFigures;
using records::SampleType;

std::uint64_t rounded(double x) {
  return x <= 0 ? 0 : static_cast<std::uint64_t>(std::llround(x));
}

batching::Overlong overlong_of(targets::Overlong policy) {
  switch (policy) {
    case targets::Overlong::kTruncateStart:
    case targets::Overlong::kProportional:
      return batching::Overlong::kTruncateKeepStart;
    case targets::Overlong::kTruncateEnd:
      return batching::Overlong::kTruncateKeepEnd;
    // What stops the run, or must be filtered, is left out of the figures.
    case targets::Overlong::kDrop:
    case targets::Overlong::kRaise:
    case targets::Overlong::kKeep:
      return batching::Overlong::kDrop;
    case targets::Overlong::kSplit:
      return batching::Overlong::kSplit;
  }
  return batching::Overlong::kTruncateKeepStart;
}

// The lengths of the run with what is asked about them.
class BatchJudge {
 public:
  explicit BatchJudge(SetState& state)
      : state_(state),
        o_(state.options),
        counts_(state.lengths.sorted()),
        rows_(batching::row_count(counts_)),
        tokens_(batching::token_count(counts_)) {}

  void run();

 private:
  void judge_global_batch();
  void judge_packing();
  void judge_packed(const PackingFigures& figures, std::uint32_t length);
  void judge_padding();
  void judge_tokenization();
  void judge_worst_batch();
  void judge_logits();

  [[nodiscard]] Result<PackingFigures> packed(std::uint32_t length) const;
  [[nodiscard]] Result<PaddingFigures> padded(
      const batching::BatchPlan& plan) const;
  void add(RuleId rule, std::string message, std::vector<Figure> figures) {
    state_.add(rule, state_.whole(), kNoLine, std::move(message),
               std::move(figures));
  }
  void add_as(RuleId rule, Severity severity, std::string message,
              std::vector<Figure> figures) {
    state_.add_as(rule, severity, state_.whole(), kNoLine, std::move(message),
                  std::move(figures));
  }

  SetState& state_;
  const RuleOptions& o_;
  LengthCounts counts_;
  std::uint64_t rows_;
  std::uint64_t tokens_;
};

void BatchJudge::judge_global_batch() {
  if (!o_.batches.global_batch.has_value()) return;
  const std::uint64_t batch = *o_.batches.global_batch;
  const bool drops = o_.overlong == targets::Overlong::kDrop;
  const std::uint64_t dropped = drops ? state_.train.rows_over : 0;
  const std::uint64_t kept = rows_ - std::min(dropped, rows_);
  if (kept >= batch) return;
  const std::uint64_t steps = o_.batches.drop_last || kept == 0 ? 0 : 1;
  add_as(RuleId::kFewerThanBatch,
         steps == 0 ? Severity::kError : Severity::kWarning,
         fmt::format("{} rows are left after dropping {}, one step takes {}: "
                     "{} optimiser step{} an epoch",
                     kept, dropped, batch, steps, steps == 1 ? "" : "s"),
         {count_figure("dropped_rows", dropped),
          {"dropped_rows_ratio",
           static_cast<double>(dropped) / static_cast<double>(rows_)},
          count_figure("kept_rows", kept),
          count_figure("global_batch", batch),
          count_figure("optimizer_steps", steps),
          count_figure("row_tokens", state_.train.longest)});
}

Result<PackingFigures> BatchJudge::packed(std::uint32_t length) const {
  batching::PackOptions options;
  options.pack_length = length;
  options.strategy = *o_.batches.packing;
  options.overlong = overlong_of(o_.overlong);
  options.drop_incomplete = o_.batches.drop_incomplete_packs &&
                            options.strategy == batching::Strategy::kWrapped;
  if (!state_.lengths.too_many_for_order) {
    return batching::pack(state_.lengths.in_order, options);
  }
  return batching::pack(counts_, options);
}

void BatchJudge::judge_packed(const PackingFigures& f, std::uint32_t length) {
  const double lost =
      static_cast<double>(f.tokens_lost) /
      static_cast<double>(std::max<std::uint64_t>(f.tokens_in, 1));
  constexpr double kNotable = 0.01;
  constexpr double kGrave = 0.05;
  if (lost > kNotable && o_.overlong != targets::Overlong::kRaise) {
    const std::uint64_t longest = state_.train.longest;
    add_as(RuleId::kPackingLoses,
           lost > kGrave ? Severity::kError : Severity::kWarning,
           fmt::format("{} keeps {} of the longest row's {} tokens: {:.1f} % "
                       "of all tokens are lost; wrapped or split lose none",
                       batching::name_of(*o_.batches.packing), length, longest,
                       100 * lost),
           {count_figure("row_tokens", longest),
            count_figure("row_tokens_kept",
                         std::min<std::uint64_t>(longest, length)),
            {"lost_tokens_ratio", lost},
            {"lost_tokens_ratio_if_wrapped", 0.0},
            {"lost_tokens_ratio_if_split", 0.0}});
  }
  if (tokens_ < length) {
    const bool drops = o_.batches.drop_incomplete_packs;
    const double efficiency =
        static_cast<double>(tokens_) / static_cast<double>(length);
    add_as(RuleId::kLessThanAPack,
           drops ? Severity::kError : Severity::kWarning,
           fmt::format("{} rows of {} tokens in all do not fill one pack of "
                       "{}: {} training sample{}",
                       rows_, tokens_, length, drops ? 0 : 1, drops ? "s" : ""),
           {count_figure("rows", rows_),
            count_figure("tokens", tokens_),
            count_figure("pack_tokens", length),
            count_figure("samples", drops ? 0 : 1),
            {"packing_efficiency_ratio", efficiency}});
  }
  if (f.packs == 0) return;
  const double waste = 1.0 - f.efficiency_ratio;
  add(RuleId::kPackingCompared,
      fmt::format(
          "{}: {} packs of {}, {:.1f} % of the slots hold no token, "
          "{:.1f} times fewer slots than a row a sequence",
          batching::name_of(*o_.batches.packing), f.packs, length, 100 * waste,
          static_cast<double>(f.rows_packed) / static_cast<double>(f.packs)),
      {count_figure("packs", f.packs),
       {"waste_ratio", waste},
       {"slots_saved_factor",
        static_cast<double>(f.rows_packed) / static_cast<double>(f.packs)}});
}

void BatchJudge::judge_packing() {
  if (!o_.batches.packing.has_value() || !o_.max_seq_len.has_value()) return;
  if (*o_.max_seq_len > batching::kMaxSequenceLength) return;
  const Result<PackingFigures> figures = packed(*o_.max_seq_len);
  if (figures) judge_packed(*figures, *o_.max_seq_len);
}

Result<PaddingFigures> BatchJudge::padded(
    const batching::BatchPlan& plan) const {
  if (!state_.lengths.too_many_for_order) {
    return batching::padding(state_.lengths.in_order, plan);
  }
  return batching::padding(counts_, plan);
}

void BatchJudge::judge_padding() {
  const BatchOptions& b = o_.batches;
  if (!b.sampler.has_value() && !b.pad_to_max_length.has_value()) return;
  if (b.packing.has_value()) return;  // packs are not padded
  batching::BatchPlan plan;
  plan.micro_batch = b.micro_batch;
  plan.sampler = b.sampler.value_or(batching::Sampler::kRandom);
  plan.pad_to_multiple_of = b.pad_to_multiple_of;
  plan.pad_to_max_length =
      b.pad_to_max_length.value_or(false) && o_.max_seq_len.has_value();
  plan.max_seq_len = o_.max_seq_len.value_or(0);
  plan.overlong = overlong_of(o_.overlong);
  plan.drop_last = b.drop_last;
  const Result<PaddingFigures> figures = padded(plan);
  if (!figures) return;
  const PaddingFigures& f = *figures;
  const std::uint32_t longest = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(state_.train.longest, ~std::uint32_t{0}));
  std::vector<Figure> list = {count_figure("tokens", rounded(f.tokens)),
                              count_figure("slots", rounded(f.slots)),
                              {"waste_ratio", f.waste_ratio},
                              {"method", std::string(name_of(f.method))}};
  constexpr double kNotable = 0.3;
  const std::string_view sampler = batching::name_of(plan.sampler);
  if (f.waste_ratio >= kNotable) {
    add(RuleId::kPaddingWaste,
        fmt::format("{} of {} slots hold a token: {:.1f} % padding in batches "
                    "of {} ({}, padded to {}); without padding {:.1f} times "
                    "fewer slots",
                    rounded(f.tokens), rounded(f.slots), 100 * f.waste_ratio,
                    plan.micro_batch, sampler,
                    plan.pad_to_max_length ? "max_seq_len" : "the longest",
                    1.0 / (1.0 - std::min(f.waste_ratio, 0.999999))),
        list);
  }
  const bool grouped = plan.sampler == batching::Sampler::kLengthGrouped;
  if (grouped) {
    // The mega-batches begin with the longest row of all.
    list.push_back(count_figure("first_batch_longest_tokens", longest));
  }
  if (b.sampler.has_value()) {
    add(RuleId::kPaddingBySampler,
        fmt::format(
            "{}: {:.1f} % of the slots of batches of {} hold no token{}",
            sampler, 100 * f.waste_ratio, plan.micro_batch,
            grouped ? "; neighbouring batches are correlated, and the "
                      "first step holds the longest row"
                    : ""),
        list);
  }
}

void BatchJudge::judge_tokenization() {
  const auto& rate = o_.batches.tokenize_rows_per_second;
  if (!rate.has_value() || *rate <= 0) return;
  const double hours = static_cast<double>(rows_) / *rate / 3600;
  const double minutes = o_.batches.collective_timeout_minutes;
  if (hours * 60 <= minutes) return;
  const bool whole = minutes == std::floor(minutes);
  add(RuleId::kSlowTokenization,
      fmt::format("{} rows at {:g} rows a second take {:.2f} hours in one "
                  "process, a collective waits {:g} minutes",
                  rows_, *rate, hours, minutes),
      {count_figure("rows", rows_),
       {"tokenize_hours", hours},
       whole ? count_figure("timeout_minutes", rounded(minutes))
             : Figure{"timeout_minutes", minutes}});
}

// C(part, draws) / C(all, draws): the chance that none of the others is drawn.
double chance_of_none(std::uint64_t part, std::uint64_t all,
                      std::uint64_t draws) {
  if (draws > part) return 0;
  double chance = 1;
  // The shorter product: over the draws, or over the rows left out.
  const std::uint64_t others = all - part;
  if (draws <= others) {
    for (std::uint64_t i = 0; i < draws && chance > 0; ++i) {
      chance *= static_cast<double>(part - i) / static_cast<double>(all - i);
    }
  } else {
    for (std::uint64_t i = 0; i < others && chance > 0; ++i) {
      chance *=
          static_cast<double>(all - draws - i) / static_cast<double>(all - i);
    }
  }
  return chance;
}

void BatchJudge::judge_worst_batch() {
  const std::uint64_t batch = o_.batches.micro_batch;
  if (!o_.batches.micro_batch_given || rows_ < 2 * batch) return;
  // The median of the longest of a batch: half of all batches stay below.
  std::uint64_t below = 0;
  std::uint64_t median = 0;
  for (const batching::LengthCount& entry : counts_) {
    below += entry.count;
    median = entry.length;
    if (chance_of_none(below, rows_, batch) >= 0.5) break;
  }
  std::uint64_t longest = state_.train.longest;
  if (o_.max_seq_len.has_value() && o_.overlong != targets::Overlong::kKeep) {
    longest = std::min<std::uint64_t>(longest, *o_.max_seq_len);
    median = std::min<std::uint64_t>(median, *o_.max_seq_len);
  }
  constexpr std::uint64_t kFar = 10;
  if (median == 0 || longest < kFar * median) return;
  std::uint64_t long_rows = 0;
  for (const batching::LengthCount& entry : counts_) {
    if (std::uint64_t{entry.length} * 2 > longest) long_rows += entry.count;
  }
  constexpr std::uint64_t kStep = 20;
  const double chance = 1 - chance_of_none(rows_ - long_rows, rows_,
                                           std::min(kStep * batch, rows_));
  const std::vector<Figure> figures = {
      count_figure("worst_batch_tokens", batch * longest),
      count_figure("median_batch_tokens", batch * median),
      (longest % median == 0)
          ? count_figure("worst_over_median", longest / median)
          : Figure{"worst_over_median",
                   static_cast<double>(longest) / static_cast<double>(median)},
      {"chance_by_step_20_ratio", chance},
      count_figure("long_rows", long_rows)};
  for (const LongRow& row : state_.lengths.longest) {
    if (std::uint64_t{row.tokens} * 2 <= longest) break;
    state_.add(
        RuleId::kWorstBatch, row.file, row.line,
        fmt::format("{} tokens: a batch with it has {} slots, the median "
                    "batch {}; {:.0f} % chance to meet one of {} such "
                    "rows by step {}",
                    row.tokens, batch * longest, batch * median, 100 * chance,
                    long_rows, kStep),
        figures, "", row.offset);
  }
}

void BatchJudge::judge_logits() {
  const auto& memory = o_.batches.gpu_memory_gb;
  const std::uint64_t vocabulary = o_.vocabulary.size;
  if (!memory.has_value() || vocabulary == 0 ||
      state_.lengths.longest.empty()) {
    return;
  }
  const LongRow& row = state_.lengths.longest.front();
  std::uint64_t tokens = row.tokens;
  if (o_.max_seq_len.has_value()) {
    tokens = std::min<std::uint64_t>(tokens, *o_.max_seq_len);
  }
  constexpr std::uint64_t kFp32Bytes = 4;
  const std::uint64_t bytes =
      tokens * vocabulary * kFp32Bytes * o_.batches.micro_batch;
  // An unfused loss holds two copies at least: the logits and their gradient.
  constexpr double kCopies = 2;
  if (kCopies * static_cast<double>(bytes) <= *memory * 1e9) return;
  const double gib = static_cast<double>(bytes) / (1024.0 * 1024.0 * 1024.0);
  state_.add(RuleId::kLogits, row.file, row.line,
             fmt::format("{} × {} × 4 bytes{} = {:.1f} GiB for one copy of the "
                         "logits, 2 or 3 in an unfused loss, on a device of "
                         "{:g} GB",
                         tokens, vocabulary,
                         o_.batches.micro_batch == 1
                             ? ""
                             : fmt::format(" × {}", o_.batches.micro_batch),
                         gib, *memory),
             {count_figure("row_tokens", tokens),
              count_figure("vocab_size", vocabulary),
              count_figure("logits_bytes", bytes),
              {"logits_gib", gib}},
             "", row.offset);
}

void BatchJudge::run() {
  if (rows_ == 0) return;
  judge_global_batch();
  judge_packing();
  judge_padding();
  judge_tokenization();
  judge_worst_batch();
  judge_logits();
}

// P99 and longest of the prompts, on the group of those over the limit.
void add_prompt_figures(const LengthTally& lengths, std::uint64_t longest,
                        SetState& state) {
  const LengthCounts counts = lengths.sorted();
  const std::uint64_t rows = batching::row_count(counts);
  const std::uint64_t rank = (rows * 99 + 99) / 100;
  std::uint64_t below = 0;
  std::uint64_t p99 = 0;
  for (const batching::LengthCount& entry : counts) {
    below += entry.count;
    p99 = entry.length;
    if (below >= rank) break;
  }
  for (auto& [key, group] : state.log.groups()) {
    if (std::get<0>(key) != rule_of(RuleId::kPromptTooLong).code) continue;
    group.figures.push_back(count_figure("p99_tokens", p99));
    group.figures.push_back(count_figure("max_tokens", longest));
  }
}

}  // namespace

void check_batches(SampleType type, SetState& state) {
  if (type == SampleType::kGrpo) {
    add_prompt_figures(state.lengths, state.train.longest, state);
    return;
  }
  BatchJudge(state).run();
}

}  // namespace trainsight::rules
