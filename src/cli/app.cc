#include "trainsight/cli/app.h"

#include <fmt/format.h>
#include <malloc.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iterator>
#include <sstream>
#include <string_view>

#include "environment.h"
#include "explain_command.h"
#include "fix_command.h"
#include "output.h"
#include "pack_command.h"
#include "plan_command.h"
#include "profile_command.h"
#include "progress.h"
#include "show_command.h"
#include "tokens_command.h"
#include "trainsight/core/version.h"
#include "validate_command.h"

namespace trainsight::cli {
namespace {

constexpr const char* kAbout =
    "Know your training data before you book a GPU: lengths in the model's own "
    "tokens, padding, truncation, faults, and a gate by exit code.";

constexpr std::string_view kCommands[] = {
    "profile", "validate", "plan", "pack", "fix", "show", "tokens", "explain"};

ExitCode parse_and_run(int argc, const char* const* argv) {
  const Environment environment = read_environment();
  CLI::App app{kAbout, "trainsight"};
  app.set_version_flag("--version",
                       fmt::format("trainsight {} ({})", version(), commit()));
  app.require_subcommand(1);
  app.get_formatter()->column_width(30);
  ProfileArgs profile;
  ValidateArgs validate;
  ExplainArgs explain;
  TokensArgs tokens;
  FixArgs fix;
  ShowArgs show;
  PackArgs pack;
  PlanArgs plan;
  // Hundreds of options cost a millisecond: when a command is named, only its
  // own are set up.
  const std::string_view first = argc > 1 ? argv[1] : "";
  const bool is_named = std::find(std::begin(kCommands), std::end(kCommands),
                                  first) != std::end(kCommands);
  const auto add = [&](std::string_view name, auto add_command, auto& args) {
    return is_named && first != name ? nullptr : add_command(app, args);
  };
  CLI::App* profile_command = add("profile", add_profile, profile);
  CLI::App* validate_command = add("validate", add_validate, validate);
  CLI::App* plan_command = add("plan", add_plan, plan);
  CLI::App* pack_command = add("pack", add_pack, pack);
  CLI::App* fix_command = add("fix", add_fix, fix);
  CLI::App* show_command = add("show", add_show, show);
  CLI::App* tokens_command = add("tokens", add_tokens, tokens);
  CLI::App* explain_command = add("explain", add_explain, explain);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& success) {
    std::ostringstream out;
    app.exit(success, out, out);
    Status status = write_stdout(out.str());
    return status ? ExitCode::kPass : fail(status.error());
  } catch (const CLI::ParseError& error) {
    return fail(Error{ErrorKind::kUsage, error.what(),
                      "trainsight --help shows the commands"});
  }
  const auto is_given = [](const CLI::App* command) {
    return command != nullptr && command->parsed();
  };
  if (is_given(profile_command)) return run_profile(profile, environment);
  if (is_given(validate_command)) return run_validate(validate, environment);
  if (is_given(plan_command)) return run_plan(plan, environment);
  if (is_given(pack_command)) return run_pack(pack, environment);
  if (is_given(show_command)) return run_show(show, environment);
  if (is_given(fix_command)) return run_fix(fix);
  if (is_given(tokens_command)) return run_tokens(tokens, environment);
  if (is_given(explain_command)) return run_explain(explain);
  return ExitCode::kUsage;
}

// Batches come and go by the megabyte. glibc would hand each back to the
// system and fault the next one in page by page, a tenth of a scan's time.
void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int kBatchBytes = 32 << 20;  // the largest value that it takes
  mallopt(M_MMAP_THRESHOLD, kBatchBytes);
  mallopt(M_TRIM_THRESHOLD, kBatchBytes);
#endif
}

}  // namespace

ExitCode run(int argc, const char* const* argv) {
  install_signal_handlers();
  keep_freed_memory();
  // Libraries may throw (no memory, say); nothing of ours does.
  try {
    return parse_and_run(argc, argv);
  } catch (const std::exception& error) {
    print_error(Error{ErrorKind::kInternal,
                      fmt::format("internal error: {}", error.what()),
                      "please report it with the command line"});
    return ExitCode::kInternal;
  }
}

}  // namespace trainsight::cli
