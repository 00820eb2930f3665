#include "trainsight/report/format_table.h"

#include "formats.h"
#include "listing.h"
#include "trainsight/manifest/write.h"

namespace trainsight::report {
namespace {

constexpr Format kFormats[] = {
    {"text", "people, at a terminal or in a log", render_text, false},
    {"json", "programs: the manifest, or the verdict", render_json, false},
    {"sarif", "code scanning: SARIF 2.1.0", render_sarif, true},
    {"junit", "test reports of CI servers: JUnit XML", render_junit, true},
    {"github", "annotations of a GitHub workflow", render_github, true},
    {"markdown", "a comment on a pull request", render_markdown, true},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

std::string render_text(const RunReport& report) {
  if (report.manifest == nullptr) return {};
  if (report.verdict != nullptr) {
    return verdict_report(*report.manifest, *report.verdict, report.text,
                          unread_files(report));
  }
  return profile_report(*report.manifest, advise(*report.manifest),
                        report.text);
}

std::string render_json(const RunReport& report) {
  if (report.manifest == nullptr) return {};
  return report.verdict != nullptr
             ? verdict_json(*report.manifest, *report.verdict,
                            unread_files(report))
             : manifest::to_json(*report.manifest);
}

}  // namespace trainsight::report
