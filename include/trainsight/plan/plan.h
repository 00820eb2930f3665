// Plan: will a job fit, which rows decide that, how long does it take, what
// does it cost, and what other way of running it would be better.
//
// Pure, deterministic and cheap: an alternative costs a few microseconds, since
// nothing but the distribution of lengths is looked at.
#ifndef TRAINSIGHT_PLAN_PLAN_H_
#define TRAINSIGHT_PLAN_PLAN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trainsight/hardware/gpu_table.h"
#include "trainsight/memory/peak.h"
#include "trainsight/memory/verdict.h"
#include "trainsight/models/model_shape.h"
#include "trainsight/plan/lengths.h"
#include "trainsight/rules/rule_table.h"
#include "trainsight/throughput/step_time.h"

namespace trainsight::plan {

/// A job as it would be started.
struct Job {
  models::ModelShape shape;
  models::ParameterCounts counts;
  memory::Settings settings;  ///< ranks.data is set from `gpus`
  hardware::Gpu gpu;
  std::uint64_t gpus = 1;
  /// What full fine-tuning would be held in, whatever this job's method.
  memory::Precision full_precision = memory::Precision::kMixed32;
  /// Whether the loss compares with a reference, whatever this job's method.
  bool compares = false;
  std::uint64_t micro_batch = 1;
  std::uint64_t accumulation = 1;
  Batching batching;
  memory::Coefficients coefficients;  ///< calibrated, if a peak was measured
  throughput::Calibration pace;
  bool peak_measured = false;

  /// Sequences of a step on all ranks.
  [[nodiscard]] std::uint64_t global_batch() const {
    return micro_batch * accumulation * settings.ranks.data;
  }
};

/// What is expected of a job.
struct Outlook {
  memory::Batch largest_batch;
  memory::Peak peak;
  memory::Interval device;  ///< bytes
  double usable_bytes = 0;
  memory::Verdict verdict = memory::Verdict::kTight;
  throughput::StepTime step;            ///< an average one
  double useful_tokens_per_second = 0;  ///< on all GPUs
  double padded_tokens_per_second = 0;
  double steps_per_epoch = 0;  ///< 0: no data set
  throughput::Range epoch_hours;
  throughput::Range gpu_hours;  ///< of all epochs
  throughput::Range dollars;    ///< 0: no price known

  /// Share of the usable memory that stays free, by the point; negative when
  /// there is none.
  [[nodiscard]] double headroom_ratio() const {
    return 1 - device.point / usable_bytes;
  }
};

Outlook assess(const Job& job, Batches& batches);

/// The job's settings for a batch: in RL the engine holds the sequences of a
/// step, unless the settings say how many, at the batch's length, as far as
/// its reservation has room for them.
memory::Settings settings_for(const Job& job, const memory::Batch& batch);

/// Where the reference's log-probabilities come from under a method.
memory::Reference reference_of(bool compares, memory::Method method);

/// The largest value of one size at which the job still fits, others as they
/// are; 0 when not even 1 (or 64 tokens) does.
struct Limits {
  std::uint64_t micro_batch = 0;
  std::uint64_t length = 0;  ///< tokens of the longest row, or of a pack;
                             ///< RL: of prompt and completion together
};
Limits safe_limits(const Job& job, Batches& batches);

/// Rows whose batch would be too large, and when the first is drawn.
struct Exposure {
  std::uint64_t length = 0;  ///< the longest row (RL: prompt) that is safe
  double rows = 0;           ///< longer ones
  double expected_step = 0;  ///< from 1; 0: none
  double expected_hours = 0;
  double tokens_cut = 0;         ///< lost by truncating there
  std::vector<LongRow> longest;  ///< of the rows above, those that are known
};
Exposure exposure_of(const Job& job, const DataSet& data, Batches& batches,
                     const Limits& limits, const Outlook& outlook);

/// Something about the job that a person should know; a rule of TS6xx.
struct Remark {
  rules::RuleId rule;
  std::string message;
};
/// In the order of codes. `typical_ratio`: Batches::typical_over_largest().
std::vector<Remark> remarks_on(const Job& job, const Outlook& outlook,
                               double typical_ratio);

/// Another way to run the same job with the same global batch.
struct Alternative {
  Job job;
  Outlook outlook;
  std::string name;    ///< "qlora, 4 a GPU, checkpoints, packed"
  std::string reason;  ///< why not; empty when it fits
};

/// All combinations of method, micro-batch, checkpointing, sharding, tensor
/// parallelism and packing that make sense for the job, best first: what fits
/// before what may, shorter before longer. `all_methods`: not only the job's.
std::vector<Alternative> alternatives(const Job& job, const DataSet& data,
                                      bool all_methods);

/// "FSDP", "ZeRO-2", …; empty: not sharded.
std::string_view sharding_name(memory::Sharding sharding);

/// "qlora", "lora", "full", "frozen".
std::string_view method_name(const memory::Settings& settings);

/// How a job is run, in a few words: "lora r16, dpo, FSDP, TP2".
std::string words_of(const Job& job);

/// The terms that make up most of a peak, in words: "logits and loss 44.4 GiB".
std::string main_term(const memory::Peak& peak);

}  // namespace trainsight::plan

#endif  // TRAINSIGHT_PLAN_PLAN_H_
