#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>

namespace trainsight::cli {
namespace {

// The one piece of global state: a signal handler can reach nothing else.
std::atomic<bool> signal_came{false};

void on_signal(int number) {
  if (signal_came.exchange(true)) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
}

std::string bytes_text(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (value >= 1e9) return fmt::format("{:.2f} GB", value / 1e9);
  return fmt::format("{:.1f} MB", value / 1e6);
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60,
                       whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

void install_signal_handlers() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // A limit on file sizes is an error of write(), told like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
}

bool interrupted() { return signal_came.load(std::memory_order_relaxed); }

std::string progress_text(std::uint64_t bytes_done, std::uint64_t bytes_total,
                          std::uint64_t records, double seconds) {
  const double rate =
      seconds > 0 ? static_cast<double>(bytes_done) / seconds : 0.0;
  if (bytes_total < bytes_done || bytes_total == 0) {
    return fmt::format("{} records  {}  {}/s", records, bytes_text(bytes_done),
                       bytes_text(static_cast<std::uint64_t>(rate)));
  }
  const double left =
      rate > 0 ? static_cast<double>(bytes_total - bytes_done) / rate : 0.0;
  return fmt::format("{:5.1f} %  {} of {}  {}/s  ETA {}",
                     100.0 * static_cast<double>(bytes_done) /
                         static_cast<double>(bytes_total),
                     bytes_text(bytes_done), bytes_text(bytes_total),
                     bytes_text(static_cast<std::uint64_t>(rate)),
                     duration_text(left));
}

Progress::Progress(const std::string& mode, const Environment& environment)
    : shown_(mode != "never"),
      on_terminal_(environment.stderr_is_terminal),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() {
  // The bar goes away: what counts stands on stdout.
  if (line_is_open_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::progress(std::uint64_t bytes_done, std::uint64_t bytes_total,
                        std::uint64_t records) {
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double since = std::chrono::duration<double>(now - last_).count();
  const double interval = on_terminal_ ? 0.1 : 10.0;
  if (seconds < 1.0 || since < interval) return;
  last_ = now;
  const std::string text =
      progress_text(bytes_done, bytes_total, records, seconds);
  if (on_terminal_) {
    constexpr std::size_t kWidth = 20;
    const double share =
        bytes_total == 0 ? 0.0
                         : std::min(1.0, static_cast<double>(bytes_done) /
                                             static_cast<double>(bytes_total));
    const auto filled = static_cast<std::size_t>(share * kWidth);
    fmt::print(stderr, "\r\x1b[K[{}{}] {}", std::string(filled, '#'),
               std::string(kWidth - filled, '.'), text);
    std::fflush(stderr);
    line_is_open_ = true;
  } else {
    fmt::print(stderr, "trainsight: {}\n", text);
  }
}

void Progress::rows(const std::vector<facts::RowFacts>& rows) {
  if (on_rows) on_rows(rows);
}

}  // namespace trainsight::cli
