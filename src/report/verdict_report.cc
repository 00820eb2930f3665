#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "layout.h"
#include "listing.h"
#include "sections.h"
#include "trainsight/report/text_report.h"

namespace trainsight::report {
namespace {

using Outcome = gate::Judgement::Outcome;

std::string_view word_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::kHolds:
      return "ok";
    case Outcome::kViolated:
      return "VIOLATED";
    case Outcome::kUnchecked:
      return "unchecked";
  }
  return "unchecked";
}

}  // namespace

std::string verdict_report(const manifest::Manifest& manifest,
                           const gate::Verdict& verdict,
                           const TextOptions& options,
                           std::size_t unread_files) {
  const Style style(options.color);
  std::string out =
      fmt::format("{}\n  {}", headline(verdict, unread_files, style),
                  data_name(manifest, kColumns - 26));
  if (manifest.profile.has_value()) {
    out += ", " + counted(manifest.profile->records, "record");
  }
  out += '\n';
  for (const gate::Judgement& j : verdict.judgements) {
    const std::string word(padded_right(word_of(j.outcome), 10));
    const std::string shown = j.outcome == Outcome::kHolds ? style.green(word)
                              : j.outcome == Outcome::kViolated
                                  ? style.red(word)
                                  : style.yellow(word);
    const std::string text =
        j.outcome == Outcome::kUnchecked
            ? fmt::format("{} ({})", j.reason, j.allowed)
            : fmt::format("{}, allowed {}", j.measured, j.allowed);
    out += fmt::format("  {}{} ", shown, padded_right(j.limit, 20)) +
           wrapped(text, 33) + "\n";
    if (!j.fix.empty()) {
      out += std::string(33, ' ') + style.dim("→ " + wrapped(j.fix, 35)) + "\n";
    }
  }
  if (manifest.profile.has_value() && !manifest.profile->findings.empty()) {
    out += findings_section(manifest, style);
  }
  return out;
}

std::string verdict_json(const manifest::Manifest& manifest,
                         const gate::Verdict& verdict,
                         std::size_t unread_files) {
  using Json = nlohmann::ordered_json;
  const ExitCode code =
      graver(verdict.exit_code(),
             unread_files > 0 ? ExitCode::kUnchecked : ExitCode::kPass);
  Json j = Json::object();
  j["verdict"] = code == ExitCode::kPass        ? "pass"
                 : code == ExitCode::kViolation ? "fail"
                                                : "unchecked";
  j["exit_code"] = static_cast<int>(code);
  if (unread_files > 0) j["unread_files"] = unread_files;
  j["files"] = Json::array();
  for (const auto& file : manifest.dataset.files)
    j["files"].push_back(file.path);
  j["limits"] = Json::array();
  for (const gate::Judgement& judgement : verdict.judgements) {
    Json limit = Json::object();
    limit["limit"] = judgement.limit;
    limit["outcome"] = judgement.outcome == Outcome::kHolds      ? "holds"
                       : judgement.outcome == Outcome::kViolated ? "violated"
                                                                 : "unchecked";
    if (!judgement.measured.empty()) limit["measured"] = judgement.measured;
    limit["allowed"] = judgement.allowed;
    if (!judgement.reason.empty()) limit["reason"] = judgement.reason;
    if (!judgement.fix.empty()) limit["fix"] = judgement.fix;
    j["limits"].push_back(std::move(limit));
  }
  if (manifest.profile.has_value()) {
    const Counts counts = counts_of(*manifest.profile);
    j["findings"] = {{"errors", counts.errors},
                     {"warnings", counts.warnings},
                     {"notes", counts.notes},
                     {"known", counts.known}};
  }
  return j.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace trainsight::report
