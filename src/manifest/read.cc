#include "trainsight/manifest/read.h"

#include <fmt/format.h>

#include "object_reader.h"
#include "trainsight/rules/rule_table.h"
#include "trainsight/scan/json_document.h"
#include "trainsight/stats/sketch_codec.h"

namespace trainsight::manifest {
namespace {

using scan::JsonDocument;
using scan::Value;

// Findings that a stored profile may list: far more than are ever written.
constexpr std::uint64_t kMostFindings = 100'000;

// Reads one manifest. Each part stops at its first error.
class Reader {
 public:
  Reader(const JsonDocument& document, std::string name, Depth depth)
      : document_(document), name_(std::move(name)), depth_(depth) {}

  Result<Manifest> manifest();
  Result<Policy> policy_file();

 private:
  ObjectReader object(const Value* value, std::string where) const {
    return ObjectReader(document_, value, name_, std::move(where));
  }
  Status head(ObjectReader& root, Manifest& manifest);
  Status dataset(const Value* value, Dataset& dataset);
  Status file(const Value& value, std::string where, DatasetFile& file);
  Status training(const Value* value, Training& training);
  Status policy(const Value* value, const std::string& where, Policy& policy);
  Status profile(const Value& value, const Dataset& dataset, Profile& profile);
  Status lengths(const Value* value, const std::string& where,
                 Lengths& lengths);
  Status findings(const Value* list, const Dataset& dataset, Profile& profile);
  Status prediction(const Value& value, Prediction& prediction);
  static std::uint32_t file_index(const Dataset& dataset,
                                  const std::string& path);

  const JsonDocument& document_;
  std::string name_;
  Depth depth_;
};

Status Reader::head(ObjectReader& root, Manifest& manifest) {
  const auto version = root.text("apiVersion");
  const auto kind = root.text("kind");
  if (root.failed()) return root.finish();
  if (!version.has_value() || *version != kApiVersion) {
    return Error{ErrorKind::kUnsupported,
                 fmt::format("{}: apiVersion is \"{}\", this trainsight reads "
                             "\"{}\"",
                             name_, version.value_or(""), kApiVersion),
                 "use the trainsight that wrote it, or write it again"};
  }
  if (!kind.has_value() || *kind != kKind) {
    return Error{ErrorKind::kUnsupported,
                 fmt::format("{}: kind is \"{}\", not \"{}\"", name_,
                             kind.value_or(""), kKind),
                 ""};
  }
  manifest.name = root.text("name").value_or("");
  manifest.created = root.text("created").value_or("");
  ObjectReader tool = object(root.object("tool"), "tool");
  manifest.tool_name = tool.text("name").value_or("");
  manifest.tool_version = tool.text("version").value_or("");
  return tool.finish();
}

Status Reader::file(const Value& value, std::string where, DatasetFile& file) {
  ObjectReader reader = object(&value, std::move(where));
  const auto path = reader.text("path");
  file.glob = reader.text("glob");
  file.format = reader.text("format").value_or("");
  file.bytes = reader.unsigned_integer("bytes");
  file.modified = reader.text("modified");
  file.xxh64 = reader.text("xxh64");
  file.records = reader.unsigned_integer("records");
  if (path.has_value()) {
    file.path = *path;
  } else if (!file.glob.has_value()) {
    reader.fail(ErrorKind::kUsage, &value, "path", "missing, and no glob");
  }
  return reader.finish();
}

Status Reader::dataset(const Value* value, Dataset& dataset) {
  ObjectReader reader = object(value, "dataset");
  dataset.type = reader.text("type").value_or("auto");
  const Value* files = reader.array("files");
  if (files == nullptr || files->count == 0) {
    reader.fail(ErrorKind::kUsage, value, "files",
                "missing: a manifest names at least one file");
    return reader.finish();
  }
  const scan::RowView& view = document_.view();
  for (const Value* v = view.first_child(*files); v != nullptr;
       v = view.next_child(*files, *v)) {
    DatasetFile& next = dataset.files.emplace_back();
    const std::string where =
        fmt::format("dataset.files[{}]", dataset.files.size() - 1);
    if (v->is(scan::ValueKind::kText)) {
      next.path = scan::text_of(v);
      continue;
    }
    if (!v->is(scan::ValueKind::kObject)) {
      reader.fail(ErrorKind::kUsage, v, "files", "a path or an object belongs");
      return reader.finish();
    }
    if (Status status = file(*v, where, next); !status) return status;
  }
  if (dataset.files.empty()) {
    reader.fail(ErrorKind::kUsage, files, "files", "a list of numbers");
  }
  if (const Value* columns = reader.object("columns")) {
    for (const Value* v = view.first_child(*columns); v != nullptr;
         v = view.next_child(*columns, *v)) {
      dataset.columns[std::string(v->key)] = scan::text_of(v);
    }
  }
  if (const Value* tokenizer = reader.object("tokenizer")) {
    ObjectReader t = object(tokenizer, "dataset.tokenizer");
    TokenizerRef ref;
    ref.name = t.text("name").value_or("");
    ref.kind = t.text("kind").value_or("");
    ref.exactness = t.text("exactness").value_or("");
    ref.xxh64 = t.text("xxh64").value_or("");
    if (Status status = t.finish(); !status) return status;
    dataset.tokenizer = std::move(ref);
  }
  if (const Value* chat = reader.object("chat_template")) {
    ObjectReader t = object(chat, "dataset.chat_template");
    TemplateRef ref;
    ref.name = t.text("name").value_or("");
    ref.xxh64 = t.text("xxh64").value_or("");
    if (Status status = t.finish(); !status) return status;
    dataset.chat_template = std::move(ref);
  }
  return reader.finish();
}

Status Reader::training(const Value* value, Training& t) {
  ObjectReader reader = object(value, "training");
  t.target = reader.text("target");
  t.max_seq_len = reader.unsigned_integer("max_seq_len");
  t.overlong = reader.text("overlong");
  t.pad_to_multiple_of = reader.unsigned_integer("pad_to_multiple_of");
  t.micro_batch = reader.unsigned_integer("micro_batch");
  t.accumulation = reader.unsigned_integer("accumulation");
  t.world_size = reader.unsigned_integer("world_size");
  t.sampler = reader.text("sampler");
  t.packing = reader.text("packing");
  t.drop_last = reader.boolean("drop_last");
  t.epochs = reader.number("epochs");
  t.seed = reader.unsigned_integer("seed");
  // Members of later work packages: known, so that they are no error.
  for (const std::string_view later :
       {"completion_tokens", "precision", "model", "method", "gpu"}) {
    reader.any(later);
  }
  for (const auto& [member, number] :
       {std::pair("micro_batch", t.micro_batch),
        std::pair("pad_to_multiple_of", t.pad_to_multiple_of),
        std::pair("max_seq_len", t.max_seq_len),
        std::pair("world_size", t.world_size),
        std::pair("accumulation", t.accumulation)}) {
    if (number.has_value() && *number == 0) {
      reader.fail(ErrorKind::kUsage, value, member, "must be at least 1");
    }
  }
  return reader.finish();
}

Status Reader::policy(const Value* value, const std::string& where, Policy& p) {
  ObjectReader reader = object(value, where);
  p.max_waste_pct = reader.number("max_waste_pct");
  p.max_p99 = reader.unsigned_integer("max_p99");
  p.max_tokens = reader.unsigned_integer("max_tokens");
  p.max_cv = reader.number("max_cv");
  p.max_risk = reader.text("max_risk");
  p.max_truncated_pct = reader.number("max_truncated_pct");
  p.max_lost_tokens_pct = reader.number("max_lost_tokens_pct");
  p.max_errors = reader.unsigned_integer("max_errors");
  p.max_malformed_pct = reader.number("max_malformed_pct");
  p.max_duplicate_pct = reader.number("max_duplicate_pct");
  p.min_records = reader.unsigned_integer("min_records");
  p.max_drift_pct = reader.number("max_drift_pct");
  return reader.finish();
}

Status Reader::lengths(const Value* value, const std::string& where,
                       Lengths& lengths) {
  if (value == nullptr) return {};
  ObjectReader reader = object(value, where);
  const Value* sketch = reader.any("sketch");
  if (sketch == nullptr || !sketch->is(scan::ValueKind::kText)) {
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

std::uint32_t Reader::file_index(const Dataset& dataset,
                                 const std::string& path) {
  for (std::uint32_t i = 0; i < dataset.files.size(); ++i) {
    if (dataset.files[i].path == path) return i;
  }
  return 0;
}

Status Reader::findings(const Value* list, const Dataset& dataset,
                        Profile& profile) {
  if (list == nullptr) return {};
  if (list->count > kMostFindings) {
    return Error{ErrorKind::kLimit, name_ + ": too many findings", ""};
  }
  const scan::RowView& view = document_.view();
  for (const Value* v = view.first_child(*list); v != nullptr;
       v = view.next_child(*list, *v)) {
    ObjectReader reader = object(v, "profile.findings");
    const std::string code = reader.text("code").value_or("");
    const std::string severity = reader.text("severity").value_or("error");
    const std::uint32_t file =
        file_index(dataset, reader.text("file").value_or(""));
    const std::uint64_t count = reader.unsigned_integer("count").value_or(0);
    if (Status status = reader.finish(true); !status) return status;
    // A rule of a newer trainsight keeps its severity, which is what a gate
    // counts, under a name that this one does not print.
    const rules::Rule* rule = rules::find_rule(code);
    const rules::Severity level = severity == "info" ? rules::Severity::kInfo
                                  : severity == "warning"
                                      ? rules::Severity::kWarning
                                      : rules::Severity::kError;
    const std::string_view known = rule == nullptr ? "TS999" : rule->code;
    rules::FindingGroup& group = profile.findings[{known, level, file}];
    group.count += count;
    const Value* first = view.member(*v, "first");
    if (first == nullptr || !first->is(scan::ValueKind::kArray)) continue;
    for (const Value* f = view.first_child(*first); f != nullptr;
         f = view.next_child(*first, *f)) {
      ObjectReader one = object(f, "profile.findings.first");
      rules::Finding finding;
      finding.code = known;
      finding.severity = level;
      finding.file = file;
      finding.line = one.unsigned_integer("line").value_or(rules::kNoLine);
      finding.offset =
          one.unsigned_integer("offset").value_or(rules::kNoOffset);
      finding.pointer = one.text("pointer").value_or("");
      finding.message = one.text("message").value_or("");
      if (Status status = one.finish(true); !status) return status;
      group.first.push_back(std::move(finding));
    }
  }
  return {};
}

records::SampleType type_named(std::string_view name) {
  for (std::size_t i = 0; i < records::kSampleTypeCount; ++i) {
    const auto type = static_cast<records::SampleType>(i);
    if (records::name_of(type) == name) return type;
  }
  return records::SampleType::kUnknown;
}

Status Reader::profile(const Value& value, const Dataset& dataset, Profile& p) {
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
      if (!v->is(scan::ValueKind::kInteger) || v->integer < 0) continue;
      p.types[static_cast<std::size_t>(type_named(v->key))] +=
          static_cast<std::uint64_t>(v->integer);
    }
  }
  if (const Value* order = reader.array("in_order")) {
    if (order->count > kMostInOrder) {
      reader.fail(ErrorKind::kLimit, order, "in_order", "too many lengths");
    } else if (order->is(scan::ValueKind::kNumbers)) {
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
  const Value* tokens = reader.object("tokens");
  if (tokens == nullptr) {
    reader.fail(ErrorKind::kCorrupt, &value, "tokens", "missing");
  }
  const Value* sides[] = {reader.object("chosen_side"),
                          reader.object("rejected_side")};
  const Value* first_label = reader.object("first_label");
  const Value* label_tokens = reader.object("label_tokens");
  const Value* content = reader.object("content_tokens");
  const Value* fields = reader.object("fields");
  const Value* list = reader.array("findings");
  const Value* longest = reader.array("longest");
  if (Status status = reader.finish(true); !status) return status;
  if (Status status = order.finish(true); !status) return status;
  for (const auto& [part, name, target] :
       {std::tuple(tokens, "profile.tokens", &p.tokens),
        std::tuple(sides[0], "profile.chosen_side", &p.chosen_side),
        std::tuple(sides[1], "profile.rejected_side", &p.rejected_side),
        std::tuple(first_label, "profile.first_label", &p.first_label),
        std::tuple(label_tokens, "profile.label_tokens", &p.label_tokens)}) {
    if (Status status = lengths(part, name, *target); !status) return status;
  }
  if (depth_ == Depth::kAll) {
    if (Status status =
            lengths(content, "profile.content_tokens", p.content_tokens);
        !status) {
      return status;
    }
    for (std::size_t i = 0; fields != nullptr && i < p.fields.size(); ++i) {
      const std::string_view name =
          records::name_of(static_cast<records::Field>(i));
      const Value* field = view.member(*fields, name);
      if (field != nullptr && !field->is(scan::ValueKind::kObject)) continue;
      if (Status status = lengths(field, "profile.fields." + std::string(name),
                                  p.fields[i]);
          !status) {
        return status;
      }
    }
  }
  if (p.in_order.size() != p.tokens.sketch.count()) p.in_order.clear();
  if (longest != nullptr && longest->is(scan::ValueKind::kArray)) {
    for (const Value* v = view.first_child(*longest); v != nullptr;
         v = view.next_child(*longest, *v)) {
      ObjectReader record = object(v, "profile.longest");
      LongestRecord& next = p.longest.emplace_back();
      next.file = file_index(dataset, record.text("file").value_or(""));
      next.line = record.unsigned_integer("line").value_or(0);
      next.tokens = record.unsigned_integer("tokens").value_or(0);
      if (Status status = record.finish(true); !status) return status;
    }
  }
  return findings(list, dataset, p);
}

Status Reader::prediction(const Value& value, Prediction& p) {
  ObjectReader reader = object(&value, "prediction");
  p.regime = reader.text("regime").value_or("");
  p.in_transition = reader.boolean("in_transition").value_or(false);
  p.risk = reader.text("risk").value_or("");
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

Result<Manifest> Reader::manifest() {
  Manifest m;
  ObjectReader root = object(&document_.view().root(), "");
  if (Status status = head(root, m); !status) return status.error();
  const Value* dataset_value = root.object("dataset");
  const Value* training_value = root.object("training");
  const Value* policy_value = root.object("policy");
  const Value* profile_value = root.object("profile");
  const Value* prediction_value = root.object("prediction");
  if (Status status = root.finish(); !status) return status.error();
  if (Status status = dataset(dataset_value, m.dataset); !status) {
    return status.error();
  }
  if (Status status = training(training_value, m.training); !status) {
    return status.error();
  }
  if (Status status = policy(policy_value, "policy", m.policy); !status) {
    return status.error();
  }
  if (profile_value != nullptr) {
    if (Status status = profile(*profile_value, m.dataset, m.profile.emplace());
        !status) {
      return status.error();
    }
  }
  if (prediction_value != nullptr) {
    if (Status status = prediction(*prediction_value, m.prediction.emplace());
        !status) {
      return status.error();
    }
  }
  return m;
}

Result<Policy> Reader::policy_file() {
  Policy p;
  const Value& root = document_.view().root();
  if (Status status = policy(&root, "", p); !status) return status.error();
  return p;
}

}  // namespace

Result<Manifest> parse_manifest(std::string_view json, std::string_view name,
                                Depth depth) {
  auto document = JsonDocument::parse(json, name);
  if (!document) return document.error();
  return Reader(*document, std::string(name), depth).manifest();
}

Result<Policy> parse_policy(std::string_view json, std::string_view name) {
  auto document = JsonDocument::parse(json, name);
  if (!document) return document.error();
  return Reader(*document, std::string(name), Depth::kAll).policy_file();
}

}  // namespace trainsight::manifest
