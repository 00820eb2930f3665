#include "environment.h"

#include <sched.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string_view>

namespace trainsight::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::uint32_t allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  const int count = CPU_COUNT(&set);
  return count < 1 ? 1 : static_cast<std::uint32_t>(count);
}

std::optional<std::int64_t> epoch_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  char* end = nullptr;
  const long long seconds = std::strtoll(text.c_str(), &end, 10);
  if (*end != '\0' || seconds < 0 || seconds > 253'402'300'799) {
    return std::nullopt;  // not a time in years 1970 to 9999
  }
  return seconds;
}

chat::TemplateVariables::Date now_of(std::optional<std::int64_t> epoch) {
  const auto seconds =
      static_cast<std::time_t>(epoch.value_or(std::time(nullptr)));
  std::tm parts{};
  chat::TemplateVariables::Date date;
  if ((epoch ? gmtime_r(&seconds, &parts) : localtime_r(&seconds, &parts)) ==
      nullptr) {
    return date;
  }
  date.year = parts.tm_year + 1900;
  date.month = parts.tm_mon + 1;
  date.day = parts.tm_mday;
  date.hour = parts.tm_hour;
  date.minute = parts.tm_min;
  date.second = parts.tm_sec;
  return date;
}

}  // namespace

Environment read_environment() {
  Environment e;
  e.stdout_is_terminal = isatty(STDOUT_FILENO) == 1;
  e.stderr_is_terminal = isatty(STDERR_FILENO) == 1;
  e.no_color = !variable("NO_COLOR").empty();
  e.cpu_count = allowed_cpus();
  e.hub.hf_hub_cache = variable("HF_HUB_CACHE");
  e.hub.hf_home = variable("HF_HOME");
  e.hub.xdg_cache_home = variable("XDG_CACHE_HOME");
  e.hub.home = variable("HOME");
  e.source_date_epoch = epoch_of(variable("SOURCE_DATE_EPOCH"));
  e.now = now_of(e.source_date_epoch);
  return e;
}

bool use_color(const std::string& color, const Environment& environment) {
  if (color == "always") return true;
  if (color == "never") return false;
  return environment.stdout_is_terminal && !environment.no_color;
}

}  // namespace trainsight::cli
