#include <fmt/format.h>

#include "row_rules.h"

namespace trainsight::rules {
namespace {

// The template's reason may hold whole texts of the row.
constexpr std::size_t kMostReason = 160;

// "line 3: …" is the template's line, not the file's.
std::string reason_of(const RowContext& c) {
  const std::string of_template =
      c.refusal.substr(0, 5) == "line " ? "template " : "";
  if (c.refusal.size() <= kMostReason) {
    return of_template + std::string(c.refusal);
  }
  std::size_t end = kMostReason;  // not inside a character
  while (end > 0 &&
         (static_cast<unsigned char>(c.refusal[end]) & 0xC0) == 0x80) {
    --end;
  }
  return of_template + std::string(c.refusal.substr(0, end)) + "…";
}

// Whether the run learns answers only, so that it matters where they begin.
bool learns_answers(const RowContext& c, const targets::Target* target) {
  using targets::Learns;
  if (c.facts.is_pair() || (c.facts.flags & facts::kHasLabels) == 0) {
    return false;
  }
  return target == nullptr || (target->learns != Learns::kAll &&
                               target->learns != Learns::kAllOfChats);
}

}  // namespace

void check_template(const RowContext& c, RowFindings& findings) {
  const std::uint16_t flags = c.facts.flags;
  if ((flags & facts::kTemplateRefused) != 0) {
    if (Finding* finding = findings.found(RuleId::kTemplateRefuses)) {
      finding->message = fmt::format(
          "the chat template rejects it, its length is that of its texts: {}",
          reason_of(c));
    }
  } else if ((flags & facts::kTemplateFallback) != 0) {
    if (Finding* finding = findings.found(RuleId::kTemplateStandsIn)) {
      finding->message =
          fmt::format("its length is by a preset: {}", reason_of(c));
    }
  }
  if ((flags & facts::kMaskBroken) != 0 &&
      learns_answers(c, findings.options().target)) {
    if (Finding* finding = findings.found(RuleId::kTurnsRewritten)) {
      finding->message =
          "the template writes a turn otherwise once others follow: of such "
          "answers the content alone counts as learnt";
    }
  }
}

}  // namespace trainsight::rules
