// Rows checked without files: JSON texts in, findings out.
#ifndef TRAINSIGHT_TESTS_UNIT_RULES_CHECKED_H_
#define TRAINSIGHT_TESTS_UNIT_RULES_CHECKED_H_

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "trainsight/records/extract.h"
#include "trainsight/rules/check.h"
#include "trainsight/rules/rule_table.h"
#include "trainsight/scan/json_document.h"
#include "trainsight/text/json_text.h"

namespace trainsight::rules {

/// Keeps the text that the row's views point into.
class JsonRow {
 public:
  explicit JsonRow(std::string json)
      : json_(std::move(json)), document_(parse(json_)) {}
  JsonRow(const JsonRow&) = delete;
  JsonRow& operator=(const JsonRow&) = delete;

  /// The row with its own text, as a reader gives it.
  [[nodiscard]] scan::RowView view() const {
    scan::RowView view = document_.view();
    view.raw = json_;
    return view;
  }

 private:
  static scan::JsonDocument parse(const std::string& json) {
    auto document = scan::JsonDocument::parse(json, "row");
    REQUIRE(document);
    return std::move(document).value();
  }
  std::string json_;
  scan::JsonDocument document_;
};

/// Lengths in bytes, each piece on its own: facts of a row by hand.
inline facts::RowFacts facts_of(const scan::RowView& row,
                                const records::Sample& sample) {
  facts::RowFacts facts;
  facts.line = row.line;
  facts.type = sample.type;
  facts.schema = sample.schema;
  facts.dialect = sample.dialect;
  std::uint32_t chosen = 0;
  std::uint32_t rejected = 0;
  for (const records::Piece& piece : sample.pieces) {
    const auto size = static_cast<std::uint32_t>(text::utf8_bytes(piece.text));
    if (piece.trained && piece.side != records::Side::kRejected) {
      facts.flags |= facts::kHasLabels;
      if (facts.first_label == facts::kAbsent) facts.first_label = chosen;
      facts.label_tokens += size;
      facts.label_end = chosen + size;
    }
    if (piece.side != records::Side::kRejected) chosen += size;
    if (piece.side != records::Side::kChosen) rejected += size;
    std::uint32_t& field = facts.fields[static_cast<std::size_t>(piece.field)];
    field = (field == facts::kAbsent ? 0 : field) + size;
  }
  facts.tokens = std::max(chosen, rejected);
  if (facts.is_pair()) {
    facts.chosen_side_tokens = chosen;
    facts.rejected_side_tokens = rejected;
  }
  return facts;
}

/// One file's rows, in batches of `batch` rows.
inline SetResult check(const std::vector<std::string>& rows,
                       const RuleOptions& options = {}, std::size_t batch = 8,
                       records::SampleType type = records::SampleType::kSft) {
  SetChecker set(options);
  RowChecker checker(options);
  records::Extractor extractor({}, options.stated_type);
  for (std::size_t begin = 0; begin < rows.size(); begin += batch) {
    std::vector<facts::RowFacts> facts;
    for (std::size_t i = begin; i < std::min(begin + batch, rows.size()); ++i) {
      const JsonRow row(rows[i]);
      scan::RowView view = row.view();
      view.line = i - begin + 1;
      records::Sample sample;
      extractor.extract(view, sample);
      facts.push_back(facts_of(view, sample));
      const std::uint16_t flags = checker.row(
          RowContext{view, sample, extractor.members(), facts.back(), 0});
      facts.back().flags = static_cast<std::uint16_t>(
          facts.back().flags | flags |
          ((flags & facts::kSpoilt) == 0 ? facts::kUsable : 0));
      facts.back().line = i + 1;
    }
    set.batch(checker.take(), facts, 0, begin);
  }
  FileSummary summary;
  summary.name = "rows.jsonl";
  summary.records = rows.size();
  summary.facts.lines = rows.size();
  set.file(summary);
  return set.finish(type);
}

/// "TS402 error × 2 at 1,3", one line a group.
inline std::string shown(const FindingLog& log, std::string_view prefix) {
  std::string text;
  for (const auto& [key, group] : log.groups()) {
    if (std::get<0>(key).substr(0, prefix.size()) != prefix) continue;
    if (!text.empty()) text += '\n';
    text += std::string(std::get<0>(key)) + " " +
            std::string(name_of(std::get<1>(key))) + " × " +
            std::to_string(group.count) + " at";
    for (const Finding& finding : group.first) {
      text += " " + std::to_string(finding.line) +
              (finding.pointer.empty() ? "" : finding.pointer);
    }
  }
  return text;
}

}  // namespace trainsight::rules

#endif  // TRAINSIGHT_TESTS_UNIT_RULES_CHECKED_H_
