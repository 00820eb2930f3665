// Column types: exact counts, whatever the batches.
#include "rules/columns.h"

#include <catch2/catch.hpp>

#include "checked.h"

namespace trainsight::rules {
namespace {

// The columns of rows in batches of `size`.
SetColumns columns_of(const std::vector<std::string>& rows, std::size_t size) {
  SetColumns set;
  for (std::size_t begin = 0; begin < rows.size(); begin += size) {
    BatchColumns batch;
    for (std::size_t i = begin; i < std::min(begin + size, rows.size()); ++i) {
      const JsonRow row(rows[i]);
      scan::RowView view = row.view();
      view.line = i - begin + 1;
      batch.add(view);
    }
    set.add(batch, 0, begin);
  }
  return set;
}

const SetColumns::TypeUse& use_of(const SetColumns& set, const char* path,
                                  ColumnType type) {
  const auto found = set.columns().find(path);
  REQUIRE(found != set.columns().end());
  return found->second[static_cast<std::size_t>(type)];
}

TEST_CASE("the first row of another type and the rows before it", "[rules]") {
  std::vector<std::string> rows(7, R"({"q":"a","title":"Seven"})");
  rows.emplace_back(R"({"q":"b"})");
  rows.emplace_back(R"({"q":"b","title":1984})");
  rows.emplace_back(R"({"q":"a","title":"Eight"})");
  rows.emplace_back(R"({"q":"a","title":null})");
  for (std::size_t size = 1; size <= rows.size(); ++size) {
    const SetColumns set = columns_of(rows, size);
    const auto& number = use_of(set, "/title", ColumnType::kNumber);
    CHECK(number.rows == 1);
    CHECK(number.line == 9);
    CHECK(number.pointer == "/title");
    CHECK(number.rows_before[static_cast<std::size_t>(ColumnType::kString)] ==
          7);
    CHECK(use_of(set, "/title", ColumnType::kString).rows == 8);
    CHECK(use_of(set, "/q", ColumnType::kString).rows == 11);
  }
}

TEST_CASE("places in arrays are one column, pointers are exact", "[rules]") {
  const SetColumns set = columns_of(
      {R"({"m":[{"c":"a"},{"c":"b"}]})", R"({"m":[{"c":"a"},{"c":[1,2]}]})"},
      8);
  const auto& list = use_of(set, "/m/*/c", ColumnType::kList);
  CHECK(list.line == 2);
  CHECK(list.pointer == "/m/1/c");
  CHECK(list.rows == 1);
  CHECK(use_of(set, "/m/*/c", ColumnType::kString).rows == 2);
  CHECK(use_of(set, "/m/*/c/*", ColumnType::kNumber).rows == 1);
}

TEST_CASE("names with slashes are escaped", "[rules]") {
  const SetColumns set = columns_of({R"({"a/b~c":1})"}, 1);
  CHECK(use_of(set, "/a~1b~0c", ColumnType::kNumber).pointer == "/a~1b~0c");
}

TEST_CASE("names without end are bounded and told", "[rules]") {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < kMostPaths + 10; ++i) {
    rows.push_back("{\"k" + std::to_string(i) + "\":1}");
  }
  const SetColumns set = columns_of(rows, 100);
  CHECK(set.too_many_paths());
  CHECK(set.columns().size() <= kMostPaths);
}

}  // namespace
}  // namespace trainsight::rules
