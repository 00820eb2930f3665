#include "trainsight/manifest/read.h"

#include <fmt/format.h>

#include "reader.h"

namespace trainsight::manifest {
namespace {

using scan::JsonDocument;
using scan::Value;

// A number of the run with the range that the flags accept as well.
struct Bounded {
  std::string_view member;
  const std::optional<std::uint64_t>& number;
  std::uint64_t most;
};

}  // namespace

Status Reader::version_and_kind(ObjectReader& root, std::string_view expected) {
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
  if (!kind.has_value() || *kind != expected) {
    return Error{ErrorKind::kUnsupported,
                 fmt::format("{}: kind is \"{}\", not \"{}\"", name_,
                             kind.value_or(""), expected),
                 ""};
  }
  return {};
}

Status Reader::head(ObjectReader& root, Manifest& manifest) {
  if (Status status = version_and_kind(root, kKind); !status) return status;
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
  file.malformed = reader.unsigned_integer("malformed");
  file.usable = reader.unsigned_integer("usable");
  file.role = reader.text("role").value_or("");
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

Status Reader::training(const Value* value, const std::string& where,
                        Training& t) {
  ObjectReader reader = object(value, where);
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
  t.model = reader.text("model");
  t.method = reader.text("method");
  t.gpu = reader.text("gpu");
  t.precision = reader.text("precision");
  const scan::RowView& view = document_.view();
  if (const Value* settings = reader.object("settings")) {
    for (const Value* v = view.first_child(*settings); v != nullptr;
         v = view.next_child(*settings, *v)) {
      if (v->kind != scan::ValueKind::kText) {
        reader.fail(ErrorKind::kUsage, v, "settings",
                    fmt::format("{} must be a string", v->key));
        break;
      }
      t.settings[std::string(v->key)] = scan::text_of(v);
    }
  }
  if (const Value* shape = reader.object("model_shape")) {
    for (const Value* v = view.first_child(*shape); v != nullptr;
         v = view.next_child(*shape, *v)) {
      if (v->kind != scan::ValueKind::kInteger || v->integer < 0) {
        reader.fail(ErrorKind::kUsage, v, "model_shape",
                    fmt::format("{} must be a whole number", v->key));
        break;
      }
      t.model_shape[std::string(v->key)] =
          static_cast<std::uint64_t>(v->integer);
    }
  }
  if (const Value* figures = reader.object("gpu_figures")) {
    for (const Value* v = view.first_child(*figures); v != nullptr;
         v = view.next_child(*figures, *v)) {
      if (v->kind != scan::ValueKind::kInteger &&
          v->kind != scan::ValueKind::kReal) {
        reader.fail(ErrorKind::kUsage, v, "gpu_figures",
                    fmt::format("{} must be a number", v->key));
        break;
      }
      t.gpu_figures[std::string(v->key)] =
          v->kind == scan::ValueKind::kReal ? v->real
                                            : static_cast<double>(v->integer);
    }
  }
  reader.any("completion_tokens");  // known, so that it is no error
  for (const auto& [member, number, most] :
       {Bounded{"micro_batch", t.micro_batch, 1u << 20},
        Bounded{"pad_to_multiple_of", t.pad_to_multiple_of, 1u << 16},
        Bounded{"max_seq_len", t.max_seq_len, 1u << 30},
        Bounded{"world_size", t.world_size, 1u << 30},
        Bounded{"accumulation", t.accumulation, 1u << 30}}) {
    if (number.has_value() && (*number == 0 || *number > most)) {
      reader.fail(ErrorKind::kUsage, value, member,
                  fmt::format("must be from 1 to {}", most));
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
  for (std::uint32_t i = 0; i < m.dataset.files.size(); ++i) {
    file_indices_.emplace(m.dataset.files[i].path, i);  // the first of a path
  }
  if (Status status = training(training_value, "training", m.training);
      !status) {
    return status.error();
  }
  if (Status status = policy(policy_value, "policy", m.policy); !status) {
    return status.error();
  }
  if (profile_value != nullptr) {
    if (Status status = profile(*profile_value, m.profile.emplace()); !status) {
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
