#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "sections.h"

namespace trainsight::report {
namespace {

using manifest::Breakdown;
using records::GroupKey;
using records::GroupKind;

constexpr std::size_t kNameColumns = 17;

// Whether a text could be taken for another kind of value.
bool needs_quotes(std::string_view text) {
  return text.empty() || text == "null" || text == "true" || text == "false" ||
         text.front() == '(' || text.front() == '"' || text.front() == ' ' ||
         text.back() == ' ' ||
         text.find_first_not_of("0123456789+-.eE") == std::string_view::npos;
}

std::string name_of_group(const GroupKey& key) {
  switch (key.kind) {
    case GroupKind::kText: {
      std::string text = key.text + (key.hash != 0 ? "…" : "");
      if (needs_quotes(text)) text = "\"" + text + "\"";
      return shortened(text, kNameColumns);
    }
    case GroupKind::kNumber:
    case GroupKind::kBool:
      return key.text;
    case GroupKind::kNull:
      return "null";
    case GroupKind::kMissing:
      return "(no such field)";
    case GroupKind::kList:
      return "(lists)";
    case GroupKind::kObject:
      return "(objects)";
  }
  return "";
}

std::string row_of(const std::string& name, const Breakdown::Group& g) {
  return fmt::format(
      "  {}{}{}{}{}{}{}{}{}\n", padded_right(name, kNameColumns),
      column(short_count(g.records), 8), column(short_count(g.tokens), 8),
      column(percent(g.tokens_ratio), 8),
      column(g.mean >= 100'000
                 ? short_count(static_cast<std::uint64_t>(std::llround(g.mean)))
                 : rounded(g.mean),
             8),
      column(short_count(g.p50), 7), column(short_count(g.p95), 7),
      column(short_count(g.p99), 7), column(short_count(g.max), 8));
}

// What the limit costs the group and what was found in it; empty when nothing.
std::string details_of(const Breakdown::Group& group, const Style& style) {
  std::vector<std::string> parts;
  if (group.survival.size() == 1) {
    const manifest::Survival& s = group.survival.front();
    const auto add = [&parts](std::uint64_t records, const char* what) {
      if (records > 0) parts.push_back(grouped(records) + " " + what);
    };
    add(s.truncated.records, s.overlong == "split" ? "split" : "cut");
    add(s.dropped.records, "dropped");
    add(s.unlabelled.records, "with nothing to learn");
  }
  for (const auto& [code, count] : group.findings) {
    parts.push_back(fmt::format("{} × {}", grouped(count), code));
  }
  if (parts.empty()) return "";
  return style.dim("      " +
                   wrapped(fmt::format("{}", fmt::join(parts, ", ")), 6)) +
         "\n";
}

}  // namespace

std::string breakdown_section(const manifest::Manifest& manifest,
                              const Style& style) {
  if (!manifest.profile->by.has_value()) return "";
  const Breakdown& by = *manifest.profile->by;
  std::string out = "\n" + style.bold("By " + shortened(by.field, 60)) + "\n";
  out += style.dim(fmt::format(
             "  {}{}{}{}{}{}{}{}{}", padded_right("", kNameColumns),
             column("rows", 8), column("tokens", 8), column("share", 8),
             column("mean", 8), column("P50", 7), column("P95", 7),
             column("P99", 7), column("max", 8))) +
         "\n";
  for (const Breakdown::Group& group : by.groups) {
    out += row_of(name_of_group(group.value), group);
    out += details_of(group, style);
  }
  if (by.other.has_value()) {
    out += row_of("(all others)", *by.other);
    out += details_of(*by.other, style);
    out +=
        style.dim("  " +
                  wrapped(by.too_many_values
                              ? "others: more values than are told apart; the "
                                "first 256 that "
                                "appear are, and of these the 64 with most "
                                "tokens are shown"
                              : fmt::format(
                                    "others: {} values with fewer tokens each",
                                    grouped(by.other_values)),
                          2)) +
        "\n";
  }
  if (by.groups.size() == 1 && !by.other.has_value() &&
      by.groups.front().value.kind == GroupKind::kMissing) {
    out += style.yellow("  no row has this field") + "\n";
  }
  return out;
}

}  // namespace trainsight::report
