#include "output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

namespace trainsight::cli {
// Messages go out whole, whatever other threads write.
void write_stderr(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDERR_FILENO, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // nobody listens
    text.remove_prefix(static_cast<std::size_t>(n));
  }
}

Status write_stdout(std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = write(STDOUT_FILENO, text.data(), text.size());
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) return {};
      return Error{
          ErrorKind::kUnreadable,
          fmt::format("cannot write to stdout: {}", std::strerror(errno)), ""};
    }
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

void print_error(const Error& error) {
  std::string text = fmt::format("trainsight: error: {}\n", error.message);
  if (!error.hint.empty()) text += fmt::format("hint: {}\n", error.hint);
  write_stderr(text);
}

void print_note(std::string_view message) {
  write_stderr(fmt::format("trainsight: {}\n", message));
}

void print_warning(std::string_view message) {
  write_stderr(fmt::format("trainsight: warning: {}\n", message));
}

ExitCode fail(const Error& error) {
  print_error(error);
  return exit_code_of(error.kind);
}

}  // namespace trainsight::cli
