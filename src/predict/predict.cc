#include "trainsight/predict/predict.h"

#include <algorithm>
#include <vector>

#include "trainsight/estimate/reference_calibration.h"
#include "trainsight/risk/assessment.h"
#include "trainsight/stats/expected_longest.h"
#include "trainsight/stats/padding.h"

namespace trainsight::predict {
namespace {

using manifest::Estimate;
using manifest::Prediction;
using manifest::Profile;
using manifest::Training;
using records::SampleType;
using stats::LengthMass;
using stats::Overlong;

std::uint64_t limit_of(const Training& training) {
  return training.max_seq_len.value_or(0);
}

Overlong policy_of(const Training& training) {
  return overlong_of(training).value_or(Overlong::kTruncate);
}

std::vector<LengthMass> kept(const stats::LengthSketch& sketch,
                             const Training& training) {
  return stats::apply_limit(stats::length_masses(sketch), policy_of(training),
                            limit_of(training));
}

// The same policy on rows in order. Nothing when there is no such order, or
// when splitting would make more rows of it than a profile keeps: a small limit
// on long rows has no bound, and that many rows need no order.
std::vector<std::uint64_t> kept_rows(const Profile& profile,
                                     const Training& training) {
  const Overlong policy = policy_of(training);
  const std::uint64_t limit = std::max<std::uint64_t>(limit_of(training), 1);
  if (policy == Overlong::kKeep) return profile.in_order;
  std::vector<std::uint64_t> rows;
  for (const std::uint64_t length : profile.in_order) {
    if (length <= limit) {
      rows.push_back(length);
    } else if (policy == Overlong::kTruncate) {
      rows.push_back(limit);
    } else if (policy == Overlong::kSplit) {
      const std::uint64_t pieces = length / limit;
      if (pieces > manifest::kMostInOrder -
                       std::min(rows.size(), manifest::kMostInOrder)) {
        return {};
      }
      rows.insert(rows.end(), static_cast<std::size_t>(pieces), limit);
      if (length % limit != 0) rows.push_back(length % limit);
    }
  }
  return rows;
}

// Tokens in the slots of all kept rows. A dropped pair takes both sides along,
// which the sketches of the sides do not tell; the pair's share of the kept
// rows stands for them.
double used_tokens(const Profile& profile, const Training& training,
                   const std::vector<LengthMass>& rows) {
  if (profile.type != SampleType::kDpo) return stats::token_count(rows);
  if (policy_of(training) == Overlong::kDrop) {
    const double sides =
        static_cast<double>(profile.chosen_side.sketch.sum()) +
        static_cast<double>(profile.rejected_side.sketch.sum());
    const auto all = static_cast<double>(profile.tokens.sketch.sum());
    return all > 0 ? sides * stats::token_count(rows) / all : 0.0;
  }
  return stats::token_count(kept(profile.chosen_side.sketch, training)) +
         stats::token_count(kept(profile.rejected_side.sketch, training));
}

std::string_view method_name(stats::PaddingMethod method) {
  switch (method) {
    case stats::PaddingMethod::kCounted:
      return "counted";
    case stats::PaddingMethod::kClosedForm:
      return "closed form";
    case stats::PaddingMethod::kSimulated:
      return "simulated";
  }
  return "counted";
}

Estimate to_estimate(const estimate::FigureOrReason& figure) {
  Estimate result;
  if (figure) {
    result.value = figure.figure().value;
    result.low = figure.figure().low;
    result.high = figure.figure().high;
  } else {
    result.reason = figure.reason();
  }
  return result;
}

void give_reason(Prediction& prediction, const std::string& reason) {
  prediction.throughput.reason = reason;
  prediction.throughput_index.reason = reason;
  prediction.entropy.reason = reason;
}

}  // namespace

Result<Overlong> overlong_of(const Training& training) {
  const std::string& word =
      training.overlong.has_value() ? *training.overlong : "truncate";
  Overlong policy = Overlong::kKeep;
  if (word == "truncate") {
    policy = Overlong::kTruncate;
  } else if (word == "drop") {
    policy = Overlong::kDrop;
  } else if (word == "split") {
    policy = Overlong::kSplit;
  } else if (word != "error") {
    return Error{ErrorKind::kUsage, "unknown over-long policy \"" + word + "\"",
                 "one of truncate, drop, split, error"};
  }
  // Without a limit nothing is over-long.
  return training.max_seq_len.has_value() ? policy : Overlong::kKeep;
}

Prediction::Padding random_padding(const Profile& profile,
                                   const Training& training,
                                   std::uint64_t micro_batch) {
  const bool pairs = profile.type == SampleType::kDpo;
  const std::vector<LengthMass> rows = kept(profile.tokens.sketch, training);
  stats::PaddedBatches batches;
  batches.micro_batch = micro_batch;
  batches.pad_to_multiple_of = training.pad_to_multiple_of.value_or(1);
  batches.sequences_per_row = pairs ? 2 : 1;
  const double used = used_tokens(profile, training, rows);
  const std::vector<std::uint64_t> in_order = kept_rows(profile, training);
  const stats::PaddingWaste waste =
      in_order.empty() ? stats::random_padding(rows, used, batches)
                       : stats::random_padding_of_rows(in_order, used, batches);
  Prediction::Padding padding;
  padding.micro_batch = micro_batch;
  padding.sampler = "random";
  padding.waste_ratio = waste.waste_ratio;
  padding.method = method_name(waste.method);
  padding.expected_longest =
      stats::expected_longest(rows, micro_batch, batches.pad_to_multiple_of);
  padding.whole_step = profile.type != SampleType::kGrpo;
  return padding;
}

Prediction predict(const Profile& profile, const Training& training,
                   LengthUnit unit) {
  Prediction prediction;
  prediction.made_for = training;
  const stats::LengthSketch& tokens = profile.tokens.sketch;
  risk::Factors factors;
  factors.record_count = tokens.count();
  factors.cv = tokens.cv();
  factors.p99 = static_cast<double>(tokens.quantile(0.99));
  const auto assessment = risk::assess(factors);
  if (!assessment.has_value()) {
    give_reason(prediction, "no record has a length");
    return prediction;
  }
  if (unit == LengthUnit::kTokens) {
    prediction.regime = risk::text_of(assessment->quadrant).name;
    prediction.in_transition = assessment->in_transition();
  }
  prediction.risk = risk::name_of(assessment->grade);
  Prediction::Padding padding = random_padding(
      profile, training, training.micro_batch.value_or(kDefaultMicroBatch));
  if (profile.file_order_slots > 0 &&
      profile.file_order_micro_batch == padding.micro_batch &&
      !training.max_seq_len.has_value() &&
      training.pad_to_multiple_of.value_or(1) == 1) {
    padding.file_order_waste_ratio =
        1.0 - static_cast<double>(profile.file_order_tokens) /
                  static_cast<double>(profile.file_order_slots);
  }
  prediction.padding = padding;
  if (profile.type == SampleType::kGrpo) {
    give_reason(prediction,
                "completions are generated: their lengths are not in the data");
    return prediction;
  }
  if (unit != LengthUnit::kTokens) {
    give_reason(prediction, "lengths are not in tokens");
    return prediction;
  }
  estimate::ReferenceInput input;
  input.cv = factors.cv;
  input.p99 = factors.p99;
  input.waste_ratio =
      random_padding(profile, training, estimate::kReferenceMicroBatch)
          .waste_ratio;
  const estimate::ReferencePrediction reference = estimate::predict(input);
  prediction.throughput = to_estimate(reference.tokens_per_second);
  prediction.throughput_index = to_estimate(reference.throughput_index);
  prediction.entropy = to_estimate(reference.attention_entropy);
  return prediction;
}

manifest::Survival survival(const Profile& profile, std::uint64_t max_seq_len,
                            Overlong overlong) {
  manifest::Survival result;
  result.max_seq_len = max_seq_len;
  const stats::LengthSketch& tokens = profile.tokens.sketch;
  const stats::CutAt cut = tokens.cut_at(max_seq_len);
  const std::uint64_t all_tokens = tokens.sum();
  if (overlong == Overlong::kDrop) {
    result.dropped = {cut.records_over, cut.tokens_over};
    result.kept = {tokens.count() - cut.records_over,
                   all_tokens - cut.tokens_over};
  } else {
    const std::uint64_t lost =
        overlong == Overlong::kSplit ? 0 : cut.tokens_lost;
    result.kept = {tokens.count(), all_tokens - lost};
    result.truncated = {cut.records_over, lost};
  }
  if (profile.type == SampleType::kGrpo) return result;
  // First labels count from 0: at `max_seq_len` or beyond nothing is left.
  const stats::LengthSketch& first = profile.first_label.sketch;
  const std::uint64_t never = tokens.count() - first.count();
  const std::uint64_t cut_off =
      overlong == Overlong::kTruncate && max_seq_len > 0
          ? first.cut_at(max_seq_len - 1).records_over
          : 0;
  result.unlabelled.records = never + cut_off;
  return result;
}

}  // namespace trainsight::predict
