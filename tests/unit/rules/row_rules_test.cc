// What rules say about single rows: where, and what they leave alone.
#include <catch2/catch.hpp>

#include "checked.h"

namespace trainsight::rules {
namespace {

// The findings about one row, by rules that begin with `prefix`.
std::string found(const std::string& row, std::string_view prefix,
                  const RuleOptions& options = {}) {
  return shown(check({row}, options).log, prefix);
}

RuleOptions for_target(std::string_view name) {
  RuleOptions options;
  options.target = targets::find_target(name);
  options.selection.apply(options.target);
  return options;
}

const std::string kSound =
    R"({"messages":[{"role":"system","content":"s"},)"
    R"({"role":"user","content":"u"},{"role":"assistant","content":"a"}]})";

TEST_CASE("nothing is said about a sound conversation", "[rules]") {
  for (const std::string_view group : {"TS1", "TS2", "TS31", "TS4", "TS7"}) {
    CHECK(found(kSound, group).empty());
  }
}

// The findings about kSound with these flags of measuring and this refusal.
std::string of_template(std::uint16_t flags, std::string_view refusal,
                        const RuleOptions& options = {}) {
  const JsonRow json(kSound);
  const scan::RowView view = json.view();
  records::Extractor extractor;
  records::Sample sample;
  extractor.extract(view, sample);
  facts::RowFacts facts = facts_of(view, sample);
  facts.flags = static_cast<std::uint16_t>(facts.flags | flags);
  RowContext context{view, sample, extractor.members(), facts, 0};
  context.refusal = refusal;
  RowChecker checker(options);
  static_cast<void>(checker.row(context));
  SetChecker set(options);
  set.batch(checker.take(), {&facts, 1}, 0, 0);
  std::string text;
  const SetResult result = set.finish(records::SampleType::kSft);
  for (const auto& [key, group] : result.log.groups()) {
    if (std::get<0>(key).substr(0, 4) != "TS33") continue;
    text += std::string(std::get<0>(key)) + " " +
            std::string(name_of(std::get<1>(key))) + ": " +
            group.first.front().message + "\n";
  }
  return text;
}

TEST_CASE("what the chat template does to a row is told", "[rules]") {
  CHECK(of_template(0, "").empty());
  CHECK(of_template(facts::kTemplateRefused, "no system role") ==
        "TS332 error: the chat template rejects it, its length is that of its "
        "texts: no system role\n");
  CHECK(of_template(facts::kTemplateFallback, "line 3: \"f\" is unknown") ==
        "TS333 warning: its length is by a preset: template line 3: \"f\" is "
        "unknown\n");
  const std::string rewritten =
      "TS334 info: the template writes a turn otherwise once others follow: of "
      "such answers the content alone counts as learnt\n";
  CHECK(of_template(facts::kMaskBroken, "") == rewritten);
  CHECK(of_template(facts::kMaskBroken, "", for_target("openai")) == rewritten);
  // TRL learns every token of a conversation unless it is told otherwise.
  CHECK(of_template(facts::kMaskBroken, "", for_target("trl")).empty());
}

TEST_CASE("a long refusal is cut between characters", "[rules]") {
  // 159 bytes and a character of two, which byte 160 would cut.
  const std::string reason = std::string(159, 'x') + "\xC3\xA9 and more";
  CHECK(of_template(facts::kTemplateRefused, reason) ==
        "TS332 error: the chat template rejects it, its length is that of its "
        "texts: " +
            std::string(159, 'x') + "…\n");
}

TEST_CASE("messages lack a key, a known role, a content", "[rules]") {
  CHECK(found(R"({"messages":[{"role":"user"},
      {"role":"assistant","content":"a"}]})",
              "TS309") == "TS309 error × 1 at 1/messages/0");
  CHECK(found(R"({"messages":[{"content":"u"},
      {"role":"assistant","content":"a"}]})",
              "TS309") == "TS309 error × 1 at 1/messages/0");
  CHECK(found(R"({"conversations":[{"from":"assitant","value":"b"}]})",
              "TS305") == "TS305 error × 1 at 1/conversations/0/from");
  CHECK(found(R"({"messages":[{"role":"user","content":""},
      {"role":"assistant","content":"a"}]})",
              "TS311") == "TS311 warning × 1 at 1/messages/0/content");
}

TEST_CASE("null beside tool calls is fine, an empty string is not", "[rules]") {
  const auto row = [](const std::string& content) {
    return R"({"messages":[{"role":"user","content":"u"},{"role":"assistant",)"
           R"("content":)" +
           content +
           R"(,"tool_calls":[{"id":"c1","type":"function","function":)"
           R"({"name":"f","arguments":"{}"}}]},)"
           R"({"role":"tool","tool_call_id":"c1","content":"r"},)"
           R"({"role":"assistant","content":"a"}]})";
  };
  CHECK(found(row("null"), "TS31").empty());
  CHECK(found(row("null"), "TS303").empty());
  CHECK(found(row("\"\""), "TS319") ==
        "TS319 warning × 1 at 1/messages/1/content");
}

TEST_CASE("a call that is not answered before the next turn", "[rules]") {
  CHECK(found(R"({"messages":[{"role":"user","content":"u"},
      {"role":"assistant","content":null,"tool_calls":[{"id":"c1"}]},
      {"role":"user","content":"v"},{"role":"assistant","content":"a"}]})",
              "TS318") == "TS318 warning × 1 at 1/messages/1/tool_calls/0");
}

TEST_CASE("keys of messages: passed over, or refused by a target", "[rules]") {
  const std::string row = R"({"messages":[{"role":"user","content":"u",
      "mood":"glad"},{"role":"assistant","content":"a"}]})";
  CHECK(found(row, "TS310") == "TS310 info × 1 at 1/messages/0/mood");
  CHECK(found(row, "TS310", for_target("openai")) ==
        "TS310 error × 1 at 1/messages/0/mood");
}

TEST_CASE("turns out of order", "[rules]") {
  CHECK(found(R"({"messages":[{"role":"user","content":"u"},
      {"role":"user","content":"v"},{"role":"assistant","content":"a"}]})",
              "TS316") == "TS316 warning × 1 at 1/messages/1");
  CHECK(found(R"({"messages":[{"role":"assistant","content":"a"}]})",
              "TS316") == "TS316 warning × 1 at 1/messages/0");
  CHECK(found(R"({"messages":[{"role":"user","content":"u"},
      {"role":"assistant","content":"a"},{"role":"system","content":"s"},
      {"role":"assistant","content":"b"}]})",
              "TS316",
              for_target("together")) == "TS316 error × 1 at 1/messages/2");
}

TEST_CASE("weights are 0 or 1", "[rules]") {
  const auto row = [](const std::string& weight) {
    return R"({"messages":[{"role":"user","content":"u"},)"
           R"({"role":"assistant","content":"a","weight":)" +
           weight + "}]}";
  };
  CHECK(found(row("0"), "TS330").empty());
  CHECK(found(row("1"), "TS330").empty());
  CHECK(found(row("0.5"), "TS330") == "TS330 error × 1 at 1/messages/1/weight");
  CHECK(found(row("2"), "TS330") == "TS330 error × 1 at 1/messages/1/weight");
}

TEST_CASE("a conversation without an assistant, and one that stops early",
          "[rules]") {
  CHECK(found(R"({"messages":[{"role":"user","content":"u"}]})", "TS30") ==
        "TS308 error × 1 at 1");
  CHECK(found(R"({"messages":[{"role":"user","content":"u"},
      {"role":"assistant","content":"a"},{"role":"user","content":"v"}]})",
              "TS30") == "TS307 warning × 1 at 1");
}

TEST_CASE("ids outside the vocabulary, labels of another length", "[rules]") {
  RuleOptions options;
  options.vocabulary.size = 100;
  CHECK(found(R"({"input_ids":[5,99]})", "TS409", options).empty());
  CHECK(found(R"({"input_ids":[5,100]})", "TS409", options) ==
        "TS409 error × 1 at 1/input_ids");
  CHECK(found(R"({"input_ids":[-1]})", "TS409", options) ==
        "TS409 error × 1 at 1/input_ids");
  CHECK(found(R"({"input_ids":[5,6],"labels":[6]})", "TS410") ==
        "TS410 error × 1 at 1/labels");
}

TEST_CASE("truncation: the start is kept, or the end", "[rules]") {
  RuleOptions options;
  options.max_seq_len = 5;
  const std::string row = R"({"prompt":"12345","completion":"678"})";
  CHECK(found(row, "TS401", options) == "TS401 error × 1 at 1");
  options.overlong = targets::Overlong::kTruncateEnd;
  CHECK(found(row, "TS401", options).empty());
  options.overlong = targets::Overlong::kTruncateStart;
  options.max_seq_len = 6;
  CHECK(found(row, "TS401", options).empty());
}

TEST_CASE("a text that begins with the token that is added", "[rules]") {
  RuleOptions options;
  options.vocabulary.bos_token = "<s>";
  CHECK(found(R"({"text":"<s>Once"})", "TS329", options).empty());
  options.vocabulary.adds_bos = true;
  CHECK(found(R"({"text":"<s>Once"})", "TS329", options) ==
        "TS329 warning × 1 at 1");
  CHECK(found(R"({"text":"Once <s>"})", "TS329", options).empty());
}

TEST_CASE("a lone surrogate is named, a pair is fine", "[rules]") {
  const SetResult result = check({R"({"text":"a \ud83d"})"});
  CHECK(shown(result.log, "TS107") == "TS107 error × 1 at 1/text");
  const Finding& finding = result.log.groups().begin()->second.first.front();
  CHECK(std::get<std::string>(finding.figures[0].value) == "U+D83D");
  CHECK(found(R"({"text":"\ud83d\ude00 \\ud83d"})", "TS107").empty());
}

TEST_CASE("sides that differ in white space only", "[rules]") {
  const auto pair = [](const std::string& chosen, const std::string& rejected) {
    return R"({"prompt":"p","chosen":")" + chosen + R"(","rejected":")" +
           rejected + "\"}";
  };
  CHECK(found(pair("a", "a"), "TS701") == "TS701 warning × 1 at 1");
  CHECK(found(pair(" a\\n", "a"), "TS702") == "TS702 warning × 1 at 1");
  CHECK(found(pair("\\u0061", "a"), "TS701") == "TS701 warning × 1 at 1");
  CHECK(found(pair("a b", "ab"), "TS701").empty());
  CHECK(found(pair("a b", "ab"), "TS702").empty());
}

TEST_CASE("columns that a target refuses", "[rules]") {
  const std::string row = R"({"text":"t","id":7})";
  CHECK(found(row, "TS328").empty());
  CHECK(found(row, "TS328", for_target("together")) ==
        "TS328 error × 1 at 1/id");
}

TEST_CASE("what is left out is neither counted nor listed", "[rules]") {
  RuleOptions options;
  REQUIRE(options.selection.ignore("TS308"));
  CHECK(
      found(R"({"messages":[{"role":"user","content":"u"}]})", "TS308", options)
          .empty());
  options.kept_findings = 0;
  CHECK(found(R"({"messages":[{"role":"user"}]})", "TS309", options) ==
        "TS309 error × 1 at");
}

}  // namespace
}  // namespace trainsight::rules
