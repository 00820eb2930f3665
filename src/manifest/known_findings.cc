#include "trainsight/manifest/known_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "hex.h"
#include "object_reader.h"
#include "trainsight/manifest/manifest.h"
#include "trainsight/rules/rule_table.h"
#include "trainsight/scan/json_document.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::manifest {
namespace {

using scan::Value;
using scan::ValueKind;

class ListReader {
 public:
  ListReader(const scan::JsonDocument& document, std::string_view name)
      : document_(document), name_(name) {}

  Result<std::vector<KnownEntry>> list();

 private:
  ObjectReader object(const Value* value, std::string where) const {
    return ObjectReader(document_, value, name_, std::move(where));
  }
  Status head(ObjectReader& root) const;
  Status entry(const Value& value, const std::string& where);
  Status rows(ObjectReader& reader, KnownEntry& entry);

  const scan::JsonDocument& document_;
  std::string name_;
  std::vector<KnownEntry> entries_;
  std::set<std::pair<std::string_view, std::string>> seen_;
  std::size_t row_count_ = 0;
};

Status ListReader::head(ObjectReader& root) const {
  const std::string version = root.text("apiVersion").value_or("");
  const std::string kind = root.text("kind").value_or("");
  if (root.failed()) return root.finish();
  if (version != kApiVersion || kind != kKnownFindingsKind) {
    return Error{
        ErrorKind::kUnsupported,
        fmt::format("{} is \"{}\" of \"{}\", this trainsight reads \"{}\" of "
                    "\"{}\"",
                    name_, kind, version, kKnownFindingsKind, kApiVersion),
        "write it again: trainsight profile --write-known-findings …"};
  }
  ObjectReader tool = object(root.object("tool"), "tool");
  static_cast<void>(tool.text("name"));
  static_cast<void>(tool.text("version"));
  return tool.finish();
}

Status ListReader::rows(ObjectReader& reader, KnownEntry& entry) {
  const Value* list = reader.array("rows");
  if (list == nullptr) return {};
  if (list->is(ValueKind::kNumbers) && list->count > 0) {
    reader.fail(ErrorKind::kUsage, list, "rows", "numbers, not hashes");
    return {};
  }
  if (list->count > rules::kMostKnownRows - row_count_) {
    return Error{ErrorKind::kLimit,
                 fmt::format("{}: over the limit of {} rows", name_,
                             rules::kMostKnownRows),
                 ""};
  }
  row_count_ += list->count;
  const scan::RowView& view = document_.view();
  for (const Value* v = view.first_child(*list); v != nullptr;
       v = view.next_child(*list, *v)) {
    const auto row = parse_hex64(scan::text_of(v));
    if (!row.has_value()) {
      reader.fail(ErrorKind::kUsage, v, "rows", "not 16 hex digits");
      return {};
    }
    entry.group.rows.push_back(*row);
  }
  std::sort(entry.group.rows.begin(), entry.group.rows.end());
  return {};
}

Status ListReader::entry(const Value& value, const std::string& where) {
  ObjectReader reader = object(&value, where);
  const std::string code = reader.text("code").value_or("");
  static_cast<void>(reader.text("name"));  // for people
  KnownEntry entry;
  entry.file = reader.text("file").value_or("");
  entry.group.count = reader.unsigned_integer("count").value_or(0);
  if (Status status = rows(reader, entry); !status) return status;
  const rules::Rule* rule = rules::find_rule(code);
  if (rule == nullptr || rule->code != code) {
    reader.fail(ErrorKind::kUsage, &value, "code",
                fmt::format("no rule is called \"{}\"", code));
    return reader.finish();
  }
  entry.code = rule->code;
  if (entry.group.count == 0 || entry.group.count < entry.group.rows.size()) {
    reader.fail(ErrorKind::kUsage, &value, "count",
                "missing, 0, or less than there are rows");
  } else if (!seen_.emplace(entry.code, entry.file).second) {
    reader.fail(ErrorKind::kUsage, &value, "code",
                fmt::format("{} stands twice for this file", code));
  }
  entries_.push_back(std::move(entry));
  return reader.finish();
}

Result<std::vector<KnownEntry>> ListReader::list() {
  const scan::RowView& view = document_.view();
  ObjectReader root = object(&view.root(), "");
  if (Status status = head(root); !status) return status.error();
  const Value* findings = root.array("findings");
  if (findings == nullptr) {
    root.fail(ErrorKind::kUsage, &view.root(), "findings", "missing");
  } else if (findings->is(ValueKind::kNumbers) && findings->count > 0) {
    root.fail(ErrorKind::kUsage, findings, "findings", "a list of numbers");
  }
  if (Status status = root.finish(); !status) return status.error();
  for (const Value* v = view.first_child(*findings); v != nullptr;
       v = view.next_child(*findings, *v)) {
    const std::string where = fmt::format("findings[{}]", entries_.size());
    if (!v->is(ValueKind::kObject)) {
      root.fail(ErrorKind::kUsage, v, where, "an object belongs here");
      return root.finish().error();
    }
    if (Status status = entry(*v, where); !status) return status.error();
  }
  return std::move(entries_);
}

}  // namespace

Result<std::vector<KnownEntry>> parse_known_findings(std::string_view json,
                                                     std::string_view name) {
  auto document = scan::JsonDocument::parse(json, name);
  if (!document) return document.error();
  return ListReader(*document, name).list();
}

std::string to_json(const std::vector<KnownEntry>& entries,
                    std::string_view tool_version) {
  using Json = nlohmann::ordered_json;
  Json j = Json::object();
  j["apiVersion"] = kApiVersion;
  j["kind"] = kKnownFindingsKind;
  j["tool"] = {{"name", "trainsight"}, {"version", tool_version}};
  j["findings"] = Json::array();
  for (const KnownEntry& entry : entries) {
    const rules::Rule* rule = rules::find_rule(entry.code);
    Json one = Json::object();
    one["code"] = entry.code;
    if (rule != nullptr) one["name"] = rule->name;
    one["file"] = entry.file;
    one["count"] = entry.group.count;
    if (!entry.group.rows.empty()) {
      one["rows"] = Json::array();
      for (const std::uint64_t row : entry.group.rows) {
        one["rows"].push_back(text::hex64(row));
      }
    }
    j["findings"].push_back(std::move(one));
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace trainsight::manifest
