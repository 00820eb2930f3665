#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

#include "hex.h"
#include "reader.h"
#include "trainsight/rules/rule_table.h"
#include "trainsight/stats/sketch_codec.h"

namespace trainsight::manifest {
namespace {

using scan::Value;
using scan::ValueKind;

// Findings that a stored profile may list: far more than are ever written.
constexpr std::uint64_t kMostFindings = 100'000;

// Counts of unknown kinds are added up; no sum is beyond what JSON gives back.
std::uint64_t capped_sum(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  return a > kMost - b ? kMost : a + b;
}

rules::Severity severity_named(std::string_view name) {
  if (name == "info") return rules::Severity::kInfo;
  return name == "warning" ? rules::Severity::kWarning
                           : rules::Severity::kError;
}

// Numbers and words by name; null `object`: none.
std::vector<rules::Figure> figures_of(const scan::RowView& view,
                                      const Value* object) {
  std::vector<rules::Figure> figures;
  if (object == nullptr) return figures;
  for (const Value* v = view.first_child(*object); v != nullptr;
       v = view.next_child(*object, *v)) {
    std::string name(v->key);
    if (v->is(ValueKind::kInteger)) {
      figures.push_back({std::move(name), v->integer});
    } else if (v->is(ValueKind::kReal)) {
      figures.push_back({std::move(name), v->real});
    } else if (v->is(ValueKind::kText)) {
      figures.push_back({std::move(name), scan::text_of(v)});
    }
  }
  return figures;
}

records::SampleType type_named(std::string_view name) {
  for (std::size_t i = 0; i < records::kSampleTypeCount; ++i) {
    const auto type = static_cast<records::SampleType>(i);
    if (records::name_of(type) == name) return type;
  }
  return records::SampleType::kUnknown;
}

}  // namespace

Status Reader::lengths(const Value* value, const std::string& where,
                       Lengths& lengths) {
  if (value == nullptr) return {};
  ObjectReader reader = object(value, where);
  const Value* sketch = reader.any("sketch");
  if (sketch == nullptr || !sketch->is(ValueKind::kText)) {
    reader.fail(ErrorKind::kCorrupt, value, "sketch", "missing");
    return reader.finish(true);
  }
  auto parsed = stats::SketchCodec::parse(scan::text_of(sketch));
  if (!parsed) {
    reader.fail(parsed.error().kind, sketch, "sketch", parsed.error().message);
    return reader.finish(true);
  }
  lengths.sketch = *std::move(parsed);
  return reader.finish(true);
}

std::uint32_t Reader::file_index(const std::string& path,
                                 std::uint32_t otherwise) const {
  const auto found = file_indices_.find(path);
  return found == file_indices_.end() ? otherwise : found->second;
}

Status Reader::finding(const Value& value, rules::Finding& finding) {
  ObjectReader one = object(&value, "profile.findings.first");
  finding.line = one.unsigned_integer("line").value_or(rules::kNoLine);
  finding.offset = one.unsigned_integer("offset").value_or(rules::kNoOffset);
  finding.pointer = one.text("pointer").value_or("");
  finding.fingerprint =
      parse_hex64(one.text("row").value_or("")).value_or(rules::kNoFingerprint);
  finding.message = one.text("message").value_or("");
  finding.figures = figures_of(document_.view(), one.object("figures"));
  return one.finish(true);
}

Status Reader::findings(const Value* list, Profile& profile) {
  if (list == nullptr) return {};
  if (list->count > kMostFindings) {
    return Error{ErrorKind::kLimit, name_ + ": too many findings", ""};
  }
  const scan::RowView& view = document_.view();
  for (const Value* v = view.first_child(*list); v != nullptr;
       v = view.next_child(*list, *v)) {
    ObjectReader reader = object(v, "profile.findings");
    const std::string code = reader.text("code").value_or("");
    const rules::Severity severity =
        severity_named(reader.text("severity").value_or("error"));
    const std::uint32_t file =
        file_index(reader.text("file").value_or(""), rules::kAllFiles);
    const std::uint64_t count = reader.unsigned_integer("count").value_or(0);
    const std::uint64_t known_count =
        std::min(reader.unsigned_integer("known").value_or(0), count);
    const Value* figures = reader.object("figures");
    const Value* first = reader.array("first");
    if (Status status = reader.finish(true); !status) return status;
    // A rule of a newer trainsight keeps its severity, which is what a gate
    // counts, under a code that this one does not explain.
    const rules::Rule* rule = rules::find_rule(code);
    const std::string_view known = rule == nullptr ? "TS999" : rule->code;
    rules::FindingGroup& group = profile.findings[{known, severity, file}];
    group.count = capped_sum(group.count, count);
    group.known = capped_sum(group.known, known_count);
    group.figures = figures_of(view, figures);
    if (first == nullptr) continue;
    for (const Value* f = view.first_child(*first); f != nullptr;
         f = view.next_child(*first, *f)) {
      rules::Finding& next = group.first.emplace_back();
      next.code = known;
      next.severity = severity;
      next.file = file;
      if (Status status = finding(*f, next); !status) return status;
    }
  }
  return {};
}

Status Reader::schemas(const Value* list, Profile& profile) {
  if (list == nullptr) return {};
  const scan::RowView& view = document_.view();
  for (const Value* v = view.first_child(*list); v != nullptr;
       v = view.next_child(*list, *v)) {
    ObjectReader reader = object(v, "profile.schemas");
    SchemaCount& schema = profile.schemas.emplace_back();
    schema.schema = reader.text("schema").value_or("");
    schema.type = type_named(reader.text("type").value_or(""));
    schema.records = reader.unsigned_integer("records").value_or(0);
    schema.first_file = file_index(reader.text("file").value_or(""), 0);
    schema.first_line = reader.unsigned_integer("line").value_or(0);
    schema.mapping = reader.text("mapping").value_or("");
    if (Status status = reader.finish(true); !status) return status;
  }
  return {};
}

Status Reader::survival(const Value* targets, Profile& profile) {
  if (targets == nullptr) return {};
  const scan::RowView& view = document_.view();
  for (const Value* v = view.first_child(*targets); v != nullptr;
       v = view.next_child(*targets, *v)) {
    ObjectReader reader = object(v, "profile.survival");
    Survival& survival = profile.survival.emplace_back();
    survival.target = std::string(v->key);
    survival.max_seq_len = reader.unsigned_integer("max_seq_len").value_or(0);
    survival.overlong = reader.text("overlong").value_or("");
    for (const auto& [member, part] :
         {std::pair("kept", &survival.kept),
          std::pair("truncated", &survival.truncated),
          std::pair("dropped", &survival.dropped),
          std::pair("unlabelled", &survival.unlabelled)}) {
      ObjectReader p = object(reader.object(member), "profile.survival");
      part->records = p.unsigned_integer("records").value_or(0);
      part->tokens = p.unsigned_integer("tokens").value_or(0);
      if (Status status = p.finish(true); !status) return status;
    }
    if (Status status = reader.finish(true); !status) return status;
  }
  return {};
}

Status Reader::longest(const Value* list, Profile& profile) {
  if (list == nullptr) return {};
  const scan::RowView& view = document_.view();
  for (const Value* v = view.first_child(*list); v != nullptr;
       v = view.next_child(*list, *v)) {
    ObjectReader record = object(v, "profile.longest");
    LongestRecord& next = profile.longest.emplace_back();
    next.file = file_index(record.text("file").value_or(""), 0);
    next.line = record.unsigned_integer("line").value_or(0);
    next.tokens = record.unsigned_integer("tokens").value_or(0);
    if (Status status = record.finish(true); !status) return status;
  }
  return {};
}

Status Reader::all_lengths(ObjectReader& reader, const Value& value,
                           Profile& p) {
  const Value* tokens = reader.object("tokens");
  if (tokens == nullptr) {
    reader.fail(ErrorKind::kCorrupt, &value, "tokens", "missing");
  }
  const Value* chosen = reader.object("chosen_side");
  const Value* rejected = reader.object("rejected_side");
  const Value* first_label = reader.object("first_label");
  const Value* label_tokens = reader.object("label_tokens");
  const Value* content = reader.object("content_tokens");
  const Value* fields = reader.object("fields");
  if (reader.failed()) return reader.finish(true);
  for (const auto& [part, name, target] :
       {std::tuple(tokens, "profile.tokens", &p.tokens),
        std::tuple(chosen, "profile.chosen_side", &p.chosen_side),
        std::tuple(rejected, "profile.rejected_side", &p.rejected_side),
        std::tuple(first_label, "profile.first_label", &p.first_label),
        std::tuple(label_tokens, "profile.label_tokens", &p.label_tokens)}) {
    if (Status status = lengths(part, name, *target); !status) return status;
  }
  if (depth_ != Depth::kAll) return {};
  if (Status status =
          lengths(content, "profile.content_tokens", p.content_tokens);
      !status) {
    return status;
  }
  ObjectReader by_field = object(fields, "profile.fields");
  for (std::size_t i = 0; i < p.fields.size(); ++i) {
    const std::string_view name =
        records::name_of(static_cast<records::Field>(i));
    const Value* field = by_field.object(name);
    if (by_field.failed()) break;
    if (Status status =
            lengths(field, "profile.fields." + std::string(name), p.fields[i]);
        !status) {
      return status;
    }
  }
  return by_field.finish(true);
}

Status Reader::profile(const Value& value, Profile& p) {
  ObjectReader reader = object(&value, "profile");
  const auto need = [&reader, &value](std::string_view member) {
    const auto number = reader.unsigned_integer(member);
    if (!number.has_value()) {
      reader.fail(ErrorKind::kCorrupt, &value, member, "missing");
    }
    return number.value_or(0);
  };
  p.type = type_named(reader.text("type").value_or(""));
  p.records = need("records");
  p.usable = need("usable");
  p.malformed = need("malformed");
  p.lines = reader.unsigned_integer("lines").value_or(0);
  p.blank_lines = reader.unsigned_integer("blank_lines").value_or(0);
  p.bytes = reader.unsigned_integer("bytes").value_or(0);
  p.duplicates = reader.unsigned_integer("duplicates");
  const scan::RowView& view = document_.view();
  if (const Value* types = reader.object("types")) {
    for (const Value* v = view.first_child(*types); v != nullptr;
         v = view.next_child(*types, *v)) {
      if (!v->is(ValueKind::kInteger) || v->integer < 0) continue;
      std::uint64_t& type =
          p.types[static_cast<std::size_t>(type_named(v->key))];
      type = capped_sum(type, static_cast<std::uint64_t>(v->integer));
    }
  }
  if (const Value* order = reader.array("in_order")) {
    if (order->count > kMostInOrder) {
      reader.fail(ErrorKind::kLimit, order, "in_order", "too many lengths");
    } else if (order->is(ValueKind::kNumbers)) {
      scan::for_each_integer(*order, [&p](std::int64_t length) {
        p.in_order.push_back(
            static_cast<std::uint64_t>(length < 0 ? std::int64_t{0} : length));
      });
    }
  }
  ObjectReader order = object(reader.object("file_order"), "file_order");
  p.file_order_micro_batch = order.unsigned_integer("micro_batch").value_or(0);
  p.file_order_slots = order.unsigned_integer("slots").value_or(0);
  p.file_order_tokens = order.unsigned_integer("tokens").value_or(0);
  const Value* schema_list = reader.array("schemas");
  const Value* targets = reader.object("survival");
  const Value* finding_list = reader.array("findings");
  const Value* longest_list = reader.array("longest");
  if (Status status = order.finish(true); !status) return status;
  if (Status status = all_lengths(reader, value, p); !status) return status;
  if (Status status = reader.finish(true); !status) return status;
  const stats::LengthSketch& tokens = p.tokens.sketch;
  if (p.usable > p.records || tokens.count() > p.records) {
    reader.fail(ErrorKind::kCorrupt, &value, "records",
                "fewer than are usable or have a length");
    return reader.finish(true);
  }
  // The order of other lengths than the sketch's would be no order of it.
  const std::uint64_t sum =
      std::accumulate(p.in_order.begin(), p.in_order.end(), std::uint64_t{0});
  if (p.in_order.size() != tokens.count() || sum != tokens.sum()) {
    p.in_order.clear();
  }
  if (Status s = schemas(schema_list, p); !s) return s;
  if (Status s = survival(targets, p); !s) return s;
  if (Status s = longest(longest_list, p); !s) return s;
  return findings(finding_list, p);
}

Status Reader::memory_figure(const Value* value,
                             std::optional<MemoryFigure>& figure) {
  ObjectReader reader = object(value, "prediction.memory");
  MemoryFigure m;
  const auto count = [&](std::string_view member) {
    return reader.unsigned_integer(member).value_or(0);
  };
  const auto text = [&](std::string_view member) {
    return reader.text(member).value_or("");
  };
  m.verdict = text("verdict");
  m.peak_bytes = count("peak_bytes");
  m.low_bytes = count("low_bytes");
  m.high_bytes = count("high_bytes");
  m.usable_bytes = count("usable_bytes");
  m.phase = text("phase");
  m.model = text("model");
  m.method = text("method");
  m.gpu = text("gpu");
  m.gpus = count("gpus");
  m.micro_batch = count("micro_batch");
  m.length = count("length");
  m.tokens = count("tokens");
  m.safe_micro_batch = count("safe_micro_batch");
  m.safe_length = count("safe_length");
  const auto list = [&](std::string_view member,
                        std::vector<std::string>& target) {
    const Value* array = reader.array(member);
    if (array == nullptr) return;
    for (const Value* v = document_.view().first_child(*array); v != nullptr;
         v = document_.view().next_child(*array, *v)) {
      target.push_back(scan::text_of(v));
    }
  };
  list("defaults", m.defaults);
  list("notes", m.notes);
  if (Status status = reader.finish(true); !status) return status;
  // A figure that is not whole is none: it is made anew.
  const bool known = m.verdict == "fits" || m.verdict == "tight" ||
                     m.verdict == "does not fit";
  if (known && m.usable_bytes > 0 && m.low_bytes <= m.peak_bytes &&
      m.peak_bytes <= m.high_bytes) {
    figure = std::move(m);
  }
  return {};
}

Status Reader::prediction(const Value& value, Prediction& p) {
  ObjectReader reader = object(&value, "prediction");
  p.regime = reader.text("regime").value_or("");
  p.in_transition = reader.boolean("in_transition").value_or(false);
  p.risk = reader.text("risk").value_or("");
  if (const Value* run = reader.object("made_for")) {
    if (Status status = training(run, "prediction.made_for", p.made_for);
        !status) {
      return status;
    }
  }
  if (const Value* padding = reader.object("padding")) {
    ObjectReader pad = object(padding, "prediction.padding");
    Prediction::Padding figures;
    figures.micro_batch = pad.unsigned_integer("micro_batch").value_or(0);
    figures.sampler = pad.text("sampler").value_or("");
    const auto waste = pad.number("waste_ratio");
    figures.method = pad.text("method").value_or("");
    figures.expected_longest = pad.number("expected_longest").value_or(0);
    figures.file_order_waste_ratio = pad.number("file_order_waste_ratio");
    figures.whole_step = pad.boolean("whole_step").value_or(true);
    if (Status status = pad.finish(true); !status) return status;
    if (waste.has_value() && *waste >= 0 && *waste <= 1) {
      figures.waste_ratio = *waste;
      p.padding = figures;
    }
  }
  if (const Value* memory = reader.object("memory")) {
    if (Status status = memory_figure(memory, p.memory); !status) return status;
  }
  const auto estimate = [&](std::string_view member, Estimate& target) {
    ObjectReader e = object(reader.object(member), std::string(member));
    target.value = e.number("value");
    target.low = e.number("low").value_or(0);
    target.high = e.number("high").value_or(0);
    target.reason = e.text("reason").value_or("");
    return e.finish(true);
  };
  if (Status s = estimate("throughput", p.throughput); !s) return s;
  if (Status s = estimate("throughput_index", p.throughput_index); !s) {
    return s;
  }
  if (Status s = estimate("entropy", p.entropy); !s) return s;
  return reader.finish(true);
}

}  // namespace trainsight::manifest
