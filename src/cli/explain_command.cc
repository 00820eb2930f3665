#include "explain_command.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <vector>

#include "output.h"
#include "trainsight/manifest/read.h"
#include "trainsight/rules/rule_table.h"

namespace trainsight::cli {

CLI::App* add_explain(CLI::App& app, ExplainArgs& args) {
  CLI::App* command = app.add_subcommand(
      "explain", "What a rule finds and what to do about it");
  command->add_option("rule", args.rule, "A code or name; none lists all rules")
      ->type_name("RULE");
  command->footer("Example:\n  trainsight explain TS401");
  return command;
}

ExitCode run_explain(const ExplainArgs& args) {
  std::string text;
  if (args.rule.empty()) {
    for (const rules::Rule& rule : rules::rules()) {
      text += fmt::format("{}  {:<7}  {}\n", rule.code,
                          rules::name_of(rule.severity), rule.name);
    }
  } else {
    const rules::Rule* rule = rules::find_rule(args.rule);
    if (rule == nullptr) {
      std::vector<std::string_view> known;
      for (const rules::Rule& each : rules::rules()) {
        known.push_back(each.name);
        known.push_back(each.code);
      }
      const std::string_view nearest = manifest::nearest_name(args.rule, known);
      return fail(Error{ErrorKind::kUsage, "unknown rule \"" + args.rule + "\"",
                        nearest.empty()
                            ? "trainsight explain lists all rules"
                            : fmt::format("did you mean \"{}\"?", nearest)});
    }
    text = rules::page_of(*rule);
  }
  Status status = write_stdout(text);
  return status ? ExitCode::kPass : fail(status.error());
}

}  // namespace trainsight::cli
