// SARIF 2.1.0, as code scanning reads it.
//
// Sources: OASIS, Static Analysis Results Interchange Format (SARIF) Version
// 2.1.0 plus Errata 01; GitHub, "SARIF support for code scanning" (required
// members and limits, read 2026-11).
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "formats.h"
#include "listing.h"
#include "trainsight/text/xxhash64.h"

namespace trainsight::report {
namespace {

using Json = nlohmann::ordered_json;
using Outcome = gate::Judgement::Outcome;
using rules::Severity;

// GitHub takes 25,000 results of a run and shows the gravest 5,000.
constexpr std::size_t kMostResults = 5'000;
// GitHub cuts descriptions here.
constexpr std::size_t kMostDescription = 1'024;

std::string_view level_of(Severity severity) {
  switch (severity) {
    case Severity::kInfo:
      return "note";
    case Severity::kWarning:
      return "warning";
    case Severity::kError:
      return "error";
  }
  return "error";
}

// RFC 3986: what is not unreserved is encoded, but for the slashes of a path.
std::string uri_of(const std::string& path) {
  std::string uri = path.substr(0, 1) == "/" ? "file://" : "";
  for (const char c : path) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
        (c >= '0' && c <= '9') ||
        std::string_view("-._~/").find(c) != std::string_view::npos;
    uri += plain ? std::string(1, c)
                 : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri;
}

Json text_object(std::string_view text) { return Json{{"text", text}}; }

std::string_view description_of(ExitCode code) {
  switch (code) {
    case ExitCode::kPass:
      return "everything was read and every limit held";
    case ExitCode::kViolation:
      return "a limit or a rule was violated";
    case ExitCode::kUsage:
      return "wrong usage or configuration";
    case ExitCode::kUnchecked:
      return "could not check";
    case ExitCode::kInternal:
      return "internal error";
    case ExitCode::kInterrupted:
      return "interrupted";
  }
  return "internal error";
}

class Log {
 public:
  explicit Log(const RunReport& report) : r_(report) {}

  std::string write();

 private:
  std::size_t rule_index(std::string_view id);
  [[nodiscard]] Json rule(const rules::Rule& rule) const;
  [[nodiscard]] Json location(const std::string& path, std::uint64_t line,
                              std::uint64_t offset) const;
  void add_result(std::string_view id, std::string_view level, Json location,
                  const std::string& message, std::uint64_t fingerprint,
                  Json properties);
  void add_limits();
  void add_findings();
  void add_finding(const Entry& entry, const rules::Finding& finding);
  [[nodiscard]] Json invocation() const;
  [[nodiscard]] std::string first_path() const;

  const RunReport& r_;
  Json rules_ = Json::array();
  Json results_ = Json::array();
  std::map<std::string, std::size_t, std::less<>> rule_indices_;
  // Results of one rule, file and content are told apart by their order.
  std::map<std::tuple<std::string, std::string, std::uint64_t>, unsigned>
      occurrences_;
};

Json Log::rule(const rules::Rule& rule) const {
  Json j = Json::object();
  j["id"] = rule.code;
  j["name"] = rule.name;
  j["shortDescription"] = text_object(rule.summary.substr(0, kMostDescription));
  j["fullDescription"] =
      text_object(fmt::format("{}: {}", rule.summary, rule.hint)
                      .substr(0, kMostDescription));
  j["defaultConfiguration"] = {{"level", level_of(rule.severity)}};
  j["help"] = {{"text", rule.hint}, {"markdown", rules::page_of(rule)}};
  j["properties"] = {{"precision", "very-high"},
                     {"problem.severity", rule.severity == Severity::kInfo
                                              ? "recommendation"
                                              : level_of(rule.severity)},
                     {"tags", Json::array({"training-data"})}};
  return j;
}

std::size_t Log::rule_index(std::string_view id) {
  const auto [at, is_new] =
      rule_indices_.emplace(std::string(id), rules_.size());
  if (!is_new) return at->second;
  if (const rules::Rule* known = rules::find_rule(id); known != nullptr) {
    rules_.push_back(rule(*known));
    return at->second;
  }
  const bool is_limit = id.substr(0, 2) != "TS";
  const std::string what =
      is_limit ? fmt::format("the limit {} is violated", id)
               : std::string("a rule that this version does not know");
  Json j = Json::object();
  j["id"] = id;
  j["shortDescription"] = text_object(what);
  j["fullDescription"] = text_object(what);
  j["defaultConfiguration"] = {{"level", is_limit ? "error" : "warning"}};
  j["help"] = text_object(
      is_limit ? "change the data or the way of training, or the limit itself"
               : "read the profile with the version that wrote it");
  j["properties"] = {{"tags", Json::array({"training-data"})}};
  rules_.push_back(std::move(j));
  return at->second;
}

std::string Log::first_path() const { return shown_path(r_, 0u); }

// GitHub shows no result without a line: what is about a file as a whole
// stands at its first one.
Json Log::location(const std::string& path, std::uint64_t line,
                   std::uint64_t offset) const {
  Json region = Json::object();
  region["startLine"] = line == rules::kNoLine ? 1 : line;
  region["startColumn"] = 1;
  region["endLine"] = region["startLine"];
  if (offset != rules::kNoOffset) region["byteOffset"] = offset;
  Json physical = Json::object();
  physical["artifactLocation"] = {{"uri", uri_of(path)}};
  physical["region"] = std::move(region);
  Json j = Json::object();
  j["physicalLocation"] = std::move(physical);
  return j;
}

void Log::add_result(std::string_view id, std::string_view level, Json location,
                     const std::string& message, std::uint64_t fingerprint,
                     Json properties) {
  if (results_.size() == kMostResults) return;
  const std::string uri =
      location["physicalLocation"]["artifactLocation"]["uri"];
  const unsigned occurrence =
      ++occurrences_[{std::string(id), uri, fingerprint}];
  Json j = Json::object();
  j["ruleId"] = id;
  j["ruleIndex"] = rule_index(id);
  j["level"] = level;
  j["message"] = text_object(message.empty() ? id : std::string_view(message));
  j["locations"] = Json::array({std::move(location)});
  // The one key that GitHub looks at; here of the row's content.
  j["partialFingerprints"] = {
      {"primaryLocationLineHash",
       fmt::format("{}:{}", text::hex64(fingerprint), occurrence)}};
  j["properties"] = std::move(properties);
  results_.push_back(std::move(j));
}

void Log::add_limits() {
  if (r_.verdict == nullptr) return;
  for (const gate::Judgement& j : r_.verdict->judgements) {
    if (j.outcome != Outcome::kViolated) continue;
    add_result(j.limit, "error",
               location(first_path(), rules::kNoLine, rules::kNoOffset),
               fmt::format("{}: {}, allowed {}. To change it: {}", j.limit,
                           j.measured, j.allowed, j.fix),
               text::xxh64(j.limit),
               {{"measured", j.measured}, {"allowed", j.allowed}});
  }
}

void Log::add_finding(const Entry& entry, const rules::Finding& finding) {
  std::string path = shown_path(r_, finding.file);
  // Of all files together: somewhere it has to stand.
  if (path.empty()) path = first_path();
  Json where = location(path, finding.line, finding.offset);
  if (!finding.pointer.empty()) {
    where["logicalLocations"] = Json::array(
        {{{"fullyQualifiedName", finding.pointer}, {"kind", "value"}}});
  }
  const std::uint64_t fingerprint = finding.fingerprint != rules::kNoFingerprint
                                        ? finding.fingerprint
                                        : text::xxh64(finding.pointer);
  Json properties = {{"count_in_file", entry.group->count},
                     {"listed", entry.group->first.size()}};
  add_result(entry.code, level_of(entry.severity), std::move(where),
             finding.message, fingerprint, std::move(properties));
}

void Log::add_findings() {
  if (r_.manifest == nullptr) return;
  for (const Entry& entry : entries_of(*r_.manifest->profile)) {
    for (const rules::Finding& finding : entry.group->first) {
      add_finding(entry, finding);
    }
  }
}

Json Log::invocation() const {
  Json notes = Json::array();
  for (const Problem& problem : r_.problems) {
    Json note = Json::object();
    note["level"] = "error";
    note["message"] = text_object(problem.error.message);
    if (!problem.file.empty()) {
      Json physical = {{"artifactLocation",
                        {{"uri", uri_of(shown_path(r_, problem.file))}}}};
      note["locations"] =
          Json::array({{{"physicalLocation", std::move(physical)}}});
    }
    notes.push_back(std::move(note));
  }
  if (r_.verdict != nullptr) {
    for (const gate::Judgement& j : r_.verdict->judgements) {
      if (j.outcome != Outcome::kUnchecked) continue;
      notes.push_back(
          {{"level", "error"},
           {"message", text_object(fmt::format("{} could not be checked: {}",
                                               j.limit, j.reason))}});
    }
  }
  const bool ran =
      r_.exit_code == ExitCode::kPass || r_.exit_code == ExitCode::kViolation;
  Json j = Json::object();
  j["executionSuccessful"] = ran;
  j["exitCode"] = static_cast<int>(r_.exit_code);
  j["exitCodeDescription"] = description_of(r_.exit_code);
  j["toolExecutionNotifications"] = std::move(notes);
  return j;
}

std::string Log::write() {
  add_limits();
  add_findings();
  Json driver = Json::object();
  driver["name"] = "trainsight";
  driver["version"] = r_.version;
  driver["rules"] = std::move(rules_);
  Json properties = Json::object();
  properties["headline"] = headline(r_);
  if (r_.manifest != nullptr) {
    const Counts counts = counts_of(*r_.manifest->profile);
    properties["findings"] = {{"errors", counts.errors},
                              {"warnings", counts.warnings},
                              {"notes", counts.notes},
                              {"known", counts.known}};
  }
  Json run = Json::object();
  run["tool"] = {{"driver", std::move(driver)}};
  run["invocations"] = Json::array({invocation()});
  run["automationDetails"] = {
      {"id", fmt::format("trainsight/{}/", r_.command)}};
  run["columnKind"] = "unicodeCodePoints";
  run["results"] = std::move(results_);
  run["properties"] = std::move(properties);
  Json log = Json::object();
  log["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  log["version"] = "2.1.0";
  log["runs"] = Json::array({std::move(run)});
  return log.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string render_sarif(const RunReport& report) {
  return Log(report).write();
}

}  // namespace trainsight::report
