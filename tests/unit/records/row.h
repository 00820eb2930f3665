// A row for tests, from its JSON text.
#ifndef TRAINSIGHT_TESTS_UNIT_RECORDS_ROW_H_
#define TRAINSIGHT_TESTS_UNIT_RECORDS_ROW_H_

#include <catch2/catch.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "trainsight/records/extract.h"
#include "trainsight/records/schema_table.h"
#include "trainsight/scan/json_document.h"
#include "trainsight/text/json_text.h"

namespace trainsight::records {

/// Keeps the text that the row's views point into.
class JsonRow {
 public:
  explicit JsonRow(std::string json)
      : json_(std::move(json)), document_(parse(json_)) {}
  JsonRow(const JsonRow&) = delete;
  JsonRow& operator=(const JsonRow&) = delete;

  [[nodiscard]] const scan::RowView& view() const { return document_.view(); }

 private:
  static scan::JsonDocument parse(const std::string& json) {
    auto document = scan::JsonDocument::parse(json, "row");
    REQUIRE(document);
    return std::move(document).value();
  }
  std::string json_;
  scan::JsonDocument document_;
};

/// The sample of a row with the row that it points into.
struct Extracted {
  explicit Extracted(std::string json, SampleType stated = SampleType::kUnknown,
                     ColumnMap columns = {})
      : row(std::move(json)) {
    Extractor(std::move(columns), stated).extract(row.view(), sample);
  }

  [[nodiscard]] std::string schema() const {
    if (sample.schema < 0) return "none";
    return std::string(schemas()[static_cast<std::size_t>(sample.schema)].name);
  }
  /// "prompt:2+2? completion!:4": field, '!' when it is learnt, text.
  [[nodiscard]] std::string pieces() const {
    std::string all;
    for (const Piece& piece : sample.pieces) {
      if (!all.empty()) all += ' ';
      all += name_of(piece.field);
      if (piece.side == Side::kChosen) all += '+';
      if (piece.side == Side::kRejected) all += '-';
      if (piece.trained) all += '!';
      all += ':';
      text::append_unescaped(piece.text, all);
    }
    return all;
  }

  JsonRow row;
  Sample sample;
};

}  // namespace trainsight::records

#endif  // TRAINSIGHT_TESTS_UNIT_RECORDS_ROW_H_
