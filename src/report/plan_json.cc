#include <cmath>
#include <nlohmann/json.hpp>

#include "trainsight/report/plan_report.h"

namespace trainsight::report {
namespace {

using memory::Phase;
using memory::Term;
using plan::Alternative;
using plan::Outlook;

// Six significant digits: more would claim more than is known.
double figure(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  const double scale =
      std::pow(10.0, 5 - std::floor(std::log10(std::abs(value))));
  return std::round(value * scale) / scale;
}

std::int64_t whole(double value) { return std::llround(value); }

nlohmann::ordered_json range_json(const throughput::Range& range) {
  return {{"value", figure(range.value)},
          {"low", figure(range.low)},
          {"high", figure(range.high)}};
}

nlohmann::ordered_json outlook_json(const Outlook& o) {
  nlohmann::ordered_json json;
  json["verdict"] = memory::name_of(o.verdict);
  json["peak_bytes"] = {{"device", whole(o.device.point)},
                        {"low", whole(o.device.low)},
                        {"high", whole(o.device.high)},
                        {"allocated", whole(o.peak.allocated)}};
  json["usable_bytes"] = whole(o.usable_bytes);
  json["headroom_ratio"] = figure(o.headroom_ratio());
  json["phase"] = memory::name_of(o.peak.winner);
  json["useful_tokens_per_second"] = figure(o.useful_tokens_per_second);
  json["padded_tokens_per_second"] = figure(o.padded_tokens_per_second);
  json["step_seconds"] = range_json(o.step.seconds);
  json["step"] = {
      {"compute_seconds", figure(o.step.compute_seconds)},
      {"efficiency", figure(o.step.efficiency)},
      {"hidden_communication_seconds", figure(o.step.communication_seconds)},
      {"exposed_communication_seconds", figure(o.step.exposed_seconds)},
      {"optimizer_seconds", figure(o.step.optimizer_seconds)},
      {"bubble_ratio", figure(o.step.bubble_ratio)}};
  if (o.step.generation.value > 0) {
    json["generation_seconds"] = range_json(o.step.generation);
  }
  if (o.steps_per_epoch > 0) {
    json["steps_per_epoch"] = whole(o.steps_per_epoch);
    json["epoch_hours"] = range_json(o.epoch_hours);
    json["gpu_hours"] = range_json(o.gpu_hours);
    if (o.dollars.value > 0) json["dollars"] = range_json(o.dollars);
  }
  return json;
}

}  // namespace

std::string plan_json(const PlanDocument& d) {
  nlohmann::ordered_json json;
  json["model"] = {{"name", d.job.shape.name},
                   {"parameters", d.job.counts.total}};
  json["method"] = plan::method_name(d.job.settings);
  json["objective"] = memory::name_of(d.job.settings.objective);
  json["gpu"] = d.job.gpu.name;
  json["gpus"] = d.job.gpus;
  json["framework"] = d.framework;
  json["framework_source"] = d.framework_source;
  if (!d.data.empty()) {
    json["data"] = {{"source", d.data}, {"records", d.records}};
  }
  json["batch"] = {{"sequences", d.outlook.largest_batch.sequences},
                   {"length", d.outlook.largest_batch.length},
                   {"tokens", d.outlook.largest_batch.tokens()},
                   {"packing", plan::name_of(d.job.batching.packing)},
                   {"accumulation", d.job.accumulation}};
  if (d.outlook.largest_batch.scored_length > 0) {
    const memory::Generation& g = d.job.settings.generation;
    json["batch"]["completion_budget"] = d.outlook.largest_batch.scored_length;
    json["batch"]["generations"] = d.job.batching.generations;
    json["engine"] = {{"where", memory::name_of(g.engine)},
                      {"reserved_bytes", g.reserved_bytes},
                      {"tensor_parallel", g.tensor},
                      {"sleeps", g.sleeps}};
  }
  json["outlook"] = outlook_json(d.outlook);
  nlohmann::ordered_json terms, phases;
  for (std::size_t i = 0; i < memory::kTermCount; ++i) {
    const Term term = static_cast<Term>(i);
    terms.push_back(
        {{"name", name_of(term)},
         {"bytes", whole(d.outlook.peak.term(term))},
         {"in_peak", d.outlook.peak.holds(term, d.outlook.peak.winner)},
         {"formula", memory::formula_of(term)}});
  }
  for (std::size_t i = 0; i < memory::kPhaseCount; ++i) {
    const Phase phase = static_cast<Phase>(i);
    phases.push_back(
        {{"name", name_of(phase)},
         {"bytes", whole(d.outlook.peak.phase(phase))},
         {"beside_terms_bytes", whole(d.outlook.peak.rest(phase))}});
  }
  json["terms"] = std::move(terms);
  json["phases"] = std::move(phases);
  json["limits"] = {{"micro_batch", d.limits.micro_batch},
                    {"length", d.limits.length}};
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const plan::LongRow& row : d.exposure.longest) {
    rows.push_back(
        {{"file", row.file}, {"line", row.line}, {"tokens", row.tokens}});
  }
  json["rows_above_limit"] = {
      {"length", d.exposure.length},
      {"count", whole(d.exposure.rows)},
      {"expected_step", whole(d.exposure.expected_step)},
      {"expected_hours", figure(d.exposure.expected_hours)},
      {"tokens_cut", whole(d.exposure.tokens_cut)},
      {"longest", std::move(rows)}};
  nlohmann::ordered_json others = nlohmann::ordered_json::array();
  for (const Alternative& a : d.alternatives) {
    const std::string_view sharding =
        plan::sharding_name(a.job.settings.sharding);
    nlohmann::ordered_json one = {
        {"method", plan::method_name(a.job.settings)},
        {"micro_batch", a.job.micro_batch},
        {"accumulation", a.job.accumulation},
        {"checkpointing",
         a.job.settings.checkpointing != memory::Checkpointing::kNone},
        {"fused_loss", a.job.settings.loss == memory::Loss::kFusedLinear},
        {"sharding", sharding.empty() ? "none" : sharding},
        {"tensor_parallel", a.job.settings.ranks.tensor},
        {"packing", plan::name_of(a.job.batching.packing)},
        {"name", a.name},
        {"outlook", outlook_json(a.outlook)}};
    if (!a.reason.empty()) one["reason"] = a.reason;
    others.push_back(std::move(one));
  }
  json["alternatives"] = std::move(others);
  nlohmann::ordered_json remarks = nlohmann::ordered_json::array();
  for (const plan::Remark& remark : d.remarks) {
    const rules::Rule& rule = rules::rule_of(remark.rule);
    remarks.push_back({{"code", rule.code},
                       {"name", rule.name},
                       {"severity", rules::name_of(rule.severity)},
                       {"message", remark.message}});
  }
  json["findings"] = std::move(remarks);
  json["assumed"] = d.notes;
  if (!d.stored.empty()) {
    nlohmann::ordered_json stored;
    for (const PlanDocument::ConfigKey& key : d.stored) {
      stored[key.key] = key.value;
    }
    json["from_manifest"] = std::move(stored);
  }
  if (!d.config_read.empty() || !d.config_ignored.empty()) {
    nlohmann::ordered_json read = nlohmann::ordered_json::array();
    for (const PlanDocument::ConfigKey& key : d.config_read) {
      read.push_back(
          {{"key", key.key}, {"value", key.value}, {"meaning", key.meaning}});
    }
    json["config"] = {{"read", std::move(read)},
                      {"by_default", d.config_defaulted},
                      {"not_used", d.config_ignored}};
  }
  return json.dump(2, ' ', false,
                   nlohmann::ordered_json::error_handler_t::replace) +
         "\n";
}

}  // namespace trainsight::report
