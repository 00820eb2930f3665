#include <fmt/format.h>

#include "pointer.h"
#include "row_rules.h"
#include "trainsight/text/json_text.h"

namespace trainsight::rules {
namespace {

using records::Key;
using records::Piece;
using scan::ValueKind;

void report_tokens(const RowContext& c, const Piece& piece,
                   const TokenFinder& finder, const TokenFinder::Counts& counts,
                   RowFindings& findings) {
  std::uint64_t special = 0;
  std::uint64_t roles = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const TokenFinder::Kind kind = finder.tokens()[i].kind;
    if (kind == TokenFinder::Kind::kSpecial) special += counts[i];
    if (kind == TokenFinder::Kind::kRole) roles += counts[i];
  }
  if (special + roles == 0) return;
  // Inside a message a token that opens a turn is the graver of the two.
  const bool is_role = roles > 0 && piece.message >= 0;
  Finding* finding =
      findings.found(is_role ? RuleId::kRoleToken : RuleId::kSpecialToken);
  if (finding == nullptr) return;
  std::string list;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const TokenFinder::Token& token = finder.tokens()[i];
    if (counts[i] == 0 || token.kind == TokenFinder::Kind::kPlaceholder) {
      continue;
    }
    finding->figures.push_back(count_figure(token.text, counts[i]));
    if (!list.empty()) list += ", ";
    list += fmt::format("{} ({}×)", token.text, counts[i]);
  }
  finding->pointer = pointer_of_text(c.row, piece.text.bytes.data());
  finding->message = fmt::format("the text holds {}", list);
}

void check_images(const RowContext& c, std::uint64_t placeholders,
                  RowFindings& findings) {
  const scan::Value* images = c.members[Key::kImages];
  if (images == nullptr || !images->is(ValueKind::kArray)) return;
  // Image parts of contents stand for an entry each.
  const std::uint64_t named = placeholders + c.sample.image_parts;
  if (named == images->count) return;
  if (Finding* finding = findings.found(RuleId::kImageCount)) {
    finding->pointer = pointer_of(c.row, *images);
    finding->message = fmt::format("{} placeholder{}, {} image{}", named,
                                   named == 1 ? "" : "s", images->count,
                                   images->count == 1 ? "" : "s");
    finding->figures = {count_figure("placeholders", named),
                        count_figure("images", images->count)};
  }
}

void check_begin(const RowContext& c, TextScratch& scratch,
                 RowFindings& findings) {
  const Vocabulary& vocabulary = findings.options().vocabulary;
  if (!vocabulary.adds_bos || vocabulary.bos_token.empty() ||
      c.sample.pieces.empty()) {
    return;
  }
  const std::string_view text =
      c.rendered.has_value()
          ? *c.rendered
          : text::as_utf8(c.sample.pieces[0].text, scratch.text);
  if (text.substr(0, vocabulary.bos_token.size()) != vocabulary.bos_token) {
    return;
  }
  if (Finding* finding = findings.found(RuleId::kBosTwice)) {
    finding->message = fmt::format(
        "the text begins with {}, which the tokenizer adds once more",
        vocabulary.bos_token);
  }
}

void check_marker(const RowContext& c, RowFindings& findings) {
  const auto& marker = findings.options().response_marker;
  if (!marker.has_value() || !c.rendered.has_value()) return;
  if (c.rendered->find(*marker) != std::string_view::npos) {
    findings.mark(facts::kHasMarker);
    return;
  }
  if (Finding* finding = findings.found(RuleId::kMarkerAbsent)) {
    finding->message = fmt::format(
        "\"{}\" does not stand in the rendered row: nothing is learnt",
        *marker);
  }
}

}  // namespace

void check_texts(const RowContext& c, const TokenFinder& finder,
                 TextScratch& scratch, RowFindings& findings) {
  std::uint64_t placeholders = 0;
  for (const Piece& piece : c.sample.pieces) {
    if (!finder.any(piece.text)) continue;
    finder.count(text::as_utf8(piece.text, scratch.text), scratch.counts);
    for (std::size_t i = 0; i < scratch.counts.size(); ++i) {
      if (finder.tokens()[i].kind == TokenFinder::Kind::kPlaceholder) {
        placeholders += scratch.counts[i];
      }
    }
    report_tokens(c, piece, finder, scratch.counts, findings);
  }
  check_images(c, placeholders, findings);
  check_begin(c, scratch, findings);
  check_marker(c, findings);
}

}  // namespace trainsight::rules
