// Every total of the shared models.csv, against the table that is built in.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "trainsight/models/model_table.h"

namespace trainsight::models {
namespace {

// Fields of a line; a quoted field keeps its commas.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c != '\r') {
      fields.back() += c;
    }
  }
  return fields;
}

TEST_CASE("every exact total of models.csv is what we count") {
  const char* const shared = std::getenv("TRAINSIGHT_SHARED");
  std::ifstream file(
      shared == nullptr ? "" : std::string(shared) + "/reference/models.csv");
  std::string line;
  if (!std::getline(file, line)) {
    std::cerr << "SKIPPED: totals of models.csv: no ../shared (set "
                 "TRAINSIGHT_SHARED); the table's own totals are tested\n";
    return;
  }
  std::map<std::string, std::size_t> column;
  for (const std::string& name : fields_of(line)) {
    const std::size_t at = column.size();
    column[name] = at;
  }
  std::size_t rows = 0, exact = 0;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = fields_of(line);
    const auto text = [&](const char* name) {
      return fields.at(column.at(name));
    };
    ++rows;
    INFO(text("name"));
    const auto model = find_builtin_model(text("name"));
    REQUIRE(model);
    const std::string total =
        std::to_string(count_parameters(model->shape).total);
    CHECK(total == text("computed_params"));
    CHECK(std::to_string(model->shape.vocabulary) == text("vocab"));
    CHECK(std::to_string(model->shape.layers) == text("layers"));
    CHECK(std::to_string(model->shape.hidden) == text("hidden"));
    if (text("confirmed") != "exact") continue;
    ++exact;
    CHECK(total == text("published_params"));
    CHECK(model->evidence == TotalEvidence::kExact);
  }
  CHECK(rows == builtin_model_count());
  CHECK(exact == 198);
}

}  // namespace
}  // namespace trainsight::models
