// Our interpreter against Python's jinja2, on renderings that
// tests/property/jinja_differential.py --write made.
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "trainsight/chat/jinja_template.h"

namespace trainsight::chat {
namespace {

using Json = nlohmann::ordered_json;

TEST_CASE("templates render as jinja2 renders them, and fail where it fails") {
  std::ifstream file(TRAINSIGHT_CHAT_TEST_DIR "/jinja_golden.jsonl");
  std::string line;
  REQUIRE(std::getline(file, line));
  const Json common = Json::parse(line).at("variables");
  TemplateVariables variables;
  variables.date = {2026, 7, 4, 15, 5, 9};

  int compared = 0;
  int refused = 0;
  while (std::getline(file, line)) {
    const Json row = Json::parse(line);
    Json all = common;
    all.update(row.at("changed"));
    INFO(row.at("name") << ": " << row.at("template"));
    const auto compiled = JinjaTemplate::compile(
        row.at("template").get<std::string>(), variables);
    Result<std::string> text = compiled ? (*compiled)->render_json(all.dump())
                                        : Result<std::string>(compiled.error());
    const bool expects_text = !row.at("text").is_null();
    if (!text && text.error().kind == ErrorKind::kUnsupported) {
      ++refused;
      continue;
    }
    INFO((text ? std::string() : text.error().message));
    CHECK(text.has_value() == expects_text);
    if (text && expects_text) {
      CHECK(*text == row.at("text").get<std::string>());
    }
    ++compared;
  }
  // What we refuse by name is in the fixture too; its number is known.
  CHECK(compared > 300);
  CHECK(refused < 20);
}

}  // namespace
}  // namespace trainsight::chat
