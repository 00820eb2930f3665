#include "trainsight/manifest/write.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "trainsight/records/sample.h"
#include "trainsight/rules/rule_table.h"
#include "trainsight/stats/sketch_codec.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::manifest {
namespace {

using Json = nlohmann::ordered_json;

// Six significant decimals are enough for a reader and the same everywhere.
double rounded(double value) {
  if (!std::isfinite(value)) return 0.0;
  return std::round(value * 1e6) / 1e6;
}

template <typename T>
void put(Json& object, const char* name, const std::optional<T>& value) {
  if (value.has_value()) object[name] = *value;
}

void put_text(Json& object, const char* name, const std::string& value) {
  if (!value.empty()) object[name] = value;
}

Json json_of(const DatasetFile& file) {
  Json j = Json::object();
  if (file.glob.has_value()) j["glob"] = *file.glob;
  j["path"] = file.path;
  put_text(j, "format", file.format);
  put(j, "bytes", file.bytes);
  put(j, "modified", file.modified);
  put(j, "xxh64", file.xxh64);
  put(j, "records", file.records);
  put(j, "malformed", file.malformed);
  put(j, "usable", file.usable);
  put_text(j, "role", file.role);
  return j;
}

Json json_of(const Dataset& dataset) {
  Json j = Json::object();
  j["type"] = dataset.type;
  j["files"] = Json::array();
  for (const DatasetFile& file : dataset.files) {
    j["files"].push_back(json_of(file));
  }
  if (!dataset.columns.empty()) j["columns"] = dataset.columns;
  if (dataset.tokenizer.has_value()) {
    const TokenizerRef& tokenizer = *dataset.tokenizer;
    Json t = Json::object();
    t["name"] = tokenizer.name;
    put_text(t, "kind", tokenizer.kind);
    put_text(t, "exactness", tokenizer.exactness);
    put_text(t, "xxh64", tokenizer.xxh64);
    j["tokenizer"] = std::move(t);
  }
  if (dataset.chat_template.has_value()) {
    Json t = Json::object();
    t["name"] = dataset.chat_template->name;
    put_text(t, "xxh64", dataset.chat_template->xxh64);
    j["chat_template"] = std::move(t);
  }
  return j;
}

Json json_of(const Training& t) {
  Json j = Json::object();
  put(j, "target", t.target);
  put(j, "max_seq_len", t.max_seq_len);
  put(j, "overlong", t.overlong);
  put(j, "pad_to_multiple_of", t.pad_to_multiple_of);
  put(j, "micro_batch", t.micro_batch);
  put(j, "accumulation", t.accumulation);
  put(j, "world_size", t.world_size);
  put(j, "sampler", t.sampler);
  put(j, "packing", t.packing);
  put(j, "drop_last", t.drop_last);
  put(j, "epochs", t.epochs);
  put(j, "seed", t.seed);
  put(j, "model", t.model);
  put(j, "method", t.method);
  put(j, "gpu", t.gpu);
  put(j, "precision", t.precision);
  if (!t.settings.empty()) j["settings"] = t.settings;
  if (!t.model_shape.empty()) j["model_shape"] = t.model_shape;
  if (!t.gpu_figures.empty()) j["gpu_figures"] = t.gpu_figures;
  return j;
}

Json json_of(const Policy& p) {
  Json j = Json::object();
  put(j, "max_waste_pct", p.max_waste_pct);
  put(j, "max_p99", p.max_p99);
  put(j, "max_tokens", p.max_tokens);
  put(j, "max_cv", p.max_cv);
  put(j, "max_risk", p.max_risk);
  put(j, "max_truncated_pct", p.max_truncated_pct);
  put(j, "max_lost_tokens_pct", p.max_lost_tokens_pct);
  put(j, "max_errors", p.max_errors);
  put(j, "max_malformed_pct", p.max_malformed_pct);
  put(j, "max_duplicate_pct", p.max_duplicate_pct);
  put(j, "min_records", p.min_records);
  put(j, "max_drift_pct", p.max_drift_pct);
  return j;
}

Json json_of(const Lengths& lengths) {
  const stats::LengthSketch& s = lengths.sketch;
  Json j = Json::object();
  j["count"] = s.count();
  j["sum"] = s.sum();
  j["mean"] = rounded(s.mean());
  j["stddev"] = rounded(s.stddev());
  j["cv"] = rounded(s.cv());
  j["min"] = s.min();
  j["p50"] = s.quantile(0.50);
  j["p90"] = s.quantile(0.90);
  j["p95"] = s.quantile(0.95);
  j["p99"] = s.quantile(0.99);
  j["p999"] = s.quantile(0.999);
  j["max"] = s.max();
  j["sketch"] = stats::SketchCodec::to_text(s);
  return j;
}

void put_lengths(Json& object, const std::string& name,
                 const Lengths& lengths) {
  if (lengths.sketch.count() > 0) object[name] = json_of(lengths);
}

Json json_of(const Survival::Part& part) {
  Json j = Json::object();
  j["records"] = part.records;
  j["tokens"] = part.tokens;
  return j;
}

Json json_of(const Survival& survival) {
  Json j = Json::object();
  j["max_seq_len"] = survival.max_seq_len;
  put_text(j, "overlong", survival.overlong);
  j["kept"] = json_of(survival.kept);
  j["truncated"] = json_of(survival.truncated);
  j["dropped"] = json_of(survival.dropped);
  j["unlabelled"] = json_of(survival.unlabelled);
  return j;
}

void put_survival(Json& object, const std::vector<Survival>& list) {
  if (list.empty()) return;
  object["survival"] = Json::object();
  for (const Survival& survival : list) {
    object["survival"][survival.target] = json_of(survival);
  }
}

// The value itself where JSON has it; "truncated" marks a text of which only
// the beginning was kept.
void put_value(Json& object, const records::GroupKey& key) {
  object["kind"] = records::name_of(key.kind);
  switch (key.kind) {
    case records::GroupKind::kText:
      object["value"] = key.text;
      if (key.hash != 0) object["truncated"] = true;
      break;
    case records::GroupKind::kNumber: {
      // NaN and infinity, which JSON lacks, stay words.
      Json number = Json::parse(key.text, nullptr, false);
      if (number.is_discarded()) number = key.text;
      object["value"] = std::move(number);
      break;
    }
    case records::GroupKind::kBool:
      object["value"] = key.text == "true";
      break;
    default:
      object["value"] = nullptr;
      break;
  }
}

void put_figures(Json& object, const Breakdown::Group& group) {
  object["records"] = group.records;
  object["tokens"] = group.tokens;
  object["tokens_ratio"] = rounded(group.tokens_ratio);
  object["mean"] = rounded(group.mean);
  object["p50"] = group.p50;
  object["p95"] = group.p95;
  object["p99"] = group.p99;
  object["max"] = group.max;
  put_survival(object, group.survival);
  object["findings"] = Json::object();
  for (const auto& [code, count] : group.findings) {
    object["findings"][code] = count;
  }
}

Json json_of(const Breakdown& by) {
  Json j = Json::object();
  j["field"] = by.field;
  j["groups"] = Json::array();
  for (const Breakdown::Group& group : by.groups) {
    Json g = Json::object();
    put_value(g, group.value);
    put_figures(g, group);
    j["groups"].push_back(std::move(g));
  }
  if (by.other.has_value()) {
    Json g = Json::object();
    g["values"] = by.other_values;
    g["values_are_at_least"] = by.too_many_values;
    put_figures(g, *by.other);
    j["other"] = std::move(g);
  }
  return j;
}

Json epoch_of(double rows, double mean, const std::string& ends_with) {
  Json j = Json::object();
  j["rows"] = rounded(rows);
  j["tokens"] = rounded(rows * mean);
  j["ends_with"] = ends_with;
  return j;
}

Json json_of(const MixtureProfile& mixture) {
  Json j = Json::object();
  put(j, "token_budget", mixture.token_budget);
  j["sources"] = Json::array();
  for (std::size_t i = 0; i < mixture.sources.size(); ++i) {
    const MixtureProfile::Source& source = mixture.sources[i];
    Json s = Json::object();
    s["path"] = source.path;
    s["weight"] = source.weight;
    s["records"] = source.records;
    s["tokens"] = source.tokens;
    if (mixture.figures.has_value()) {
      const stats::Mixture::Source& figures = mixture.figures->sources[i];
      s["probability"] = rounded(figures.probability);
      s["tokens_ratio"] = rounded(figures.tokens_ratio);
      s["passes_first_exhausted"] = rounded(figures.passes_first);
      s["passes_all_exhausted"] = rounded(figures.passes_all);
      if (mixture.token_budget.has_value() && mixture.figures->mean > 0) {
        s["passes_for_token_budget"] = rounded(
            static_cast<double>(*mixture.token_budget) * figures.probability /
            (mixture.figures->mean * static_cast<double>(source.records)));
      }
    }
    j["sources"].push_back(std::move(s));
  }
  if (!mixture.figures.has_value()) return j;
  const stats::Mixture& m = *mixture.figures;
  Json tokens = Json::object();
  tokens["mean"] = rounded(m.mean);
  tokens["stddev"] = rounded(m.stddev);
  tokens["cv"] = rounded(m.cv);
  tokens["p50"] = m.p50;
  tokens["p90"] = m.p90;
  tokens["p95"] = m.p95;
  tokens["p99"] = m.p99;
  tokens["max"] = m.max;
  j["tokens"] = std::move(tokens);
  j["first_exhausted"] =
      epoch_of(m.rows_first, m.mean, mixture.sources[m.ends_first].path);
  j["all_exhausted"] =
      epoch_of(m.rows_all, m.mean, mixture.sources[m.ends_all].path);
  return j;
}

Json json_of(const rules::FigureValue& value) {
  if (const auto* n = std::get_if<std::int64_t>(&value)) return *n;
  if (const auto* x = std::get_if<double>(&value)) return rounded(*x);
  return std::get<std::string>(value);
}

void put_figures(Json& object, const std::vector<rules::Figure>& figures) {
  if (figures.empty()) return;
  Json j = Json::object();
  for (const rules::Figure& figure : figures) {
    j[figure.name] = json_of(figure.value);
  }
  object["figures"] = std::move(j);
}

Json json_of(const rules::Finding& finding) {
  Json j = Json::object();
  if (finding.line != rules::kNoLine) j["line"] = finding.line;
  if (finding.offset != rules::kNoOffset) j["offset"] = finding.offset;
  put_text(j, "pointer", finding.pointer);
  if (finding.fingerprint != rules::kNoFingerprint) {
    j["row"] = text::hex64(finding.fingerprint);
  }
  j["message"] = finding.message;
  put_figures(j, finding.figures);
  return j;
}

Json findings_of(const Profile& profile, const Dataset& dataset) {
  Json list = Json::array();
  for (const auto& [key, group] : profile.findings) {
    const auto& [code, severity, file] = key;
    const rules::Rule* rule = rules::find_rule(code);
    Json j = Json::object();
    j["code"] = code;
    j["name"] = rule == nullptr ? std::string_view() : rule->name;
    j["severity"] = rules::name_of(severity);
    j["file"] = file < dataset.files.size() ? dataset.files[file].path : "";
    j["count"] = group.count;
    if (group.known > 0) j["known"] = group.known;
    put_figures(j, group.figures);
    j["first"] = Json::array();
    for (const rules::Finding& finding : group.first) {
      j["first"].push_back(json_of(finding));
    }
    list.push_back(std::move(j));
  }
  return list;
}

Json json_of(const Profile& p, const Dataset& dataset) {
  Json j = Json::object();
  j["type"] = records::name_of(p.type);
  j["records"] = p.records;
  j["usable"] = p.usable;
  j["malformed"] = p.malformed;
  j["blank_lines"] = p.blank_lines;
  j["lines"] = p.lines;
  j["bytes"] = p.bytes;
  put(j, "duplicates", p.duplicates);
  j["types"] = Json::object();
  for (std::size_t i = 0; i < p.types.size(); ++i) {
    if (p.types[i] == 0) continue;
    const auto type = static_cast<records::SampleType>(i);
    j["types"][std::string(records::name_of(type))] = p.types[i];
  }
  j["schemas"] = Json::array();
  for (const SchemaCount& schema : p.schemas) {
    Json s = Json::object();
    s["schema"] = schema.schema;
    s["type"] = records::name_of(schema.type);
    s["records"] = schema.records;
    s["file"] = dataset.files[schema.first_file].path;
    s["line"] = schema.first_line;
    put_text(s, "mapping", schema.mapping);
    j["schemas"].push_back(std::move(s));
  }
  j["tokens"] = json_of(p.tokens);
  j["content_tokens"] = json_of(p.content_tokens);
  j["fields"] = Json::object();
  for (std::size_t i = 0; i < p.fields.size(); ++i) {
    const auto field = static_cast<records::Field>(i);
    put_lengths(j["fields"], std::string(records::name_of(field)), p.fields[i]);
  }
  put_lengths(j, "chosen_side", p.chosen_side);
  put_lengths(j, "rejected_side", p.rejected_side);
  put_lengths(j, "first_label", p.first_label);
  put_lengths(j, "label_tokens", p.label_tokens);
  if (!p.in_order.empty()) j["in_order"] = p.in_order;
  Json order = Json::object();
  order["micro_batch"] = p.file_order_micro_batch;
  order["slots"] = p.file_order_slots;
  order["tokens"] = p.file_order_tokens;
  j["file_order"] = std::move(order);
  put_survival(j, p.survival);
  if (p.by.has_value()) j["by"] = json_of(*p.by);
  if (p.mixture.has_value()) j["mixture"] = json_of(*p.mixture);
  j["findings"] = findings_of(p, dataset);
  j["longest"] = Json::array();
  for (const LongestRecord& record : p.longest) {
    Json r = Json::object();
    r["file"] = dataset.files[record.file].path;
    r["line"] = record.line;
    r["tokens"] = record.tokens;
    j["longest"].push_back(std::move(r));
  }
  return j;
}

Json json_of(const Estimate& estimate) {
  Json j = Json::object();
  if (estimate.value.has_value()) {
    j["value"] = rounded(*estimate.value);
    j["low"] = rounded(estimate.low);
    j["high"] = rounded(estimate.high);
  } else {
    j["value"] = nullptr;
    j["reason"] = estimate.reason;
  }
  return j;
}

Json json_of(const MemoryFigure& m) {
  Json j = Json::object();
  j["verdict"] = m.verdict;
  j["peak_bytes"] = m.peak_bytes;
  j["low_bytes"] = m.low_bytes;
  j["high_bytes"] = m.high_bytes;
  j["usable_bytes"] = m.usable_bytes;
  j["phase"] = m.phase;
  j["model"] = m.model;
  j["method"] = m.method;
  j["gpu"] = m.gpu;
  j["gpus"] = m.gpus;
  j["micro_batch"] = m.micro_batch;
  j["length"] = m.length;
  j["tokens"] = m.tokens;
  j["safe_micro_batch"] = m.safe_micro_batch;
  j["safe_length"] = m.safe_length;
  j["defaults"] = m.defaults;
  j["notes"] = m.notes;
  return j;
}

Json json_of(const Prediction& p) {
  Json j = Json::object();
  if (Json run = json_of(p.made_for); !run.empty()) {
    j["made_for"] = std::move(run);
  }
  put_text(j, "regime", p.regime);
  if (!p.regime.empty()) j["in_transition"] = p.in_transition;
  put_text(j, "risk", p.risk);
  if (p.padding.has_value()) {
    const Prediction::Padding& padding = *p.padding;
    Json pad = Json::object();
    pad["micro_batch"] = padding.micro_batch;
    pad["sampler"] = padding.sampler;
    pad["waste_ratio"] = rounded(padding.waste_ratio);
    pad["method"] = padding.method;
    pad["expected_longest"] = rounded(padding.expected_longest);
    if (padding.file_order_waste_ratio.has_value()) {
      pad["file_order_waste_ratio"] = rounded(*padding.file_order_waste_ratio);
    }
    pad["whole_step"] = padding.whole_step;
    j["padding"] = std::move(pad);
  }
  if (p.memory.has_value()) j["memory"] = json_of(*p.memory);
  j["throughput"] = json_of(p.throughput);
  j["throughput_index"] = json_of(p.throughput_index);
  j["entropy"] = json_of(p.entropy);
  return j;
}

}  // namespace

std::string to_json(const Manifest& manifest) {
  Json j = Json::object();
  j["apiVersion"] = kApiVersion;
  j["kind"] = kKind;
  put_text(j, "name", manifest.name);
  put_text(j, "created", manifest.created);
  if (!manifest.tool_name.empty()) {
    j["tool"]["name"] = manifest.tool_name;
    j["tool"]["version"] = manifest.tool_version;
  }
  j["dataset"] = json_of(manifest.dataset);
  if (Json t = json_of(manifest.training); !t.empty()) {
    j["training"] = std::move(t);
  }
  if (Json p = json_of(manifest.policy); !p.empty()) j["policy"] = std::move(p);
  if (manifest.profile.has_value()) {
    j["profile"] = json_of(*manifest.profile, manifest.dataset);
  }
  if (manifest.prediction.has_value()) {
    j["prediction"] = json_of(*manifest.prediction);
  }
  // Paths may hold bytes that are no UTF-8: they are shown, not refused.
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace trainsight::manifest
