// Environment: what the process finds around itself, as plain values, so that
// everything behind it can be tested without a terminal.
#ifndef TRAINSIGHT_CLI_ENVIRONMENT_H_
#define TRAINSIGHT_CLI_ENVIRONMENT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "trainsight/chat/chat_template.h"
#include "trainsight/tokenize/hub_cache.h"

namespace trainsight::cli {

struct Environment {
  bool stdout_is_terminal = false;
  bool stderr_is_terminal = false;
  bool no_color = false;         ///< NO_COLOR is set and not empty
  std::uint32_t cpu_count = 1;   ///< that this process may run on
  tokenize::HubEnvironment hub;  ///< where the Hugging Face cache may be
  /// SOURCE_DATE_EPOCH: the time that outputs carry instead of now.
  std::optional<std::int64_t> source_date_epoch;
  /// The local time, which chat templates may print; of SOURCE_DATE_EPOCH in
  /// UTC where it is set.
  chat::TemplateVariables::Date now;
};

Environment read_environment();

/// Whether to write colour, from --color (auto, always, never).
bool use_color(const std::string& color, const Environment& environment);

}  // namespace trainsight::cli

#endif  // TRAINSIGHT_CLI_ENVIRONMENT_H_
