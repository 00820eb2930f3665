#include "trainsight/plan/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "trainsight/memory/terms.h"

namespace trainsight::plan {
namespace {

using memory::Checkpointing;
using memory::Method;
using memory::Sharding;
using memory::Term;
using memory::Verdict;

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr std::uint64_t kShortest = 64;  // tokens; nobody trains on less

double real(std::uint64_t value) { return static_cast<double>(value); }

memory::Peak peak_of(const Job& job, const memory::Batch& batch) {
  return memory::predict_peak(job.shape, job.counts, settings_for(job, batch),
                              batch, job.coefficients, ~std::uint64_t{0});
}

bool fits(const Job& job, const memory::Batch& batch) {
  const memory::Peak peak = peak_of(job, batch);
  const memory::Interval device =
      memory::device_interval(peak, {}, job.peak_measured);
  return memory::judge(device, job.gpu.usable_gib * kGiB) == Verdict::kFits;
}

// The largest x in 0..most with ok(x), where ok turns false once.
template <typename Ok>
std::uint64_t largest_that(std::uint64_t most, const Ok& ok) {
  std::uint64_t low = 0, high = most;
  while (low < high) {
    const std::uint64_t middle = low + (high - low + 1) / 2;
    if (ok(middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

throughput::Range times(const throughput::Range& range, double factor) {
  return {range.low * factor, range.value * factor, range.high * factor};
}

std::string name_of_job(const Job& job) {
  std::string name =
      fmt::format("{:5} {:>2} x {:<3}", method_name(job.settings),
                  job.micro_batch, job.accumulation);
  name +=
      job.settings.checkpointing == Checkpointing::kNone ? " -    " : " ckpt ";
  std::string ranks{sharding_name(job.settings.sharding)};
  if (job.settings.ranks.tensor > 1) {
    if (!ranks.empty()) ranks += ' ';
    ranks += fmt::format("TP{}", job.settings.ranks.tensor);
  }
  if (ranks.empty()) ranks = "-";
  const bool fused = job.settings.loss == memory::Loss::kFusedLinear;
  return name + fmt::format("{:5} {:10} {}", fused ? "fused" : "-", ranks,
                            name_of(job.batching.packing));
}

std::string reason_against(const Outlook& o) {
  if (o.verdict == Verdict::kFits) return {};
  return fmt::format("{}: {}", memory::name_of(o.peak.winner),
                     main_term(o.peak));
}

// One axis of the search.
struct Axes {
  std::vector<std::pair<Method, memory::BaseStorage>> methods;
  std::vector<std::uint64_t> micro_batches;
  std::vector<Checkpointing> checkpointing;
  std::vector<Sharding> sharding;
  std::vector<std::uint64_t> tensor;
  std::vector<Packing> packing;
  std::vector<bool> fused;  ///< kernels and loss of Liger's kind
};

Axes axes_of(const Job& job, bool has_data, bool all_methods) {
  Axes axes;
  axes.methods = {{job.settings.method, job.settings.base}};
  if (all_methods) {
    axes.methods = {{Method::kFull, memory::BaseStorage::k16Bit},
                    {Method::kLora, memory::BaseStorage::k16Bit},
                    {Method::kLora, memory::BaseStorage::kNf4}};
  }
  axes.micro_batches = {1, 2, 4, 8, 16, 32};
  if (std::find(axes.micro_batches.begin(), axes.micro_batches.end(),
                job.micro_batch) == axes.micro_batches.end()) {
    axes.micro_batches.push_back(job.micro_batch);
  }
  axes.checkpointing = {Checkpointing::kNone, Checkpointing::kFull};
  if (job.gpus == 1) {
    axes.sharding = {Sharding::kNone};
    axes.tensor = {1};
  } else {
    axes.sharding = {Sharding::kDdp, Sharding::kZero2, Sharding::kFsdp};
    for (std::uint64_t t = 1; t <= 8 && t <= job.gpus; t *= 2) {
      if (job.gpus % t == 0 && job.shape.heads % t == 0) {
        axes.tensor.push_back(t);
      }
    }
  }
  axes.fused = {false};
  if (job.settings.loss != memory::Loss::kFusedLinear &&
      job.settings.precision != memory::Precision::kMegatron) {
    axes.fused = {false, true};
  }
  axes.packing = {job.batching.packing};
  if (has_data && job.batching.max_seq_len > 0 &&
      job.settings.objective == memory::Objective::kSft) {
    axes.packing = {Packing::kPadded, Packing::kPacked};
  }
  return axes;
}

}  // namespace

std::string_view sharding_name(Sharding sharding) {
  switch (sharding) {
    case Sharding::kNone:
      return "";
    case Sharding::kDdp:
      return "DDP";
    case Sharding::kZero1:
      return "ZeRO-1";
    case Sharding::kZero2:
      return "ZeRO-2";
    case Sharding::kZero3:
      return "ZeRO-3";
    case Sharding::kFsdp:
      return "FSDP";
    case Sharding::kFsdpGradOp:
      return "FSDP grad";
  }
  return "";
}

std::string_view method_name(const memory::Settings& settings) {
  switch (settings.method) {
    case Method::kFull:
      return "full";
    case Method::kFrozen:
      return "frozen";
    case Method::kLora:
      return memory::base_bytes(settings.base) < 1.5 ? "qlora" : "lora";
  }
  return "full";
}

std::string words_of(const Job& job) {
  const memory::Settings& s = job.settings;
  std::string words{method_name(s)};
  if (s.method == Method::kLora) words += fmt::format(" r{}", s.adapter.rank);
  if (s.adapter.dora && s.method == Method::kLora) words += " DoRA";
  if (s.objective != memory::Objective::kSft) {
    words += fmt::format(", {}", memory::name_of(s.objective));
  }
  if (const std::string_view sharding = sharding_name(s.sharding);
      !sharding.empty()) {
    words += fmt::format(", {}", sharding);
  }
  const memory::Parallelism& r = s.ranks;
  for (const auto& [name, size] :
       {std::pair{"TP", r.tensor}, std::pair{"PP", r.pipeline},
        std::pair{"CP", r.context}, std::pair{"EP", r.expert}}) {
    if (size > 1) words += fmt::format(", {}{}", name, size);
  }
  return words;
}

std::string main_term(const memory::Peak& peak) {
  Term largest = Term::kWeights;
  for (std::size_t i = 0; i < memory::kTermCount; ++i) {
    const Term term = static_cast<Term>(i);
    if (peak.holds(term, peak.winner) && peak.term(term) > peak.term(largest)) {
      largest = term;
    }
  }
  if (peak.winner == memory::Phase::kLoad) {
    return fmt::format("the model before its split {:.1f} GiB",
                       peak.phase(peak.winner) / kGiB);
  }
  return fmt::format("{} {:.1f} GiB", memory::name_of(largest),
                     peak.term(largest) / kGiB);
}

memory::Settings settings_for(const Job& job, const memory::Batch& batch) {
  memory::Settings s = job.settings;
  if (s.objective != memory::Objective::kGrpo) return s;
  if (s.generation.concurrent == 0) {
    s.generation.concurrent = batch.sequences * job.accumulation *
                              std::max<std::uint64_t>(s.generation.tensor, 1);
  }
  if (s.generation.length == 0) s.generation.length = batch.length;
  s.generation.concurrent =
      std::min(s.generation.concurrent,
               memory::engine_capacity(job.shape, job.counts, s));
  return s;
}

memory::Reference reference_of(bool compares, Method method) {
  if (!compares) return memory::Reference::kNone;
  return method == Method::kLora ? memory::Reference::kAdapterOff
                                 : memory::Reference::kSecondModel;
}

Outlook assess(const Job& job, Batches& batches) {
  Outlook o;
  o.largest_batch = batches.largest(job.micro_batch);
  o.peak = peak_of(job, o.largest_batch);
  o.device = memory::device_interval(o.peak, {}, job.peak_measured);
  o.usable_bytes = job.gpu.usable_gib * kGiB;
  o.verdict = memory::judge(o.device, o.usable_bytes);

  const Batches::Typical typical = batches.typical(job.micro_batch);
  throughput::Work work = typical.work;
  // Both sides of a pair are run.
  const bool pairs = memory::is_pairwise(job.settings.objective);
  const double sides = pairs ? 2 : 1;
  work.tokens *= sides;
  work.squared_tokens *= sides;
  throughput::Range generation;
  if (job.settings.objective == memory::Objective::kGrpo) {
    const memory::Settings s = settings_for(job, o.largest_batch);
    generation = throughput::predict_generation(
        job.shape, job.counts, s, job.gpu,
        batches.rollout(real(job.micro_batch * job.accumulation),
                        s.generation.concurrent));
  }
  o.step =
      throughput::predict_step(job.shape, job.counts, job.settings, job.gpu,
                               work, job.accumulation, job.pace, generation);
  const double ranks = real(job.settings.ranks.data);
  const double of_step = ranks * real(job.accumulation) / o.step.seconds.value;
  o.useful_tokens_per_second = sides * typical.useful_tokens * of_step;
  o.padded_tokens_per_second = work.tokens * of_step;
  if (typical.micro_batches > 0) {
    o.steps_per_epoch =
        std::ceil(typical.micro_batches / (ranks * real(job.accumulation)));
    o.epoch_hours = times(o.step.seconds, o.steps_per_epoch / 3600);
    o.gpu_hours = times(o.epoch_hours, real(job.gpus) * job.batching.epochs);
    if (job.gpu.price > 0) {
      o.dollars = {o.gpu_hours.low * job.gpu.price_low,
                   o.gpu_hours.value * job.gpu.price,
                   o.gpu_hours.high * job.gpu.price_high};
    }
  }
  return o;
}

Limits safe_limits(const Job& job, Batches& batches) {
  Limits limits;
  constexpr std::uint64_t kMostSequences = 4096;
  constexpr std::uint64_t kMostLength = 1u << 22;
  limits.micro_batch = largest_that(kMostSequences, [&](std::uint64_t n) {
    memory::Batch batch = batches.largest(job.micro_batch);
    // Sums of padding-free batches are taken as growing in proportion.
    if (batch.flat_tokens != 0) {
      batch.flat_tokens = batch.flat_tokens * n / job.micro_batch;
    }
    batch.sequences = n;
    return n == 0 || fits(job, batch);
  });
  limits.length = largest_that(kMostLength / kShortest, [&](std::uint64_t n) {
    memory::Batch batch{job.micro_batch, n * kShortest};
    batch.scored_length =
        std::min(job.batching.completion_budget, batch.length);
    return n == 0 || fits(job, batch);
  });
  limits.length *= kShortest;
  return limits;
}

Exposure exposure_of(const Job& job, const DataSet& data, Batches& batches,
                     const Limits& limits, const Outlook& outlook) {
  Exposure e;
  const std::uint64_t budget = job.batching.completion_budget;
  e.length = limits.length > budget ? limits.length - budget : 0;
  // Packs are full at every step: no row stands out.
  if (job.batching.packing != Packing::kPadded || data.lengths.empty()) {
    return e;
  }
  const std::uint64_t limit = job.batching.max_seq_len;
  const bool drops = job.batching.overlong == stats::Overlong::kDrop;
  const auto is_kept = [&](double length) {
    return limit == 0 || !drops || length <= real(limit);
  };
  // With a limit at or below what is safe, no kept row is too long.
  if (limit != 0 && limit <= e.length) return e;
  for (const stats::LengthMass& mass : data.lengths) {
    if (mass.length <= real(e.length) || !is_kept(mass.length)) continue;
    e.rows += real(mass.count);
    const double kept =
        limit == 0 ? mass.length : std::min(mass.length, real(limit));
    e.tokens_cut += real(mass.count) * (kept - real(e.length));
  }
  for (const LongRow& row : data.longest) {
    if (row.tokens > e.length && is_kept(real(row.tokens))) {
      e.longest.push_back(row);
    }
  }
  if (e.rows <= 0) return e;
  // In RL a step sees a prompt several times.
  const double per_step =
      std::max(1.0, real(job.global_batch()) / real(job.batching.generations));
  double position = 1;  // of the first such row in the order, from 1
  if (job.batching.order == Order::kRandom) {
    // The least of k places drawn without replacement from n: (n+1)/(k+1).
    position = (batches.rows() + 1) / (e.rows + 1);
  } else if (job.batching.order == Order::kFile && !e.longest.empty()) {
    position = 0;
    for (const LongRow& row : e.longest) {
      const double line = real(row.line);
      position = position == 0 ? line : std::min(position, line);
    }
  }
  e.expected_step = std::max(1.0, std::ceil(position / per_step));
  e.expected_hours = e.expected_step * outlook.step.seconds.value / 3600;
  return e;
}

std::vector<Remark> remarks_on(const Job& job, const Outlook& outlook,
                               double typical_ratio) {
  // Shares of the peak from which a term is worth a word.
  constexpr double kLogitsShare = 0.25;
  constexpr double kScoresShare = 0.20;
  constexpr double kWorstBatch = 3;
  constexpr std::uint64_t kLargeVocabulary = 100'000;
  std::vector<Remark> remarks;
  const memory::Peak& peak = outlook.peak;
  const memory::Settings& s = job.settings;
  if (typical_ratio > 0 && 1 / typical_ratio >= kWorstBatch) {
    const double tokens = real(outlook.largest_batch.tokens()) *
                          (memory::is_pairwise(s.objective) ? 2 : 1);
    remarks.push_back(
        {rules::RuleId::kWorstBatch,
         fmt::format(
             "the largest batch has {:.0f} tokens, an average one {:.0f}",
             tokens, typical_ratio * tokens)});
  }
  const double logits = peak.term(Term::kLogits);
  if (peak.winner == memory::Phase::kLogits &&
      job.shape.vocabulary >= kLargeVocabulary &&
      s.loss != memory::Loss::kFusedLinear &&
      logits >= kLogitsShare * peak.allocated) {
    remarks.push_back(
        {rules::RuleId::kLargeVocabulary,
         fmt::format("{:.1f} of {:.1f} GiB for {} rows", logits / kGiB,
                     peak.allocated / kGiB, job.shape.vocabulary)});
  }
  const bool eager =
      s.attention == memory::Attention::kEager ||
      (s.attention == memory::Attention::kSdpa && job.shape.attention_softcap);
  if (eager) {
    memory::Settings flash = settings_for(job, outlook.largest_batch);
    flash.attention = memory::Attention::kFlash;
    const double without =
        memory::predict_peak(job.shape, job.counts, flash,
                             outlook.largest_batch, job.coefficients,
                             ~std::uint64_t{0})
            .allocated;
    if (peak.allocated - without >= kScoresShare * peak.allocated) {
      remarks.push_back(
          {rules::RuleId::kEagerAttention,
           fmt::format("{:.1f} of {:.1f} GiB; flash attention needs {:.1f}",
                       (peak.allocated - without) / kGiB, peak.allocated / kGiB,
                       without / kGiB)});
    }
  }
  const std::string figures =
      fmt::format("{:.1f} GiB ({:.1f} to {:.1f}) on {} with {:.1f}",
                  outlook.device.point / kGiB, outlook.device.low / kGiB,
                  outlook.device.high / kGiB, job.gpu.name, job.gpu.usable_gib);
  if (outlook.verdict == Verdict::kTight) {
    remarks.push_back({rules::RuleId::kUnsafeFit, figures});
  } else if (outlook.verdict == Verdict::kOutOfMemory) {
    remarks.push_back({rules::RuleId::kDoesNotFit, figures});
  }
  return remarks;
}

std::vector<Alternative> alternatives(const Job& job, const DataSet& data,
                                      bool all_methods) {
  const Axes axes = axes_of(job, !data.lengths.empty(), all_methods);
  const std::uint64_t global = job.global_batch();
  std::vector<Alternative> found;
  for (const Packing packing : axes.packing) {
    Batching batching = job.batching;
    batching.packing = packing;
    Batches batches(data, batching);
    // As many tokens a step: a pack holds several rows.
    double rows_a_sequence = 1;
    if (packing == Packing::kPacked &&
        job.batching.packing != Packing::kPacked && batches.rows() > 0) {
      rows_a_sequence = std::max(
          1.0, real(batching.max_seq_len) * batches.rows() / batches.tokens());
    }
    for (const auto& [method, base] : axes.methods) {
      for (const std::uint64_t tensor : axes.tensor) {
        for (const Sharding sharding : axes.sharding) {
          for (const Checkpointing checkpointing : axes.checkpointing) {
            for (std::size_t i = 0;
                 i < axes.fused.size() * axes.micro_batches.size(); ++i) {
              const bool fused = axes.fused[i / axes.micro_batches.size()];
              const std::uint64_t sequences =
                  axes.micro_batches[i % axes.micro_batches.size()];
              Alternative a;
              a.job = job;
              memory::Settings& s = a.job.settings;
              if (s.method != method || s.base != base) {
                s.method = method;
                s.base = base;
                s.precision = method == Method::kFull
                                  ? job.full_precision
                                  : memory::Precision::kPure16;
                s.reference = reference_of(job.compares, method);
              }
              s.checkpointing = checkpointing;
              if (fused) {
                s.kernels = memory::Kernels::kFused;
                s.loss = memory::Loss::kFusedLinear;
              }
              s.ranks.tensor = tensor;
              s.ranks.vocabulary_parallel = tensor > 1;
              s.ranks.sequence_parallel = tensor > 1;
              const std::uint64_t model_ranks =
                  tensor * s.ranks.pipeline * s.ranks.context;
              if (job.gpus % model_ranks != 0) continue;
              s.ranks.data = job.gpus / model_ranks;
              s.sharding = s.ranks.data == 1 ? Sharding::kNone : sharding;
              if (s.ranks.data == 1 && sharding != axes.sharding.front()) {
                continue;
              }
              a.job.micro_batch = sequences;
              const double wanted = real(global) / rows_a_sequence /
                                    real(sequences * s.ranks.data);
              if (wanted < 0.75) continue;  // a larger global batch
              a.job.accumulation =
                  static_cast<std::uint64_t>(std::max(1.0, std::round(wanted)));
              s.holds_gradients = a.job.accumulation > 1;
              a.job.batching.packing = packing;
              a.outlook = assess(a.job, batches);
              found.push_back(std::move(a));
            }
          }
        }
      }
    }
  }
  const auto time_of = [](const Alternative& a) {
    return a.outlook.steps_per_epoch > 0
               ? a.outlook.epoch_hours.value
               : 1 / std::max(a.outlook.useful_tokens_per_second, 1e-9);
  };
  const auto is_better = [&](const Alternative& x, const Alternative& y) {
    const Verdict vx = x.outlook.verdict, vy = y.outlook.verdict;
    if (vx != vy) return vx < vy;
    if (vx != Verdict::kFits) {
      return x.outlook.device.point < y.outlook.device.point;
    }
    return time_of(x) < time_of(y);
  };
  std::stable_sort(found.begin(), found.end(), is_better);
  for (Alternative& a : found) {
    a.name = name_of_job(a.job);
    a.reason = reason_against(a.outlook);
  }
  return found;
}

}  // namespace trainsight::plan
