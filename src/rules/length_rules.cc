#include <fmt/format.h>

#include <algorithm>

#include "pointer.h"
#include "row_rules.h"
#include "trainsight/facts/measure.h"

namespace trainsight::rules {
namespace {

using facts::RowFacts;
using records::Field;
using records::SampleType;
using targets::Overlong;

bool cuts(Overlong policy) {
  return policy == Overlong::kTruncateStart || policy == Overlong::kTruncateEnd;
}

void check_ids(const RowContext& c, RowFindings& findings) {
  const records::TokenIds& ids = c.sample.ids;
  const auto differs = [&ids](const scan::Value* other) {
    return other != nullptr && other->count != ids.input_ids->count;
  };
  if (differs(ids.labels) || differs(ids.attention_mask)) {
    if (Finding* finding = findings.found(RuleId::kIdsMismatch)) {
      const scan::Value* other =
          differs(ids.labels) ? ids.labels : ids.attention_mask;
      finding->pointer = pointer_of(c.row, *other);
      finding->message = fmt::format("{} ids, {} {}", ids.input_ids->count,
                                     other->count, other->key);
      finding->figures = {count_figure("ids", ids.input_ids->count),
                          count_figure("others", other->count)};
    }
  }
  const std::uint32_t size = findings.options().vocabulary.size;
  if (size == 0 || !ids.input_ids->is(scan::ValueKind::kNumbers)) return;
  std::int64_t outside = 0;
  bool found = false;
  scan::for_each_integer(*ids.input_ids, [&](std::int64_t id) {
    if (!found && (id < 0 || id >= std::int64_t{size})) {
      found = true;
      outside = id;
    }
  });
  if (!found) return;
  if (Finding* finding = findings.found(RuleId::kIdOutside)) {
    finding->pointer = pointer_of(c.row, *ids.input_ids);
    finding->message =
        fmt::format("id {}, the vocabulary has {}", outside, size);
    finding->figures = {{"id", outside}, count_figure("vocab_size", size)};
  }
}

// What a side's answer keeps when the first or last `limit` tokens remain.
std::uint32_t kept_of_answer(std::uint32_t side, std::uint32_t answer,
                             std::uint32_t limit, Overlong policy) {
  if (policy == Overlong::kTruncateEnd) return std::min(answer, limit);
  const std::uint32_t prompt = side - std::min(side, answer);
  return limit <= prompt ? 0 : std::min(answer, limit - prompt);
}

void check_pair(const RowContext& c, std::uint32_t limit,
                RowFindings& findings) {
  const RowFacts& f = c.facts;
  const std::uint32_t chosen = f.field(Field::kChosen);
  const std::uint32_t rejected = f.field(Field::kRejected);
  if (chosen == facts::kAbsent || rejected == facts::kAbsent) return;
  if (f.tokens <= limit || !cuts(findings.options().overlong)) return;
  const Overlong policy = findings.options().overlong;
  const std::uint32_t chosen_kept =
      kept_of_answer(f.chosen_side_tokens, chosen, limit, policy);
  const std::uint32_t rejected_kept =
      kept_of_answer(f.rejected_side_tokens, rejected, limit, policy);
  if (chosen_kept == 0 && rejected_kept == 0 && chosen + rejected > 0) {
    findings.mark(facts::kSpoilt);
    if (Finding* finding = findings.found(RuleId::kPairCut)) {
      finding->message = fmt::format(
          "a pair of {} tokens cut at {}: no token of either answer is left",
          f.tokens, limit);
      finding->figures = {count_figure("chosen_tokens_kept", 0),
                          count_figure("rejected_tokens_kept", 0),
                          count_figure("pair_tokens", f.tokens)};
    }
    return;
  }
  if (Finding* finding = findings.found(RuleId::kRejectedCut)) {
    const bool is_rejected = f.rejected_side_tokens > limit;
    const std::uint32_t side =
        is_rejected ? f.rejected_side_tokens : f.chosen_side_tokens;
    const std::string_view name = is_rejected ? "rejected" : "chosen";
    finding->message = fmt::format(
        "{} is cut from {} to {} tokens; chosen : rejected is "
        "{} : {} tokens",
        name, side, limit, chosen, rejected);
    finding->figures = {
        count_figure("chosen_tokens", chosen),
        count_figure("rejected_tokens", rejected),
        count_figure(fmt::format("{}_side_tokens", name), side),
        count_figure(fmt::format("{}_side_tokens_kept", name), limit)};
  }
}

void check_labels(const RowContext& c, RowFindings& findings) {
  const RowFacts& f = c.facts;
  if ((f.flags & facts::kHasLabels) == 0) return;
  if (f.label_tokens == 0) {
    if (c.sample.ids.input_ids == nullptr) return;  // an empty answer's rule
    if (Finding* finding = findings.found(RuleId::kUnlabelled)) {
      finding->message = "all labels are masked";
    }
    return;
  }
  const auto& limit = findings.options().max_seq_len;
  if (!limit.has_value() || f.is_pair()) return;
  const Overlong policy = findings.options().overlong;
  const bool lost = policy == Overlong::kTruncateStart
                        ? !facts::keeps_labels(f, *limit)
                        : policy == Overlong::kTruncateEnd &&
                              f.tokens > *limit &&
                              f.label_end + std::uint64_t{*limit} <= f.tokens;
  if (!lost) return;
  if (Finding* finding = findings.found(RuleId::kUnlabelledCut)) {
    finding->message = fmt::format(
        "{} tokens, the first to learn is number {}: cut at {} nothing is "
        "left to learn",
        f.tokens, f.first_label + 1, *limit);
    finding->figures = {count_figure("row_tokens", f.tokens),
                        count_figure("trainable_tokens_kept", 0)};
  }
}

void check_limits(const RowContext& c, RowFindings& findings) {
  const RuleOptions& options = findings.options();
  const RowFacts& f = c.facts;
  if (f.type == SampleType::kGrpo) {
    const auto& limit = options.max_prompt_len;
    if (!limit.has_value() || f.tokens <= *limit) return;
    if (Finding* finding = findings.found(RuleId::kPromptTooLong)) {
      finding->message = fmt::format(
          "a prompt of {} tokens, the limit is {}{}", f.tokens, *limit,
          options.overlong == Overlong::kRaise ? ": training stops here" : "");
      finding->figures = {count_figure("prompt_tokens", f.tokens),
                          count_figure("limit_tokens", *limit)};
    }
    return;
  }
  const auto& limit = options.max_seq_len;
  if (!limit.has_value() || f.tokens <= *limit) return;
  const auto& packing = options.batches.packing;
  const bool splits = options.overlong == Overlong::kSplit ||
                      packing == batching::Strategy::kWrapped;
  if (packing.has_value() && !splits) {
    if (Finding* finding = findings.found(RuleId::kLongerThanPack)) {
      finding->message =
          fmt::format("{} tokens do not fit a pack of {}", f.tokens, *limit);
      finding->figures = {count_figure("row_tokens", f.tokens),
                          count_figure("pack_tokens", *limit)};
    }
  } else if (options.overlong == Overlong::kRaise) {
    if (Finding* finding = findings.found(RuleId::kLongerThanLimit)) {
      finding->message = fmt::format(
          "{} tokens, the limit is {}: training "
          "stops here",
          f.tokens, *limit);
      finding->figures = {count_figure("row_tokens", f.tokens)};
    }
  }
}

}  // namespace

void check_lengths(const RowContext& c, RowFindings& findings) {
  if (c.sample.ids.input_ids != nullptr) check_ids(c, findings);
  check_labels(c, findings);
  check_limits(c, findings);
  const auto& limit = findings.options().max_seq_len;
  if (limit.has_value() && c.facts.is_pair()) check_pair(c, *limit, findings);
}

}  // namespace trainsight::rules
